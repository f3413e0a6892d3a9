// Package fresh starts servers for one test each, and stops them when it ends: NATS, Redis and a chain of package
// devnet, clusters of NATS behind links that can be cut, Redis Clusters and Sentinels, and the anvil that
// contracts/package-lock.json pins, which is installed on first use.
package fresh

import (
	"context"
	"errors"
	"math/big"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/devnet"
)

func NATS(t testing.TB, options ...devnet.NATSOptions) *devnet.NATSServer {
	t.Helper()
	return started(t, func() (*devnet.NATSServer, error) { return devnet.StartNATS(t.TempDir(), only(options)) })
}

type RestartedNATS struct {
	*devnet.NATSServer

	t             testing.TB
	dir           string
	port, monitor int
}

func NATSThatRestarts(t testing.TB) *RestartedNATS {
	t.Helper()
	s := &RestartedNATS{t: t, dir: t.TempDir()}
	s.StartAt(0, 0)
	s.port, s.monitor = Port(t, s.URL), Port(t, s.MonitorURL)
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *RestartedNATS) Restart() {
	s.t.Helper()
	s.StartAt(s.port, s.monitor)
}

// StartAt restarts the server with its data, on other ports; 0: free ones.
func (s *RestartedNATS) StartAt(port, monitor int) {
	s.t.Helper()
	running, err := devnet.StartNATS(s.dir, devnet.NATSOptions{Port: port, MonitorPort: monitor})
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	s.NATSServer = running
}

func Port(t testing.TB, address string) int {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatalf("%v", err)
	}
	port, err := strconv.Atoi(parsed.Port())
	if err != nil {
		t.Fatalf("no port in %s: %v", address, err)
	}
	return port
}

const (
	patience     = time.Minute
	startTimeout = 2 * time.Minute // of a cluster of NATS
)

func JetStream(t testing.TB) jetstream.JetStream {
	t.Helper()
	return JetStreamAt(t, NATS(t).URL)
}

// JetStreamAt connects to a NATS server, and reconnects during the test.
func JetStreamAt(t testing.TB, url string, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(url, append([]nats.Option{
		nats.Timeout(patience), nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond),
	}, options...)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return js
}

// NATSServers starts a cluster. adjust may change a server's options, or be nil. It returns once one server leads and
// the others follow. Before that, clients' requests would time out.
func NATSServers(t testing.TB, n int, adjust func(i int, opts *devnet.NATSOptions)) ([]*devnet.NATSServer, *Mesh) {
	t.Helper()
	mesh := started(t, func() (*Mesh, error) { return StartMesh(n) })
	servers, failed := make([]*devnet.NATSServer, n), make([]error, n)
	var starting sync.WaitGroup
	for i := range servers {
		opts, dir := devnet.NATSOptions{Cluster: mesh.Cluster(i)}, t.TempDir()
		if adjust != nil {
			adjust(i, &opts)
		}
		starting.Go(func() { servers[i], failed[i] = devnet.StartNATS(dir, opts) })
	}
	starting.Wait()
	for _, s := range servers {
		if s != nil {
			t.Cleanup(s.Close)
		}
	}
	if err := errors.Join(failed...); err != nil {
		t.Fatalf("%v", err)
	}
	for deadline := time.Now().Add(startTimeout); !together(servers); {
		if time.Now().After(deadline) {
			t.Fatalf("no NATS server leads after %v", startTimeout)
		}
		<-time.After(10 * time.Millisecond)
	}
	return servers, mesh
}

func together(servers []*devnet.NATSServer) bool {
	leaders, current := 0, 0
	for _, s := range servers {
		if s.Server().JetStreamIsLeader() {
			leaders++
		}
		if s.Server().JetStreamIsCurrent() {
			current++
		}
	}
	return leaders == 1 && current == len(servers)
}

func Redis(t testing.TB, options ...devnet.RedisOptions) *devnet.RedisServer {
	t.Helper()
	return started(t, func() (*devnet.RedisServer, error) { return devnet.StartRedis(t.TempDir(), only(options)) })
}

// NeedsRedisServer skips the test if redis-server is missing, unless devnet.RequireRedisServer is "1".
func NeedsRedisServer(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv(devnet.RequireRedisServer) != "1" {
		t.Skip("redis-server is not installed; .ci/run requires it")
	}
}

// Today waits for the next UTC day if less than a minute of this one is left, because daily gas counts restart there.
func Today() {
	now := time.Now().UTC()
	if left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now); left < time.Minute {
		<-time.After(left)
	}
}

type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func NewChain(t testing.TB, options ...devnet.ChainOptions) *devnet.Chain {
	t.Helper()
	return started(t, func() (*devnet.Chain, error) { return devnet.StartChain(only(options)) })
}

// Transact mines a transaction of Key(key) and fails the test if it reverts. A nil to creates a contract.
func Transact(t testing.TB, c *devnet.Chain, key int, to *common.Address, data []byte) *types.Receipt {
	t.Helper()
	receipt, err := transact(c, key, to, data)
	if err != nil {
		t.Fatalf("couldn't transact: %v", err)
	}
	return receipt
}

func transact(c *devnet.Chain, key int, to *common.Address, data []byte) (*types.Receipt, error) {
	ctx := context.Background()
	nonce, err := c.Client().PendingNonceAt(ctx, devnet.Address(key))
	if err != nil {
		return nil, err
	}
	tx, err := types.SignNewTx(devnet.Key(key), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: to, Gas: params.MaxTxGas, Data: data, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
	})
	if err != nil {
		return nil, err
	}
	if err := c.Client().SendTransaction(ctx, tx); err != nil {
		return nil, err
	}
	c.Commit()
	receipt, err := c.Client().TransactionReceipt(ctx, tx.Hash())
	if err == nil && receipt.Status != types.ReceiptStatusSuccessful {
		err = errors.New("it reverted")
	}
	return receipt, err
}

// Reorg replaces all blocks above a height by a longer branch: the blocks that make commits, then empty ones.
func Reorg(t testing.TB, c *devnet.Chain, above uint64, make func()) {
	t.Helper()
	if err := reorg(c, above, make); err != nil {
		t.Fatalf("couldn't reorganise the chain above block %d: %v", above, err)
	}
}

func reorg(c *devnet.Chain, above uint64, make func()) error {
	ctx := context.Background()
	was, err := c.Client().BlockNumber(ctx)
	if err != nil {
		return err
	}
	parent, err := c.Client().HeaderByNumber(ctx, new(big.Int).SetUint64(above))
	if err != nil {
		return err
	}
	c.Rollback()
	if err := c.Fork(parent.Hash()); err != nil {
		return err
	}
	c.Rollback()
	make()
	for {
		if is, err := c.Client().BlockNumber(ctx); err != nil || is > was {
			return err
		}
		c.Rollback()
		c.Commit()
	}
}

// If anvil cannot be installed, NewAnvil fails the test, instead of skipping it.
func NewAnvil(t testing.TB, opts AnvilOptions) *Anvil {
	t.Helper()
	return started(t, func() (*Anvil, error) { return StartAnvil(opts) })
}

func started[T interface{ Close() }](t testing.TB, start func() (T, error)) T {
	t.Helper()
	server, err := start()
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(server.Close)
	return server
}

func only[T any](given []T) (one T) {
	if len(given) > 1 {
		panic("fresh: options are given once")
	}
	if len(given) == 1 {
		one = given[0]
	}
	return one
}
