package event

import (
	"fmt"
	"sort"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// take takes a segment's events from a block on, and moves the cursor behind what it took; all of the segment unless the limit, or a directory
// that is behind, ends it.
func (t *turn) take(s *segment, from uint64) {
	first := sort.Search(len(s.entries), func(i int) bool { return s.entries[i].block.Number >= from })
	for i := first; i < len(s.entries); i++ {
		e := &s.entries[i]
		read := -1 // the newest place of the log that was read
		if at := &t.at; at.block == e.block && at.log >= e.log {
			if at.log > e.log {
				continue
			}
			read = int(at.place)
		}
		if !t.takeEntry(e, read) {
			return
		}
	}
	t.at.block, t.at.log, t.at.place = s.through, wholeBlock, 0
}

// takeEntry takes what one of the contract's events has behind a place; false if it may take no more.
func (t *turn) takeEntry(e *entry, read int) bool {
	kind, data := t.changeOf(e)
	if data != nil && read < 0 {
		return t.add(e, 0, kind, data)
	}
	for place, u := range registry.ExecutedOf(e.event, t.project) {
		if place <= read {
			continue
		}
		rec, ok := t.Projects.Project(t.project)
		if !ok || u.Outcome == score.Applied && (int(u.Action) >= len(rec.Actions) || int(u.ScoreType) >= len(rec.ScoreTypes)) {
			t.waitForDirectory(e)
			return false
		}
		of := updateData(rec, &u.Update, u.Outcome)
		of.Place = placeOf(e)
		if !t.add(e, place, updateType(u.Outcome), of) {
			return false
		}
	}
	return true
}

// add adds an event; false once there are enough.
func (t *turn) add(e *entry, place int, kind Type, data any) bool {
	if len(t.found) >= t.limit {
		return false
	}
	t.at.block, t.at.log, t.at.place = e.block, e.log, uint32(place)
	t.found = append(t.found, Event{ID: fmt.Sprintf("%s-%d-%d", e.block.Hash, e.log, place), Type: kind, Project: t.project, Data: data, After: t.at})
	return true
}

// waitForDirectory says that the project's record is older than an update that was applied.
func (t *turn) waitForDirectory(e *entry) {
	t.behind = true
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.Log.told) > tellPause {
		t.Log.told = time.Now()
		t.Log.Log.Warn("the directory of projects is behind the chain, so readers of events wait for it; a relayer brings it up to date", "project", t.project, "block", e.block.Number)
	}
}

// changeOf is what an event says of the project itself; nil data: nothing.
func (t *turn) changeOf(e *entry) (Type, any) {
	on := placeOf(e)
	switch of := e.event.(type) {
	case registry.ProjectCreated:
		if of.Project.ID == t.project {
			created := projectData(&of.Project)
			created.Outcome, created.Place = score.Applied.String(), on
			return ProjectCreated, created
		}
	case registry.ActionAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Action: &of.Action, Place: on}
		}
	case registry.ScoreTypeAdded:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{ScoreType: &of.Name, Place: on}
		}
	case registry.MemberChanged:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{Member: &of.Member, Roles: roleNames(of.Roles), Place: on}
		}
	case registry.SignedOnlySet:
		if of.Project == t.project {
			return ProjectChanged, ChangeData{SignedOnly: &of.SignedOnly, Place: on}
		}
	}
	return "", nil
}

func placeOf(e *entry) Place { return Place{Tx: &e.tx, Block: &e.block.Number} }

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

// updateData tells of an update in its project's words, but for what was unknown when it was executed, and may be known since.
func updateData(rec *score.Record, u *score.Update, outcome score.Outcome) UpdateData {
	d := UpdateData{ID: u.ID, Target: u.Target, Signer: u.Signer, Outcome: outcome.String()}
	if rec != nil {
		d.Action, d.Points, d.ScoreType = rec.Words(u.Action, u.ScoreType)
	}
	switch outcome {
	case score.UnknownAction:
		d.Action, d.Points = nil, nil
	case score.UnknownScoreType:
		d.ScoreType = nil
	}
	return d
}

func projectData(p *score.Project) ProjectData {
	return ProjectData{
		Name: p.Name, Actions: p.Actions, ScoreTypes: p.ScoreTypes, Owners: p.Owners, Updaters: append([]common.Address{}, p.Updaters...), SignedOnly: p.SignedOnly,
	}
}
