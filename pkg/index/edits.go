package index

import (
	"context"
	"fmt"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// editTally collects the edits in the stream and in dead letters. Events lack an edit's nonce. So an edit counts as
// made if its lane is done with it, it has no dead letter, and the contract has used its nonce.
type editTally struct {
	accepted []editAt
	newest   map[score.Ref]uint64
	dead     map[editAt]bool
}

// editAt is an acceptance of an edit. A nonce may have several acceptances; all but the newest become dead letters.
type editAt struct {
	ref score.Ref
	seq uint64
}

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

// judge calls fn with each acceptance and its outcome, as of view's final block. lanes must have been read before the
// dead letters, and have settled only blocks up to view's.
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
