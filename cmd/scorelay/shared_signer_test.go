package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

// TestTwoDeploymentsThatShareASigner: the second one notices soon after its start that another moves its signer's account,
// names that, and accepts nothing more: not even its demo project becomes final. The first one is not disturbed.
func TestTwoDeploymentsThatShareASigner(t *testing.T) {
	long.Test(t)
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	first := startRig(ctx, t, rigOptions{endpoints: 1, lanes: 1, block: faultBlock})
	stop := first.load(20)
	require.True(t, first.applied(20, 2*time.Minute), "the first one works")

	dir := t.TempDir()
	run := programs(t)
	second := exec.CommandContext(ctx, filepath.Join(run, "stack"), "--programs", run, "--data-dir", dir, "--lanes", "1", "--chain-rpc", first.node)
	second.Cancel = func() error { return second.Process.Signal(os.Interrupt) }
	require.NoError(t, second.Start())
	ended := make(chan error, 1)
	go func() { ended <- second.Wait() }()
	t.Cleanup(func() { _ = second.Process.Signal(os.Interrupt); <-ended })
	var opened, halted, refuses time.Time
	require.Eventually(t, func() bool {
		opened = loggedAt(dir, "relayer-0.log", "the lane is open")
		halted = loggedAt(dir, "relayer-0.log", "or the key is used elsewhere, as by another deployment")
		refuses = loggedAt(dir, "api-0.log", "accepting halts")
		return !opened.IsZero() && !halted.IsZero() && !refuses.IsZero()
	}, 2*time.Minute, 50*time.Millisecond)
	t.Logf("the second one halts %s after its lane opened, and accepts nothing %s after", halted.Sub(opened), refuses.Sub(opened))

	stop()
	promised := first.tally.Promised()
	require.True(t, first.applied(len(promised), 2*time.Minute), "the first one carries all that it promised")
	require.Zero(t, first.tally.Counts().Failed)
}

// loggedAt is when a log of a stack in dir first held a text; zero while it does not.
func loggedAt(dir, log, text string) (at time.Time) {
	raw, _ := os.ReadFile(filepath.Join(dir, "logs", log)) // it may not be there yet
	for line := range strings.Lines(string(raw)) {
		var entry struct{ Time time.Time }
		if strings.Contains(line, text) && json.Unmarshal([]byte(line), &entry) == nil {
			return entry.Time
		}
	}
	return time.Time{}
}
