package dev

import (
	"context"
	"log/slog"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAChildIsStartedAgainUntilDrained(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var pids []int
	started := make(chan int, 10)
	said := make(chan string, 10)
	c := &child{
		say:  func(line string) { said <- line },
		role: "sleeper", log: slog.New(slog.DiscardHandler), logDir: t.TempDir(),
		command: func() *exec.Cmd { return exec.Command("sleep", "600") },
		running: func(pid int) {
			mu.Lock()
			defer mu.Unlock()
			pids = append(pids, pid)
			if pid != 0 {
				started <- pid
			}
		},
	}
	drain, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.run(drain, t.Context()) }()
	first := <-started
	died := time.Now()
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	second := <-started
	require.NotEqual(t, first, second)
	require.Equal(t, "sleeper 0 had ended; it is started again, with its data", <-said)
	require.GreaterOrEqual(t, time.Since(died), restartAfter)
	cancel()
	require.NoError(t, <-done)
	require.Equal(t, []int{first, 0, second, 0}, pids)
	require.ErrorIs(t, syscall.Kill(second, 0), syscall.ESRCH)
}

func TestAChildThatCannotRunIsAnError(t *testing.T) {
	t.Parallel()
	c := &child{
		role: "nothing", log: slog.New(slog.DiscardHandler), logDir: t.TempDir(), running: func(int) {},
		command: func() *exec.Cmd { return exec.Command("/nowhere/at/all") },
	}
	require.ErrorContains(t, c.run(t.Context(), t.Context()), "couldn't start nothing 0")
}
