package batch

import "github.com/scorelay/scorelay/pkg/score"

// Model contains the prices of a batch's parts, in gas except BaseBytes. Package registry has the measured prices. A
// batch costs Base, and its groups. As the first, a KindRuns group of three updates of two wallets costs at worst
//
//	Group + Named + Project                          to read its header
//	+ Runs.Group + 2*Runs.Run + 3*Runs.Update        to apply its body
//	+ Byte*(1+32+20 + 31+2+2*22+3*2)                 for its data: header and body
//	+ 2*Cold                                         to read the project, its member, and the first seven actions
//	+ Cold + Runs.Action                             to read the points of its actions, if they share another slot
//	+ 3*Fresh                                        to write a word of ids, and the scores of two wallets
//	+ Skip + 3*Outcome                               for possible outcomes
//
// and the memory for its data. Signed, it costs Signature + 2*SignedRun and 64 bytes more, and the hash of its
// body. The next group under the same header saves Named, Project and their bytes, and the slots touched before.
type Model struct {
	Base     uint64 // without groups: transaction, relayer's role, event
	Byte     uint64 // of the batch's data, as calldata and in the event
	ZeroByte uint64 // discount of a zero byte; bounds ignore it

	Group uint64 // of any kind
	// Named is for a header that names a project or a signer: the member's slot is read again.
	Named     uint64
	Project   uint64 // if the header names one
	Signature uint64
	SignedRun uint64 // per run of a signed group

	Word, Runs, Free Prices // by kind

	// Additional price of a slot's first use in a batch.
	Cold  uint64 // only read: a project's first slot, a member's, one of eight further actions
	Fresh uint64 // scores or used ids, if zero
	Used  uint64 // scores or used ids, if nonzero; in bounds only Known ones

	// Only for bounds.
	Skip    uint64 // of an update that is not applied, if another one has paid for its score's slot
	Outcome uint64 // of every update, if any is not applied: the event then has all outcomes

	BaseBytes int // of the signed transaction without the batch's data, but with its padding

	Known *Known // slots that bounds count as Used; nil: none
}

