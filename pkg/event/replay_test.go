package event_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestWhatBecomesOfReplaysIsToldOnce: of an update without an event of the contract, and of one that the contract rejected, whose dead letter is of the REJECTED
// stream. The second mark of a replay is that of another operator at the same time, or of one whose first mark had no answer.
func TestWhatBecomesOfReplaysIsToldOnce(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	r := w.open(0)
	updates := w.fresh(p, 2)
	never, refused := updates[0], updates[1]
	refused.Signer = devnet.Address(relayerKey)
	var followed []event.Event
	at := event.Cursor{}
	follow := func() {
		t.Helper()
		w.finalize()
		var some []event.Event
		some, at = w.to(r, p, at, 10)
		followed = append(followed, some...)
	}
	tx := w.relay(refused).TxHash
	require.NoError(t, w.stream.AddDeadLetters(t.Context(), []score.DeadLetter{
		{Update: &never, Outcome: score.Unprocessable, Work: 1}, {Update: &refused, Outcome: score.NotMember, Work: 2, Tx: tx},
	}))
	follow()
	var letters []score.DeadLetter
	require.NoError(t, w.stream.DeadLetters(t.Context(), func(d score.DeadLetter) error {
		letters = append(letters, d)
		return nil
	}))
	require.Len(t, letters, 2)
	for range 2 {
		for _, d := range letters {
			require.NoError(t, w.stream.MarkReplayed(t.Context(), d, time.Now()))
		}
		follow()
	}
	w.call(ownerKey, calls.AddUpdater(p.ID, refused.Signer))
	w.relay(never, refused)
	follow()

	told, ids := map[score.UpdateID][]event.Type{}, map[string]bool{}
	for _, e := range followed {
		if of, is := e.Data.(event.UpdateData); is && !ids[e.ID] {
			told[of.ID] = append(told[of.ID], e.Type)
		}
		ids[e.ID] = true
	}
	require.Equal(t, map[score.UpdateID][]event.Type{
		never.ID:   {event.UpdateRejected, event.UpdateReplayed, event.UpdateApplied},
		refused.ID: {event.UpdateRejected, event.UpdateApplied},
	}, told)
}

// TestTheDocsNameEveryType, and none that there is not.
func TestTheDocsNameEveryType(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/events.md")
	require.NoError(t, err)
	named := map[event.Type]bool{}
	for _, match := range regexp.MustCompile("`((?:update|project|edit|chain)\\.[a-z]+)`").FindAllStringSubmatch(string(text), -1) {
		named[event.Type(match[1])] = true
	}
	require.ElementsMatch(t, event.Types(), slices.Collect(maps.Keys(named)))
}
