package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Model is what the parts of a batch cost when every update applies. Package registry holds the measured numbers of the
// contract. All in gas, but BaseBytes.
type Model struct {
	Base     uint64 // the transaction itself, the relayer's role, the event
	Byte     uint64 // of the batch's data, not zero: in the call and in the event
	ZeroByte uint64 // how much less a zero byte costs

	Group      uint64 // of any kind, without the bytes of its header
	WordGroup  uint64 // on top of Group, of the kinds whose ids share a word: the word's slot, once it is warm
	Member     uint64 // on top of Group for the first of a project and signer: a cold slot
	Header     uint64 // at worst, of a project: its counts are read too
	Signature  uint64 // of a signed group
	SignedByte uint64 // of a signed group's body: hashing it

	WordUpdate uint64 // of a KindWord group: a record, with the score's slot once it is warm
	Run        uint64 // of the other kinds: as WordUpdate, but without its updates
	RunUpdate  uint64 // in a run of a KindRuns group
	FreeUpdate uint64 // in a run of a KindFree group: with its word's slot once that is warm

	// What the first use of a slot in a batch costs more than later ones.
	ActionSlot uint64 // eight actions of a project
	FreshSlot  uint64 // of scores, or of used ids: it was zero
	UsedSlot   uint64 // of scores, or of used ids: it was not

	BaseBytes int // of the signed transaction without the batch's data, the padding of that included
}

// actionsPerSlot and scoresPerSlot are how many actions of a project, and how many score types of a wallet, share a slot.
const (
	actionsPerSlot = 8
	scoresPerSlot  = 4
)

// Gas bounds what the batch costs: every slot of scores and ids is fresh, no byte is zero.
func (m *Model) Gas(b Batch) uint64 {
	gas, _ := m.measure(b)
	return gas.gas
}

// Bytes bounds the size of the batch's signed transaction.
func (m *Model) Bytes(b Batch) int {
	total, _ := m.measure(b)
	return total.bytes
}

// Fresh is what of a batch's slots is used for the first time ever.
type Fresh struct {
	Scores int // slots of a wallet's scores, four score types each; see Slots
	Words  int // words of ids
}

// Slots counts the slots of scores and of used ids that the batch touches: the most that Fresh can be.
func (b Batch) Slots() Fresh {
	seen := newSlots()
	for i := range b.Groups {
		for j := range b.Groups[i].Updates {
			seen.add(&b.Groups[i].Updates[j])
		}
	}
	return seen.Fresh
}

// Estimate is what the batch costs if all of it applies and so many of its slots are fresh. It is the Gas of the batch
// without what that adds to be safe.
func (m *Model) Estimate(b Batch, fresh Fresh) uint64 {
	total, seen := m.measure(b)
	used := uint64(seen.Scores + seen.Words - fresh.Scores - fresh.Words)
	return total.gas - used*(m.FreshSlot-m.UsedSlot) - uint64(len(seen.projects))*m.Header - uint64(zeros(b))*m.ZeroByte
}

// measure bounds what the batch costs, and counts its slots.
func (m *Model) measure(b Batch) (total cost, seen *slots) {
	total, seen = m.base(), newSlots()
	headers := b.Headers()
	for i := range b.Groups {
		g := &b.Groups[i]
		total = total.plus(m.header(headers[i])).plus(m.body(shapeOf(g)))
		if headers[i].SameWord {
			total = total.minus(m.data(wordBytes))
		}
		if g.Signature != nil {
			total = total.plus(m.signature(shapeOf(g)))
		}
		total.gas += seen.member(m, g.Project, g.Signer)
		for j := range g.Updates {
			total.gas += seen.cost(m, &g.Updates[j])
		}
	}
	return total, seen
}

// cost is an amount of gas, at worst, and the bytes of the transaction that are part of the reason.
type cost struct {
	gas   uint64
	bytes int
}

func (c cost) plus(d cost) cost  { return cost{c.gas + d.gas, c.bytes + d.bytes} }
func (c cost) minus(d cost) cost { return cost{c.gas - d.gas, c.bytes - d.bytes} }

func (c cost) less(d cost) bool { return c.gas < d.gas || c.gas == d.gas && c.bytes < d.bytes }

func (m *Model) base() cost { return cost{m.Base, m.BaseBytes} }

// data is what bytes of the batch's data cost.
func (m *Model) data(n int) cost { return cost{uint64(n) * m.Byte, n} }

func (m *Model) header(h Header) cost {
	c := m.data(kindBytes)
	c.gas += m.Group
	if !h.SameProject {
		c = c.plus(m.data(projectBytes))
	}
	if !h.SameSigner {
		c = c.plus(m.data(signerBytes))
	}
	return c
}

