package dev

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func options(t *testing.T) Options {
	t.Helper()
	return Options{
		DataDir: t.TempDir(), APIs: 2, Relayers: 1, Lanes: 1, Confirmations: 2, BlockTime: time.Second,
		Port: 0, RPCPort: DefaultRPCPort,
	}
}

func TestPortsAreFreeAndDistinct(t *testing.T) {
	t.Parallel()
	o := options(t)
	p, err := choosePorts(&o)
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, port := range append(append(append([]int{p.rpc, p.nats, p.natsMonitor, p.redis}, p.api...), p.apiAdmin...), p.relayerAdmin...) {
		require.NotZero(t, port)
		require.False(t, seen[port], "%d is taken twice", port)
		seen[port] = true
	}
	require.NotEqual(t, DefaultRPCPort, p.rpc, "--port 0 asks for free ports altogether")
}

func TestATakenPortIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	o := options(t)
	o.APIs, o.RPCPort = 1, 0
	o.Port = l.Addr().(*net.TCPAddr).Port
	_, err = choosePorts(&o)
	require.ErrorContains(t, err, fmt.Sprintf("port %d for the API is taken", o.Port))
	require.ErrorContains(t, err, "--port 0")
}

func TestOptionsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := options(t)
	require.NoError(t, o.Validate())
	o.APIs, o.Lanes, o.DataDir, o.Port, o.Set = 0, 2000, "", 70000, []string{"nats:SCORELAY_X=1"}
	err := o.Validate()
	for _, says := range []string{"--apis must be from 1 to 32, is 0", "--lanes must be from 1 to 1024, is 2000", "--data-dir", "--port", "--set must be like", "--set needs --separate"} {
		require.ErrorContains(t, err, says)
	}
}

func TestSettingsOfOneProcess(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Separate, o.Set = true, []string{"relayer:SCORELAY_WINDOW=4", "relayer.1:SCORELAY_CHAIN_RPC=http://a,http://b", "api:SCORELAY_RATE=1"}
	require.NoError(t, o.Validate())
	require.Equal(t, []string{"SCORELAY_WINDOW=4"}, o.overrides("relayer", 0))
	require.Equal(t, []string{"SCORELAY_WINDOW=4", "SCORELAY_CHAIN_RPC=http://a,http://b"}, o.overrides("relayer", 1))
	require.Equal(t, []string{"SCORELAY_RATE=1"}, o.overrides("api", 0))
}

func TestADataDirectoryServesOneStackAndBeginsEmpty(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	first, removed, err := openDataDir(path)
	require.NoError(t, err)
	require.Empty(t, removed)
	require.NoError(t, os.MkdirAll(filepath.Join(first.nats(), "jetstream"), 0o755))

	_, _, err = openDataDir(path)
	require.ErrorContains(t, err, fmt.Sprintf("another `scorelay dev` (process %d)", os.Getpid()))
	first.release()

	second, removed, err := openDataDir(path)
	require.NoError(t, err)
	defer second.release()
	require.Contains(t, removed, "its chain is gone")
	require.NoDirExists(t, second.nats())
}

func TestInfoIsWrittenWhenReadyAndKeptCurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := &infoFile{dataDir: dir}
	require.NoError(t, file.setPID("api", 1, 11))
	_, err := ReadInfo(dir)
	require.ErrorIs(t, err, fs.ErrNotExist, "not before everything is ready")

	require.NoError(t, file.publish(func(i *Info) { i.APIURL = "http://x" }))
	require.NoError(t, file.setPID("api", 0, 10))
	info, err := ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, "http://x", info.APIURL)
	require.Equal(t, map[string][]int{"api": {10, 11}}, info.PIDs)

	require.NoError(t, file.setPID("api", 0, 0))
	info, err = ReadInfo(dir)
	require.NoError(t, err)
	require.Equal(t, map[string][]int{"api": {11}}, info.PIDs, "a dead process is not listed")

	require.NoError(t, file.remove())
	_, err = ReadInfo(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAChildIsStartedAgainUntilDrained(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var pids []int
	started := make(chan int, 10)
	c := &child{
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

func TestMeterAddsUpProcessesAndSurvivesRestarts(t *testing.T) {
	t.Parallel()
	var text atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, text.Load().(string))
	}))
	defer server.Close()
	meter := NewMeter([]string{server.URL, "http://127.0.0.1:1"}) // the second is down
	metrics := func(accepted, applied, gas, backlog, inflight int) string {
		return fmt.Sprintf(`# TYPE scorelay_api_updates_total counter
scorelay_api_updates_total{result="accepted"} %d
scorelay_api_updates_total{result="duplicate"} 5
# TYPE scorelay_relay_outcomes_total counter
scorelay_relay_outcomes_total{outcome="applied"} %d
scorelay_relay_outcomes_total{outcome="duplicate"} 1
# TYPE scorelay_relay_gas_used_total counter
scorelay_relay_gas_used_total %d
# TYPE scorelay_relay_backlog_updates gauge
scorelay_relay_backlog_updates{lane="0"} %d
scorelay_relay_backlog_updates{lane="1"} 1
# TYPE scorelay_relay_inflight_slots gauge
scorelay_relay_inflight_slots{lane="0"} %d
`, accepted, applied, gas, backlog, inflight)
	}
	text.Store(metrics(0, 0, 1000, 0, 0))
	require.Zero(t, meter.Read(t.Context()).Gas, "that was for the demo project's creation")
	text.Store(metrics(100, 80, 9000, 4, 2))
	first := meter.Read(t.Context())
	first.At = time.Time{}
	require.Equal(t, Reading{Accepted: 100, Final: 81, Applied: 80, Gas: 8000, Queued: 5, InFlight: 2}, first)
	text.Store(metrics(10, 0, 0, 0, 0)) // started again
	second := meter.Read(t.Context())
	require.Equal(t, 110.0, second.Accepted)
	require.Equal(t, 81.0, second.Final)
	first.At = second.At.Add(-2 * time.Second)
	require.Contains(t, second.Line(first), "accepted 5/s · queued 1 · in flight 0 tx · final 0/s · 100 gas/update")
}
