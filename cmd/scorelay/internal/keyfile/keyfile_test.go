package keyfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/keyfile"
)

func TestReplaceWritesForTheOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	require.NoError(t, keyfile.Replace(path, []byte("first")))
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, keyfile.Replace(path, []byte("second")))
	requireFile(t, path, "second")
	require.Equal(t, []string{"key"}, names(t, dir), "nothing is left beside it")
}

// TestReplaceWritesThroughNoLink, whether the link leads to a file or to none.
func TestReplaceWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "victim")
	require.NoError(t, os.WriteFile(victim, []byte("theirs"), 0o644))
	for name, target := range map[string]string{"live": victim, "dangling": filepath.Join(outside, "absent")} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.Symlink(target, path))
		require.NoError(t, keyfile.Replace(path, []byte("secret")))
		requireFile(t, path, "secret")
	}
	require.Equal(t, []string{"victim"}, names(t, outside))
	raw, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Equal(t, "theirs", string(raw))
}

func TestReplaceThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder") // in the file's place
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "full"), 0o755))
	require.Error(t, keyfile.Replace(folder, []byte("secret")))
	require.Equal(t, []string{"folder"}, names(t, dir))
	require.ErrorIs(t, keyfile.Replace(filepath.Join(dir, "absent", "key"), nil), os.ErrNotExist)
}

func requireFile(t *testing.T, path, content string) {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "a regular file of its owner's")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, string(raw))
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
