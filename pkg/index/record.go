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

// fold applies messages. A project that r lacks begins with the record that load returns, or empty if load is nil.
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

// projectOf returns the project if an event changes a project's record, else ok is false.
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

// foldRecord applies a project's next event to its record r, which is nil before the creation, and may be modified.
// If events between r and this one are missing, it returns r, and follows is false.
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
