package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/export"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// done exports in this process and returns what came out.
func done(t *testing.T, x task) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, x.run(t.Context(), &out, func(string) {}))
	if x.Path == "" {
		return out.String()
	}
	require.Empty(t, out.String())
	return content(t, x.Path)
}

// whole is what a new export writes.
func whole(t *testing.T, x task) string {
	t.Helper()
	x.Path = ""
	return done(t, x)
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}

// onContract are the contract's own scores of all wallets, by wallet and score type as an export names them.
func (w *world) onContract() map[[2]string]string {
	scores := map[[2]string]string{}
	for n := range byte(wallets + 1) {
		wallet := common.Address{19: n}
		has, err := registry.ReadWalletScores(w.project.ID, wallet).Do(w.t.Context(), w.view)
		require.NoError(w.t, err)
		for i, value := range has {
			if value != 0 {
				scores[[2]string{hexutil.Encode(wallet[:]), w.project.ScoreTypes[i]}] = strconv.FormatInt(value, 10)
			}
		}
	}
	return scores
}

// TestFormats: both formats hold the same, names are what they are, and both kinds add up to the contract's scores.
func TestFormats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(5)
	want := w.onContract()
	require.Len(t, want, 2*wallets)

	fromCSV, fromJSON := map[[2]string]string{}, map[[2]string]string{}
	for _, row := range table(t, done(t, w.task(export.Scores, export.CSV, ""))) {
		fromCSV[[2]string{row["targetWallet"], row["scoreType"]}] = row["score"]
	}
	for _, row := range lines(t, done(t, w.task(export.Scores, export.NDJSON, ""))) {
		fromJSON[[2]string{row["targetWallet"].(string), row["scoreType"].(string)}] = row["score"].(string)
	}
	require.Equal(t, want, fromCSV)
	require.Equal(t, want, fromJSON)

	text := done(t, w.task(export.Updates, export.CSV, ""))
	rows, objects := table(t, text), lines(t, done(t, w.task(export.Updates, export.NDJSON, "")))
	require.Contains(t, text, `,"'=HYPERLINK(""http://x"",""y"")",`, "no spreadsheet runs it")
	require.Len(t, rows, 50)
	require.Len(t, objects, 50)
	sums, outcomes := map[[2]string]int64{}, map[string]int{}
	for i, row := range rows {
		points, err := strconv.ParseInt(row["points"], 10, 64)
		require.NoError(t, err)
		outcomes[row["outcome"]]++
		if row["outcome"] == "applied" {
			sums[[2]string{row["targetWallet"], row["scoreType"]}] += points
		}
		for name, value := range objects[i] {
			if number, ok := value.(json.Number); ok {
				value = number.String()
			}
			require.Equal(t, row[name], value, name)
		}
		require.Len(t, objects[i], len(row))
	}
	require.Equal(t, map[string]int{"applied": 45, "unknown_action": 5}, outcomes)
	for key, sum := range sums {
		require.Equal(t, want[key], strconv.FormatInt(sum, 10), key)
	}
	require.Len(t, sums, len(want))
}

// table reads CSV, and takes the apostrophe from cells that have one.
func table(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = strings.TrimPrefix(record[i], "'")
		}
		rows = append(rows, row)
	}
	return rows
}

func lines(t *testing.T, text string) (rows []map[string]any) {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	for in.More() {
		var row map[string]any
		require.NoError(t, in.Decode(&row))
		rows = append(rows, row)
	}
	require.Equal(t, len(rows), strings.Count(text, "\n"))
	return rows
}

// TestKilled kills exports at random places and runs them again until they are done, while the chain grows: every
// file is what an export that was not disturbed writes.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(20)
	w.forget(1) // blocks before are read from the chain
	w.batches(10)
	seed := testrand.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	proxy, err := rpcproxy.Start(w.node.URL, seed)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	for _, x := range []task{
		w.task(export.Updates, export.CSV, filepath.Join(t.TempDir(), "updates.csv")),
		w.task(export.Updates, export.NDJSON, filepath.Join(t.TempDir(), "updates.ndjson")),
		w.task(export.Scores, export.CSV, filepath.Join(t.TempDir(), "scores.csv")),
	} {
		x.URL = proxy.URL
		kills, resumed := 0, 0
		for {
			requests := 3 + random.IntN(12)
			// The ledger asks the chain nothing. Each kill has the next process live longer, until it gets to writing on any machine.
			soon := time.Duration(requests) * time.Duration(100+20*kills) * time.Millisecond
			killed, said := inProcess(t, x, proxy, requests, soon, time.Duration(random.IntN(3000))*time.Microsecond)
			if strings.Contains(said, "continuing after block") {
				resumed++
			}
			if !killed {
				break
			}
			kills++
			if kills == 5 {
				w.batches(2)
			}
		}
		t.Logf("%s: killed %d times, continued %d times", filepath.Base(x.Path), kills, resumed)
		require.Positive(t, kills)
		require.Positive(t, resumed)
		require.Equal(t, whole(t, x), content(t, x.Path))
	}
}

