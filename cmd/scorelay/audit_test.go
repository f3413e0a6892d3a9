package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// TestAuditStatuses of a stack that is never without traffic: each status by what an operator may come upon.
func TestAuditStatuses(t *testing.T) {
	t.Parallel()
	long.Test(t)
	s := startStack(t)
	audit := func(args ...string) (status int, out, told string) {
		out, told, err := s.scorelay(append([]string{"audit"}, args...)...)
		var failed *exec.ExitError
		if err != nil {
			require.ErrorAs(t, err, &failed)
			status = failed.ExitCode()
		}
		return status, out, told
	}
	o := loadOf(s.info(t), 100)
	load := func(ctx context.Context, duration time.Duration) error {
		o := o
		o.Duration = duration
		_, err := load.Generate(ctx, o, io.Discard)
		return err
	}
	findings := func() *index.Findings {
		_, out, _ := audit("--json")
		var f index.Findings
		require.NoError(t, json.Unmarshal([]byte(out), &f), out)
		return &f
	}
	require.NoError(t, load(t.Context(), time.Second))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = load(ctx, time.Hour)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	began := findings().Until
	require.Eventually(t, func() bool { f := findings(); return f.Until > began && f.Pending() > 0 }, 2*time.Minute, 100*time.Millisecond)
	for range 3 {
		status, out, told := audit("--wait", "3m")
		require.Zero(t, status, "%s %s", out, told)
		require.Contains(t, out, "lost 0, doubled 0")
		require.Contains(t, told, "the audit found nothing lost, doubled or unequal")
	}

	s.does(t, "pause", "--all")
	require.Eventually(t, func() bool {
		before := findings().Until
		return findings().Until > before
	}, 2*time.Minute, 100*time.Millisecond, "accepted, and bound by no lane")
	status, text, told := audit("--wait", "1s")
	require.Equal(t, 3, status, "%s %s", text, told)
	require.Regexp(t, `scorelay: \d+ of what was accepted before the audit began are pending after 1s, none is lost; .scorelay status. shows`, told)
	status, _, _ = audit()
	require.Zero(t, status, "without --wait nothing is awaited")
	s.does(t, "resume", "--all")

	status, text, told = audit("--wait", "1m", "--chain-rpc", "http://127.0.0.1:1", "--start-timeout", "1s")
	require.Equal(t, 2, status, told)
	require.Empty(t, text)
	require.Contains(t, told, "the audit could not look: ")
	status, _, told = audit("--nats-url", "nats://127.0.0.1:1", "--start-timeout", "1s")
	require.Equal(t, 2, status, told)
	require.Contains(t, told, "the audit could not look: ")

	elsewhere := fresh.NewChain(t) // which never saw what the lanes are done with
	status, text, told = audit("--wait", "1m", "--chain-rpc", elsewhere.URL)
	require.Equal(t, 1, status, "%s %s", text, told)
	require.Regexp(t, `the audit found \d+ updates lost.*; keep everything, see "The audit fails" in docs/operations.md`, told)
	require.Contains(t, text, "its lane is done with it")
	last, err := kv.LastAudit(t.Context(), s.jetStream(t))
	require.NoError(t, err)
	require.Equal(t, 1, last.Status)

	every := command("audit", "--every", "100ms", "--data-dir", s.dir)
	again := &fresh.Log{}
	every.Stderr = again
	require.NoError(t, every.Start())
	require.Eventually(t, func() bool {
		return strings.Count(again.String(), "nothing lost, doubled or unequal") >= 2
	}, 2*time.Minute, 50*time.Millisecond, "%s", again)
	require.NoError(t, every.Process.Signal(os.Interrupt))
	require.NoError(t, every.Wait(), "%s", again)
	last, err = kv.LastAudit(t.Context(), s.jetStream(t))
	require.NoError(t, err)
	require.Zero(t, last.Status)
}
