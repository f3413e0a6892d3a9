package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
)

// balancer leads each TCP connection to the next of some servers that lets it in.
type balancer struct {
	url      string
	listener net.Listener
	servers  []string
	next     atomic.Uint64
}

func startBalancer(t *testing.T, urls []string) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	b := &balancer{url: "http://" + listener.Addr().String(), listener: listener}
	for _, text := range urls {
		u, err := url.Parse(text)
		require.NoError(t, err)
		b.servers = append(b.servers, u.Host)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go b.join(conn)
		}
	}()
	return b
}

func (b *balancer) join(client net.Conn) {
	defer func() { _ = client.Close() }()
	for range b.servers {
		server, err := net.Dial("tcp", b.servers[b.next.Add(1)%uint64(len(b.servers))])
		if err != nil {
			continue
		}
		defer func() { _ = server.Close() }()
		go func() {
			_, _ = io.Copy(server, client)
			_ = server.Close()
		}()
		_, _ = io.Copy(client, server)
		return
	}
}

// clusterRig is a stack on three NATS servers, with links between them and a balancer in front of two APIs.
type clusterRig struct {
	*rig
	t    *testing.T
	mesh *fresh.Mesh
	js   jetstream.JetStream

	created []score.ProjectID // beside the updates
}

func startClusterRig(ctx context.Context, t *testing.T, seed uint64) *clusterRig {
	t.Helper()
	mesh, err := fresh.StartMesh(3)
	require.NoError(t, err)
	t.Cleanup(mesh.Close)
	args := []string{"--nats-servers", "3", "--relayers", "2", "--apis", "2"}
	for i, port := range mesh.Ports {
		args = append(args, "--nats-route", fmt.Sprintf("%d=%s", port, strings.Join(mesh.Cluster(i).Routes, "+")))
	}
	c := &clusterRig{t: t, mesh: mesh}
	c.rig = startRig(ctx, t, rigOptions{endpoints: 1, lanes: 2, block: 250 * time.Millisecond, geth: &devnet.ChainOptions{}, args: args, seed: seed})
	info := c.info(t)
	t.Cleanup(func() {
		if t.Failed() {
			showStreams(t, info)
		}
	})
	client, err := load.NewClient(info.APIKey, 16, startBalancer(t, info.APIURLs).url)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	client.Domain = info.Domain()
	c.client = client
	c.js = c.jetStream(t)
	return c
}

// showStreams logs what each NATS server knows of each stream's leader and copies.
func showStreams(t *testing.T, info *devnet.Info) {
	t.Helper()
	for monitor := range strings.SplitSeq(info.MonitorURL, ",") {
		resp, err := http.Get(monitor + "/jsz?streams=true&raft=true")
		if err != nil {
			t.Log(err)
			continue
		}
		said, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		t.Logf("%s: %s %v", monitor, said, err)
	}
}

// leader is the index of the server that leads a stream, and the id of its process. All servers must run.
func (c *clusterRig) leader(name string) (i, pid int) {
	c.t.Helper()
	i = -1
	require.True(c.t, c.until(2*time.Minute, func() bool {
		ctx, cancel := context.WithTimeout(c.ctx, 2*time.Second)
		defer cancel()
		s, err := c.js.Stream(ctx, name)
		if err != nil || s.CachedInfo().Cluster == nil {
			return false
		}
		for n := range 3 {
			if s.CachedInfo().Cluster.Leader == devnet.NATSName(n) {
				i = n
			}
		}
		return i >= 0
	}), "no server leads %s", name)
	return i, c.nats()[i]
}

// nats are the ids of the servers' processes, once all run.
func (c *clusterRig) nats() []int {
	c.t.Helper()
	var pids []int
	require.True(c.t, c.until(2*time.Minute, func() bool {
		pids = c.info(c.t).PIDs["nats"]
		return len(pids) == 3
	}), "not all NATS servers run")
	return pids
}

// whole waits until each server's copies of all streams and buckets are whole, as an operator does before the next is restarted.
func (c *clusterRig) whole() {
	c.t.Helper()
	c.nats()
	why := ""
	require.True(c.t, c.until(5*time.Minute, func() bool {
		ctx, cancel := context.WithTimeout(c.ctx, 2*time.Second)
		defer cancel()
		all, streams := c.js.ListStreams(ctx), 0
		for s := range all.Info() {
			streams++
			if s.Cluster == nil || s.Cluster.Leader == "" {
				why = s.Config.Name + " has no leader"
				return false
			}
			for _, peer := range s.Cluster.Replicas {
				if why = fmt.Sprintf("%s: %+v", s.Config.Name, *peer); !peer.Current || peer.Offline {
					return false
				}
			}
		}
		if err := all.Err(); err != nil {
			why = err.Error()
			return false
		}
		return streams > 2
	}), "the copies are not whole: %s", why)
}

// accepts waits until an update is promised that is sent from now on, and tells how long that took.
func (c *clusterRig) accepts(patience time.Duration) time.Duration {
	c.t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	post := c.post([]*sdk.Minter{sdk.NewMinter(), sdk.NewMinter()})
	result := c.client.Send(ctx, post, began)
	c.tally.Add(result)
	require.NoError(c.t, result.Err, "nothing is accepted for %s", patience)
	return time.Since(began)
}

