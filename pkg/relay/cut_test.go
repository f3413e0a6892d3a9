package relay

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/roster"
)

// TestOnlyACutEndsASessionThatSigns: one of a lane that leaves and is gone continues until its lease is given back.
func TestOnlyACutEndsASessionThatSigns(t *testing.T) {
	t.Parallel()
	all, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	leaving, err := all.Remove(1, true)
	require.NoError(t, err)
	gone, err := leaving.Gone(1)
	require.NoError(t, err)
	woken, err := gone.Wake(1)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		view := &faultyWake{Live: roster.NewLive(all)}
		r := &Relayer{deps: Deps{Roster: view}}
		ctx, stop := r.untilCut(t.Context(), 1)
		defer stop()
		for _, next := range []roster.Roster{leaving, gone} {
			view.Set(next)
			synctest.Wait()
			require.NoError(t, ctx.Err())
		}
		view.Set(woken)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(ctx), errCut)
	})
}

// TestALaneThatIsGoneIsNotOpened: its lease is given back at once.
func TestALaneThatIsGoneIsNotOpened(t *testing.T) {
	t.Parallel()
	all, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	all, err = all.Remove(1, true)
	require.NoError(t, err)
	all, err = all.Gone(1)
	require.NoError(t, err)
	var log strings.Builder
	r := &Relayer{
		deps:    Deps{Roster: &faultyWake{Live: roster.NewLive(all)}, Log: slog.New(slog.NewTextHandler(&log, nil))},
		metrics: newMetrics(noRegistry{}),
	}
	r.drive(t.Context(), 1) // would open its journal, of which there is none
	require.Contains(t, log.String(), "the relayer no longer drives the lane")
	require.NotContains(t, log.String(), "cut")
}
