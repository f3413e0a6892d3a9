package stack

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
)

func TestOptionsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := parse([]string{"--programs", "x"})
	require.NoError(t, err)
	_, err = parse(strings.Fields("--apis 0 --lanes 2000 --nats-servers 2 --block-time 1ms --set nats:SCORELAY_X=1 --nats-route x more"))
	for _, says := range []string{
		"--programs and --data-dir must be set", "--apis and --relayers must be at least 1", "--lanes must be from 1 to 256, is 2000",
		"--nats-servers must be 1 or 3, is 2", "--block-time must be at least 10ms", "--set must be like", "--nats-route must be like", "nothing may follow",
	} {
		require.ErrorContains(t, err, says)
	}
}

func TestSettingsOfOneProcess(t *testing.T) {
	t.Setenv("SCORELAY_RATE", "1")
	o, err := parse([]string{
		"--programs", "x", "--set", "relayer:SCORELAY_WINDOW=4", "--set", "relayer.1:SCORELAY_CHAIN_RPC=http://a,http://b", "--set", "api:SCORELAY_RATE=2",
	})
	require.NoError(t, err)
	require.Equal(t, []string{"SCORELAY_WINDOW=4"}, o.settings("relayer", 0))
	require.Equal(t, []string{"SCORELAY_WINDOW=4", "SCORELAY_CHAIN_RPC=http://a,http://b"}, o.settings("relayer", 1))
	s := &stack{options: o, kept: kept{Ports: map[string]int{}}}
	require.NotContains(t, s.environ(), "SCORELAY_RATE=1", "a program gets only the settings of its stack")
	require.Contains(t, s.service("api", 0)().Env, "SCORELAY_RATE=2")
}

// TestAProcessIsRestarted until it is stopped, and runs what is in the folder of programs then.
func TestAProcessIsRestarted(t *testing.T) {
	t.Parallel()
	s := &stack{
		options: &options{dir: t.TempDir(), apis: 1, confirmations: 2, natsServers: 1}, log: slog.New(slog.DiscardHandler),
		rpc: []string{"http://x"}, pids: map[string][]int{}, ready: true, fail: func(error) {},
	}
	require.NoError(t, os.Mkdir(s.path("logs"), 0o700))
	program := filepath.Join(t.TempDir(), "sleeper")
	install := func(seconds string) {
		require.NoError(t, os.WriteFile(program+".new", []byte("#!/bin/sh\nexec sleep "+seconds+"\n"), 0o700))
		require.NoError(t, os.Rename(program+".new", program))
	}
	install("600")
	running := func(not int) (pid int) {
		require.Eventually(t, func() bool {
			info, err := devnet.ReadInfo(s.dir)
			if err != nil || len(info.PIDs["api"]) != 1 {
				return false
			}
			pid = info.PIDs["api"][0]
			return pid != not
		}, time.Minute, 5*time.Millisecond)
		return pid
	}
	require.NoError(t, s.start("api", 0, func() *exec.Cmd { return exec.Command(program) }))
	first := running(0)
	install("601")
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	second := running(first)
	require.Eventually(t, func() bool {
		command, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(second), "cmdline"))
		return err == nil && strings.Contains(string(command), "601")
	}, time.Minute, 5*time.Millisecond)
	s.stop()
	require.ErrorIs(t, syscall.Kill(second, 0), syscall.ESRCH)
	_, err := devnet.ReadInfo(s.dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAProcessThatCannotRunEndsTheStack(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	s := &stack{
		options: &options{dir: t.TempDir()}, log: slog.New(slog.DiscardHandler), pids: map[string][]int{},
		fail: func(err error) { failed <- err },
	}
	require.NoError(t, os.Mkdir(s.path("logs"), 0o700))
	require.NoError(t, s.start("nothing", 0, func() *exec.Cmd { return exec.Command("/nowhere/at/all") }))
	select {
	case err := <-failed:
		require.ErrorContains(t, err, "couldn't start nothing 0")
	case <-t.Context().Done():
		t.Fatal(context.Cause(t.Context()))
	}
}
