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
		if project, ok := projectOf(m.Events[i].Event); ok {
			events = append(events, projectEvent{project, m.Events[i].Event, m.Block.Number, m.Events[i].Log})
		}
	}
	return events
}

// projectOf is the project whose record an event changes; ok is false for one that changes none.
func projectOf(event registry.Event) (id score.ProjectID, ok bool) {
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
	if err := p.fold(e.event); err != nil {
		return fmt.Errorf("event of block %d: %w", e.block, err)
	}
	if p.Created == 0 {
		p.Created = e.block
	}
	if !p.dirty {
		p.Since = e.block
	}
	p.Block, p.LogIndex, p.dirty = e.block, e.logIndex, true
	return nil
}

func (p *projectAt) fold(event registry.Event) error {
	if created, ok := event.(registry.ProjectCreated); ok {
		if p.Record != nil {
			return fmt.Errorf("%w: it was created twice", errGap)
		}
		p.Record = score.RecordOf(&created.Project)
		return nil
	}
	if p.Record == nil {
		return fmt.Errorf("%w: its creation", errGap)
	}
	switch e := event.(type) {
	case registry.ActionAdded:
		if int(e.Index) != len(p.Actions) {
			return fmt.Errorf("%w: action %d follows %d actions", errGap, e.Index, len(p.Actions))
		}
		p.Actions = append(slices.Clone(p.Actions), e.Action)
	case registry.ScoreTypeAdded:
		if int(e.Index) != len(p.ScoreTypes) {
			return fmt.Errorf("%w: score type %d follows %d score types", errGap, e.Index, len(p.ScoreTypes))
		}
		p.ScoreTypes = append(slices.Clone(p.ScoreTypes), e.Name)
	case registry.MemberChanged:
		if e.Roles == 0 {
			delete(p.Members, e.Member)
		} else {
			p.Members[e.Member] = e.Roles
		}
	case registry.SignedOnlySet:
		p.SignedOnly = e.SignedOnly
	}
	return nil
}
