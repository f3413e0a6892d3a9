package index

import (
	"slices"

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// records are projects' records, while events are folded into them.
type records map[score.ProjectID]*projectAt

// projectAt is a project's record as of an event.
type projectAt struct {
	score.DatedRecord

	changed bool
	gap     uint64 // block of an event before which others are missing; 0 for none
}

// fold folds the project events of messages. load, if any, returns the record of a project that is not there yet.
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

// projectOf returns the project whose record an event changes; ok is false for one that changes none.
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

// holds reports whether the event at a place is in the record.
func (p *projectAt) holds(block uint64, logIndex uint) bool {
	return p.Record != nil && (block < p.Block || block == p.Block && logIndex <= p.LogIndex)
}

// apply folds one event, unless the record holds it already or has a gap.
func (p *projectAt) apply(e *ledger.Event, block uint64) {
	switch {
	case p.gap > 0 || p.holds(block, e.Log):
	case !p.follow(e.Event):
		p.gap = block
	default:
		p.Block, p.LogIndex, p.changed = block, e.Log, true
		if p.Created == 0 {
			p.Created = block
		}
	}
}

// follow reports whether an event follows from the record, and then makes its change.
func (p *projectAt) follow(event registry.Event) bool {
	_, creates := event.(registry.ProjectCreated)
	if creates == (p.Record != nil) {
		return false
	}
	switch e := event.(type) {
	case registry.ProjectCreated:
		p.Record = score.RecordOf(&e.Project)
	case registry.ActionAdded:
		if int(e.Index) != len(p.Actions) {
			return false
		}
		p.Actions = append(slices.Clone(p.Actions), e.Action)
	case registry.ScoreTypeAdded:
		if int(e.Index) != len(p.ScoreTypes) {
			return false
		}
		p.ScoreTypes = append(slices.Clone(p.ScoreTypes), e.Name)
	case registry.MemberChanged:
		if p.Members[e.Member] = e.Roles; e.Roles == 0 {
			delete(p.Members, e.Member)
		}
	case registry.SignedOnlySet:
		p.SignedOnly = e.SignedOnly
	}
	return true
}
