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

// projectEvent is an event that changes a project's record, and where it is.
type projectEvent struct {
	project  score.ProjectID
	event    registry.Event
	block    uint64
	logIndex uint
}

// projectEvents reads logs that were asked for by registry.ProjectTopics.
func projectEvents(logs []types.Log) ([]projectEvent, error) {
	events := make([]projectEvent, len(logs))
	for i := range logs {
		log := &logs[i]
		event, err := registry.ParseLog(log)
		if err != nil {
			return nil, err
		}
		project, ok := projectOf(event)
		if !ok {
			return nil, fmt.Errorf("log %d of block %d is no event of a project's record", log.Index, log.BlockNumber)
		}
		events[i] = projectEvent{project: project, event: event, block: log.BlockNumber, logIndex: log.Index}
	}
	return events, nil
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

// projects are records as of a position each.
type projects map[score.ProjectID]*projectAt

// fold brings the events into the records that are there, and tells of which projects some do not follow.
func (ps projects) fold(events []projectEvent) (failed map[score.ProjectID]error) {
	failed = map[score.ProjectID]error{}
	for _, e := range events {
		if p := ps[e.project]; p != nil {
			if err := p.apply(e); err != nil && failed[e.project] == nil {
				failed[e.project] = fmt.Errorf("event of block %d: %w", e.block, err)
			}
		}
	}
	return failed
}

// projectAt is a project's record as of a position; the record is nil before its creation.
type projectAt struct {
	record   *score.Record
	block    uint64
	logIndex uint
	dirty    bool
}

// apply folds one event. Events not after the record's position are in it already.
func (p *projectAt) apply(e projectEvent) error {
	if p.record != nil && (e.block < p.block || e.block == p.block && e.logIndex <= p.logIndex) {
		return nil
	}
	if err := p.fold(e.event); err != nil {
		return err
	}
	p.block, p.logIndex, p.dirty = e.block, e.logIndex, true
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

// agrees tells whether the record is what the events make of it: all those of the project in the newest blocks, in order,
// at least one. What came before them is not looked at.
func (p *projectAt) agrees(events []projectEvent) bool {
	last := events[len(events)-1]
	if p.record == nil || p.block != last.block || p.logIndex != last.logIndex {
		return false
	}
	replay := &projectAt{}
	if _, ok := events[0].event.(registry.ProjectCreated); !ok {
		before := *p.record
		before.Members = maps.Clone(before.Members)
		cutLists(&before, events)
		replay.record = &before
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

// cutLists takes off what the events added at the ends of lists, as far as it is there.
func cutLists(r *score.Record, events []projectEvent) {
	for _, e := range events {
		switch e := e.event.(type) {
		case registry.ActionAdded:
			r.Actions = r.Actions[:min(int(e.Index), len(r.Actions))]
		case registry.ScoreTypeAdded:
			r.ScoreTypes = r.ScoreTypes[:min(int(e.Index), len(r.ScoreTypes))]
		}
	}
}
