package devnet

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
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TB is the used part of *testing.T. It keeps package testing out of the shipped binaries.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
	TempDir() string
}

func NATS(t TB, options ...NATSOptions) *NATSServer {
	t.Helper()
	return started(t, func() (*NATSServer, error) { return StartNATS(t.TempDir(), only(options)) })
}

type RestartedNATS struct {
	*NATSServer

	t             TB
	dir           string
	port, monitor int
}

func NATSThatRestarts(t TB) *RestartedNATS {
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
	running, err := StartNATS(s.dir, NATSOptions{Port: port, MonitorPort: monitor})
	if err != nil {
		s.t.Fatalf("%v", err)
	}
	s.NATSServer = running
}

func Port(t TB, address string) int {
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

const patience = time.Minute

func JetStream(t TB) jetstream.JetStream {
	t.Helper()
	return JetStreamAt(t, NATS(t).URL)
}

// JetStreamAt connects to a NATS server, and reconnects during the test.
func JetStreamAt(t TB, url string, options ...nats.Option) jetstream.JetStream {
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
func NATSServers(t TB, n int, adjust func(i int, opts *NATSOptions)) ([]*NATSServer, *Mesh) {
	t.Helper()
	mesh := started(t, func() (*Mesh, error) { return StartMesh(n) })
	servers, failed := make([]*NATSServer, n), make([]error, n)
	var starting sync.WaitGroup
	for i := range servers {
		opts, dir := NATSOptions{Cluster: mesh.Cluster(i)}, t.TempDir()
		if adjust != nil {
			adjust(i, &opts)
		}
		starting.Go(func() { servers[i], failed[i] = StartNATS(dir, opts) })
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
	for deadline := time.Now().Add(natsStartTimeout); !together(servers); {
		if time.Now().After(deadline) {
			t.Fatalf("no NATS server leads after %v", natsStartTimeout)
		}
		<-time.After(10 * time.Millisecond)
	}
	return servers, mesh
}

func together(servers []*NATSServer) bool {
	leaders, current := 0, 0
	for _, s := range servers {
		if s.server.JetStreamIsLeader() {
			leaders++
		}
		if s.server.JetStreamIsCurrent() {
			current++
		}
	}
	return leaders == 1 && current == len(servers)
}

func Redis(t TB, options ...RedisOptions) *RedisServer {
	t.Helper()
	return started(t, func() (*RedisServer, error) { return StartRedis(t.TempDir(), only(options)) })
}

// NeedsRedisServer skips the test if redis-server is missing, unless RequireRedisServer is "1".
func NeedsRedisServer(t interface {
	Helper()
	Skip(args ...any)
},
) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil && os.Getenv(RequireRedisServer) != "1" {
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

func NewChain(t TB, options ...ChainOptions) *Chain {
	t.Helper()
	return started(t, func() (*Chain, error) { return StartChain(only(options)) })
}

// Transact mines a transaction of Key(key) and fails the test if it reverts. A nil to creates a contract.
func (c *Chain) Transact(t TB, key int, to *common.Address, data []byte) *types.Receipt {
	t.Helper()
	receipt, err := c.transact(key, to, data)
	if err != nil {
		t.Fatalf("couldn't transact: %v", err)
	}
	return receipt
}

func (c *Chain) transact(key int, to *common.Address, data []byte) (*types.Receipt, error) {
	ctx := context.Background()
	nonce, err := c.client.PendingNonceAt(ctx, Address(key))
	if err != nil {
		return nil, err
	}
	tx, err := types.SignNewTx(Key(key), types.LatestSignerForChainID(big.NewInt(ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: to, Gas: params.MaxTxGas, Data: data, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(100 * params.GWei),
	})
	if err != nil {
		return nil, err
	}
	if err := c.client.SendTransaction(ctx, tx); err != nil {
		return nil, err
	}
	c.Commit()
	receipt, err := c.client.TransactionReceipt(ctx, tx.Hash())
	if err == nil && receipt.Status != types.ReceiptStatusSuccessful {
		err = errors.New("it reverted")
	}
	return receipt, err
}

// Reorg replaces all blocks above a height by a longer branch: the blocks that make commits, then empty ones.
func (c *Chain) Reorg(t TB, above uint64, make func()) {
	t.Helper()
	if err := c.reorg(above, make); err != nil {
		t.Fatalf("couldn't reorganise the chain above block %d: %v", above, err)
	}
}

func (c *Chain) reorg(above uint64, make func()) error {
	ctx := context.Background()
	was, err := c.client.BlockNumber(ctx)
	if err != nil {
		return err
	}
	parent, err := c.client.HeaderByNumber(ctx, new(big.Int).SetUint64(above))
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
		if is, err := c.client.BlockNumber(ctx); err != nil || is > was {
			return err
		}
		c.Rollback()
		c.Commit()
	}
}

// If anvil cannot be installed, NewAnvil fails the test, instead of skipping it.
func NewAnvil(t TB, opts AnvilOptions) *Anvil {
	t.Helper()
	return started(t, func() (*Anvil, error) { return StartAnvil(opts) })
}

func started[T interface{ Close() }](t TB, start func() (T, error)) T {
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
		panic("devnet: options are given once")
	}
	if len(given) == 1 {
		one = given[0]
	}
	return one
}
