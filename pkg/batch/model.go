package batch

import "github.com/scorelay/scorelay/pkg/score"

// Model is what the parts of a batch cost. Package registry holds the measured numbers of the contract. All are gas, but
// BaseBytes. What they are for is best seen in a sum: a batch is Base, and its groups. If the first of them is a KindRuns
// group of three updates of two wallets, it costs at worst
//
//	Group + Named + Project                          to read its header
//	+ Runs.Group + 2*Runs.Run + 3*Runs.Update        to apply its body
//	+ Byte*(1+32+20 + 31+2+2*22+3*2)                 for its data: header and body
//	+ 2*Cold                                         to read what the project and its member are, and the first seven actions
//	+ Cold + Runs.Action                             to read the points of its actions, if they share another slot
//	+ 3*Fresh                                        to write a word of ids, and the scores of two wallets
//	+ Skip + 3*Outcome                               for what may happen to it
//
// and the memory for its data. Signed, it is Signature + 2*SignedRun and 64 bytes more, and the hash of its body. A group
// that follows under the same header is without Named and Project, and without their bytes; it pays for slots
// that no group before it has touched.
type Model struct {
	Base     uint64 // what a transaction pays for no group: itself, the relayer's role, the event
	Byte     uint64 // for each byte of the batch's data, as calldata and in the event
	ZeroByte uint64 // how much less than Byte a zero byte costs; a bound does not count on it

	Group     uint64 // for each group, of any kind
	Named     uint64 // if its header names a project or a signer: the member's storage slot is read again
	Project   uint64 // if its header names a project
	Signature uint64 // if it is signed
	SignedRun uint64 // for each run of a signed group

	Word, Runs, Free Prices // what else a group costs, by its kind

	// A slot's first use in a batch costs this on top, later uses do not.
	Cold  uint64 // a slot that is only read: a project's first, a member, eight further actions
	Fresh uint64 // a slot of scores or of used ids, if it was zero
	Used  uint64 // the same, if it was not; a bound counts on it for what is Known

	// What only a bound counts on.
	Skip    uint64 // for an update that is not applied, whose score's slot another update has paid for
	Outcome uint64 // for each update, if any is not applied: the event tells what became of it

	BaseBytes int // of the signed transaction but for the batch's data, with the padding of that

	Known *Known // slots that a bound counts as Used; nil: none
}

// Prices are what groups of one kind cost. A slot costs as much at its first use in the batch, and Cold or Fresh on top.
type Prices struct {
	Group  uint64 // for the group, with the slot of its word unless it is KindFree
	Run    uint64 // for each run, with the slot of its score; 0 of KindWord, which has no runs
	Update uint64 // for each update, with the slot of its score if KindWord, and that of its id if KindFree
	Action uint64 // for each slot of eight actions, but the project's first, that is read after a header has named the project
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

// Gas bounds what the batch costs, for any storage of the contract that has what is Known, and any outcomes of its updates.
func (m *Model) Gas(b Batch) uint64 {
	gas, _ := m.gas(b)
	return gas
}

// gas is Gas, and how many of the batch's slots it takes as Used.
func (m *Model) gas(b Batch) (gas uint64, known int) {
	total, seen := m.measure(b)
	return m.atWorst(total), seen.known
}

// UnitGas bounds what a unit adds to the gas of any batch that Plan makes: as if it were in a group of its own, whose header names all, and
// shared no slot with other units. What a batch costs is at most Base, its memory, and this of each of its units. It allocates nothing.
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
	default: // an unsigned one is Plan's to write, which takes nothing dearer than this
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

// Fresh is what of a batch's slots is used for the first time ever.
type Fresh struct {
	Scores int // slots of a wallet's scores, four score types each
	Words  int // words of ids
}

// StorageSlots counts the slots of scores and of used ids that the batch touches: the most that can be fresh.
func (b Batch) StorageSlots() Fresh {
	seen := newStorageSlots()
	for i := range b.Groups {
		for j := range b.Groups[i].Updates {
			seen.touch(&b.Groups[i].Updates[j])
		}
	}
	return seen.Fresh
}

// Estimate is what the batch costs if all of it applies and so many of its slots are fresh: its Gas without what may be.
func (m *Model) Estimate(b Batch, fresh Fresh) uint64 {
	all := *m
	all.Known = nil // fresh says what is not
	total, seen := all.measure(b)
	gas := total.gas + m.memoryGas(total.bytes-m.BaseBytes)
	gas -= uint64(seen.Scores+seen.Words-fresh.Scores-fresh.Words) * (m.Fresh - m.Used)
	gas -= uint64(zeros(b)) * m.ZeroByte
	updates := b.Len()
	return gas - uint64(updates)*m.Outcome - uint64(updates-seen.Scores)*m.Skip
}

// names tells whether the header names project or signer.
func (h Header) names() bool { return !h.SameProject || !h.SameSigner }

// atWorst is a batch's gas, with memory.
func (m *Model) atWorst(total cost) uint64 {
	data := total.bytes - m.BaseBytes
	return total.gas + m.memoryGas(data+data/2) // with room for outcomes: no update takes less than two bytes of data
}

// memoryGas is what it costs to use so many bytes of memory, which are copied from the call.
func (m *Model) memoryGas(n int) uint64 {
	chunks := uint64(n) / 32
	return 6*chunks + chunks*chunks/512
}

// measure bounds what the batch costs but for memory, and counts its slots.
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

// cost is an amount of gas, at worst, and the bytes of the transaction that are part of the reason.
type cost struct {
	gas   uint64
	bytes int
}

func (c cost) plus(d cost) cost  { return cost{c.gas + d.gas, c.bytes + d.bytes} }
func (c cost) minus(d cost) cost { return cost{c.gas - d.gas, c.bytes - d.bytes} }

func (c cost) less(d cost) bool { return c.gas < d.gas || c.gas == d.gas && c.bytes < d.bytes }

func (m *Model) baseCost() cost { return cost{m.Base, m.BaseBytes} }

// dataCost is what bytes of the batch's data cost.
func (m *Model) dataCost(n int) cost { return cost{uint64(n) * m.Byte, n} }

// headerCost is what a group costs beside its body and its signer's slot.
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

// bodyCost is what a group's body costs, with its word, without its slots.
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

// signatureCost is what it costs that a group is signed. Hashing takes 6 gas for 32 bytes.
func (m *Model) signatureCost(s shape) cost {
	c := m.dataCost(signatureBytes)
	c.gas += m.Signature + uint64(s.runs)*m.SignedRun + uint64(m.bodyCost(s).bytes+31)/32*6
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
