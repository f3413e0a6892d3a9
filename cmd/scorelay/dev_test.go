package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/dev"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// day is one run of `scorelay dev` in a data directory.
type day struct {
	info *devnet.Info
	out  *bytes.Buffer
	cmd  *exec.Cmd
}

func begin(t *testing.T, dir string, args ...string) *day {
	t.Helper()
	d := &day{out: &bytes.Buffer{}}
	d.cmd = command(append([]string{"dev", "--data-dir", dir, "--block-time", "250ms"}, args...)...)
	d.cmd.Stdout, d.cmd.Stderr = d.out, d.out
	require.NoError(t, d.cmd.Start())
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	require.Eventually(t, func() bool {
		info, err := devnet.ReadInfo(dir)
		d.info = info
		return err == nil && slices.Equal(info.PIDs["dev"], []int{d.cmd.Process.Pid}) // not of a run before
	}, 3*time.Minute, 50*time.Millisecond, "no dev.json: %s", d.out)
	return d
}

// end is Ctrl-C.
func (d *day) end(t *testing.T) {
	t.Helper()
	require.NoError(t, d.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, d.cmd.Wait(), "%s", d.out)
}

// caller is a backend of yesterday: it knows the address, the key and the project, and learns nothing new.
type caller struct {
	api     *sdk.Client
	project score.ProjectID
	sign    sdk.Signer
	target  common.Address
	minter  *sdk.Minter
}

func newCaller(t *testing.T, info *devnet.Info) *caller {
	t.Helper()
	key, err := crypto.ToECDSA(common.FromHex(info.UpdaterKey))
	require.NoError(t, err)
	project, err := score.ParseProjectID(info.ProjectID)
	require.NoError(t, err)
	return &caller{
		api: sdk.NewClient(info.APIURL, info.APIKey, nil), project: project, sign: sdk.KeySigner(key),
		target: common.Address{7}, minter: sdk.NewMinter(),
	}
}

// send has n purchases accepted, 50 points each.
func (c *caller) send(t *testing.T, n int) []score.UpdateID {
	t.Helper()
	var ids []score.UpdateID
	for range n {
		u := sdk.NamedUpdate{
			UpdateID: c.minter.Next(), ProjectID: c.project, ActionName: "purchase", ScoreType: "reputation", TargetWallet: c.target,
		}
		_, err := c.api.UpdateScore(t.Context(), u, c.sign)
		require.NoError(t, err)
		ids = append(ids, u.UpdateID)
	}
	return ids
}

// final waits until the updates are final and applied.
func (c *caller) final(t *testing.T, ids []score.UpdateID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	statuses, err := c.api.UntilFinal(ctx, c.project, ids...)
	require.NoError(t, err)
	for _, status := range statuses {
		require.Equal(t, "applied", status.Outcome)
	}
}

// scores waits until the API tells that score.
func (c *caller) scores(t *testing.T, want int64) {
	t.Helper()
	got := int64(-1)
	require.Eventually(t, func() bool {
		scores, err := c.api.Scores(t.Context(), c.project, c.target)
		if err == nil {
			got = scores.Of("reputation")
		}
		return got == want
	}, 3*time.Minute, 100*time.Millisecond, "the score is %d", got)
}

// TestDevIsTheSameTomorrow uses yesterday's settings after a restart, and after everything was killed at work.
func TestDevIsTheSameTomorrow(t *testing.T) {
	long.Test(t)
	takesStack(t)
	t.Parallel()
	dir := t.TempDir()
	first := begin(t, dir, "--port", "0")
	c := newCaller(t, first.info)
	c.final(t, c.send(t, 3))
	c.scores(t, 150)
	first.end(t)

	second := begin(t, dir)
	require.Contains(t, second.out.String(), "going on with the stack")
	same := func(info *devnet.Info) {
		require.Equal(t, []string{first.info.APIURL, first.info.RPCURL, first.info.APIKey, first.info.ProjectID, first.info.Contract},
			[]string{info.APIURL, info.RPCURL, info.APIKey, info.ProjectID, info.Contract})
	}
	same(second.info)
	c.scores(t, 150)
	c.final(t, c.send(t, 2))
	c.scores(t, 250)

	ids := c.send(t, 40)
	require.NoError(t, second.cmd.Process.Kill()) // and with it, at once, all that it started
	_ = second.cmd.Wait()
	third := begin(t, dir)
	require.Contains(t, third.out.String(), "going on with the stack")
	same(third.info)
	c.final(t, ids)
	c.scores(t, 2250)
	c.final(t, c.send(t, 1))
	out, err := command("audit", "--wait", "60s", "--data-dir", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "lost 0")

	for _, refused := range []string{"--lanes=8", "--chain-rpc=http://127.0.0.1:1"} {
		out, err = command("dev", "--data-dir", dir, refused).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "another `scorelay dev`", "that is said first")
	}
	third.end(t)
	out, err = command("dev", "--data-dir", dir, "--lanes", "8").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "this data directory has 4 lanes")
	fresh := begin(t, dir, "--fresh", "--port", "0", "--lanes", "2")
	require.NotEqual(t, first.info.APIKey, fresh.info.APIKey)
	require.NotEqual(t, first.info.ProjectID, fresh.info.ProjectID)
	fresh.end(t)
}

