package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Model is what the parts of a batch cost. Package registry holds the measured numbers of the contract. All in gas, but
// BaseBytes.
type Model struct {
	Base     uint64 // the transaction itself, the relayer's role, the event
	Byte     uint64 // of the batch's data, not zero: in the call and in the event, but for memory
	ZeroByte uint64 // how much less a zero byte costs

	Group     uint64 // of any kind, without the bytes of its header
	Named     uint64 // on top, if its header names project or signer: a member's slot, once it is warm
	Project   uint64 // on top of both, if its header names the project
	Signature uint64 // on top, of a signed group, but for hashing its body
	SignedRun uint64 // of a signed group, for each run

	Word, Runs, Free Prices // of the kinds of groups

	// What the first use of a slot in a batch costs more than later ones.
	Cold  uint64 // a slot that is only read: of members, actions, a project's counts
	Fresh uint64 // a slot of scores, or of used ids, that was zero
	Used  uint64 // a slot of scores, or of used ids, that was not

	// What a batch may cost more that is not as plain as can be.
	Recount uint64 // in a group whose header names project or signer: score types that the member's slot does not know of
	Skip    uint64 // an update that is not applied
	Outcome uint64 // of every update, if there is one that is not applied

	BaseBytes int // of the signed transaction without the batch's data, the padding of that included
}

// Prices are what differs between the kinds of groups.
type Prices struct {
	Group  uint64 // on top of Model.Group; with the word's slot, once it is warm, where there is one
	Run    uint64 // with the score's slot, once it is warm; 0 of KindWord, which has no runs
	Update uint64 // with the score's slot of KindWord, and the id's of KindFree, once they are warm
	Action uint64 // for every eight actions of a project, after a header that names it: their slot, once it is warm
}

func (m *Model) prices(kind score.Kind) *Prices {
	switch kind {
	case score.KindWord:
		return &m.Word
	case score.KindRuns:
		return &m.Runs
	}
	return &m.Free
}

// actionsPerSlot and scoresPerSlot are how many actions of a project, and how many score types of a wallet, share a slot.
const (
	actionsPerSlot = 8
	scoresPerSlot  = 4
)

// Gas bounds what the batch costs, whatever is in the contract's storage and whatever becomes of its updates.
func (m *Model) Gas(b Batch) uint64 {
	total, _ := m.measure(b)
	return m.gas(total)
}

// Bytes bounds the size of the batch's signed transaction.
func (m *Model) Bytes(b Batch) int {
	total, _ := m.measure(b)
	return total.bytes
}

// Fresh is what of a batch's slots is used for the first time ever.
type Fresh struct {
	Scores int // slots of a wallet's scores, four score types each
	Words  int // words of ids
}

// Slots counts the slots of scores and of used ids that the batch touches: the most that can be fresh.
func (b Batch) Slots() Fresh {
	seen := newSlots()
	for i := range b.Groups {
		for j := range b.Groups[i].Updates {
			seen.touch(&b.Groups[i].Updates[j])
		}
	}
	return seen.Fresh
}

// Estimate is what the batch costs if all of it applies and so many of its slots are fresh: its Gas without what may be.
func (m *Model) Estimate(b Batch, fresh Fresh) uint64 {
	total, seen := m.measure(b)
	gas := total.gas + m.memory(total.bytes-m.BaseBytes)
	gas -= uint64(seen.Scores+seen.Words-fresh.Scores-fresh.Words) * (m.Fresh - m.Used)
	gas -= uint64(len(seen.projects))*m.Cold + uint64(zeros(b))*m.ZeroByte
	for _, h := range b.Headers() {
		if h.names() {
			gas -= m.Recount
		}
	}
	updates := b.Len()
	return gas - uint64(updates)*m.Outcome - uint64(updates-seen.Scores)*m.Skip
}

// names tells whether the header names project or signer.
func (h Header) names() bool { return !h.SameProject || !h.SameSigner }

