package gas

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var update = flag.Bool("update", false, "write testdata and the table of docs/contract.md instead of comparing with them")

// measured is one report for all tests: it takes seconds.
var measured = sync.OnceValues(Measure)

// TestReport: the gas of everything that is measured is what it was, to the unit.
func TestReport(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	got, err := json.MarshalIndent(report, "", "  ")
	require.NoError(t, err)
	golden(t, "testdata/gas.json", string(got)+"\n")
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	golden(t, "testdata/gas.txt", text.String())
}

func TestPromises(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	require.Empty(t, report.Broken())
	require.Len(t, report.Bounds, 11)
	for key, promise := range report.Bounds {
		require.LessOrEqual(t, report.Gas[key], promise, key)
	}
	for key, floor := range report.Floors {
		require.LessOrEqual(t, floor, report.Gas[key], "%s: no contract is cheaper than its opcodes", key)
	}
	require.GreaterOrEqual(t, report.Model.BoundLeast, 0.0, "a batch would run out of gas")
	require.GreaterOrEqual(t, report.Next.Model.BoundLeast, 0.0, "a batch would run out of gas at the next fork")
	require.GreaterOrEqual(t, report.Most.Fresh, report.Most.PlannedConsecutive, "a batch would run out of gas")
}

// TestAUsualUpdate is what lanes take for one.
func TestAUsualUpdate(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	require.InDelta(t, lane.UsualGas, report.Gas["existing_consecutive_100"], 50)
	base, err := newMachine(osaka())
	require.NoError(t, err)
	batches, err := plain("existing_consecutive_100", 0, 100, consecutive).measure(base)
	require.NoError(t, err)
	require.InDelta(t, lane.UsualBytes, batches[0].bytes/100, 1)
}

// TestABrokenPromiseIsTold, in the table's order.
func TestABrokenPromiseIsTold(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	broken := *report
	broken.Gas = maps.Clone(report.Gas)
	for _, key := range []string{"signed_existing_500", "existing_consecutive_100", "hot_consecutive_100"} {
		broken.Gas[key] = broken.Bounds[key] + 1
	}
	broken.Gas["existing_consecutive_500"] = broken.Bounds["existing_consecutive_500"] // which keeps it
	broken.Gas["hot_random_100"] *= 2                                                  // which is not promised
	require.Equal(t, []string{"existing_consecutive_100", "hot_consecutive_100", "signed_existing_500"}, broken.Broken())
	var text strings.Builder
	require.NoError(t, broken.WriteText(&text))
	require.Contains(t, text.String(), "BROKEN: existing_consecutive_100 is promised to be at most 6600.\n")
	require.Equal(t, 3, strings.Count(text.String(), "BROKEN"))
}

// TestRowsAreNamedOnce: a key is one figure, and no member of the report is hidden by it.
func TestRowsAreNamedOnce(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, name := range []string{"geth", "eips", "rules", "bounds", "lower_bounds", "most_updates", "model", "next"} {
		keys[name] = true
	}
	add := func(key string) {
		require.False(t, keys[key], key)
		keys[key] = true
		for _, rules := range []string{nameOsaka, nameAmsterdam} {
			require.Positive(t, report.Rules[rules][key], "%s under %s", key, rules)
		}
	}
	promised := true
	for _, row := range rows() {
		add(row.key)
		require.True(t, promised || row.promise == 0, "%s: promised rows come first", row.key)
		promised = row.promise > 0
		require.Positive(t, row.batches(), row.key)
		require.Zero(t, row.updates%(row.projects*row.hits), "%s: its wallets are hit alike", row.key)
	}
	for _, call := range calls() {
		add(call.key)
		require.NotEmpty(t, call.per)
	}
	raw, err := json.Marshal(report)
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(raw, &members))
	require.Len(t, members, len(keys))
	for key := range keys {
		require.Contains(t, members, key)
	}
	require.EqualValues(t, report.Gas["deploy"], members["deploy"])
}

