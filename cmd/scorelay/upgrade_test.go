package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
)

// upgradesFrom is the oldest commit whose processes may run beside ours on one deployment: each reads what the other stores. A change of
// what is stored that it cannot read needs a version that reads both first, and then that version's commit here.
const upgradesFrom = "9db5d57a41afeb546e5ea24e8dce0f69dae6abd3"

var drill = flag.Bool("drills", false, "run TestDrills and TestDrillUpgrade")

// earlier builds the programs of upgradesFrom. Without the repository's history the test does not run, and says so.
func earlier(t *testing.T) (programs string) {
	t.Helper()
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join("..", "..")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if shallow, err := git("rev-parse", "--is-shallow-repository"); err != nil || shallow == "true" {
		t.Skipf("NOT RUN: there is no history to take %s from; clone the repository whole (git fetch --unshallow)", upgradesFrom)
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "earlier.tar")
	told, err := git("archive", "--output", archive, upgradesFrom)
	require.NoError(t, err, told)
	require.NoError(t, exec.Command("tar", "-xf", archive, "-C", dir).Run())
	programs = filepath.Join(dir, "programs") + string(filepath.Separator)
	build := exec.Command("go", "build", "-o", programs, "./cmd/api", "./cmd/relayer", "./cmd/scorelay")
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return programs
}

// TestDrillUpgrade rolls APIs and relayers from an earlier version to this one and back, one process after the other, while updates come:
// both versions run side by side on what each other stored.
//
//	go test ./cmd/scorelay -run TestDrillUpgrade -timeout 20m -args -drills
func TestDrillUpgrade(t *testing.T) {
	operations, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	require.NoError(t, err)
	require.Contains(t, string(operations), "commit `"+upgradesFrom[:10]+"`")
	if !*drill {
		t.Skip("builds another version: .ci/deep runs it, with -args -drills")
	}
	t.Parallel()
	before, now := earlier(t), programs(t)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	u := &upgrade{t: t, installed: programs(t)} // its stack is ours, and starts the programs that are installed
	u.install(before, "api", "relayer", "scorelay")
	u.rig = startRig(ctx, t, rigOptions{
		endpoints: 1, lanes: 2, block: 250 * time.Millisecond, geth: &devnet.ChainOptions{}, programs: u.installed,
		args: []string{"--relayers", "2", "--apis", "2"},
	})
	stop := u.load(40)
	u.works("before the upgrade")
	u.install(now, "api", "relayer") // in the order of docs/operations.md
	u.roll("relayer")
	u.roll("api")
	u.works("upgraded")
	u.commands()
	u.install(before, "api", "relayer")
	u.roll("api")
	u.roll("relayer")
	u.works("back again")
	stop()
	promised := u.tally.Promised()
	final, err := u.settled(promised, 5*time.Minute)
	require.NoError(t, err)
	require.Zero(t, final.doubled())
	reported := u.reported(promised, 2*time.Minute)
	require.Equal(t, len(promised), reported["final applied"], "what the APIs tell: %v", reported)
	counts := u.tally.Counts()
	require.Zero(t, counts.Wrong, "%v", counts.Refusals)
	require.Zero(t, counts.Failed)
	t.Logf("promised %d, retries %d, %d duplicates found by the contract", len(promised), counts.Retries, final.duplicates)
	u.audited(t, "--chain-rpc", u.node)
}

// upgrade is a rig whose processes are those of the program that is installed when they start.
type upgrade struct {
	*rig
	t         *testing.T
	installed string
}

// install puts programs of a folder where the stack starts its processes from.
func (u *upgrade) install(from string, programs ...string) {
	u.t.Helper()
	for _, program := range programs {
		raw, err := os.ReadFile(filepath.Join(from, program))
		require.NoError(u.t, err)
		installed := filepath.Join(u.installed, program)
		require.NoError(u.t, os.WriteFile(installed+".new", raw, 0o700))
		require.NoError(u.t, os.Rename(installed+".new", installed)) // the file of before may be running
	}
}

// roll ends the two processes of a role one after the other, each once the one before was replaced and works.
func (u *upgrade) roll(role string) {
	u.t.Helper()
	installed, err := os.Stat(filepath.Join(u.installed, role))
	require.NoError(u.t, err)
	urls := map[string][]string{"api": u.info(u.t).AdminURLs[:2], "relayer": u.info(u.t).AdminURLs[2:]}[role]
	for i, url := range urls {
		pids := u.info(u.t).PIDs[role]
		require.Len(u.t, pids, len(urls))
		require.NoError(u.t, syscall.Kill(pids[i], syscall.SIGTERM))
		require.True(u.t, u.until(2*time.Minute, func() bool {
			after := u.info(u.t).PIDs[role]
			if len(after) != len(urls) || after[i] == pids[i] || ask(url+"/readyz") != http.StatusOK {
				return false
			}
			runs, err := os.Stat(fmt.Sprintf("/proc/%d/exe", after[i]))
			return err == nil && os.SameFile(runs, installed)
		}), "%s %d was not replaced", role, i)
	}
}

// commands has the newer version write what the earlier one does not know, and undo it.
func (u *upgrade) commands() {
	u.t.Helper()
	project := u.places[0].Project.String()
	for _, args := range [][]string{
		{"keys", "create", "upgraded"}, {"pause", "--lane", "0", "--reason", "a drill"}, {"pause", "--project", project}, {"pause", "--all"}, {"resume", "--all"},
	} {
		u.does(u.t, args...)
	}
}

// works waits until everything promised so far is applied, and a project that is created now and its updates.
func (u *upgrade) works(when string) {
	u.t.Helper()
	at := u.newPlace(u.t, 1, 2)
	for n := range 5 {
		next := at.Update(n)
		next.ID = load.RandomID()
		u.tally.Add(u.client.Send(u.ctx, load.Alone(next), time.Now()))
	}
	_, err := u.settled(u.tally.Promised(), 3*time.Minute)
	require.NoError(u.t, err, when)
}

// ask is the status of an answer; 0 without one.
func ask(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}
