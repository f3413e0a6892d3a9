package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
)

// TestSinceATime: what came from a time on follows its cursor, and little of before; also where that is older than the ledger.
func TestSinceATime(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorldOn(t, fresh.NewChain(t), p)
	for range 5 {
		w.relay(w.fresh(p, 2)...)
		w.blocks(1)
	}
	w.purge()
	for range 5 {
		w.relay(w.fresh(p, 2)...)
		w.blocks(1)
	}
	w.deadLetter(w.fresh(p, 1)[0])
	w.finalize()
	r := w.open(1)
	all, _ := w.to(r, p, event.Cursor{}, 100)
	require.Len(t, all, 22)
	times := []time.Time{{}, all[0].Time.Add(-time.Hour), all[len(all)-1].Time.Add(time.Hour)}
	for _, e := range all {
		times = append(times, e.Time, e.Time.Add(time.Nanosecond))
	}
	end := w.end(r)
	for i, since := range times {
		at, err := r.Since(t.Context(), since)
		require.NoError(t, err)
		if i == 2 {
			require.Equal(t, end, at)
		}
		got, _ := w.to(r, p, at, 100)
		require.Subset(t, ids(all), ids(got))
		var want []string
		for _, e := range all {
			if !e.Time.Before(since) {
				want = append(want, e.ID)
			}
		}
		require.Subset(t, ids(got), want, since)
		if len(got) > 0 {
			require.False(t, got[0].Time.Before(since), "%s %s", got[0].Time, since)
		}
	}
}
