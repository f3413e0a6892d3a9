package event_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

// silent has dead letters that cannot be read.
type silent struct {
	ledger.Letters
	newest bool // but the newest sequence
}

var errAway = errors.New("the dead letters are away")

func (s silent) LastDeadLetter(ctx context.Context) (uint64, error) {
	if s.newest {
		return s.Letters.LastDeadLetter(ctx)
	}
	return 0, errAway
}

func (silent) DeadLettersAfter(context.Context, uint64, *score.ProjectID, func(uint64, score.DeadLetter) error) error {
	return errAway
}

// TestReadersAreToldOfBlocksWithoutTheDeadLetters, as long as the ledger's writer cannot read those.
func TestReadersAreToldOfBlocksWithoutTheDeadLetters(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	r := w.open(0)
	_, at := w.to(r, p, event.Cursor{}, 100)
	w.deadLetter(w.fresh(p, 1)[0])
	for _, newest := range []bool{false, true} {
		w.writer.Letters = silent{w.stream, newest}
		w.relay(w.fresh(p, 1)...)
		w.blocks(confirmations)
		require.ErrorIs(t, w.writer.CatchUp(t.Context()), errAway)
		var some []event.Event
		some, at = w.read(r, p, at, 10)
		require.Equal(t, []event.Type{event.UpdateApplied}, typesOf(some))
	}
	w.writer.Letters = w.stream
	some, _ := w.to(r, p, at, 10)
	require.Equal(t, []event.Type{event.UpdateRejected}, typesOf(some))
}
