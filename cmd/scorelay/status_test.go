package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
)

// TestAWatchWithoutATerminalSaysThatNATSIsAway, and not among the documents.
func TestAWatchWithoutATerminalSaysThatNATSIsAway(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var beside strings.Builder
	(&statusCommand{Watch: true, JSON: true}).unknown(dev.NewScreen(file, os.Getenv), &beside, errors.New("no answer"))
	require.Equal(t, "scorelay: NATS does not tell: no answer\n", beside.String())
	out, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Empty(t, out)
}
