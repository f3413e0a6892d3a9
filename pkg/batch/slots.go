package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// actionsPerSlot is how many actions of a project share a slot. The first slot has one action less, for the project's
// counts.
const (
	actionsPerSlot = 8
	actionSlots    = 256/actionsPerSlot + 1
)

// ScoresPerSlot is how many score types of a wallet in a project share a storage slot of the contract.
const ScoresPerSlot = 4

func actionSlot(action uint8) int { return (int(action) + 1) / actionsPerSlot }

type storageSlots struct {
	Fresh
	known    int // those charged as Used
	projects map[score.ProjectID]*projectSlots
	recent   *projectSlots // result of the last find, for recentID
	recentID score.ProjectID
}

type projectSlots struct {
	actions [actionSlots]bool // read in the batch
	read    [actionSlots]bool // read since the project was last named
	members map[common.Address]struct{}
	words   map[score.Word]*wordSlot
	scores  map[scoreSlot]struct{}
}

type wordSlot struct {
	ids    [4]uint64   // bitmap
	owners []ownerWord // of unsigned updates, for costAccount
}

func (w *wordSlot) has(low byte) bool { return w.ids[low/64]&(1<<(low%64)) != 0 }

type scoreSlot struct {
	wallet common.Address
	quad   uint8 // score type / ScoresPerSlot
}

func scoreSlotOf(u *score.Update) scoreSlot { return scoreSlot{u.Target, u.ScoreType / ScoresPerSlot} }

func newStorageSlots() *storageSlots {
	return &storageSlots{projects: map[score.ProjectID]*projectSlots{}}
}

// find returns the slots of a project, nil if unused.
func (s *storageSlots) find(id score.ProjectID) *projectSlots {
	if s.recent == nil || s.recentID != id {
		s.recent, s.recentID = s.projects[id], id
	}
	return s.recent
}

func (s *storageSlots) project(id score.ProjectID) (p *projectSlots, isNew bool) {
	if p = s.find(id); p != nil {
		return p, false
	}
	p = &projectSlots{
		members: map[common.Address]struct{}{}, words: map[score.Word]*wordSlot{}, scores: map[scoreSlot]struct{}{},
	}
	s.projects[id], s.recent = p, p
	return p, true
}

func (s *storageSlots) chargeMember(m *Model, project score.ProjectID, signer common.Address) (gas uint64) {
	p, isNew := s.project(project)
	if isNew {
		gas = m.Cold
	}
	if _, found := p.members[signer]; !found {
		p.members[signer] = struct{}{}
		gas += m.Cold
	}
	return gas
}

// chargeUpdate returns the gas of an update at worst, except its group's body. action is the price of reading its
// action's slot. Actions beyond score.MaxActions, which the contract skips, have a slot, too. A skipped update costs
// more than an applied one only if an earlier one paid for its score's slot.
func (s *storageSlots) chargeUpdate(m *Model, u *score.Update, action uint64) (gas uint64, word *wordSlot) {
	gas = m.Outcome
	p, word, newWord, newScore := s.touch(u)
	if newWord {
		gas += s.first(m, m.Known.hasWord(u))
	}
	if newScore {
		gas += s.first(m, m.Known.hasScore(u))
	} else {
		gas += m.Skip
	}
	slot := actionSlot(u.Action)
	if slot == 0 {
		return gas, word // read with the header
	}
	if !p.actions[slot] {
		gas += m.Cold
	}
	if !p.read[slot] {
		gas += action
	}
	p.actions[slot], p.read[slot] = true, true
	return gas, word
}

func (s *storageSlots) first(m *Model, known bool) uint64 {
	if !known {
		return m.Fresh
	}
	s.known++
	return m.Used
}

func (s *storageSlots) touch(u *score.Update) (p *projectSlots, word *wordSlot, newWord, newScore bool) {
	p, _ = s.project(u.Project)
	word = p.words[u.ID.Word()]
	if newWord = word == nil; newWord {
		word = &wordSlot{}
		p.words[u.ID.Word()] = word
		s.Words++
	}
	word.ids[u.ID.Low()/64] |= 1 << (u.ID.Low() % 64)
	slot := scoreSlotOf(u)
	if _, found := p.scores[slot]; !found {
		p.scores[slot] = struct{}{}
		newScore = true
		s.Scores++
	}
	return p, word, newWord, newScore
}
