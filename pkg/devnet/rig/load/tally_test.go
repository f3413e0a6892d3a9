package load

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

func TestTally(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	first, invalid := Update{ID: score.UpdateID{1}}, Update{ID: score.UpdateID{2}, Invalid: true}
	again := first
	again.Again = true
	at := time.Now()
	tally.Add(Result{Post: Alone(first), Duplicate: []bool{true}, Retries: 1, At: at, Latency: time.Second})
	tally.Add(Result{Post: Alone(again), Duplicate: []bool{true}, At: at.Add(time.Second)})
	tally.Add(Result{Post: Alone(invalid), Err: &sdk.Error{Status: 400, Code: "unknown_action"}})
	tally.Add(Result{Post: Alone(first), Err: &sdk.Error{Status: 403, Code: "forbidden"}})
	group := &Post{Updates: []Update{{ID: score.UpdateID{1}}, {ID: score.UpdateID{3}}, {ID: score.UpdateID{4}}}, Signed: true}
	tally.Add(Result{Post: group, Duplicate: []bool{true, false, false}, At: at})
	tally.Add(Result{Post: group, Err: &sdk.Error{Status: 503, Code: "not_durable", RetryAfter: time.Second}, Retries: 2})
	counts := tally.Counts()
	require.Equal(t, Counts{
		Sent: 10, Accepted: 3, Duplicate: 2, Rejected: 2, Failed: 3, Retries: 3, Wrong: 1,
		Refusals: map[string]int{"unknown_action": 1, "forbidden": 1},
	}, counts)
	require.Equal(t, map[Key]time.Time{{ID: first.ID}: at, {ID: score.UpdateID{3}}: at, {ID: score.UpdateID{4}}: at}, tally.Promised())
	require.Equal(t, Verdict{Promised: 3, Unknown: 3}, tally.Verdict())

	// What was returned is no part of the tally.
	counts.Refusals["forbidden"]++
	delete(tally.Promised(), Key{ID: first.ID})
	require.Equal(t, 1, tally.Counts().Refusals["forbidden"])
	require.Len(t, tally.Promised(), 3)
}

func TestAnInvalidUpdateThatIsAcceptedIsWrong(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	tally.Add(Result{Post: Alone(Update{Invalid: true}), Duplicate: []bool{false}, At: time.Now()})
	require.Equal(t, Counts{Sent: 1, Accepted: 1, Wrong: 1, Refusals: map[string]int{}}, tally.Counts())
	require.Equal(t, 1, tally.Verdict().Promised)
}

// TestPromisesAreSettledOnce: an outcome counts once, and only for what was promised.
func TestPromisesAreSettledOnce(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	at := time.Now()
	for i := range 3 {
		tally.Add(Result{Post: Alone(Update{ID: score.UpdateID{byte(i)}}), Duplicate: []bool{false}, At: at})
	}
	require.Len(t, tally.open()[score.ProjectID{}], 3)
	tally.settle(Key{ID: score.UpdateID{0}}, "applied")
	tally.settle(Key{ID: score.UpdateID{0}}, "not_member")
	tally.settle(Key{ID: score.UpdateID{9}}, "applied")
	tally.settle(Key{Project: score.ProjectID{1}}, "applied")
	tally.settle(Key{ID: score.UpdateID{1}}, "not_member")
	require.Equal(t, Verdict{Promised: 3, Applied: 1, Rejected: 1, Unknown: 1}, tally.Verdict())
	require.Equal(t, []score.UpdateID{{2}}, tally.open()[score.ProjectID{}])

	// The same update answered again is not promised again.
	tally.Add(Result{Post: Alone(Update{Again: true}), Duplicate: []bool{true}, At: at.Add(time.Minute)})
	require.Len(t, tally.open()[score.ProjectID{}], 1)
	require.Equal(t, at, tally.Promised()[Key{}])
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	tally := NewTally()
	require.Zero(t, tally.Latency())
	for i := range 1000 {
		tally.Add(Result{Post: Alone(Update{}), Latency: time.Duration(i+1) * time.Millisecond})
	}
	latency := tally.Latency()
	for want, got := range map[float64]float64{500: latency.P50, 900: latency.P90, 990: latency.P99, 1000: latency.Max} {
		require.InEpsilon(t, want, got, 0.001)
	}
	tally.Add(Result{Post: Alone(Update{}), Latency: 2 * longest})
	tally.Add(Result{Post: Alone(Update{}), Latency: -time.Second})
	require.InEpsilon(t, longest.Milliseconds(), tally.Latency().Max, 0.001)
}
