package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
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
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/export"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
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

// TestKilled kills exports at random places: the file stays as it was, until an export completes it.
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
	for i, x := range []task{
		w.task(export.Updates, export.CSV, filepath.Join(t.TempDir(), "updates.csv")),
		w.task(export.Updates, export.NDJSON, filepath.Join(t.TempDir(), "updates.ndjson")),
		w.task(export.Scores, export.CSV, filepath.Join(t.TempDir(), "scores.csv")),
	} {
		x.URL = proxy.URL
		has := ""
		if i > 0 {
			has = "an earlier export"
			require.NoError(t, os.WriteFile(x.Path, []byte(has), 0o644))
		}
		for range 5 {
			if !inProcess(t, x, proxy, 1+random.IntN(12), time.Duration(random.IntN(3000))*time.Microsecond) {
				break
			}
			if has == "" {
				require.NoFileExists(t, x.Path)
			} else {
				require.Equal(t, has, content(t, x.Path))
			}
		}
		require.Equal(t, whole(t, x), done(t, x))
	}
}

// inProcess runs an export in a process of its own, which is killed a moment after so many of its requests.
func inProcess(t *testing.T, x task, proxy *rpcproxy.Proxy, requests int, moment time.Duration) (killed bool) {
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
	for range requests {
		select {
		case err := <-ended:
			require.NoError(t, err, errs.String())
			return false
		case <-asked:
		}
	}
	select { // it is killed also while it writes
	case err := <-ended:
		require.NoError(t, err, errs.String())
		return false
	case <-time.After(moment):
	}
	_ = cmd.Process.Kill()
	return <-ended != nil
}

// cursor exports all and returns what came out, and the cursor behind it.
func cursor(t *testing.T, x task) (text, after string) {
	t.Helper()
	var out bytes.Buffer
	var says told
	require.NoError(t, x.run(t.Context(), &out, says.say))
	_, after, found := strings.Cut(says[len(says)-1], "--after ")
	require.True(t, found, says)
	return out.String(), after
}

// TestAfter: what an export has after a cursor is what a later export of all adds, wherever the ledger begins.
func TestAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.task(export.Updates, export.NDJSON, "")
	texts, cursors := []string{}, []string{}
	is := func() {
		t.Helper()
		text, after := cursor(t, x)
		texts, cursors = append(texts, text), append(cursors, after)
		for i := range cursors {
			later := x
			later.After = cursors[i]
			require.Equal(t, text, texts[i]+done(t, later), i)
		}
	}
	is()
	w.batches(3)
	is()
	is()
	w.node.Commit()
	w.node.Commit()
	w.written()
	is()
	w.batches(5)
	w.forget(2)
	is()
	w.forget(0)
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), export.ErrNothingFinal)
	w.again()
	is()
	w.batches(2)
	is()
	require.NoError(t, w.js.DeleteStream(t.Context(), stream.LedgerName))
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), stream.ErrNoLedger)
	w.again()
	w.batches(1)
	is()
	require.Len(t, lines(t, texts[len(texts)-1]), 110)

	for _, text := range []string{"nonsense", fmt.Sprintf("0-%d-0000000000000000-0", w.deployment.DeployBlock)} {
		x.After = text
		require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), ledger.ErrPosition)
	}
}

// TestAHalfWrittenBlock: a writer dies within a block of several messages, and the export ends before the block.
func TestAHalfWrittenBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(2)
	whole := done(t, w.task(export.Updates, export.NDJSON, ""))
	facts, err := w.stream.Ledger(t.Context(), nil)
	require.NoError(t, err)
	_, last, err := facts.Bounds(t.Context())
	require.NoError(t, err)
	entry, err := facts.At(t.Context(), last)
	require.NoError(t, err)
	var m struct { // as package ledger stores messages
		Kind             uint64
		Number           uint64
		Hash             common.Hash
		Time             uint64
		Whole            bool
		Letters, Rewound uint64
		Before           struct {
			Number uint64
			Hash   common.Hash
		}
		Rest []rlp.RawValue `rlp:"tail"`
	}
	require.NoError(t, rlp.DecodeBytes(entry.Data[1:], &m))
	require.True(t, m.Whole)
	m.Before.Number, m.Before.Hash = m.Number, m.Hash
	m.Number, m.Hash, m.Whole = m.Number+1, common.Hash{1}, false
	raw, err := rlp.EncodeToBytes(&m)
	require.NoError(t, err)
	_, err = facts.Append(t.Context(), last, append(entry.Data[:1:1], raw...))
	require.NoError(t, err)
	text, after := cursor(t, w.task(export.Updates, export.NDJSON, ""))
	require.Equal(t, whole, text)
	x := w.task(export.Updates, export.NDJSON, "")
	x.After = after
	require.Empty(t, done(t, x))
}

// TestAFileThatIsNoFile stays as it is.
func TestAFileThatIsNoFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(1)
	path := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink("/dev/null", path))
	for _, path := range []string{path, "/dev/null", t.TempDir()} {
		require.ErrorContains(t, w.task(export.Updates, export.CSV, path).run(t.Context(), nil, func(string) {}), "is not a regular file")
	}
}

// TestReplaced: final blocks with updates of the project are replaced. Exports have what is in the chain, and a cursor
// behind a replaced block is void.
func TestReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(1)
	x := w.task(export.Updates, export.NDJSON, "")
	first, valid := cursor(t, x)
	parent := w.node.Commit()
	w.batches(3)
	_, void := cursor(t, x)
	w.node.Commit()
	w.written()
	w.reorg(parent, func() {
		added := calls.AddAction(w.project.ID, score.Action{Name: "new", Points: 9})
		fresh.Transact(t, w.node, ownerKey, &w.deployment.Contract, added)
		w.batches(2)
	})
	w.record.Actions = append(w.record.Actions, score.Action{Name: "new", Points: 9})
	for range 2 { // the second time without the ledger's word that blocks were taken back
		x = w.task(export.Updates, export.NDJSON, "")
		text := done(t, x)
		require.Len(t, lines(t, text), 30)
		x.After = valid
		require.Equal(t, text, first+done(t, x))
		x.After = void
		err := x.run(t.Context(), nil, func(string) {})
		require.ErrorIs(t, err, export.ErrReplaced)
		require.ErrorContains(t, err, "export all again, without --after")
		require.Len(t, table(t, done(t, w.task(export.Scores, export.CSV, ""))), 2*wallets)
		w.forget(1)
	}
	w.reorg(w.block(w.deployment.DeployBlock), func() {}) // also the creation
	require.ErrorIs(t, w.task(export.Updates, export.CSV, "").run(t.Context(), nil, func(string) {}), export.ErrNoProject)
	w.create()
	w.batches(1)
	require.Len(t, table(t, done(t, w.task(export.Updates, export.CSV, ""))), 10)
}

// TestReplacedMeanwhile: an export whose lines are void fails.
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
	require.ErrorContains(t, err, "run the export again")
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

// TestNames: an update that was applied has names, or the export fails.
func TestNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.batches(1)
	x := w.task(export.Updates, export.CSV, filepath.Join(t.TempDir(), "updates.csv"))
	record := *w.record.Record
	record.Actions = record.Actions[:1]
	x.Project.Record = &record
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), export.ErrUnknown)
	entries, err := os.ReadDir(filepath.Dir(x.Path))
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is left")
	x.ID = score.ProjectID{9}
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), export.ErrNoProject)
	x.ID, x.Project.Record = w.project.ID, nil
	require.ErrorIs(t, x.run(t.Context(), nil, func(string) {}), export.ErrNoProject)
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