// Prices are for groups of one kind. They include each use of a slot; its first in the batch adds Cold or Fresh.
type Prices struct {
	// Group includes the slot of the word, unless KindFree.
	Group uint64
	// Run includes the slot of the score. It is 0 for KindWord.
	Run uint64
	// Update includes the slot of the score if KindWord, of the id if KindFree.
	Update uint64
	// Action is for each slot of eight actions, except the project's first, that is read after a header named the
	// project.
	Action uint64
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

// Gas bounds the gas of the batch, for any storage that has the Known slots, and for any outcomes.
func (m *Model) Gas(b Batch) uint64 {
	gas, _ := m.gas(b)
	return gas
}

func (m *Model) gas(b Batch) (gas uint64, known int) {
	total, seen := m.measure(b)
	return m.atWorst(total), seen.known
}

// UnitGas bounds the gas that a unit adds to any batch of Plan, in a group with a whole header and its own slots. A
// batch costs at most Base, its memory, and UnitGas of each unit. UnitGas does not allocate.
func (m *Model) UnitGas(u score.Unit) uint64 {
	s := shape{kind: u.Kind, updates: len(u.Updates)}
	words, scores := 1, s.updates
	switch u.Kind {
	case score.KindRuns:
		s.runs = countRuns(u.Updates)
		scores = s.runs
	case score.KindFree:
		s.runs = countRuns(u.Updates)
		words, scores = s.updates, s.runs
	default: // an unsigned unit costs at most this kind in a Plan
		s.kind = score.KindWord
		s.mask = maskLength(u.Updates[0].ID.Low(), u.Updates[s.updates-1].ID.Low())
	}
	gas := m.headerCost(Header{}).gas + 2*m.Cold + m.bodyCost(s).gas
	if u.Signature != nil {
		gas += m.signatureCost(s).gas
	}
	actions := max(m.Word.Action, m.Runs.Action, m.Free.Action) + m.Cold
	gas += uint64(min(s.updates, actionSlots-1)) * actions
	return gas + uint64(words+scores)*m.Fresh + uint64(s.updates-scores)*m.Skip + uint64(s.updates)*m.Outcome
}

// Bytes bounds the size of the batch's signed transaction.
func (m *Model) Bytes(b Batch) int {
	total, _ := m.measure(b)
	return total.bytes
}

// Fresh counts the slots that a batch uses for the first time ever.
type Fresh struct {
	Scores int // of a wallet, four score types each
	Words  int
}

// StorageSlots counts the slots of scores and used ids: the most that can be fresh.
func (b Batch) StorageSlots() Fresh {
	seen := newStorageSlots()
	for i := range b.Groups {
		for j := range b.Groups[i].Updates {
			seen.touch(&b.Groups[i].Updates[j])
		}
	}
	return seen.Fresh
}

// Estimate returns the gas of the batch if all of it applies and that many of its slots are fresh.
func (m *Model) Estimate(b Batch, fresh Fresh) uint64 {
	all := *m
	all.Known = nil // fresh replaces it
	total, seen := all.measure(b)
	gas := total.gas + m.memoryGas(total.bytes-m.BaseBytes)
	gas -= uint64(seen.Scores+seen.Words-fresh.Scores-fresh.Words) * (m.Fresh - m.Used)
	gas -= uint64(zeros(b)) * m.ZeroByte
	updates := b.Len()
	return gas - uint64(updates)*m.Outcome - uint64(updates-seen.Scores)*m.Skip
}

func (h Header) names() bool { return !h.SameProject || !h.SameSigner }

func (m *Model) atWorst(total cost) uint64 {
	data := total.bytes - m.BaseBytes
	return total.gas + m.memoryGas(data+data/2) // with room for outcomes: an update has at least two bytes of data
}

// memoryGas includes the copy from the call.
func (m *Model) memoryGas(n int) uint64 {
	chunks := uint64(n) / 32
	return 6*chunks + chunks*chunks/512
}

// measure bounds the cost of the batch, except memory, and counts its slots.
func (m *Model) measure(b Batch) (total cost, seen *storageSlots) {
	total, seen = m.baseCost(), newStorageSlots()
	for i, h := range b.Headers() {
		g := &b.Groups[i]
		s := shapeOf(g)
		total = total.plus(m.headerCost(h)).plus(m.bodyCost(s))
		if h.SameWord {
			total = total.minus(m.dataCost(wordBytes))
		}
		if g.Signature != nil {
			total = total.plus(m.signatureCost(s))
		}
		total.gas += seen.chargeMember(m, g.Project, g.Signer)
		if !h.SameProject {
			seen.projects[g.Project].read = [actionSlots]bool{}
		}
		for j := range g.Updates {
			gas, _ := seen.chargeUpdate(m, &g.Updates[j], m.prices(g.Kind).Action)
			total.gas += gas
		}
	}
	return total, seen
}

// cost is an amount of gas, at worst, and the bytes of the transaction that it includes.
type cost struct {
	gas   uint64
	bytes int
}

func (c cost) plus(d cost) cost  { return cost{c.gas + d.gas, c.bytes + d.bytes} }
func (c cost) minus(d cost) cost { return cost{c.gas - d.gas, c.bytes - d.bytes} }

func (c cost) less(d cost) bool { return c.gas < d.gas || c.gas == d.gas && c.bytes < d.bytes }

func (m *Model) baseCost() cost { return cost{m.Base, m.BaseBytes} }

func (m *Model) dataCost(n int) cost { return cost{uint64(n) * m.Byte, n} }

// headerCost excludes body and member slot.
func (m *Model) headerCost(h Header) cost {
	c := m.dataCost(kindBytes)
	c.gas += m.Group
	if h.names() {
		c.gas += m.Named
	}
	if !h.SameProject {
		c = c.plus(m.dataCost(projectBytes))
		c.gas += m.Project
	}
	if !h.SameSigner {
		c = c.plus(m.dataCost(signerBytes))
	}
	return c
}

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

// maskLength returns the bytes of a mask between two last bytes of ids.
func maskLength(first, last byte) int { return int(last/8) - int(first/8) + 1 }

// bodyCost includes the word and excludes first uses of storage slots.
func (m *Model) bodyCost(s shape) cost {
	size := 0
	switch s.kind {
	case score.KindWord:
		size = wordBytes + maskHead + s.mask + s.updates*recordBytes
	case score.KindRuns:
		size = wordBytes + runsHead + s.runs*runBytes + s.updates*lowRecord
	case score.KindFree:
		size = runsHead + s.runs*runBytes + s.updates*freeRecord
	}
	c, p := m.dataCost(size), m.prices(s.kind)
	c.gas += p.Group + uint64(s.runs)*p.Run + uint64(s.updates)*p.Update
	return c
}

// signatureCost is added to header and body. Hashing takes 6 gas per 32 bytes.
func (m *Model) signatureCost(s shape) cost {
	c := m.dataCost(signatureBytes)
	c.gas += m.Signature + uint64(s.runs)*m.SignedRun + uint64(m.bodyCost(s).bytes+31)/32*6
	return c
}

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
			continue // never sent
		}
		if h.SameWord {
			body = body[wordBytes:]
		}
		count(body)
	}
	return n
}