// gas is a batch's gas at worst.
func (m *Model) gas(total cost) uint64 {
	return total.gas + m.memory(2*(total.bytes-m.BaseBytes)) // the data, and as much room for outcomes
}

// memory is what it costs to use so many bytes of memory, which are copied from the call.
func (m *Model) memory(n int) uint64 {
	words := uint64(n) / 32
	return 6*words + words*words/512
}

// measure bounds what the batch costs but for memory, and counts its slots.
func (m *Model) measure(b Batch) (total cost, seen *slots) {
	total, seen = m.base(), newSlots()
	for i, h := range b.Headers() {
		g := &b.Groups[i]
		s := shapeOf(g)
		total = total.plus(m.header(h)).plus(m.body(s))
		if h.SameWord {
			total = total.minus(m.data(wordBytes))
		}
		if g.Signature != nil {
			total = total.plus(m.signature(s))
		}
		total.gas += seen.member(m, g.Project, g.Signer)
		if !h.SameProject {
			seen.projects[g.Project].read = [256 / actionsPerSlot]bool{}
		}
		for j := range g.Updates {
			total.gas += seen.cost(m, &g.Updates[j], m.prices(g.Kind).Action)
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

// header is what a group costs beside its body and its signer's slot.
func (m *Model) header(h Header) cost {
	c := m.data(kindBytes)
	c.gas += m.Group
	if h.names() {
		c.gas += m.Named + m.Recount
	}
	if !h.SameProject {
		c = c.plus(m.data(projectBytes))
		c.gas += m.Project
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
	size := 0
	switch s.kind {
	case score.KindWord:
		size = wordBytes + maskHead + s.mask + s.updates*recordBytes
	case score.KindRuns:
		size = wordBytes + runsHead + s.runs*runBytes + s.updates*lowRecord
	case score.KindFree:
		size = runsHead + s.runs*runBytes + s.updates*freeRecord
	}
	c, p := m.data(size), m.prices(s.kind)
	c.gas += p.Group + uint64(s.runs)*p.Run + uint64(s.updates)*p.Update
	return c
}

// signature is what it costs that a group is signed. Hashing takes 6 gas for 32 bytes.
func (m *Model) signature(s shape) cost {
	c := m.data(signatureBytes)
	c.gas += m.Signature + uint64(s.runs)*m.SignedRun + uint64(m.body(s).bytes+31)/32*6
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
	actions [256 / actionsPerSlot]bool // that were read
	read    [256 / actionsPerSlot]bool // since the project was named last
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
		gas = m.Cold // its counts, at worst
	}
	if _, found := p.members[signer]; !found {
		p.members[signer] = struct{}{}
		gas += m.Cold
	}
	return gas
}

// cost is what the update costs beside its group's body, at worst. Any action byte has a slot: those beyond
// score.MaxActions, which the contract skips, too. An update that is skipped costs more than one that is applied only if
// an earlier one paid for its score's slot. action is what reading its action's slot costs.
func (s *slots) cost(m *Model, u *score.Update, action uint64) uint64 {
	gas := m.Outcome
	p, newWord, newScore := s.touch(u)
	if newWord {
		gas += m.Fresh
	}
	if newScore {
		gas += m.Fresh
	} else {
		gas += m.Skip
	}
	slot := u.Action / actionsPerSlot
	if !p.actions[slot] {
		gas += m.Cold
	}
	if !p.read[slot] {
		gas += action
	}
	p.actions[slot], p.read[slot] = true, true
	return gas
}

// touch notes the slots of the update's id and score, and tells which of them are new to the batch.
func (s *slots) touch(u *score.Update) (p *projectSlots, newWord, newScore bool) {
	p, _ = s.project(u.Project)
	word, slot := u.ID.Word(), scoreSlot{u.Target, u.ScoreType / scoresPerSlot}
	if _, found := p.words[word]; !found {
		p.words[word] = struct{}{}
		newWord = true
		s.Words++
	}
	if _, found := p.scores[slot]; !found {
		p.scores[slot] = struct{}{}
		newScore = true
		s.Scores++
	}
	return p, newWord, newScore
}
