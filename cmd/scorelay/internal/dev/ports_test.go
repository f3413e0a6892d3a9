package dev

import (
	"fmt"
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
)

// occupied takes a port until the test ends.
func occupied(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func (p *ports) all() []int {
	all := append(append([]int{}, p.API...), p.APIAdmin...)
	return append(append(all, p.RelayerAdmin...), p.RPC, p.NATS, p.NATSMonitor, p.Redis)
}

// chosen chooses ports and gives them up again.
func chosen(t *testing.T, k *kept, apis, relayers int, say func(string)) {
	t.Helper()
	release, err := choosePorts(k, apis, relayers, say)
	require.NoError(t, err)
	release()
}

// TestChosenPortsAreLeftAlone by all who look for a free one, while no server listens there yet.
func TestChosenPortsAreLeftAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can hold a port for a server that listens later")
	}
	k := &kept{}
	release, err := choosePorts(k, 1, 1, silent)
	require.NoError(t, err)
	defer release()
	for range 13_000 { // more than there are
		l, err := devnet.FreeListener()
		require.NoError(t, err)
		require.NotContains(t, k.Ports.all(), l.Addr().(*net.TCPAddr).Port)
		require.NoError(t, l.Close())
	}
	l, err := net.Listen("tcp", loopback(k.Ports.API[0]))
	require.NoError(t, err, "the server that it is for")
	require.NoError(t, l.Close())
}

func TestPortsAreFreeDistinctAndKept(t *testing.T) {
	t.Parallel()
	first := &kept{}
	chosen(t, first, 2, 1, silent)
	seen := map[int]bool{}
	for _, port := range first.Ports.all() {
		require.NotZero(t, port)
		require.False(t, seen[port], "%d is taken twice", port)
		seen[port] = true
	}
	require.Len(t, seen, 9)

	second := &kept{Ports: first.Ports}
	chosen(t, second, 3, 2, func(line string) { t.Error(line) })
	require.Equal(t, first.Ports.API, second.Ports.API[:2])
	require.Equal(t, first.Ports.RelayerAdmin, second.Ports.RelayerAdmin[:1])
	require.NotZero(t, second.Ports.API[2])
	require.Equal(t, []int{first.Ports.RPC, first.Ports.NATS, first.Ports.NATSMonitor, first.Ports.Redis},
		[]int{second.Ports.RPC, second.Ports.NATS, second.Ports.NATSMonitor, second.Ports.Redis})
}

func TestAPortAskedForMustBeFree(t *testing.T) {
	t.Parallel()
	taken := occupied(t)
	_, err := choosePorts(&kept{Port: taken, NATSPort: taken}, 1, 1, silent)
	require.ErrorContains(t, err, fmt.Sprintf("port %d for the API is taken", taken))
	require.ErrorContains(t, err, "choose another with --port, or let a free one be taken with --port 0")
	require.ErrorContains(t, err, fmt.Sprintf("port %d for NATS is taken", taken))
	require.ErrorContains(t, err, "--nats-port 0")
}

func TestAPortOfOurChoiceIsReplacedAndSaid(t *testing.T) {
	t.Parallel()
	before := &kept{}
	chosen(t, before, 1, 1, silent)
	taken := occupied(t)
	before.Ports.Redis = taken
	var said []string
	now := &kept{Ports: before.Ports}
	chosen(t, now, 1, 1, func(line string) { said = append(said, line) })
	require.NotEqual(t, taken, now.Ports.Redis)
	require.Equal(t, []string{fmt.Sprintf("port %d, kept for Redis, is taken by another program; using %d", taken, now.Ports.Redis)}, said)
	require.Equal(t, before.Ports.API, now.Ports.API)
}

func TestPortZeroAfterANumberTakesAnother(t *testing.T) {
	t.Parallel()
	before := &kept{Port: 8080, RPCPort: 8545, Ports: ports{API: []int{8080}, RPC: 8545}}
	now, err := (&Options{Port: number(0)}).merge(before)
	require.NoError(t, err)
	chosen(t, now, 1, 1, silent)
	require.NotEqual(t, 8080, now.Ports.API[0])
	require.NotEqual(t, 8545, now.Ports.RPC)

	outside := &kept{ChainRPC: []string{"http://a"}}
	chosen(t, outside, 1, 1, silent)
	require.Zero(t, outside.Ports.RPC, "there is no chain of ours")
}
