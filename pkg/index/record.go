package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errGap says that events between the record and this one are missing from the record.
var errGap = errors.New("earlier events of the project are missing")

// projectEvent is an event that changes a project's record, and where it is.
type projectEvent struct {
	project  score.ProjectID
	event    registry.Event
	block    uint64
	logIndex uint
}

// projectEvents are those of a message of the ledger.
func projectEvents(m *ledger.Message) (events []projectEvent) {
	for i := range m.Events {
		if project, ok := ProjectOf(m.Events[i].Event); ok {
			events = append(events, projectEvent{project, m.Events[i].Event, m.Block.Number, m.Events[i].Log})
		}
	}
	return events
}

// ProjectOf is the project whose record an event changes; ok is false for one that changes none.
func ProjectOf(event registry.Event) (id score.ProjectID, ok bool) {
	switch e := event.(type) {
	case registry.ProjectCreated:
		return e.Project.ID, true
	case registry.ActionAdded:
		return e.Project, true
	case registry.ScoreTypeAdded:
		return e.Project, true
	case registry.MemberChanged:
		return e.Project, true
	case registry.SignedOnlySet:
		return e.Project, true
	}
	return id, false
}

// projectAt is a project's record as of an event.
type projectAt struct {
	score.DatedRecord

	dirty bool
}

// apply folds one event. Events not after the record's newest are in it already.
func (p *projectAt) apply(e projectEvent) error {
	if p.Record != nil && (e.block < p.Block || e.block == p.Block && e.logIndex <= p.LogIndex) {
		return nil
	}
	record, err := FoldRecord(p.Record, e.event)
	if err != nil {
		return fmt.Errorf("event of block %d: %w", e.block, err)
	}
	p.Record = record
	if p.Created == 0 {
		p.Created = e.block
	}
	if !p.dirty {
		p.Since = e.block
	}
	p.Block, p.LogIndex, p.dirty = e.block, e.logIndex, true
	return nil
}

// FoldRecord returns a project's record after an event of the project. It changes the record before, which is nil before
// the creation.
func FoldRecord(r *score.Record, event registry.Event) (*score.Record, error) {
	if created, ok := event.(registry.ProjectCreated); ok {
		if r != nil {
			return nil, fmt.Errorf("%w: it was created twice", errGap)
		}
		return score.RecordOf(&created.Project), nil
	}
	if r == nil {
		return nil, fmt.Errorf("%w: its creation", errGap)
	}
	switch e := event.(type) {
	case registry.ActionAdded:
		if int(e.Index) != len(r.Actions) {
			return nil, fmt.Errorf("%w: action %d follows %d actions", errGap, e.Index, len(r.Actions))
		}
		r.Actions = append(slices.Clone(r.Actions), e.Action)
	case registry.ScoreTypeAdded:
		if int(e.Index) != len(r.ScoreTypes) {
			return nil, fmt.Errorf("%w: score type %d follows %d score types", errGap, e.Index, len(r.ScoreTypes))
		}
		r.ScoreTypes = append(slices.Clone(r.ScoreTypes), e.Name)
	case registry.MemberChanged:
		if e.Roles == 0 {
			delete(r.Members, e.Member)
		} else {
			r.Members[e.Member] = e.Roles
		}
	case registry.SignedOnlySet:
		r.SignedOnly = e.SignedOnly
	}
	return r, nil
}
