package relay

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// faultyWake is a roster whose Wake follows a plan.
type faultyWake struct {
	*roster.Live
	plan *fault.Plan
}

func (f *faultyWake) Gone(context.Context, score.Lane) error { return nil }

func (f *faultyWake) Wake(_ context.Context, id score.Lane) error {
	known, _ := f.Current()
	next, err := known.Wake(id)
	if err != nil {
		return err
	}
	return f.plan.Write("wake", func() error {
		f.Set(next)
		return nil
	})
}

// TestALaneThatIsGoneIsWoken: the log says that it is driven again only where the roster says so.
func TestALaneThatIsGoneIsWoken(t *testing.T) {
	t.Parallel()
	all, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	all, err = all.Remove(1, true)
	require.NoError(t, err)
	all, err = all.Gone(1)
	require.NoError(t, err)
	lanes := lane.Lanes{0: {}, 1: {Buckets: map[score.Bucket]lane.Holding{7: {}}}}
	for kind, want := range map[fault.Kind]struct {
		state roster.State
		said  string
	}{
		fault.None:      {roster.Cut, "it is driven again"},
		fault.Failed:    {roster.Gone, "the next purge tries again"},
		fault.Persisted: {roster.Cut, "the next purge tries again"},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			view := &faultyWake{roster.NewLive(all), fault.NewPlan(fault.Always(kind))}
			p := &purger{roster: view, timeout: time.Second, log: slog.New(slog.NewTextHandler(&log, nil))}
			p.wake(t.Context(), all, lanes)
			now, _ := view.Current()
			require.Equal(t, want.state, now.Lanes[1].State)
			require.Contains(t, log.String(), want.said)
			require.Equal(t, 1, strings.Count(log.String(), "\n"))
		})
	}
}