// shape is what of a group's body decides its cost.
type shape struct {
	kind          score.Kind
	updates, runs int
	mask          int // bytes
}

func shapeOf(g *Group) shape {
	s := shape{kind: g.Kind, updates: len(g.Updates)}
	if g.Kind == score.KindWord {
		s.mask = maskLength(g.Updates[0].ID.Low(), g.Updates[s.updates-1].ID.Low())
	} else {
		s.runs = countRuns(g.Updates)
	}
	return s
}

// maskLength is the bytes of a mask for ids from one low byte to another.
func maskLength(first, last byte) int { return int(last/8) - int(first/8) + 1 }

// body is what a group's body costs, with its word, without its slots.
func (m *Model) body(s shape) cost {
	var c cost
	switch s.kind {
	case score.KindWord:
		c = m.data(wordBytes + maskHead + s.mask + s.updates*recordBytes)
		c.gas += m.WordGroup + uint64(s.updates)*m.WordUpdate
	case score.KindRuns:
		c = m.data(wordBytes + runsHead + s.runs*runBytes + s.updates*lowRecord)
		c.gas += m.WordGroup + uint64(s.runs)*m.Run + uint64(s.updates)*m.RunUpdate
	case score.KindFree:
		c = m.data(runsHead + s.runs*runBytes + s.updates*freeRecord)
		c.gas += uint64(s.runs)*m.Run + uint64(s.updates)*m.FreeUpdate
	}
	return c
}

// signature is what it costs that a group is signed.
func (m *Model) signature(s shape) cost {
	c := m.data(signatureBytes)
	c.gas += m.Signature + uint64(m.body(s).bytes)*m.SignedByte
	return c
}

// zeros counts the zero bytes of the batch's data.
func zeros(b Batch) (n int) {
	count := func(data []byte) {
		for _, c := range data {
			if c == 0 {
				n++
			}
		}
	}
	for i, h := range b.Headers() {
		g := &b.Groups[i]
		if !h.SameProject {
			count(g.Project[:])
		}
		if !h.SameSigner {
			count(g.Signer[:])
		}
		if g.Signature != nil {
			count(g.Signature[:])
		}
		body, err := EncodeBody(g.Kind, g.Updates)
		if err != nil {
			continue // not a group that can be sent
		}
		if h.SameWord {
			body = body[wordBytes:]
		}
		count(body)
	}
	return n
}

// slots knows which slots a batch has used. Groups of one project share them, whoever signed.
type slots struct {
	Fresh
	projects map[score.ProjectID]*projectSlots
}

type projectSlots struct {
	actions [256 / actionsPerSlot]bool
	members map[common.Address]struct{}
	words   map[score.Word]struct{}
	scores  map[scoreSlot]struct{}
}

type scoreSlot struct {
	wallet common.Address
	quad   uint8 // of score types
}

func newSlots() *slots { return &slots{projects: map[score.ProjectID]*projectSlots{}} }

func (s *slots) project(id score.ProjectID) (p *projectSlots, isNew bool) {
	if p = s.projects[id]; p != nil {
		return p, false
	}
	p = &projectSlots{
		members: map[common.Address]struct{}{}, words: map[score.Word]struct{}{}, scores: map[scoreSlot]struct{}{},
	}
	s.projects[id] = p
	return p, true
}

// member is what using the slots of a project and a signer costs.
func (s *slots) member(m *Model, project score.ProjectID, signer common.Address) (gas uint64) {
	p, isNew := s.project(project)
	if isNew {
		gas = m.Header
	}
	if _, found := p.members[signer]; !found {
		p.members[signer] = struct{}{}
		gas += m.Member
	}
	return gas
}

// cost is what using the update's other slots costs if they are fresh.
func (s *slots) cost(m *Model, u *score.Update) (gas uint64) {
	before := s.Fresh
	if s.add(u) {
		gas = m.ActionSlot
	}
	return gas + uint64(s.Scores-before.Scores+s.Words-before.Words)*m.FreshSlot
}

// add uses the update's slots, and tells whether its action's slot is a new one. Any action byte has a slot: those beyond
// score.MaxActions, which the contract skips, too.
func (s *slots) add(u *score.Update) (newAction bool) {
	p, _ := s.project(u.Project)
	word, slot := u.ID.Word(), scoreSlot{u.Target, u.ScoreType / scoresPerSlot}
	if _, found := p.words[word]; !found {
		p.words[word] = struct{}{}
		s.Words++
	}
	if _, found := p.scores[slot]; !found {
		p.scores[slot] = struct{}{}
		s.Scores++
	}
	newAction = !p.actions[u.Action/actionsPerSlot]
	p.actions[u.Action/actionsPerSlot] = true
	return newAction
}