// inProcess runs an export in a process of its own, which is killed a moment after so many of its requests, or soon. What it
// said is returned.
func inProcess(t *testing.T, x task, proxy *rpcproxy.Proxy, requests int, soon, moment time.Duration) (killed bool, said string) {
	t.Helper()
	raw, err := json.Marshal(x)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+string(raw))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	asked := make(chan struct{}, 1000)
	remove := proxy.Add(rpcproxy.Fault{Name: "count", Around: func(_ *rpcproxy.Exchange, next func()) { next(); asked <- struct{}{} }})
	defer remove()
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over := time.After(soon)
	for range requests {
		select {
		case err := <-ended:
			require.NoError(t, err, errs.String())
			return false, errs.String()
		case <-over:
		case <-asked:
		}
	}
	select { // it is killed also while it writes
	case err := <-ended:
		require.NoError(t, err, errs.String())
		return false, errs.String()
	case <-time.After(moment):
	}
	_ = cmd.Process.Kill()
	return <-ended != nil, errs.String()
}

// TestStates: with every part of a checkpoint that may be on disk when a process dies, the file becomes what it would
// have been.
func TestStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "updates.csv")
	x := w.task(export.Updates, export.CSV, path)
	w.batches(2)
	first := done(t, x)
	before := content(t, path+".state")
	w.batches(3)
	whole := done(t, x)
	require.True(t, strings.HasPrefix(whole, first))
	require.Equal(t, whole, done(t, x), "nothing new")
	after := content(t, path+".state")

	// Data was written, and the state was not.
	for _, data := range []string{whole, first + "torn", whole[:len(whole)-5]} {
		require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
		require.NoError(t, os.WriteFile(path+".state", []byte(before), 0o644))
		require.NoError(t, os.WriteFile(path+".state.new", []byte(after[:len(after)/2]), 0o644))
		require.Equal(t, whole, done(t, x))
	}
	// Nothing was exported, since the id was wrong; the file was made, or was not, or an export that begins again has not
	// cut it off.
	for _, has := range []string{"", "none", whole, whole + "torn"} {
		fresh := x
		fresh.Path = filepath.Join(t.TempDir(), "fresh.csv")
		fresh.Project = score.ProjectID{9}
		require.ErrorIs(t, fresh.run(t.Context(), nil, func(string) {}), export.ErrNoProject)
		if has == "none" {
			require.NoError(t, os.Remove(fresh.Path))
		} else {
			require.NoError(t, os.WriteFile(fresh.Path, []byte(has), 0o644))
		}
		fresh.Project = x.Project
		require.Equal(t, whole, done(t, fresh))
	}
}

// TestRefused: what would spoil a file is refused, and the file stays as it is.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(2)
	path := filepath.Join(t.TempDir(), "updates.csv")
	x := w.task(export.Updates, export.CSV, path)
	whole := done(t, x)
	refused := func(x task, why string) {
		t.Helper()
		require.ErrorContains(t, x.run(t.Context(), nil, func(string) {}), why)
	}
	other := x
	other.Project = score.ProjectID{9}
	refused(other, "is of another export (updates of project 0x0100")
	other = x
	other.Format = export.NDJSON
	refused(other, "is of another export")
	other.What = export.Scores
	refused(other, "is of another export")
	lock := flock.New(path + ".lock")
	locked, err := lock.TryLock()
	require.NoError(t, err)
	require.True(t, locked)
	refused(x, "another export to "+path+" is under way")
	require.NoError(t, lock.Unlock())
	require.Equal(t, whole, content(t, path))

	mine := filepath.Join(t.TempDir(), "mine.csv")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
	other = x
	other.Path = mine
	refused(other, "choose another name")
	require.Equal(t, "mine", content(t, mine))

	require.NoError(t, os.Truncate(path, 10))
	refused(x, "it was changed since")
	require.NoError(t, os.WriteFile(path+".state", []byte("{"), 0o644))
	refused(x, "couldn't read "+path+".state")

	other = x
	other.Path, other.Project = "", score.ProjectID{9}
	refused(other, "the project does not exist in any final block")
}

