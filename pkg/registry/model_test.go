package registry_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// world is the contract in Go, as plain as can be. Tests keep one by prediction and one from events alone, and compare
// both with the chain.
type world struct {
	projects map[score.ProjectID]*score.Record
	used     map[usedKey]bool
	scores   map[scoreKey]int64
}

type usedKey struct {
	project score.ProjectID
	id      score.UpdateID
}

type scoreKey struct {
	project   score.ProjectID
	wallet    common.Address
	scoreType uint8
}

func newWorld() *world {
	return &world{projects: map[score.ProjectID]*score.Record{}, used: map[usedKey]bool{}, scores: map[scoreKey]int64{}}
}

func (w *world) create(p *score.Project) {
	r := score.RecordOf(p)
	r.Actions, r.ScoreTypes = slices.Clone(r.Actions), slices.Clone(r.ScoreTypes)
	w.projects[p.ID] = r
}

// proof is what says that an update is its signer's.
type proof uint8

const (
	nothing   proof = iota // but the relayer's word
	byItself               // its signer sent it
	signature              // of the signer, over its group
	forgery                // a signature of another wallet, or of something else
)

// update does what the contract does with one update.
func (w *world) update(u score.Update, by proof) score.Outcome {
	p := w.projects[u.Project]
	switch {
	case p == nil:
		return score.UnknownProject
	case p.Members[u.Signer] == 0:
		return score.NotMember
	case p.SignedOnly && by == nothing:
		return score.SignatureRequired
	case by == forgery:
		return score.BadSignature
	case w.used[usedKey{u.Project, u.ID}]:
		return score.Duplicate
	case int(u.Action) >= len(p.Actions):
		return score.UnknownAction
	case int(u.ScoreType) >= len(p.ScoreTypes):
		return score.UnknownScoreType
	}
	w.used[usedKey{u.Project, u.ID}] = true
	w.scores[scoreKey{u.Project, u.Target, u.ScoreType}] += p.Actions[u.Action].Delta()
	return score.Applied
}

func (w *world) setRoles(project score.ProjectID, member common.Address, roles score.Role) {
	members := maps.Clone(w.projects[project].Members)
	members[member] = roles
	if roles == 0 {
		delete(members, member)
	}
	w.projects[project].Members = members
}

// fold is what an index does with an event. It trusts the events' promises and nothing else, and says where they fail.
func (w *world) fold(event registry.Event) error {
	switch e := event.(type) {
	case registry.ProjectCreated:
		if w.projects[e.Project.ID] != nil {
			return fmt.Errorf("project %s created twice", e.Project.ID)
		}
		w.create(&e.Project)
	case registry.ActionAdded:
		p := w.projects[e.Project]
		if int(e.Index) != len(p.Actions) {
			return fmt.Errorf("action %d added to %d", e.Index, len(p.Actions))
		}
		p.Actions = append(p.Actions, e.Action)
	case registry.ScoreTypeAdded:
		p := w.projects[e.Project]
		if int(e.Index) != len(p.ScoreTypes) {
			return fmt.Errorf("score type %d added to %d", e.Index, len(p.ScoreTypes))
		}
		p.ScoreTypes = append(p.ScoreTypes, e.Name)
	case registry.MemberChanged:
		if w.projects[e.Project].Members[e.Member] == e.Roles {
			return fmt.Errorf("member %s changed to the same roles", e.Member)
		}
		w.setRoles(e.Project, e.Member, e.Roles)
	case registry.SignedOnlySet:
		p := w.projects[e.Project]
		if p.SignedOnly == e.SignedOnly {
			return fmt.Errorf("project %s set to what it was", e.Project)
		}
		p.SignedOnly = e.SignedOnly
	case registry.BatchApplied:
		for i, u := range e.Batch.Updates() {
			if e.Outcomes[i] == score.Applied {
				if err := w.foldUpdate(u); err != nil {
					return err
				}
			}
		}
	case registry.ScoreUpdated:
		if err := w.foldUpdate(e.Update); err != nil {
			return err
		}
		if got := w.scores[scoreKey{e.Update.Project, e.Update.Target, e.Update.ScoreType}]; got != e.Score {
			return fmt.Errorf("event says score %d, sum is %d", e.Score, got)
		}
	}
	return nil
}

func (w *world) foldUpdate(u score.Update) error {
	if w.used[usedKey{u.Project, u.ID}] {
		return fmt.Errorf("update %s applied twice", u.ID)
	}
	w.used[usedKey{u.Project, u.ID}] = true
	w.scores[scoreKey{u.Project, u.Target, u.ScoreType}] += w.projects[u.Project].Actions[u.Action].Delta()
	return nil
}
