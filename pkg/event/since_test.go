package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

// TestSinceATime: what came from a time on follows its cursor, and nothing of before.
func TestSinceATime(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	log := w.open(1)
	for range 5 {
		w.relay(w.fresh(p, 2)...)
		w.blocks(1)
	}
	w.deadLetter(w.fresh(p, 1)[0])
	w.blocks(confirmations)
	var all []event.Event
	for at := (event.Cursor{}); len(all) < 12; {
		events, next := w.read(log, p, at, 100)
		all, at = append(all, events...), next
	}
	times := []time.Time{{}, all[0].Time.Add(-time.Hour), all[len(all)-1].Time.Add(time.Hour)}
	for _, e := range all {
		times = append(times, e.Time, e.Time.Add(time.Nanosecond))
	}
	end, err := log.End(t.Context())
	require.NoError(t, err)
	for i, since := range times {
		at, err := log.Since(t.Context(), since)
		require.NoError(t, err)
		var want, got []string
		for _, e := range all {
			if !e.Time.Before(since) {
				want = append(want, e.ID)
			}
		}
		for len(got) < len(want) {
			events, next := w.read(log, p, at, 100)
			at = next
			for _, e := range events {
				got = append(got, e.ID)
			}
		}
		require.ElementsMatch(t, want, got, since)
		if i == 2 {
			require.Equal(t, end, at)
		}
	}
}