// TestReplaced: final blocks with updates of the project are replaced, and the ledger says so: exports begin again, and
// write what new ones do.
func TestReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.node.Commit()
	w.batches(1)
	parent := w.node.Commit()
	w.batches(3)
	w.node.Commit()
	w.written()
	dir := t.TempDir()
	all := []task{
		w.task(export.Updates, export.CSV, filepath.Join(dir, "updates.csv")),
		w.task(export.Updates, export.NDJSON, filepath.Join(dir, "updates.ndjson")),
		w.task(export.Scores, export.CSV, filepath.Join(dir, "scores.csv")),
	}
	run := func(again bool) {
		t.Helper()
		for _, x := range all {
			var says told
			require.NoError(t, x.run(t.Context(), nil, says.say))
			require.Equal(t, again, strings.Contains(strings.Join(says, "\n"), "were replaced: the export begins again"))
			require.Equal(t, whole(t, x), content(t, x.Path))
		}
	}
	run(false)
	was := content(t, all[0].Path)
	w.reorg(parent, func() {
		added := calls.AddAction(w.project.ID, score.Action{Name: "new", Points: 9})
		w.node.Transact(t, ownerKey, &w.deployment.Contract, added)
		w.batches(2)
	})
	run(true)
	run(false)
	require.Len(t, table(t, content(t, all[0].Path)), 30)
	require.Equal(t, table(t, was)[:10], table(t, content(t, all[0].Path))[:10])

	empty := w.node.Commit()
	w.node.Commit()
	w.written()
	run(false)
	w.reorg(empty, func() { w.batches(1) }) // what is gone held nothing of the project
	run(false)

	w.reorg(before, func() { w.batches(1) }) // also the action that was added
	run(true)
	require.Len(t, table(t, content(t, all[0].Path)), 10)
	w.reorg(w.block(w.deployment.DeployBlock), func() {}) // also the creation
	for _, x := range all {
		require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), export.ErrNoProject)
	}
	w.create()
	w.batches(1)
	run(false)

	w.reorg(w.block(w.deployment.DeployBlock), func() { w.create(); w.batches(20) })
	w.forget(1) // and that it was taken back
	for _, x := range all {
		kept := content(t, x.Path)
		err := x.run(t.Context(), nil, func(string) {})
		require.ErrorIs(t, err, ledger.ErrReplaced)
		require.ErrorContains(t, err, "to export all of it again, remove "+x.Path)
		require.Equal(t, kept, content(t, x.Path))
	}
}

// TestReplacedMeanwhile: what went to the standard output cannot be taken back.
func TestReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parent := w.node.Commit()
	w.batches(30) // more than is written at once
	x := w.task(export.Updates, export.CSV, "")
	replaced := func() {
		w.reorg(parent, func() {
			for range 100 {
				w.node.Commit()
			}
			w.batches(30)
		})
	}
	var err error
	for err == nil { // NATS may tell of it only when all was read
		err = x.run(t.Context(), &onWrite{what: replaced}, func(string) {})
	}
	require.ErrorIs(t, err, export.ErrReplaced)
}

// onWrite does something as it is first written to.
type onWrite struct {
	what func()
}

func (o *onWrite) Write(p []byte) (int, error) {
	if o.what != nil {
		what := o.what
		o.what = nil
		what()
	}
	return len(p), nil
}

// TestLedgerOfAnotherBeginning: an export continues by its block where NATS lost the ledger, or the ledger holds it
// no more, and the blocks between are read from the chain.
func TestLedgerOfAnotherBeginning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(3)
	x := w.task(export.Updates, export.CSV, filepath.Join(t.TempDir(), "updates.csv"))
	require.Equal(t, whole(t, x), done(t, x))
	w.batches(5)
	w.forget(2)
	require.Equal(t, whole(t, x), done(t, x))
	w.forget(0)
	err := x.run(t.Context(), nil, func(string) {})
	require.ErrorIs(t, err, export.ErrNothingFinal)
	w.again()
	require.Equal(t, whole(t, x), done(t, x), "nothing new")
	w.batches(2)
	require.Equal(t, whole(t, x), done(t, x))
	require.NoError(t, w.js.DeleteStream(t.Context(), stream.LedgerName))
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), stream.ErrNoLedger)
	w.again()
	w.batches(1)
	require.Equal(t, whole(t, x), done(t, x))
	require.Len(t, table(t, content(t, x.Path)), 110)
}

// TestDiffer: an endpoint that leaves events out is found out by the scores, the file stays as it was, and the next
// export reads all again.
func TestDiffer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy, err := rpcproxy.Start(w.node.URL, 1)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	x := w.task(export.Scores, export.CSV, filepath.Join(t.TempDir(), "scores.csv"))
	x.URL = proxy.URL
	leaveOut := rpcproxy.Fault{Name: "leave out", Methods: []string{rpcproxy.Logs}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
		var logs []json.RawMessage
		if json.Unmarshal(a.Result, &logs) == nil && len(logs) > 1 {
			a.Result, _ = json.Marshal(logs[:len(logs)-1])
		}
	}}
	was := ""
	for range 2 {
		w.batches(12)
		w.forget(1)
		remove := proxy.Add(leaveOut)
		var says told
		err = x.run(t.Context(), nil, says.say)
		require.ErrorIs(t, err, export.ErrDiffer)
		require.Regexp(t, `^\d+ of 14 scores differ: `, err.Error())
		require.Contains(t, strings.Join(says, "\n"), "and the applied points add up to")
		require.LessOrEqual(t, len(says), 12)
		if was == "" {
			require.NoFileExists(t, x.Path)
		} else {
			require.Equal(t, was, content(t, x.Path))
		}
		remove()
		was = done(t, x)
		require.Equal(t, whole(t, x), was)
	}
}
