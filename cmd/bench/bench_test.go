package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

func TestCallsAreWhatALaneSends(t *testing.T) {
	t.Parallel()
	projects := newProjects(worldOptions{lanes: 4})
	list, err := calls(projects, 8, batchSize)
	require.NoError(t, err)
	again, err := calls(newProjects(worldOptions{lanes: 4}), 8, batchSize)
	require.NoError(t, err)
	require.Equal(t, again, list, "the same in every run")
	seen := map[score.UpdateID]bool{}
	for i, c := range list {
		b, err := registry.DecodeBatch(c.data)
		require.NoError(t, err)
		model := registry.Osaka().Batch
		require.Equal(t, batchSize, b.Len())
		require.GreaterOrEqual(t, c.gas, model.Gas(b))
		require.LessOrEqual(t, c.gas, batch.DefaultLimits().MaxGas)
		touched := map[string]bool{}
		for _, u := range b.Updates() {
			require.False(t, seen[u.ID], "an id is used once")
			seen[u.ID], touched[u.Target.Hex()] = true, true
			require.EqualValues(t, i%4, score.FirstOwner(score.BucketOf(u.Project), 4))
		}
		require.Len(t, touched, batchSize)
	}
}

func TestRatesLeaveOutWhatBeginsTheSteadyPart(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	f, err := rates([]block{
		{at: begin, calls: 100, txs: 99, updates: 9900},
		{at: begin.Add(time.Second), calls: 110, txs: 10, updates: 1000},
		{at: begin.Add(2 * time.Second), calls: 130, txs: 10, updates: 900, wasted: 1},
	})
	require.NoError(t, err)
	require.InDelta(t, 950, *f.UpdatesPerS, 1e-9)
	require.InDelta(t, 10, *f.TxPerS, 1e-9)
	require.InDelta(t, 10, *f.TxPerBlock, 1e-9)
	require.InDelta(t, 1.5, *f.RPCPerTx, 1e-9)
	require.InDelta(t, 1, *f.WastedTx, 1e-9)
	_, err = rates([]block{{at: begin, txs: 5}, {at: begin.Add(time.Second)}})
	require.Error(t, err)
}

func TestReportIsOneLineOfJSONAndATable(t *testing.T) {
	t.Parallel()
	runs := []figures{
		{UpdatesPerS: some(900), TxPerS: some(9), TxPerBlock: some(9), RPCPerTx: some(2), WastedTx: some(0)},
		{UpdatesPerS: some(1000), TxPerS: some(10), TxPerBlock: some(10), RPCPerTx: some(1), WastedTx: some(2)},
		{UpdatesPerS: some(5000), TxPerS: some(50), TxPerBlock: some(50), RPCPerTx: some(1), WastedTx: some(0)},
	}
	typical := medians(runs)
	r := &report{RTT: 50, Scorelay: &figures{}, TxMgr: &figures{TxPerS: some(4), UpdatesPerS: some(400), TxPerBlock: some(4), RPCPerTx: some(12), WastedTx: some(0)}}
	r.Scorelay.fill(typical)
	r.Scorelay.fill(figures{BlockFill: some(0.5)})
	var out bytes.Buffer
	require.NoError(t, r.writeJSON(&out))
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	var read map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &read))
	require.InDelta(t, 50, read["rtt_ms"], 0)
	require.Equal(t, map[string]any{
		"updates_per_s": 1000.0, "tx_per_s": 10.0, "tx_per_block": 10.0, "rpc_per_tx": 1.0, "block_fill": 0.5, "wasted_tx": 0.0,
	}, read["scorelay"])
	require.NotContains(t, read, "txmgr_cached_fees", "what was not measured is not there")
	out.Reset()
	require.NoError(t, r.writeTable(&out))
	require.Contains(t, out.String(), "2.50")
	require.Contains(t, out.String(), "filled 50.0 %")
}

func TestLegsAreChosenByName(t *testing.T) {
	t.Parallel()
	all := (&bench{}).legs()
	chosen, err := chooseLegs(all, "quiet,scorelay")
	require.NoError(t, err)
	require.Equal(t, "scorelay,quiet", legNames(chosen))
	_, err = chooseLegs(all, "scorelay,other")
	require.ErrorContains(t, err, `no leg "other"`)
}

// TestThePeerReadsWhatIsWritten holds the two ends of the peer's files together: the peer is another module.
func TestThePeerReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls")
	require.NoError(t, writeCalls(path, []call{{data: []byte{0xab, 1}, gas: 7}, {data: []byte{2}, gas: 8}}))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "7 ab01\n8 02\n", string(raw))
}

func TestSubcommandsAreNamed(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, run(nil), errUsage)
	require.ErrorIs(t, run([]string{"other"}), errUsage)
	require.ErrorContains(t, run([]string{"relay", "--rtt", "-1s"}), "--rtt must not be negative")
	require.ErrorContains(t, run([]string{"horizon", "--updates", "0"}), "--updates must be at least 1")
	require.ErrorContains(t, run([]string{"horizon", "more"}), "nothing may follow the flags")
	require.ErrorContains(t, run([]string{"backlog", "--lanes", "0"}), "--lanes and --repeat must be at least 1")
	require.ErrorContains(t, run([]string{"slowdisk", "--lanes", "9"}), "--lanes must be from 1 to 8")
	require.ErrorContains(t, run([]string{"lanes", "--rate", "0"}), "--rate must be at least 1")
	require.ErrorContains(t, run([]string{"reads", "--wallets", "1"}), "--wallets and --executions must be at least 1000")
}

