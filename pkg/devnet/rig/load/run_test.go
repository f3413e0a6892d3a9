package load

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// slow answers accepted after a while.
func slow(takes time.Duration) (*fakeAPI, *atomic.Int64) {
	var busy, most atomic.Int64
	api := &fakeAPI{}
	api.answer = func(asked) answer {
		api.mu.Unlock() // the API serves many at once
		defer api.mu.Lock()
		now := busy.Add(1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		time.Sleep(takes)
		busy.Add(-1)
		return accepted()
	}
	return api, &most
}

func posts(signer *Wallet, n int) (out []*Post) {
	for i := range n {
		out = append(out, Alone(Update{ID: score.UpdateID{byte(i), byte(i >> 8)}, Wallet: signer}))
	}
	return out
}

func TestRunKeepsItsConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, most := slow(time.Second)
		tally, began := NewTally(), time.Now()
		Run(t.Context(), api.client(), posts(someone(t), 20), 5, tally.Add)
		require.Equal(t, 20, tally.Counts().Accepted)
		require.EqualValues(t, 5, most.Load())
		require.Equal(t, 4*time.Second, time.Since(began))
	})
}

// TestRunEndsWithItsContext: what was not sent has no result, and what has no answer is not promised.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, _ := slow(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		tally := NewTally()
		Run(ctx, api.client(), posts(someone(t), 20), 5, tally.Add)
		counts := tally.Counts()
		require.Equal(t, 5, counts.Accepted)
		require.Equal(t, 5, counts.Failed)
		require.Equal(t, 10, counts.Sent)
		require.Equal(t, Verdict{Promised: 5, Unknown: 5}, tally.Verdict())
	})
}

func TestOpenLoopKeepsItsPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, most := slow(300 * time.Millisecond)
		signer, tally, began := someone(t), NewTally(), time.Now()
		missed := Open(t.Context(), api.client(), Pace{Rate: 100, Duration: 200 * time.Millisecond, MaxInFlight: 8},
			func() *Post { return Alone(Update{Wallet: signer}) }, tally.Add)
		require.Equal(t, 12, missed, "20 were due, 8 may be in flight, none was answered")
		require.Equal(t, 8, tally.Counts().Accepted)
		require.EqualValues(t, 8, most.Load())
		require.InEpsilon(t, 300, tally.Latency().Max, 0.001)
		require.Equal(t, 370*time.Millisecond, time.Since(began), "the eighth was due after 70 ms")
	})
}

// TestOpenLoopCountsUpdates: a group is due when the last of its updates is.
func TestOpenLoopCountsUpdates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := place(t)
		var due []time.Duration
		began := time.Now()
		api := &fakeAPI{answer: func(asked) answer {
			due = append(due, time.Since(began))
			return answer{status: 200, body: `{"status":"accepted","accepted":4,"duplicates":[]}`}
		}}
		tally, made := NewTally(), 0
		missed := Open(t.Context(), api.client(), Pace{Rate: 1000, Duration: 100 * time.Millisecond, MaxInFlight: 100}, func() *Post {
			made++
			group := []Update{at.Update(0), at.Update(1), at.Update(2), at.Update(3)}
			Assign(group, at.Updaters[0], sdk.NewMinter(), true)
			return &Post{Updates: group, Signed: true}
		}, tally.Add)
		require.Zero(t, missed)
		require.Equal(t, 25, made)
		require.Equal(t, 100, tally.Counts().Accepted)
		require.Equal(t, 3*time.Millisecond, due[0])
		require.Equal(t, 99*time.Millisecond, due[24])
	})
}

// TestOpenLoopEndsWithItsContext, and gives up on what has no answer.
func TestOpenLoopEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := script(problem(503, "not_durable"))
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		signer, tally := someone(t), NewTally()
		missed := Open(ctx, api.client(), Pace{Rate: 1, Duration: time.Minute, MaxInFlight: 100},
			func() *Post { return Alone(Update{Wallet: signer}) }, tally.Add)
		require.Zero(t, missed)
		require.Equal(t, 3, tally.Counts().Sent, "due at 0, 1 and 2 s")
		require.Equal(t, 3, tally.Counts().Failed)
		require.Zero(t, tally.Verdict())
	})
}

// dies answers some posts, and then none any more.
func dies(after int) *fakeAPI {
	var lines []answer
	for range after {
		lines = append(lines, accepted())
	}
	return script(append(lines, problem(503, "not_durable"))...)
}

// TestRunsEndWhereTheAPIGoesAway: what has no answer is given up, though it could be sent again forever.
func TestRunsEndWhereTheAPIGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, tally, began := dies(3), NewTally(), time.Now()
		Run(t.Context(), api.client(), posts(someone(t), 20), 2, tally.Add)
		require.Equal(t, 3, tally.Counts().Accepted)
		require.Equal(t, 2, tally.Counts().Failed)
		require.Equal(t, Patience, time.Since(began))
	})
	synctest.Test(t, func(t *testing.T) {
		api, tally, began, signer := dies(3), NewTally(), time.Now(), someone(t)
		Open(t.Context(), api.client(), Pace{Rate: 0.1, Duration: 5 * time.Minute, MaxInFlight: 1000},
			func() *Post { return Alone(Update{Wallet: signer}) }, tally.Add)
		require.Equal(t, 3, tally.Counts().Accepted)
		require.Equal(t, 27, tally.Counts().Failed)
		require.Equal(t, 5*time.Minute-10*time.Second+Patience, time.Since(began), "from the last one on")
	})
	synctest.Test(t, func(t *testing.T) {
		tally, sent := NewTally(), make(chan struct{})
		promise(tally, 1)
		close(sent)
		err := Follow(t.Context(), dies(0).client(), tally, sent, math.MaxInt64)
		require.ErrorContains(t, err, "the API told no status for 1m30s")
		require.ErrorContains(t, err, "not_durable")
	})
}
