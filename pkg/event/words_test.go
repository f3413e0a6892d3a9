package event_test

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/registry"
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
	w.call(ownerKey, registry.EncodeAddAction(p.ID, win))
	for i := range updates {
		updates[i].Action = 2
	}
	unknown, stranger, dead := updates[1], updates[2], updates[3]
	unknown.Action, unknown.Signer, stranger.Signer = 99, devnet.Address(relayerKey), devnet.Address(relayerKey)
	w.relay(unknown)
	w.relay(updates[0]) // a duplicate by now
	w.relay(stranger)
	w.blocks(confirmations)
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
	log := w.open(0)
	var before []event.Event
	at := event.Cursor{}
	for len(before) < 4 { // the creation, the change, and two updates
		some, next := w.read(log, p, at, 100)
		before, at = append(before, some...), next
	}
	name, _ := json.Marshal(p.Actions[used.Action].Name)
	require.Equal(t, []string{"update.applied " + string(name), "update.rejected null"}, actions(before))
	told := make(chan []event.Event, 1)
	go func() {
		defer close(told)
		some, _ := w.read(log, p, at, 1)
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
		some, next := w.read(log, p, at, 1)
		after, at = append(after, some...), next
	}
	w.shows(0)
	lateName, _ := json.Marshal(p.Actions[late.Action].Name)
	require.ElementsMatch(t, []string{`update.duplicate "win"`, `update.rejected "win"`, `update.rejected "win"`, "update.rejected " + string(lateName)}, actions(after))
}

// later has dead letters that were stored at another time.
type later struct {
	event.DeadLetters
	at time.Time
}

func (l later) DeadLettersAfter(ctx context.Context, after uint64, of *score.ProjectID, fn func(uint64, score.DeadLetter) error) error {
	return l.DeadLetters.DeadLettersAfter(ctx, after, of, func(seq uint64, d score.DeadLetter) error {
		d.Time = l.at
		return fn(seq, d)
	})
}

// TestADeadLetterOfWhatIsNowhere: what it is of may have come in a block that this process has not seen, until it has seen one that is newer.
func TestADeadLetterOfWhatIsNowhere(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.blocks(confirmations)
	u := w.fresh(p, 1)[0]
	u.ScoreType = 7
	w.deadLetter(u)
	final, err := w.node.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(w.top()+1-confirmations))
	require.NoError(t, err)
	log := w.still(0)
	log.DeadLetters = later{w.stream, time.Unix(int64(final.Time), 0)}
	next := func(at event.Cursor) ([]event.Event, event.Cursor) {
		_, err := log.End(t.Context())
		require.NoError(t, err)
		some, at, err := log.Next(t.Context(), p.ID, at, 100)
		require.NoError(t, err)
		return some, at
	}
	some, at := next(event.Cursor{})
	require.Len(t, some, 1, "the creation")
	w.blocks(1)
	some, _ = next(at)
	require.Len(t, some, 1)
	text, err := json.Marshal(some[0].Data)
	require.NoError(t, err)
	require.Contains(t, string(text), `"scoreType":null,"outcome":"unprocessable"`)
}
