package dev

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// asPlanned is a demo of 1,000 updates in which nothing went wrong.
func asPlanned() *Summary {
	return &Summary{
		planned: 1000, accepted: 1000, duplicates: 10, applied: 1000, settled: true, audited: true,
		perSecond: 412.4, acceptedPer: 1020, gas: 1234, finality: []time.Duration{4e9, 4e9, 6e9},
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*Summary){
		"All 1,000 accepted updates were applied exactly once. The stream, the contract's events and its scores agree.": func(*Summary) {},
		"WRONG: 2 updates were applied more than once.":                                                                 func(r *Summary) { r.doubled = 2 },
		"WRONG: 1 update was accepted and then lost.":                                                                   func(r *Summary) { r.lost = 1 },
		"WRONG: the scores differ.":                                                                                     func(r *Summary) { r.problem = "the scores differ" },
		"WRONG: 3 updates were refused by the API.":                                                                     func(r *Summary) { r.accepted, r.applied, r.refused = 997, 997, 3 },
		"WRONG: 1 update was accepted and then rejected by the contract.":                                               func(r *Summary) { r.applied, r.rejected = 999, 1 },
		"Incomplete: 900 of 1,000 updates were accepted.":                                                               func(r *Summary) { r.accepted, r.applied = 900, 900 },
	} {
		r := asPlanned()
		change(r)
		require.Equal(t, says, r.verdict())
		require.Equal(t, says[:3] == "All", r.Good())
	}
	pending := asPlanned()
	pending.pending = 4
	require.Equal(t, "All 1,000 accepted updates were applied exactly once; 4 more in the stream are not final yet.", pending.verdict())
	require.False(t, pending.Good())
	unaudited := asPlanned()
	unaudited.audited = false
	require.Contains(t, unaudited.verdict(), "the audit was not made")
	require.False(t, unaudited.Good())
}

func TestWhatIsNotFinalIsNotCalledLost(t *testing.T) {
	t.Parallel()
	r := &Summary{planned: 1000, accepted: 980, applied: 412, interrupted: true}
	require.Equal(t, "Interrupted: 980 updates were accepted, 412 of them applied and final. Of the other 568 it is not known yet: "+
		"they are saved, and the next start continues with them.", r.verdict())
	require.NotContains(t, r.verdict()+r.table(), "lost")
	require.Contains(t, r.table(), "not final     568\n  not answered  20; each may be stored or not\n")
	require.False(t, r.Good())
	r.interrupted = false // it took too long
	require.Contains(t, r.verdict(), "Not finished: 980 updates were accepted")
	require.NotContains(t, r.verdict()+r.table(), "lost")
}

// TestTheDemoCountsEachUpdateOnce, in whichever order responses and events come, and forgets events of replaced blocks.
func TestTheDemoCountsEachUpdateOnce(t *testing.T) {
	t.Parallel()
	d := NewDemo(5)
	id := func(n byte) score.UpdateID { return score.UpdateID{31: n} }
	accepted := func(n byte) {
		d.report(sdk.Report{Update: sdk.NamedUpdate{UpdateID: id(n)}, Status: sdk.Status{Stage: sdk.Accepted}})
	}
	event := func(kind string, n byte, block uint64) {
		d.event(sdk.Event{Type: kind, Data: &sdk.UpdateData{UpdateID: id(n), TxRef: sdk.TxRef{Block: block}}})
	}
	event("update.applied", 1, 10) // before its 200, which was lost at first
	event("update.applied", 9, 10) // of another backend
	for n := range byte(4) {
		accepted(n)
	}
	accepted(2)
	d.report(sdk.Report{Update: sdk.NamedUpdate{UpdateID: id(4)}, Status: sdk.Status{Stage: sdk.Refused}})
	event("update.applied", 2, 11)
	event("update.duplicate", 2, 11)
	event("update.rejected", 3, 12)
	r := d.summary()
	require.Equal(t, []int{4, 1, 1, 2, 1, 1}, []int{r.accepted, r.duplicates, r.refused, r.applied, r.rejected, r.waiting()})
	require.Len(t, r.finality, 2)
	require.Equal(t, "[##################--]  90 %  5 of 5 updates answered, 3 final", r.progress())

	d.event(sdk.Event{Type: "chain.rewound", Data: &sdk.RewindData{Block: 10}})
	r = d.summary()
	require.Equal(t, []int{1, 0, 3}, []int{r.applied, r.rejected, r.waiting()})
	event("update.applied", 3, 11)
	require.Equal(t, 2, d.summary().applied)
}

func TestTheResultIsOfClientsEventsAndAudit(t *testing.T) {
	t.Parallel()
	r := asPlanned()
	r.audit(&index.Findings{Doubled: 1}, 4)
	require.Equal(t, 1, r.doubled)
	require.Equal(t, 4, r.lost, "what the contract has not used, though no outcome is outstanding")
	require.NotEmpty(t, r.problem)
	late := asPlanned()
	late.audit(&index.Findings{Awaited: 4}, 4)
	require.Zero(t, late.lost, "the audit ended before these were final")
}

func TestTheTableFits(t *testing.T) {
	t.Parallel()
	r := asPlanned()
	require.Equal(t, `  accepted     1,000
  applied      1,000
  lost         0, and 0 applied more than once
  duplicates   10
  rate         412 updates/s final, 1020/s accepted
  cost         1,234 gas an update
  final after  4.0 s (p50), 4.0 s (p90), 4.0 s (p99)
`, r.table())
}

func TestNumbersFitTheirLine(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{
		0: "0", 0.4: "0", 1: "1", 999: "999", 1000: "1,000", 1001: "1,001", 99_999: "99,999", 100_000: "100k", 999_499: "999k", 999_500: "1.0M", 12_345_678: "12.3M",
	} {
		require.Equal(t, want, short(n))
	}
	require.Equal(t, "1,234,567", Thousands(1_234_567))
	require.Equal(t, "1 update", units(1, "update"))
	require.Equal(t, "2 updates", units(2, "update"))
	for _, n := range []int{0, 1, 50, 99_999, 999_999, 99_999_999} {
		line := (&Summary{planned: n, accepted: n, applied: n}).progress()
		require.LessOrEqual(t, len([]rune(line)), 79, line)
	}
	require.Equal(t, "[##########----------]  50 %  1,000 of 1,000 updates answered, 0 final", (&Summary{planned: 1000, accepted: 1000}).progress())
	require.Equal(t, "[####################] 100 %  500 of 500 updates answered, 490 final", (&Summary{planned: 500, accepted: 490, refused: 10, applied: 490}).progress())
}
