package event_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAQuiteNewActionIsTold by its name also of updates that were not applied, however far the directory is behind; what the contract does not have
// either is null at once.
func TestAQuiteNewActionIsTold(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	updates := w.fresh(p, 4)
	used := updates[0]
	w.relay(used)
	win := score.Action{Name: "win", Points: 3}
	w.call(ownerKey, calls.AddAction(p.ID, win))
	for i := range updates {
		updates[i].Action = 2
	}
	unknown, stranger, dead := updates[1], updates[2], updates[3]
	unknown.Action, unknown.Signer, stranger.Signer = 99, devnet.Address(relayerKey), devnet.Address(relayerKey)
	w.relay(unknown)
	w.relay(updates[0]) // a duplicate by now
	w.relay(stranger)
	w.finalize()
	late := w.fresh(p, 1)[0]
	require.NoError(t, w.stream.AddDeadLetters(t.Context(), []score.DeadLetter{{Update: &dead, Outcome: score.Unprocessable, Work: 1}, {Update: &late, Outcome: score.Unprocessable, Work: 2}}))

	actions := func(events []event.Event) (told []string) {
		for _, e := range events {
			if of, is := e.Data.(event.UpdateData); is {
				text, err := json.Marshal(of.Action)
				require.NoError(t, err)
				told = append(told, string(e.Type)+" "+string(text))
			}
		}
		return told
	}
	w.write()
	r := w.open(0)
	var before []event.Event
	at := event.Cursor{}
	for len(before) < 4 { // the creation, the change, and two updates
		some, next := w.read(r, p, at, 100)
		before, at = append(before, some...), next
	}
	name, _ := json.Marshal(p.Actions[used.Action].Name)
	require.Equal(t, []string{"update.applied " + string(name), "update.rejected null"}, actions(before))
	told := make(chan []event.Event, 1)
	go func() {
		defer close(told)
		some, _ := w.read(r, p, at, 1)
		told <- some
	}()
	require.Never(t, func() bool { return len(told) > 0 }, 100*time.Millisecond, 10*time.Millisecond, "neither the duplicate nor the dead letter")
	w.shows(1)
	grown := score.RecordOf(p)
	grown.Actions = append(slices.Clone(p.Actions), win)
	w.record(grown)
	after := <-told
	require.NotEmpty(t, after)
	for at = after[0].After; len(after) < 4; {
		some, next := w.read(r, p, at, 1)
		after, at = append(after, some...), next
	}
	w.shows(0)
	lateName, _ := json.Marshal(p.Actions[late.Action].Name)
	require.ElementsMatch(t, []string{`update.duplicate "win"`, `update.rejected "win"`, `update.rejected "win"`, "update.rejected " + string(lateName)}, actions(after))
}

// TestADeadLetterOfWhatIsNowhere says null of it: the contract does not have it, at a block that is no older than the dead letter's place in the ledger.
func TestADeadLetterOfWhatIsNowhere(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	u := w.fresh(p, 1)[0]
	u.ScoreType = 7
	w.deadLetter(u)
	some, _ := w.to(w.open(0), p, event.Cursor{}, 100)
	require.Len(t, some, 2)
	text, err := json.Marshal(some[1].Data)
	require.NoError(t, err)
	require.Contains(t, string(text), `"scoreType":null,"outcome":"unprocessable"`)
}

// TestWhatAReorgTookFromTheDirectoryHoldsUpNoReader that is still before it: an action that the new chain does not have.
func TestWhatAReorgTookFromTheDirectoryHoldsUpNoReader(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	base := w.top()
	r := w.open(1)
	_, at := w.to(r, p, event.Cursor{}, 100)
	w.call(ownerKey, calls.AddAction(p.ID, score.Action{Name: "win", Points: 3}))
	u := w.fresh(p, 1)
	u[0].Action = 2
	w.relay(u...)
	w.finalize()
	fresh.Reorg(t, w.node, base, func() { w.relay(w.fresh(p, 1)...) })
	w.finalize()
	some, _ := w.to(r, p, at, 100)
	require.Equal(t, []event.Type{event.ProjectChanged, event.UpdateApplied, event.ChainRewound, event.UpdateApplied}, typesOf(some))
}

func typesOf(events []event.Event) (all []event.Type) {
	for _, e := range events {
		all = append(all, e.Type)
	}
	return all
}
