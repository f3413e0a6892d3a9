package event

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// take takes a segment's events from a block on, and moves the cursor behind what it took; all of the segment unless the limit, or a directory
// that is behind, ends it.
func (t *turn) take(ctx context.Context, s *segment, from uint64) error {
	first := sort.Search(len(s.entries), func(i int) bool { return s.entries[i].block.Number >= from })
	for i := first; i < len(s.entries); i++ {
		e := &s.entries[i]
		read := -1 // the newest index in the log that was read
		if at := &t.at; at.block == e.block && at.logIndex >= e.logIndex {
			if at.logIndex > e.logIndex {
				continue
			}
			read = int(at.index)
		}
		if more, err := t.takeEntry(ctx, e, read); err != nil || !more {
			return err
		}
	}
	t.at.block, t.at.logIndex, t.at.index = s.through, wholeBlock, 0
	return nil
}

// takeEntry takes what one of the contract's events has behind an index; false if it may take no more.
func (t *turn) takeEntry(ctx context.Context, e *entry, read int) (more bool, err error) {
	kind, data := t.changeOf(e)
	if data != nil && read < 0 {
		return t.add(e, 0, kind, data), nil
	}
	for index, u := range registry.ExecutedOf(e.event, t.project) {
		if index <= read {
			continue
		}
		rec, ok, err := t.recordFor(ctx, &u.Update, u.Outcome, time.Time{})
		if err != nil || !ok {
			return false, err
		}
		of := updateData(rec, &u.Update, u.Outcome)
		of.TxRef = e.ref()
		if !t.add(e, index, updateType(u.Outcome), of) {
			return false, nil
		}
	}
	return true, nil
}

// add adds an event; false once there are enough.
func (t *turn) add(e *entry, index int, kind Type, data any) bool {
	if len(t.found) >= t.limit {
		return false
	}
	t.at.block, t.at.logIndex, t.at.index = e.block, e.logIndex, uint32(index)
	t.found = append(t.found, Event{ID: fmt.Sprintf("%s-%d-%d", e.block.Hash, e.logIndex, index), Type: kind, Project: t.project, Data: data, After: t.at})
	return true
}

// changeOf is what an event says of the project itself; nil data: nothing.
func (t *turn) changeOf(e *entry) (Type, any) {
	on := e.ref()
	switch of := e.event.(type) {
	case registry.ProjectCreated:
		if of.Project.ID == t.project {
			created := projectData(&of.Project)
			created.Outcome, created.TxRef = score.Applied.String(), on
			return ProjectCreated, created
		}
	case registry.ActionAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Action: &of.Action, TxRef: on}
		}
	case registry.ScoreTypeAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{ScoreType: &of.Name, TxRef: on}
		}
	case registry.MemberChanged:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Member: &of.Member, Roles: roleNames(of.Roles), TxRef: on}
		}
	case registry.SignedOnlySet:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{SignedOnly: &of.SignedOnly, TxRef: on}
		}
	}
	return "", nil
}

func (e *entry) ref() TxRef { return TxRef{Tx: &e.tx, Block: &e.block.Number} }

func roleNames(r score.Role) []string {
	names := []string{}
	if r&score.Owner != 0 {
		names = append(names, "owner")
	}
	if r&score.Updater != 0 {
		names = append(names, "updater")
	}
	return names
}

func updateType(o score.Outcome) Type {
	switch o {
	case score.Applied:
		return UpdateApplied
	case score.Duplicate:
		return UpdateDuplicate
	default:
		return UpdateRejected
	}
}

func projectData(p *score.Project) ProjectData {
	return ProjectData{
		Name: p.Name, Actions: p.Actions, ScoreTypes: p.ScoreTypes, Owners: p.Owners, Updaters: append([]common.Address{}, p.Updaters...), SignedOnly: p.SignedOnly,
	}
}
