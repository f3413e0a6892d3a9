package index

import (
	"slices"

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

type records map[score.ProjectID]*projectAt

type projectAt struct {
	score.DatedRecord

	changed bool
	gap     uint64 // block of an event with missing predecessors, or 0
}

// fold begins with load's record of a project; if load is nil, with an empty one.
func (r records) fold(messages []*ledger.Message, load func(score.ProjectID) (score.DatedRecord, error)) (err error) {
	for _, m := range messages {
		for i := range m.Events {
			id, ok := projectOf(m.Events[i].Event)
			if !ok {
				continue
			}
			if r[id] == nil {
				p := &projectAt{}
				if load != nil {
					if p.DatedRecord, err = load(id); err != nil {
						return err
					}
				}
				r[id] = p
			}
			r[id].apply(&m.Events[i], m.Block.Number)
		}
	}
	return nil
}

// projectOf returns the project with a record that an event changes; ok is false if there is none.
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

func (p *projectAt) holds(block uint64, logIndex uint) bool {
	return p.Record != nil && (block < p.Block || block == p.Block && logIndex <= p.LogIndex)
}

func (p *projectAt) apply(e *ledger.Event, block uint64) {
	if p.gap > 0 || p.holds(block, e.Log) {
		return
	}
	record, follows := foldRecord(p.Record, e.Event)
	if !follows {
		p.gap = block
		return
	}
	p.Record, p.Block, p.LogIndex, p.changed = record, block, e.Log, true
	if p.Created == 0 {
		p.Created = block
	}
}

// foldRecord returns a project's record after its next event; r is nil before the creation, and may be modified.
// follows is false if events between them are missing.
func foldRecord(r *score.Record, event registry.Event) (after *score.Record, follows bool) {
	_, creates := event.(registry.ProjectCreated)
	if creates == (r != nil) {
		return r, false
	}
	switch e := event.(type) {
	case registry.ProjectCreated:
		r = score.RecordOf(&e.Project)
	case registry.ActionAdded:
		if int(e.Index) != len(r.Actions) {
			return r, false
		}
		r.Actions = append(slices.Clone(r.Actions), e.Action)
	case registry.ScoreTypeAdded:
		if int(e.Index) != len(r.ScoreTypes) {
			return r, false
		}
		r.ScoreTypes = append(slices.Clone(r.ScoreTypes), e.Name)
	case registry.MemberChanged:
		if r.Members[e.Member] = e.Roles; e.Roles == 0 {
			delete(r.Members, e.Member)
		}
	case registry.SignedOnlySet:
		r.SignedOnly = e.SignedOnly
	}
	return r, true
}