func TestBacklogFigures(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	f, err := backlogOf([]block{
		{at: begin, txs: 99, updates: 9900, gas: 1, gasLimit: 1},
		{at: begin.Add(time.Second), txs: 10, updates: 1000, gas: 3_000_000, gasLimit: 10_000_000},
		{at: begin.Add(2 * time.Second), txs: 30, updates: 3000, gas: 6_000_000, gasLimit: 10_000_000},
	}, 18_000_000)
	require.NoError(t, err)
	require.Equal(t, backlogFigures{
		UpdatesPerS: 2000, GasPerUpdate: 2250, BlockFill: 0.45, GasOfLimit: 0.5, TxPerBlock: 20, UpdatesPerTx: 100,
	}, f)
	other := f
	other.UpdatesPerS, other.BlockFill = 1000, 0.9
	typical := medianBacklog([]backlogFigures{f, other})
	require.InDelta(t, 1000, typical.UpdatesPerS, 0)
	require.InDelta(t, 0.45, typical.BlockFill, 0)
	var out bytes.Buffer
	require.NoError(t, f.writeTable(&out))
	require.Contains(t, out.String(), "2000")
}

// TestPopularWalletsAreHitMore: by Zipf's law, and each wallet in turn before that.
func TestPopularWalletsAreHitMore(t *testing.T) {
	t.Parallel()
	p := newProjects(worldOptions{lanes: 1, wallets: 50})[0]
	for i, u := range p.next(50) {
		require.Equal(t, p.wallets[i], u.Target)
	}
	p.begin(1)
	hits := map[common.Address]int{}
	for _, u := range p.next(9_000) {
		hits[u.Target]++
	}
	require.InEpsilon(t, 2_000, hits[p.wallets[0]], 0.1, "the harmonic number of 50 is about 4.5")
	require.InEpsilon(t, 200, hits[p.wallets[9]], 0.3)
}

func TestASyncIsMeasured(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run([]string{syncsCommand}), "takes a directory")
	dir := t.TempDir()
	require.NoError(t, run([]string{syncsCommand, dir}))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, []string{"ls", "-l"}, onDisk(0, "ls", "-l").Args)
	require.Contains(t, onDisk(slowBy, "ls", "-l").Args, "inject=fsync,fdatasync:delay_enter=2000")
}

func TestLanesFigures(t *testing.T) {
	t.Parallel()
	begin := time.Unix(1000, 0)
	second := func(n float64) time.Time { return begin.Add(time.Duration(n * float64(time.Second))) }
	p := newProjects(worldOptions{lanes: 2})
	before, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	after, _, err := before.Replace(1, common.Address{3}, true)
	require.NoError(t, err)
	moved := movedProjects(p, before, after)
	require.Equal(t, map[score.ProjectID]bool{p[1].ID: true}, moved)
	windows := []phaseWindow{
		{name: "steady", begin: begin, end: second(10)},
		{name: "replace", begin: second(10), end: second(20), command: 2 * time.Second, moved: moved},
	}
	finals := []final{
		{ref: p[0].next(1)[0].Ref(), accepted: second(1.5), took: 2 * time.Second, block: 7},
		{ref: p[0].next(1)[0].Ref(), accepted: second(10), took: 6 * time.Second, block: 8},
		{ref: p[1].next(1)[0].Ref(), accepted: second(11), took: 3 * time.Second, block: 8},
		{ref: p[1].next(1)[0].Ref(), accepted: second(20), took: time.Minute, block: 8}, // after the last phase
	}
	answers := []answer{{second(0), 200}, {second(9), 429}, {second(12), 503}, {second(13), 0}, {second(20), 500}}
	r, err := lanesFigures(4, 2, windows, answers, finals, map[uint64]time.Time{7: second(2), 8: second(14)})
	require.NoError(t, err)
	require.Equal(t, &lanesReport{
		Rate: 4, Projects: 2, Errors: 1, Late: 4, Blocks: 3.5, Phases: []lanesPhase{
			{Name: "steady", Updates: 1, Refused: 1, P50: 2, P99: 2, Max: 2, InBlock: 0.5},
			{
				Name: "replace", Updates: 2, Errors: 1, Refused: 1, P50: 3, P99: 6, Max: 6, Late: 4, InBlock: 4, BlockLate: 3.5,
				Moved: 1, MovedMax: 3, Command: 2,
			},
		},
	}, r)
	var out bytes.Buffer
	require.NoError(t, r.writeTable(&out))
	require.Contains(t, out.String(), "final late by 4.00 s at most, in a block by 3.50 s; 1 requests")

	windows[1].moved = nil
	_, err = lanesFigures(4, 2, windows, answers, finals, map[uint64]time.Time{7: second(2), 8: second(14)})
	require.ErrorContains(t, err, "moved no project")
	_, err = lanesFigures(4, 2, windows, answers, finals[:1], map[uint64]time.Time{7: second(2)})
	require.ErrorContains(t, err, `accepted in the phase "replace"`)
}

func TestStatusOfARequest(t *testing.T) {
	t.Parallel()
	require.Equal(t, 200, statusOf(nil))
	require.Equal(t, 503, statusOf(fmt.Errorf("sent: %w", &sdk.Error{Status: 503})))
	require.Zero(t, statusOf(sdk.ErrAnswer))
}

func TestReadsAreMeasured(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	r, err := (&bench{dir: t.TempDir()}).reads(t.Context(), 2000, 1000, 10)
	require.NoError(t, err)
	for _, f := range []float64{r.Bytes, r.New, r.Known, r.CPU, r.Longest, r.Page, r.Around, r.Beside} {
		require.Positive(t, f)
	}
	var out bytes.Buffer
	require.NoError(t, r.writeTable(&out))
	require.Contains(t, out.String(), "2000 wallets")
}
