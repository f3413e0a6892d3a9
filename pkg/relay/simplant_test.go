package relay

import (
	"context"
	"errors"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/relay/internal/model"
	"github.com/scorelay/scorelay/pkg/score"
)

// simJournal is the journal as a replica reaches it: its process may be killed before or after an append. Two of the planted
// bugs are here.
type simJournal struct {
	*model.Journal
	r     *simRun
	early map[score.Lane][]lane.Move // of the plant floorEarly
}

func (j *simJournal) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	if j.r.plant.floorEarly && e.Bind != nil && e.Bind.Requeued == 0 {
		j.early[id] = e.Bind.Moves
	}
	if j.r.plant.floorOver && e.Bind != nil && len(e.Bind.Moves) > 0 {
		floor := &e.Bind.Moves[0].Floor
		*floor = score.Position{Seq: floor.Seq + 1}
	}
	killed, late := j.r.spend("append")
	if killed && !late {
		panic(simCrash{})
	}
	seq, err := j.Journal.Append(ctx, id, last, e)
	if killed {
		panic(simCrash{})
	}
	if j.r.plant.noFence && errors.Is(err, lane.ErrFenced) {
		return j.Force(id, e)
	}
	return seq, err
}

// freeNonce is the bug of a transaction manager that takes a send without an answer for one that failed: the newest slot's
// nonce is used for the next one, and its work is bound again.
func (s *simSession) freeNonce() {
	for _, nonce := range s.replica.timedOut {
		state := s.lane.State
		slot := state.Slot(nonce)
		if slot == nil || nonce != state.Next-1 {
			continue
		}
		work := slot.Work
		work.Data, _ = slot.Data()
		state.Queue = append(state.Queue, work)
		state.Slots, state.Next = state.Slots[:len(state.Slots)-1], nonce
		*s.lane = *lane.New(state, s.config.Rules)
	}
	s.replica.timedOut = nil
}
