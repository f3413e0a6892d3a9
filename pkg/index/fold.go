package index

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

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

// projects are records as of a position each.
type projects map[score.ProjectID]*projectAt

// placed is an event and its position.
type placed struct {
	event    registry.Event
	block    uint64
	logIndex uint
}

// projectEvent reads an event that changes a project's record.
func projectEvent(log *types.Log) (id score.ProjectID, event registry.Event, err error) {
	if event, err = registry.ParseLog(log); err != nil {
		return id, nil, err
	}
	id, ok := projectOf(event)
	if !ok {
		return id, nil, fmt.Errorf("log %d of block %d is no event of a project's record", log.Index, log.BlockNumber)
	}
	return id, event, nil
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

// agrees tells whether the record is what the events make of it: all those of the project in the newest blocks, in order,
// at least one. What came before them is not looked at.
func (p *projectAt) agrees(events []placed) bool {
	last := events[len(events)-1]
	if p.record == nil || p.block != last.block || p.logIndex != last.logIndex {
		return false
	}
	replay := &projectAt{record: new(score.Record)}
	*replay.record = *p.record
	replay.record.Members = maps.Clone(p.record.Members)
	if _, ok := events[0].event.(registry.ProjectCreated); ok {
		replay.record = nil
	} else {
		replay.undo(events)
	}
	for _, e := range events {
		if replay.fold(e.event) != nil {
			return false
		}
	}
	got, err := json.Marshal(p.record)
	want, errWant := json.Marshal(replay.record)
	return err == nil && errWant == nil && bytes.Equal(got, want)
}

// undo takes off what the events added at the ends of lists, as far as it is there.
func (p *projectAt) undo(events []placed) {
	for _, e := range events {
		switch e := e.event.(type) {
		case registry.ActionAdded:
			p.record.Actions = p.record.Actions[:min(int(e.Index), len(p.record.Actions))]
		case registry.ScoreTypeAdded:
			p.record.ScoreTypes = p.record.ScoreTypes[:min(int(e.Index), len(p.record.ScoreTypes))]
		}
	}
}
