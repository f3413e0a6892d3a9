//go:build unix

package sdk

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpoolThatCannotGrow makes room of what is done. It runs in a process of its own, whose files are bounded.
func TestSpoolThatCannotGrow(t *testing.T) {
	t.Parallel()
	path := withoutRoom(t, "SPOOL_THAT_CANNOT_GROW", filepath.Join(t.TempDir(), "spool"))
	if path == "" {
		return
	}
	s, _ := opened(t, path)
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
	s, entries := opened(t, path)
	require.Len(t, entries, 1)
	require.Equal(t, n, entries[0].n)
	s.close()
}

// TestSpoolDamagedKeepsNinthCopy where the new one has no room.
func TestSpoolDamagedKeepsNinthCopy(t *testing.T) {
	t.Parallel()
	const name = "SPOOL_DAMAGED_KEEPS_NINTH_COPY"
	path := filepath.Join(t.TempDir(), "spool")
	ninth, earlier, one := path+".damaged-9", []byte("earlier\n"), spoolUpdate(1)
	raw := slices.Concat([]byte("damaged\n"), bytes.Repeat(spoolLine{N: 1, Update: &one}.append(nil), 40))
	if os.Getenv(name) == "" {
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		require.NoError(t, os.WriteFile(path+".damaged", earlier, 0o600))
		for i := 2; i <= 9; i++ {
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s.damaged-%d", path, i), earlier, 0o600))
		}
	}
	if path := withoutRoom(t, name, path); path != "" {
		s, _ := opened(t, path)
		s.close()
		return
	}
	require.Equal(t, raw, contents(t, path))
	require.Equal(t, earlier, contents(t, ninth))
	require.NoFileExists(t, ninth+".new")
	require.NoError(t, os.WriteFile(ninth+".new", []byte("of one that died in it"), 0o600))
	s, _ := opened(t, path)
	s.close()
	require.Equal(t, raw, contents(t, ninth))
	require.NoFileExists(t, ninth+".new")
}

// withoutRoom runs the test again in a process of its own, whose files are bounded: there it is the path, else "".
func withoutRoom(t *testing.T, name, path string) string {
	t.Helper()
	if path := os.Getenv(name); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		var all syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &all))
		t.Cleanup(func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &all)) }) // go test -cover writes a file at the end
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: all.Max}))
		return path
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), name+"="+path)
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return ""
}
