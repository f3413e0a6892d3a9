//go:build unix

package sdk

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpoolThatCannotGrow makes room of what is done. It runs in a process of its own, whose files are bounded.
func TestSpoolThatCannotGrow(t *testing.T) {
	t.Parallel()
	const name = "SPOOL_THAT_CANNOT_GROW"
	path := os.Getenv(name)
	if path == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSpoolThatCannotGrow$")
		again.Env = append(os.Environ(), name+"="+filepath.Join(t.TempDir(), "spool"))
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}))
	s, _, err := openSpool(path)
	require.NoError(t, err)
	var n uint64
	put := func() error {
		n++
		return s.put([]*held{{n: n, update: spoolUpdate(byte(n))}})
	}
	for put() == nil {
	}
	require.Greater(t, n, uint64(5))
	require.ErrorIs(t, put(), ErrSpool)
	for i := range n - 2 {
		s.mark(i+1, true)
	}
	require.NoError(t, put())
	s.close()
	s, entries, err := openSpool(path)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, n, entries[0].n)
	s.close()
}
