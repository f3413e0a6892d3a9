package chain_test

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

// wire carries bytes to a node, until it is cut; then it refuses, hangs, or carries again.
type wire struct {
	net.Listener

	to string

	mu      sync.Mutex
	hangs   bool
	dialed  int
	carried []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	w := &wire{to: to}
	var err error
	w.Listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close(); w.cut(false) })
	go func() {
		for {
			conn, err := w.Accept()
			if err != nil {
				return
			}
			w.mu.Lock()
			w.dialed++
			w.carried = append(w.carried, conn)
			hangs := w.hangs
			w.mu.Unlock()
			if hangs {
				continue
			}
			out, err := net.Dial("tcp", w.to)
			if err != nil {
				_ = conn.Close()
				continue
			}
			w.mu.Lock()
			w.carried = append(w.carried, out)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(out, conn); _ = out.Close() }()
			go func() { _, _ = io.Copy(conn, out); _ = conn.Close() }()
		}
	}()
	return w
}

// cut breaks all connections; new ones hang, or do not.
func (w *wire) cut(hangs bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range w.carried {
		_ = conn.Close()
	}
	w.carried, w.hangs = nil, hangs
}

func (w *wire) dials() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dialed
}

// TestAWebSocket is dialed at its first use and again when it broke; what hangs ends with its deadline.
func TestAWebSocket(t *testing.T) {
	t.Parallel()
	port, err := devnet.FreePort()
	require.NoError(t, err)
	geth := fresh.NewChain(t, devnet.ChainOptions{Adjust: func(c *node.Config, _ *ethconfig.Config) {
		c.WSHost, c.WSPort, c.WSModules = "127.0.0.1", port, c.HTTPModules
	}})
	w := newWire(t, "127.0.0.1:"+strconv.Itoa(port))
	c := dial(t, chain.Config{URLs: []string{"ws://" + w.Addr().String()}})
	require.Zero(t, w.dials())
	for range 3 {
		newest(t, c)
	}
	geth.Commit()
	blocks, err := c.Blocks(t.Context(), w.Addr().String(), 0, 1)
	require.NoError(t, err, "a batch")
	require.Len(t, blocks, 2)
	send(t, c, transfer(t, 0, 0))
	require.Equal(t, 1, w.dials())

	w.cut(true)
	for range 2 { // without its deadline it would not end
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err = c.Head(ctx)
		cancel()
		require.Error(t, err)
	}
	w.cut(false)
	require.Eventually(t, func() bool {
		_, err := c.Head(t.Context())
		return err == nil
	}, 2*time.Minute, 5*time.Millisecond)
}
