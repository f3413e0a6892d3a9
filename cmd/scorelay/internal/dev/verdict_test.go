package dev

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/cmd/scorelay/internal/load"
	"github.com/scorelay/scorelay/pkg/index"
)

// asPlanned is a demo of 1,000 updates in which nothing went wrong.
func asPlanned() *Summary {
	return &Summary{
		planned: 1000, answered: 1000, accepted: 980, duplicates: 10, refused: 10, applied: 980, settled: true, audited: true,
		perSecond: 412.4, acceptedPer: 1020, gas: 1234,
		answer: load.Percentiles{P50: 1, P90: 2, P99: 3}, final: load.Percentiles{P50: 4000, P90: 5000, P99: 6000},
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*Summary){
		"All 980 accepted updates were applied exactly once. The stream, the contract's events and its scores agree.": func(*Summary) {},
		"WRONG: 2 updates were applied more than once.":                                                               func(r *Summary) { r.doubled = 2 },
		"WRONG: by the audit 1 update was accepted and then lost.":                                                    func(r *Summary) { r.lost = 1 },
		"WRONG: the scores differ.":                                                                                   func(r *Summary) { r.problem = "the scores differ" },
		"WRONG: 3 updates were answered otherwise than planned.":                                                      func(r *Summary) { r.wrong = 3 },
		"WRONG: 1 update was accepted and then rejected by the contract.":                                             func(r *Summary) { r.applied, r.rejected = 979, 1 },
		"Incomplete: every accepted update was applied exactly once, but 5 updates were not answered.":                func(r *Summary) { r.unanswered = 5 },
		"Incomplete: 900 of 1,000 updates were answered.":                                                             func(r *Summary) { r.answered = 900 },
	} {
		r := asPlanned()
		change(r)
		require.Equal(t, says, r.verdict())
		require.Equal(t, says[:3] == "All", r.Good())
	}
	pending := asPlanned()
	pending.pending = 4
	require.Equal(t, "All 980 accepted updates were applied exactly once; 4 more in the stream are not final yet.", pending.verdict())
	require.False(t, pending.Good())
	unaudited := asPlanned()
	unaudited.audited = false
	require.Contains(t, unaudited.verdict(), "the audit was not made")
	require.False(t, unaudited.Good())
}

func TestWhatIsNotFinalIsNotCalledLost(t *testing.T) {
	t.Parallel()
	v := load.Verdict{Promised: 980, Applied: 412, Unknown: 568}
	r := measured(1000, load.Counts{Sent: 990, Accepted: 980, Rejected: 10}, v, 1e9, 2e9)
	require.Equal(t, 206.0, r.perSecond)
	r.interrupted = true
	require.Equal(t, "Interrupted: 980 updates were accepted, 412 of them applied and final. Of the other 568 it is not known yet: "+
		"they are saved, and the next start continues with them.", r.verdict())
	require.NotContains(t, r.verdict()+r.table(), "lost")
	require.Contains(t, r.table(), "not final    568\n")
	require.False(t, r.Good())
	r.interrupted = false // it took too long
	require.Contains(t, r.verdict(), "Not finished: 980 updates were accepted")
	require.NotContains(t, r.verdict()+r.table(), "lost")
}

func TestTheResultIsOfClientsLedgerAndAudit(t *testing.T) {
	t.Parallel()
	counts := load.Counts{Sent: 990, Accepted: 975, Duplicate: 5, Rejected: 5, Failed: 5, Retries: 3}
	r := measured(1000, counts, load.Verdict{Promised: 970, Applied: 968, Rejected: 2}, 1e9, 1e9)
	require.Equal(t, 985, r.answered)
	require.Equal(t, 15, r.unanswered, "five without an answer and ten not sent")
	require.Equal(t, 10, r.duplicates)
	require.Equal(t, 2, r.rejected)
	r.audit(&index.Findings{Doubled: 1}, 4)
	require.Equal(t, 1, r.doubled)
	require.Equal(t, 4, r.lost, "what the contract has not used, though no outcome is outstanding")
	require.NotEmpty(t, r.problem)
	require.Contains(t, r.table(), "answers      15 missing, 0 not as planned, 3 requests sent again\n")
}

func TestTheTableFits(t *testing.T) {
	t.Parallel()
	r := asPlanned()
	require.Equal(t, `  accepted     980
  applied      980
  lost         0, and 0 applied twice
  duplicates   10
  refused      10 by the API
  rate         412 updates/s final, 1020/s accepted
  cost         1,234 gas an update
  answered in  1.0 ms (p50), 2.0 ms (p90), 3.0 ms (p99)
  final after  4.0 s (p50), 5.0 s (p90), 6.0 s (p99)
`, r.table())
}