// TestAStackOfProcessesIsContinued after all of it was killed at work.
func TestAStackOfProcessesIsContinued(t *testing.T) {
	t.Parallel()
	long.Test(t)
	run := programs(t)
	first := startProcesses(t, run)
	before := first.info(t)
	c := newCaller(t, before)
	c.final(t, c.send(t, 3))
	ids := c.send(t, 40)
	first.killed = true
	require.NoError(t, first.cmd.Process.Kill()) // and with it, at once, all that it started
	<-first.ended
	second := startProcesses(t, run, "--data-dir", first.dir)
	after := second.info(t)
	require.NotEqual(t, before.PIDs, after.PIDs)
	before.PIDs, after.PIDs = nil, nil
	require.Equal(t, before, after)
	c.final(t, ids)
	c.scores(t, 2150)
}

// TestDevLeavesAForeignFolderAlone has the program itself refuse it.
func TestDevLeavesAForeignFolderAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []string{"nats", "redis", "logs", "dev.json", "chain", "lock"}
	for _, name := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("mine: "+name), 0o600))
	}
	for _, args := range [][]string{{}, {"--fresh"}} {
		out, err := command(append([]string{"dev", "--port", "0", "--data-dir", dir}, args...)...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), dir+" is not a folder of `scorelay dev`: it holds chain, dev.json, lock, 3 more and no "+dev.Label)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, len(files))
	for _, name := range files {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, "mine: "+name, string(raw))
	}
}

// watched is a program in a terminal of 80×24, and what is on it.
type watched struct {
	tty *os.File
	cmd *exec.Cmd

	mu      sync.Mutex
	screen  *terminal
	raw     strings.Builder
	changed chan struct{} // has something after the screen changed
}

func watch(t *testing.T, environ []string, args ...string) *watched {
	t.Helper()
	return onTerminal(t, environ, append([]string{"dev", "--port", "0", "--block-time", "250ms"}, args...)...)
}

func onTerminal(t *testing.T, environ []string, args ...string) *watched {
	t.Helper()
	takesStack(t)
	w := &watched{cmd: command(args...), screen: newTerminal(80, 24), changed: make(chan struct{}, 1)}
	w.cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "NO_COLOR="}, environ...)...)
	tty, err := pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	require.NoError(t, err)
	w.tty = tty
	t.Cleanup(func() { _, _ = w.cmd.Process.Kill(), tty.Close() })
	go func() {
		chunk := make([]byte, 4096)
		for {
			n, err := tty.Read(chunk)
			if err != nil {
				return
			}
			w.mu.Lock()
			w.raw.Write(chunk[:n])
			w.screen.write(chunk[:n])
			w.mu.Unlock()
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
	}()
	return w
}

// sees waits until the screen holds all of these, each on one line or broken between words.
func (w *watched) sees(t *testing.T, texts ...string) string {
	t.Helper()
	for patience := time.After(3 * time.Minute); ; {
		now := w.now()
		flat := strings.Join(strings.Fields(now), " ")
		missing := func(text string) bool { return !strings.Contains(now, text) && !strings.Contains(flat, text) }
		if !slices.ContainsFunc(texts, missing) {
			return now
		}
		select {
		case <-w.changed:
		case <-patience:
			t.Fatalf("%q never were on the screen together; last it was\n%s", texts, now)
		}
	}
}

func (w *watched) now() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.screen.String()
}

// fits makes sure that no line was longer than the terminal is wide.
func (w *watched) fits(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Empty(t, w.screen.wrapped, "lines that wrapped")
	require.Empty(t, w.screen.unknown, "sequences that the terminal of this test does not know")
}

// ended waits for the program's end.
func (w *watched) ended(t *testing.T) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- w.cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(2 * time.Minute):
		t.Fatalf("it did not end: %s", w.now())
		return nil
	}
}

// TestDevFitsATerminal looks at a stack as people do.
func TestDevFitsATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, nil, "--data-dir", dir)
	w.sees(t, "Ctrl-C ends everything.")
	info, err := devnet.ReadInfo(dir)
	require.NoError(t, err)
	w.sees(t, "api="+info.APIURL+"\n", "key="+info.APIKey+"\n")
	w.fits(t)
	require.Contains(t, w.raw.String(), "\x1b[32m", "it has colours")
	_, err = w.tty.WriteString("\x03") // Ctrl-C
	require.NoError(t, err)
	w.sees(t, "ending; a second Ctrl-C does not wait")
	require.NoError(t, w.ended(t))
	w.fits(t)
}

// TestDemoInATerminal sees a bar and a verdict, and what is said when it is interrupted.
func TestDemoInATerminal(t *testing.T) {
	t.Parallel()
	long.Test(t)
	dir := t.TempDir()
	w := watch(t, []string{"NO_COLOR=1"}, "--data-dir", dir, "--demo", "2000")
	bar := w.sees(t, "] ", " of 2,000 updates answered, ")
	require.Contains(t, bar, "[")
	w.sees(t, "[####################] 100 %", "  applied      2,000", "  lost         0, and 0 applied more than once", "All 2,000 accepted updates were applied exactly once.")
	require.NoError(t, w.ended(t))
	w.fits(t)
	require.NotRegexp(t, `\x1b\[[0-9;]*m`, w.raw.String(), "no colours where NO_COLOR is set")

	w = watch(t, nil, "--data-dir", dir, "--demo", "200000")
	w.sees(t, " of 200k updates answered, ", "%  1") // some, and far from all
	_, err := w.tty.WriteString("\x03")
	require.NoError(t, err)
	w.sees(t, "Interrupted: ", "applied and final. Of the other", "it is not known yet", "the next start continues")
	require.Error(t, w.ended(t))
	w.fits(t)
	require.NotContains(t, strings.ToLower(w.now()), "lost")
}
