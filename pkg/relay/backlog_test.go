package relay

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/score"
)

// toldLast keeps what was told last, by a plan.
type toldLast struct {
	fault.Plan
	last map[score.ProjectID]score.Backlog
}

func (l *toldLast) Tell(_ context.Context, _ score.Lane, projects map[score.ProjectID]score.Backlog) error {
	return l.Write("tell", func() error {
		l.last = projects
		return nil
	})
}

func (l *toldLast) Told(context.Context) (map[score.ProjectID]score.Backlog, error) {
	return l.last, nil
}

// telling is a teller of a flooded intake, and its clock.
type telling struct {
	*flooded
	*teller
	store toldLast
	now   time.Time
}

func newTelling(t *testing.T) *telling {
	tt := &telling{flooded: newFlooded(t), now: time.Unix(1_000_000, 0)}
	config := Config{Now: func() time.Time { return tt.now }}.withDefaults()
	r := &Relayer{config: config, deps: Deps{Backlogs: &tt.store}}
	tt.teller = r.teller(0, tt.flooded.intake, slog.New(slog.DiscardHandler))
	return tt
}

// second has so many updates of project 1 bound, as it says, and tells.
func (tt *telling) second(bound int) score.Backlog {
	project := score.ProjectID{1}
	if bound > 0 {
		tt.served[project] = bound
	}
	tt.now = tt.now.Add(tellEvery)
	tt.tell(tt.now)
	select {
	case said := <-tt.next:
		tt.say(tt.Context(), said)
	default:
	}
	return tt.store.last[project]
}

func TestTheRateOfABacklogIsToldWhileItHolds(t *testing.T) {
	t.Parallel()
	tt := newTelling(t)
	tt.flood(50)
	for range 30 {
		require.InDelta(t, 1_000, tt.second(1_000).PerSecond, 1)
	}
	for s := range rateOver - 1 {
		require.Positive(t, tt.second(0).PerSecond, "batches may be %d s apart", s+2)
	}
	for range 100 {
		require.Zero(t, tt.second(0).PerSecond, "what was before a stall says nothing")
	}
	require.Positive(t, tt.second(1_000).PerSecond)
	for range 100 {
		tt.second(0)
	}
	require.Zero(t, tt.second(2).PerSecond, "less than one a second")
}

// TestThatNothingWaitsIsToldUntilItIsTaken, and then no more.
func TestThatNothingWaitsIsToldUntilItIsTaken(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		tt := newTelling(t)
		tt.second(0)
		require.Equal(t, 1, tt.store.Writes(), "an earlier session may have told of something")
		tt.second(0)
		require.Equal(t, 1, tt.store.Writes())
		tt.flood(2)
		tt.store.Set(fault.Always(kind))
		tt.second(0)
		require.Equal(t, 1, tt.store.Writes())
		require.NoError(t, tt.reset())
		tt.store.Set(fault.First(3, fault.Failed))
		for range 3 {
			tt.second(0)
		}
		require.Equal(t, 3, tt.store.Writes())
		tt.second(0)
		require.Empty(t, tt.store.last)
		tt.second(0)
		require.Equal(t, 4, tt.store.Writes())
	})
}
