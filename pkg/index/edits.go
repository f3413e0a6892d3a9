package index

import (
	"context"
	"fmt"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// editTally gathers what stream and dead letters say of edits. No event has an edit's nonce, but three things together tell that it was
// made: its lane is done with it, no dead letter tells of it, and the contract has used its nonce.
type editTally struct {
	accepted []editAt
	newest   map[score.Ref]uint64
	dead     map[editAt]bool
}

// editAt is an acceptance of an edit: one nonce may have several, of which all but the newest are dead letters.
type editAt struct {
	ref score.Ref
	seq uint64 // in the stream
}

// editEnd is what became of an edit.
type editEnd int

const (
	pending editEnd = iota
	rejected
	made
	lost
)

func newEditTally() editTally {
	return editTally{newest: map[score.Ref]uint64{}, dead: map[editAt]bool{}}
}

func (t *editTally) deadLetter(d *score.DeadLetter) {
	if d.Edit != nil {
		t.dead[editAt{d.Edit.Ref(), d.Seq}] = true
	}
}

func (t *editTally) message(m *score.Message) {
	if m.Edit != nil {
		t.accepted = append(t.accepted, editAt{m.Edit.Ref(), m.Seq})
		t.newest[m.Edit.Ref()] = m.Seq
	}
}

// judge hands each acceptance to fn, with what became of it as of a final block, whose contract view asks. lanes were read before the
// dead letters were, and as of a block that is not after that one.
func (t *editTally) judge(
	ctx context.Context, view func(context.Context, []byte) ([]byte, error), lanes lane.Lanes, fn func(editAt, editEnd) error,
) error {
	next := map[score.ProjectID]uint64{}
	for _, e := range t.accepted {
		ended, err := lanes.Ended(e.ref.Project, score.Position{Seq: e.seq})
		if err != nil {
			return err
		}
		is := pending
		switch {
		case t.dead[e]:
			is = rejected
		case ended:
			nonce, known := next[e.ref.Project]
			if !known {
				info, err := registry.ReadProject(e.ref.Project).Do(ctx, view)
				if err != nil {
					return fmt.Errorf("couldn't read how many edits project %s had: %w", e.ref.Project, err)
				}
				nonce = info.EditNonce
				next[e.ref.Project] = nonce
			}
			if is = lost; e.ref.Nonce < nonce {
				is = made
			}
		}
		if err := fn(e, is); err != nil {
			return err
		}
	}
	return nil
}

// edit counts an acceptance into the findings.
func (r *Findings) edit(e editAt, is editEnd) error {
	r.Edits.Accepted++
	switch is {
	case pending:
		r.Edits.Pending++
		if e.seq <= r.Until {
			r.Awaited++
		}
	case rejected:
		r.Edits.Rejected++
	case made:
		r.Edits.Applied++
	case lost:
		r.Edits.Lost++
		r.example("the edit of project %s with nonce %d was accepted and has no outcome, and its lane is done with it", e.ref.Project, e.ref.Nonce)
	}
	return nil
}
