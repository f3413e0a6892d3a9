package dev

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func number(n int) *int { return &n }

func options(t *testing.T) Options {
	t.Helper()
	return Options{DataDir: t.TempDir(), Lanes: number(1), Confirmations: 2, BlockTime: time.Second, Port: number(0)}
}

func TestOptionsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := options(t)
	require.NoError(t, o.Validate())
	o.Lanes, o.DataDir, o.Port, o.RPCPort, o.BlockTime = number(2000), "", number(70000), number(-1), time.Millisecond
	err := o.Validate()
	for _, says := range []string{
		"--lanes must be from 1 to 256, is 2000", "--data-dir must not be empty", "--port must be from 0 to 65535, is 70000",
		"--rpc-port must be from 0 to 65535, is -1", "--block-time must be at least 10ms",
	} {
		require.ErrorContains(t, err, says)
	}
	o = options(t)
	o.Port, o.Lanes = nil, nil
	require.NoError(t, o.Validate(), "what is not asked for is not wrong")
}

// occupied takes a port until the test ends.
func occupied(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func TestAPortMustBeFree(t *testing.T) {
	t.Parallel()
	s := &Stack{}
	defer s.releasePorts()
	taken := occupied(t)
	_, err := s.holdPort(taken, "the API", "--port")
	require.ErrorContains(t, err, fmt.Sprintf("port %d for the API is taken", taken))
	require.ErrorContains(t, err, "choose another with --port, or let a free one be taken with --port 0")
	port, err := s.holdPort(0, "the API", "--port")
	require.NoError(t, err)
	l, err := net.Listen("tcp", loopback(port))
	require.NoError(t, err, "it is held for its server")
	require.NoError(t, l.Close())

	d, err := openDataDir(t.TempDir())
	require.NoError(t, err)
	defer d.release()
	o := options(t)
	o.Port, o.RPCPort = &port, &port
	_, err = prepared(d, o)
	require.ErrorContains(t, err, "--port and --rpc-port are the same")
}

func TestWhatIsAskedForWinsOverWhatIsKept(t *testing.T) {
	t.Parallel()
	merge := func(o Options, before *kept) *kept {
		k, err := o.merge(before)
		require.NoError(t, err)
		return k
	}
	require.Equal(t, &kept{Port: 8080, RPCPort: 8545, Lanes: 4}, merge(Options{}, nil), "the defaults of a new folder")
	require.Equal(t, &kept{Port: 0, RPCPort: 0, Lanes: 4}, merge(Options{Port: number(0)}, nil), "--port 0 is for the chain, too")
	require.Equal(t, &kept{Port: 0, RPCPort: 9, Lanes: 4}, merge(Options{Port: number(0), RPCPort: number(9)}, nil))

	before := &kept{Port: 81, RPCPort: 82, Lanes: 8, Ready: true, APIKey: "k"}
	require.Equal(t, before, merge(Options{}, before))
	now := merge(Options{Port: number(90)}, before)
	require.Equal(t, []int{90, 82}, []int{now.Port, now.RPCPort})
	require.Equal(t, 81, before.Port, "what was kept is not changed yet")

	_, err := (&Options{Lanes: number(4)}).merge(before)
	require.ErrorContains(t, err, "--lanes is 4, but this data directory has 8 lanes")
	require.ErrorContains(t, err, "--fresh")

	_, err = (&Options{ChainRPC: []string{"http://a"}}).merge(before)
	require.ErrorContains(t, err, "--chain-rpc asks for an outside chain, but this data directory has a chain of its own")
	outside := &kept{Lanes: 1, Ready: true, ChainRPC: []string{"http://a"}}
	require.Equal(t, []string{"http://a"}, merge(Options{}, outside).ChainRPC)
	require.Equal(t, []string{"http://b"}, merge(Options{ChainRPC: []string{"http://b"}}, outside).ChainRPC, "the same chain elsewhere; verify looks")
}