// refused has an update answered by 503, and tells how long that took.
func (c *clusterRig) refused() time.Duration {
	c.t.Helper()
	minter := sdk.NewMinter()
	u := c.places[0].Update(1)
	for {
		began := time.Now()
		_, err := c.client.UpdateScore(c.ctx, sdk.NamedUpdate{
			UpdateID: minter.Next(), ProjectID: u.Project, ActionName: u.Action, ScoreType: u.ScoreType, TargetWallet: u.Target,
		}, c.places[0].Updaters[0].Sign)
		var refusal *sdk.Error
		if !assert.ErrorAs(c.t, err, &refusal) {
			return 0
		}
		if refusal.Status == 0 { // over a connection to an API that was killed before
			continue
		}
		assert.Equal(c.t, 503, refusal.Status, "%v", err)
		assert.NotZero(c.t, refusal.RetryAfter)
		return time.Since(began)
	}
}

// creations has projects created one after the other until stop is called, which returns when the last has its answer.
func (c *clusterRig) creations() (stop func()) {
	c.t.Helper()
	at, stopping, done := place(c.t, c.info(c.t)), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			at.Project = score.ProjectID(load.RandomID())
			if !assert.NoError(c.t, c.create(at)) {
				return
			}
			c.created = append(c.created, at.Project)
			select {
			case <-stopping:
				return
			case <-time.After(100 * time.Millisecond): // the pace of the load
			}
		}
	}()
	return func() { close(stopping); <-done }
}

var attackCluster = flag.Bool("cluster", false, "run TestNATSClusterUnderAttack")

// TestNATSClusterUnderAttack kills, cuts off and restarts servers of a NATS cluster, and an API, under load. What clients got a 200
// for is counted against the contract's own events.
func TestNATSClusterUnderAttack(t *testing.T) {
	if !*attackCluster {
		t.Skip("takes two minutes of two cores: .ci/deep runs it by itself, with -args -cluster")
	}
	random := testrand.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	c := startClusterRig(ctx, t, random.Uint64())
	stop, stopCreating := c.load(40), c.creations()
	require.True(t, c.applied(20, 3*time.Minute), "the stack works before the attacks")
	for _, attack := range []struct {
		name string
		do   func()
	}{
		{"kill -9 of the stream's leader", func() {
			_, pid := c.leader(stream.Name)
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}},
		{"kill -9 of the journals' leader", func() {
			_, pid := c.leader(stream.JournalName)
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}},
		{"the stream's leader is cut off from the others", func() {
			i, _ := c.leader(stream.Name)
			c.mesh.Isolate(i)
			t.Logf("accepted again after %s, while it is cut off", c.accepts(3*time.Minute))
			c.pause(2 * time.Second)
			c.mesh.Heal(i)
		}},
		{"kill -9 of an API", func() {
			pids := c.info(t).PIDs["api"]
			require.NoError(t, syscall.Kill(pids[random.IntN(len(pids))], syscall.SIGKILL))
			t.Logf("the other one accepted after %s", c.accepts(3*time.Minute))
		}},
		{"most servers hang, and work again", func() {
			first, _ := c.leader(stream.Name)
			pids := c.nats()
			hung := []int{pids[first], pids[(first+1)%3]}
			for _, pid := range hung {
				require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
			}
			var asking sync.WaitGroup
			for range 4 {
				asking.Go(func() { t.Logf("refused after %s", c.refused()) })
			}
			asking.Wait()
			for _, pid := range hung {
				require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
			}
		}},
		{"a rolling restart", func() {
			for i := range 3 {
				pid := c.nats()[i]
				require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
				require.True(t, c.until(2*time.Minute, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }))
				c.whole()
			}
		}},
	} {
		began := time.Now()
		attack.do()
		took := c.accepts(5 * time.Minute)
		c.whole()
		t.Logf("%s: accepted %s later, whole after %s, promised %d so far", attack.name, took.Round(10*time.Millisecond), time.Since(began).Round(100*time.Millisecond), len(c.tally.Promised()))
	}
	stop()
	stopCreating()
	c.verdict()
}

// verdict holds what was promised against the chain, once all is final.
func (c *clusterRig) verdict() {
	c.t.Helper()
	promised := c.tally.Promised()
	var final *events
	settled := c.until(5*time.Minute, func() bool {
		e, err := c.judge.final(c.ctx)
		if err == nil {
			final = e
		}
		return err == nil && e.missing(promised) == 0 && !slices.ContainsFunc(c.created, func(id score.ProjectID) bool { return e.created[id] == 0 })
	})
	require.NotNil(c.t, final)
	counts := c.tally.Counts()
	c.t.Logf("promised %d, retries %d, %d duplicates found by the contract", len(promised), counts.Retries, final.duplicates)
	require.True(c.t, settled, "%d of %d promised updates are not applied", final.missing(promised), len(promised))
	require.Zero(c.t, final.doubled())
	require.Zero(c.t, counts.Wrong, "%v", counts.Refusals)
	require.Zero(c.t, counts.Failed)
	c.t.Logf("created %d projects", len(c.created))
	for _, id := range c.created {
		require.Equal(c.t, 1, final.created[id], "project %s", id)
	}
	sample := map[load.Key]time.Time{}
	for key, at := range promised {
		if sample[key] = at; len(sample) == 500 {
			break
		}
	}
	reported := c.reported(sample, 2*time.Minute)
	require.Equal(c.t, len(sample), reported["final applied"], "what the API tells: %v", reported)
	for _, place := range c.places {
		require.Equal(c.t, 1, final.created[place.Project])
	}
	require.Contains(c.t, c.does(c.t, "halt", "show", "--redis-url", c.info(c.t).RedisURL), "Accepting does not halt, and never did.")
	c.audited(c.t, "--chain-rpc", c.node)
}
