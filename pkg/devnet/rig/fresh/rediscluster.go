package fresh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const (
	clusterTimeout = 2 * time.Minute
	slotsOfCluster = 16384
)

var errForming = errors.New("the nodes do not know of each other yet")

// RedisCluster is a Cluster of redis-servers without replicas, or a master and its replica with a Sentinel.
type RedisCluster struct {
	URL   string // in the format of package redisdb
	Nodes []*devnet.RedisServer
}

func (c *RedisCluster) Close() {
	for _, n := range c.Nodes {
		n.Close()
	}
}

// StartRedisCluster starts masters that share the slots evenly.
func StartRedisCluster(dir string, nodes int) (c *RedisCluster, err error) {
	c = &RedisCluster{}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	var buses []string
	for i := range nodes {
		bus, err := devnet.FreePort()
		if err != nil {
			return c, err
		}
		node, err := devnet.StartRedis(filepath.Join(dir, strconv.Itoa(i)), devnet.RedisOptions{Args: []string{
			"--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus), "--cluster-node-timeout", "5000",
		}})
		if err != nil {
			return c, err
		}
		c.Nodes, buses = append(c.Nodes, node), append(buses, strconv.Itoa(bus))
	}
	c.URL = "redis://" + addr(c.Nodes[0]) + "?cluster=true"
	ctx, cancel := context.WithTimeout(context.Background(), clusterTimeout)
	defer cancel()
	for i, node := range c.Nodes {
		err := do(node, func(client *redis.Client) error {
			from, to := i*slotsOfCluster/nodes, (i+1)*slotsOfCluster/nodes-1
			if err := client.ClusterAddSlotsRange(ctx, from, to).Err(); err != nil {
				return err
			}
			host, port, _ := net.SplitHostPort(addr(c.Nodes[0]))
			return client.Do(ctx, "cluster", "meet", host, port, buses[0]).Err()
		})
		if err != nil {
			return c, fmt.Errorf("couldn't make a Cluster: %w", err)
		}
	}
	for _, node := range c.Nodes {
		err := awaits(ctx, node, func(client *redis.Client) error {
			info, err := client.ClusterInfo(ctx).Result()
			if err == nil && !(strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d\r", nodes))) {
				err = errForming
			}
			return err
		})
		if err != nil {
			return c, fmt.Errorf("couldn't make a Cluster: %w", err)
		}
	}
	return c, nil
}

// StartRedisSentinel starts a master, its replica and a Sentinel, in the order of Nodes. The Sentinel promotes the
// replica when the master has been down for 500 ms.
func StartRedisSentinel(dir string) (c *RedisCluster, err error) {
	const name = "scorelay"
	c = &RedisCluster{}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	start := func(args ...string) (*devnet.RedisServer, error) {
		node, err := devnet.StartRedis(filepath.Join(dir, strconv.Itoa(len(c.Nodes))), devnet.RedisOptions{Args: args})
		if err == nil {
			c.Nodes = append(c.Nodes, node)
		}
		return node, err
	}
	master, err := start("--repl-diskless-sync-delay", "0")
	if err != nil {
		return c, err
	}
	host, port, _ := net.SplitHostPort(addr(master))
	replica, err := start("--replicaof", host+" "+port)
	if err != nil {
		return c, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), clusterTimeout)
	defer cancel()
	err = awaits(ctx, replica, func(client *redis.Client) error {
		info, err := client.Info(ctx, "replication").Result()
		if err == nil && !strings.Contains(info, "master_link_status:up") {
			err = errForming
		}
		return err
	})
	if err != nil {
		return c, fmt.Errorf("couldn't start a replica: %w", err)
	}
	sentinel, err := startSentinel(filepath.Join(dir, "sentinel"), name, addr(master))
	if err != nil {
		return c, err
	}
	c.Nodes = append(c.Nodes, sentinel)
	c.URL = "redis://" + addr(sentinel) + "/0?master_name=" + name
	err = awaits(ctx, sentinel, func(client *redis.Client) error {
		replicas, err := redis.NewSentinelClient(client.Options()).Replicas(ctx, name).Result()
		if err == nil && len(replicas) == 0 {
			err = errForming
		}
		return err
	})
	if err != nil {
		return c, fmt.Errorf("couldn't start a Sentinel: %w", err)
	}
	return c, nil
}

func startSentinel(dir, name, master string) (*devnet.RedisServer, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("couldn't start a Sentinel: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("couldn't make a Sentinel's directory: %w", err)
	}
	host, masterPort, _ := net.SplitHostPort(master)
	return devnet.OnPort(0, func(port int) (*devnet.RedisServer, error) {
		config := filepath.Join(dir, fmt.Sprintf("sentinel-%d.conf", port))
		text := fmt.Sprintf("bind 127.0.0.1\nport %d\ndir %q\nsentinel monitor %s %s %s 1\nsentinel down-after-milliseconds %s 500\n"+
			"sentinel failover-timeout %s 5000\n", port, dir, name, host, masterPort, name, name)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return nil, err
		}
		return devnet.RunRedis(exec.Command(path, config, "--sentinel"), port)
	})
}

func addr(r *devnet.RedisServer) string {
	return strings.TrimSuffix(strings.TrimPrefix(r.URL, "redis://"), "/0")
}

func do(r *devnet.RedisServer, fn func(*redis.Client) error) error {
	client := redis.NewClient(&redis.Options{Addr: addr(r), MaxRetries: -1})
	defer func() { _ = client.Close() }()
	return fn(client)
}

func awaits(ctx context.Context, r *devnet.RedisServer, fn func(*redis.Client) error) error {
	return do(r, func(client *redis.Client) error {
		for {
			err := fn(client)
			if err == nil {
				return nil
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
}