// TestModel: the bound's worst case and the estimate's error are those of the batches, and what is out of gas shows.
func TestModel(t *testing.T) {
	t.Parallel()
	model := registry.Osaka().Batch
	b := batch.Single(score.Update{Target: common.Address{1}})
	bound, all := model.Gas(b), b.StorageSlots()
	estimate := model.Estimate(b, batch.Fresh{})
	var m Model
	m.add(model, []sentBatch{{batch: b, gas: bound * 10 / 11, fresh: all}})
	require.InDelta(t, 10, m.BoundLeast, 0.01)
	require.InDelta(t, 10, m.BoundFresh, 0.01)
	m = Model{}
	m.add(model, []sentBatch{{batch: b, gas: estimate}, {batch: b, gas: estimate * 2}, {batch: b, gas: bound * 2}})
	require.Equal(t, 3, m.Batches)
	require.InDelta(t, -50, m.BoundLeast, 0.01, "it ran out of gas")
	require.Zero(t, m.BoundFresh, "none was as bad as can be")
	require.InDelta(t, 100*(1-float64(estimate)/float64(2*bound)), m.EstimateMost, 0.01)
	require.InDelta(t, (0+50+m.EstimateMost)/3, m.EstimateMean, 0.01)

	m = Model{BoundLeast: 0.0199, EstimateMean: 0.126}
	m.round()
	require.Equal(t, Model{BoundLeast: 0.01, EstimateMean: 0.13}, m, "what is to spare is rounded down")
}

func TestFiguresAreRoundedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gas     uint64
		updates int
		want    uint64
	}{{100, 10, 10}, {101, 10, 11}, {109, 10, 11}, {1, 100, 1}, {0, 7, 0}} {
		require.Equal(t, c.want, perUpdate(c.gas, c.updates))
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 16_777_216: "16,777,216", 100_000: "100,000"} {
		require.Equal(t, want, thousands(n))
	}
}

// TestRulesDiffer: what is live and what is announced are told apart, and the rules of one do not leak into the other.
func TestRulesDiffer(t *testing.T) {
	t.Parallel()
	now, next := osaka(), amsterdam()
	require.True(t, now.Live)
	require.False(t, next.Live)
	require.Equal(t, []string{nameOsaka, nameAmsterdam}, []string{now.Name, next.Name})
	number := big.NewInt(evm.BlockNumber)
	require.False(t, now.config.IsAmsterdam(number, now.time))
	require.True(t, now.config.IsOsaka(number, now.time))
	require.True(t, next.config.IsAmsterdam(number, next.time))
	require.NotEmpty(t, now.EIPs)
	require.NotEqual(t, now.EIPs, next.EIPs)
	require.Nil(t, osaka().config.AmsterdamTime)
}

const (
	contractDoc = "../../../docs/contract.md"
	begin       = "<!-- begin gas: generated in cmd/bench by go test ./gas -update -->\n"
	end         = "<!-- end gas -->\n"
)

func TestDocs(t *testing.T) {
	t.Parallel()
	report, err := measured()
	require.NoError(t, err)
	raw, err := os.ReadFile(contractDoc)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(raw), begin)
	require.True(t, found, "docs/contract.md lacks %s", begin)
	is, after, found := strings.Cut(rest, end)
	require.True(t, found, "docs/contract.md lacks %s", end)
	want := docsTable(report)
	if *update {
		require.NoError(t, os.WriteFile(contractDoc, []byte(before+begin+want+end+after), 0o644))
		return
	}
	require.Equal(t, want, is, "run the test with -update if the change is meant")
}

// docsTable is the table of the documentation.
func docsTable(r *Report) string {
	var out strings.Builder
	out.WriteString("| gas per update | osaka | promised | at least | amsterdam |\n|---|---|---|---|---|\n")
	for _, row := range rows() {
		promise, gas := "", thousands(r.Gas[row.key])
		if row.promise > 0 {
			promise, gas = thousands(row.promise), "**"+gas+"**"
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", row.key, gas, promise, thousands(r.Floors[row.key]),
			thousands(r.Rules[nameAmsterdam][row.key]))
	}
	for _, call := range calls() {
		fmt.Fprintf(&out, "| %s, %s | %s | | | %s |\n", call.key, call.per, thousands(r.Gas[call.key]),
			thousands(r.Rules[nameAmsterdam][call.key]))
	}
	return out.String()
}

// golden compares with a committed file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run with -update if the change is meant")
}
