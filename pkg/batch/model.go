package batch

import (
	"github.com/scorelay/scorelay/pkg/score"
)

// Model is what a batch costs at worst: every storage slot it touches is fresh and every update applies. Package
// registry holds the measured numbers of the contract. Gas in gas, sizes in bytes.
type Model struct {
	Base       uint64 // the transaction itself, the relayer's role, the event
	Group      uint64 // a group's header, its project and its signer's role
	WordGroup  uint64 // on top of Group in a Word group
	IDWord     uint64 // each word of ids: a fresh slot of the bitmap
	ActionSlot uint64 // each slot of four actions of a project that is read
	WordUpdate uint64 // a record of a Word group, with a fresh score slot
	FreeUpdate uint64 // a record of a Free group, with a fresh score slot

	BaseBytes       int // of the signed transaction without its groups, the calldata's padding included
	GroupBytes      int
	WordBytes       int // on top of GroupBytes in a Word group
	WordRecordBytes int
	FreeRecordBytes int
}

// actionsPerSlot is how many actions of a project share a storage slot.
const actionsPerSlot = 4

// Gas bounds what the batch costs.
func (m *Model) Gas(b Batch) uint64 {
	gas := m.Base
	seen := newSlots()
	for i := range b.Groups {
		g := &b.Groups[i]
		n := uint64(len(g.Updates))
		gas += m.Group
		if g.Kind == Word {
			gas += m.WordGroup + n*m.WordUpdate
		} else {
			gas += n * m.FreeUpdate
		}
		for j := range g.Updates {
			gas += seen.add(m, &g.Updates[j])
		}
	}
	return gas
}

// Bytes bounds the size of the batch's signed transaction.
func (m *Model) Bytes(b Batch) int {
	size := m.BaseBytes
	for i := range b.Groups {
		size += m.GroupBytes
		if n := len(b.Groups[i].Updates); b.Groups[i].Kind == Word {
			size += m.WordBytes + n*m.WordRecordBytes
		} else {
			size += n * m.FreeRecordBytes
		}
	}
	return size
}

// slots knows which of a project's slots a batch has paid for. Groups of one project share them, whoever signed.
type slots struct {
	actions map[score.ProjectID]uint64 // bit i: the i-th slot of actions
	words   map[projectWord]struct{}
}

type projectWord struct {
	project score.ProjectID
	word    score.Word
}

func newSlots() slots {
	return slots{actions: map[score.ProjectID]uint64{}, words: map[projectWord]struct{}{}}
}

// cost is the gas of the update's slots that the batch has not paid for.
func (s *slots) cost(m *Model, u *score.Update) (gas uint64) {
	if s.actions[u.Project]&actionSlot(u) == 0 {
		gas += m.ActionSlot
	}
	if _, found := s.words[projectWord{u.Project, u.ID.Word()}]; !found {
		gas += m.IDWord
	}
	return gas
}

// add pays for the update's slots and returns what that cost.
func (s *slots) add(m *Model, u *score.Update) uint64 {
	gas := s.cost(m, u)
	s.actions[u.Project] |= actionSlot(u)
	s.words[projectWord{u.Project, u.ID.Word()}] = struct{}{}
	return gas
}

// actionSlot is the bit of the slot the update's action is in. Any action byte has one: those beyond
// score.MaxActions, which the contract skips, too.
func actionSlot(u *score.Update) uint64 {
	return 1 << (u.Action / actionsPerSlot)
}

// cost bounds the gas and bytes of one owner's groups, without their slots.
func (m *Model) cost(t tally) (gas uint64, size int) {
	groups, wordGroups := t.bigWords, t.bigWords
	wordUpdates, freeUpdates := t.bigUpdates, t.smallUpdates
	if t.smallWords > 0 {
		groups++
	}
	if t.smallWords == 1 {
		wordGroups++
		wordUpdates += t.smallUpdates
		freeUpdates = 0
	}
	gas = uint64(groups)*m.Group + uint64(wordGroups)*m.WordGroup +
		uint64(wordUpdates)*m.WordUpdate + uint64(freeUpdates)*m.FreeUpdate
	size = groups*m.GroupBytes + wordGroups*m.WordBytes + wordUpdates*m.WordRecordBytes + freeUpdates*m.FreeRecordBytes
	return gas, size
}
