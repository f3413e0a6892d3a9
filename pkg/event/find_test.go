package event_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnEventIsFoundByItsID, in a block with many and among dead letters, and says what readers are told.
func TestAnEventIsFoundByItsID(t *testing.T) {
	t.Parallel()
	p, other := project(1), project(2)
	w := newWorld(t, p, other)
	w.relay(append(w.fresh(p, 3), w.fresh(other, 2)...)...)
	w.relay(append(w.fresh(other, 2), w.fresh(p, 700)...)...)
	for range 3 {
		w.deadLetter(w.fresh(p, 1)[0])
	}
	base := w.top()
	gone := w.relay(w.fresh(p, 1)...)
	fresh.Reorg(t, w.node, base, func() { w.relay(w.fresh(p, 2)...) })
	w.finalize()
	for _, r := range []*event.Reader{w.open(0), w.open(1)} {
		all, _ := w.to(r, p, event.Cursor{}, 1000)
		require.Len(t, all, 1+3+700+2+3)
		for _, i := range []int{0, 1, 2, 3, 4, 503, 504, 505, 703, 704, 705, 706, 707, 708} {
			found, err := r.Find(t.Context(), p.ID, all[i].ID)
			require.NoError(t, err, i)
			found.After = all[i].After
			require.Equal(t, all[i], found)
		}
		latest := w.relay(w.fresh(p, 1)...)
		for _, none := range []string{
			"", "dead-", "rubbish", "0x12-0-0", "test-abc-1", strings.Repeat("a", 5000), all[0].ID + "0", all[1].ID[:66], all[708].ID + "-replayed",
			"0x" + strings.Repeat("ab", 32) + "-0-0", idOf(gone.Logs[0], 0), idOf(latest.Logs[0], 0),
		} {
			_, err := r.Find(t.Context(), p.ID, none)
			require.ErrorIs(t, err, event.ErrNoEvent, none)
		}
		_, err := r.Find(t.Context(), other.ID, all[1].ID)
		require.ErrorIs(t, err, event.ErrNoEvent)
		_, err = r.Find(t.Context(), score.ProjectID{99}, all[708].ID)
		require.ErrorIs(t, err, event.ErrNoEvent)
	}
}
