package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

// TestAReaderBehindTheTailIsNotLedOverAReorg that the log has not looked at yet: what comes after the cursor's block is read from the chain, which has other
// blocks now.
func TestAReaderBehindTheTailIsNotLedOverAReorg(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	base := w.top()
	for range 6 {
		w.relay(w.fresh(p, 1)...)
		w.blocks(3)
	}
	log := w.still(1)
	all, _ := w.to(log, p, event.Cursor{}, 100)
	require.Len(t, all, 7)
	w.reorg(base, func() {
		for range 4 {
			w.relay(w.fresh(p, 1)...)
		}
	})
	w.blocks(confirmations)
	_, at, err := log.Next(t.Context(), p.ID, all[1].After, 100)
	require.ErrorIs(t, err, event.ErrReplaced)
	require.Equal(t, all[1].After, at)
	require.ErrorIs(t, log.Holds(t.Context(), all[3].After), event.ErrReplaced, "nor is another one")
}
