package relay

import (
	"context"
	"errors"
	"maps"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// simJournal is the journal as a replica reaches it: its process may be killed before or after an append. Some of the planted
// bugs are here.
type simJournal struct {
	*model.Journal
	r     *simRun
	early map[score.Lane][]lane.Move // of the plant floorEarly
}

func (j *simJournal) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	if j.r.plant == floorEarly && e.Bind != nil && e.Bind.Requeued == 0 {
		j.early[id] = e.Bind.Moves
	}
	if j.r.plant == floorOver && e.Bind != nil && len(e.Bind.Moves) > 0 {
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
	if j.r.plant == noFence && errors.Is(err, lane.ErrFenced) {
		return j.Force(id, e)
	}
	return seq, err
}

// State is what a lane's journal leads to, as others read it.
func (j *simJournal) State(ctx context.Context, id score.Lane) (*lane.State, uint64, error) {
	state, last, err := j.Journal.State(ctx, id)
	if err != nil || j.r.plant != takesTwice {
		return state, last, err
	}
	for to := range j.r.ids() {
		for _, given := range j.r.watch.states[id].Given {
			if _, some := state.Given[to]; !some && len(given.Open) > 0 && to != id {
				state.Given = maps.Clone(state.Given)
				state.Given[to] = given
			}
		}
	}
	return state, last, nil
}

// goOn is the bug of a giver that continues with what it gave.
func (s *simSession) goOn(before map[score.Bucket]lane.Holding) {
	for _, given := range s.lane.State.Given {
		for i := range given.Open {
			for b := range given.Open[i].Buckets {
				if held, had := before[b]; had {
					s.lane.State.Buckets[b] = held
				}
			}
		}
	}
}

// giveEarly is the bug of a giver that does not wait for creations that are open.
func (s *simSession) giveEarly() error {
	slots := s.lane.State.Slots
	projects := make([]*score.ProjectID, len(slots))
	for i := range slots {
		projects[i], slots[i].Work.Project = slots[i].Work.Project, nil
	}
	moved, err := s.handover.step(background())
	for i := range slots {
		slots[i].Work.Project = projects[i]
	}
	if err == nil && moved {
		err = errReadAgain
	}
	return err
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

// forgetParked are the bugs that forget what a parked project left out: one takes it for being where the main reading is, the
// other ends the second reading before it is there.
func (r *simRun) forgetParked(s *simSession) {
	for _, p := range s.intake.parked {
		if r.plant == parkedForgotten && p.behind || r.plant == secondEndsEarly && p.riding && len(p.row.places) > 0 {
			p.behind, p.riding, p.owed, p.next = false, false, 0, s.intake.read
		}
	}
}
