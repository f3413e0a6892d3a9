package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errGap says that events between the record and this one are missing from the record.
var errGap = errors.New("earlier events of the project are missing")

// projectAt is a project's record as of a position; the record is nil before its creation.
type projectAt struct {
	record   *score.Record
	block    uint64
	logIndex uint
	dirty    bool
}

// apply folds one event. Events not after the record's position are in it already.
func (p *projectAt) apply(event registry.Event, block uint64, logIndex uint) error {
	if p.record != nil && (block < p.block || block == p.block && logIndex <= p.logIndex) {
		return nil
	}
	if err := p.fold(event); err != nil {
		return err
	}
	p.block, p.logIndex, p.dirty = block, logIndex, true
	return nil
}

func (p *projectAt) fold(event registry.Event) error {
	if created, ok := event.(registry.ProjectCreated); ok {
		if p.record != nil {
			return fmt.Errorf("%w: it was created twice", errGap)
		}
		p.record = score.RecordOf(&created.Project)
		return nil
	}
	if p.record == nil {
		return fmt.Errorf("%w: its creation", errGap)
	}
	switch e := event.(type) {
	case registry.ActionAdded:
		if int(e.Index) != len(p.record.Actions) {
			return fmt.Errorf("%w: action %d follows %d actions", errGap, e.Index, len(p.record.Actions))
		}
		p.record.Actions = append(slices.Clone(p.record.Actions), e.Action)
	case registry.ScoreTypeAdded:
		if int(e.Index) != len(p.record.ScoreTypes) {
			return fmt.Errorf("%w: score type %d follows %d score types", errGap, e.Index, len(p.record.ScoreTypes))
		}
		p.record.ScoreTypes = append(slices.Clone(p.record.ScoreTypes), e.Name)
	case registry.MemberChanged:
		if e.Roles == 0 {
			delete(p.record.Members, e.Member)
		} else {
			p.record.Members[e.Member] = e.Roles
		}
	case registry.SignedOnlySet:
		p.record.SignedOnly = e.SignedOnly
	}
	return nil
}

// projectOf is the project whose record the event changes.
func projectOf(event registry.Event) (score.ProjectID, bool) {
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
	return score.ProjectID{}, false
}
