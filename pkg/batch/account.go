package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// costAccount bounds the cost of a growing batch, whatever groups Plan makes of it. It counts unsigned updates in a
// KindWord group of their owner's word. Plan departs from that layout only for a cheaper one, so only slots must be
// counted exactly. The excess is at most a few hundred gas for each update that is not its wallet's first.
type costAccount struct {
	model  *Model
	total  cost   // without memory; headers name a project and an owner once
	action uint64 // gas of reading a slot of actions, at most
	slots  *storageSlots
}

func newCostAccount(m *Model) *costAccount {
	return &costAccount{
		model: m, total: m.baseCost(), action: max(m.Word.Action, m.Runs.Action, m.Free.Action), slots: newStorageSlots(),
	}
}

// ownerWord is an owner's unsigned updates in a word: their number, and the range of their ids' last bytes.
type ownerWord struct {
	signer      common.Address
	updates     int
	first, last byte
}

// holds reports whether any of the ids is in the batch.
func (a *costAccount) holds(updates []score.Update) bool {
	for i := range updates {
		u := &updates[i]
		if p := a.slots.find(u.Project); p != nil {
			if w := p.words[u.ID.Word()]; w != nil && w.has(u.ID.Low()) {
				return true
			}
		}
	}
	return false
}

// add counts a unit. Its ids must be new to the batch.
func (a *costAccount) add(unit score.Unit) {
	first := &unit.Updates[0]
	a.owner(first.Project, first.Signer)
	var word *wordSlot
	for i := range unit.Updates {
		var gas uint64
		gas, word = a.slots.chargeUpdate(a.model, &unit.Updates[i], a.action)
		a.total.gas += gas
	}
	if unit.Signature == nil {
		a.word(word, first)
		return
	}
	s := shapeOf(&Group{Kind: unit.Kind, Updates: unit.Updates})
	a.total = a.total.plus(a.model.groupCost(s)).plus(a.model.signatureCost(s))
}

// owner counts the headers that first name a project and its signer.
func (a *costAccount) owner(project score.ProjectID, signer common.Address) {
	p, isNew := a.slots.project(project)
	if isNew {
		a.total = a.total.plus(a.model.dataCost(projectBytes))
		a.total.gas += a.model.Project + a.model.Cold
	}
	if _, found := p.members[signer]; found {
		return
	}
	p.members[signer] = struct{}{}
	a.total = a.total.plus(a.model.dataCost(signerBytes))
	a.total.gas += a.model.Named + a.model.Cold
}

// word counts an unsigned update of a word.
func (a *costAccount) word(w *wordSlot, u *score.Update) {
	low := u.ID.Low()
	for i := range w.owners {
		if o := &w.owners[i]; o.signer == u.Signer {
			a.total = a.total.minus(a.wordCost(o))
			o.updates++
			o.first, o.last = min(o.first, low), max(o.last, low)
			a.total = a.total.plus(a.wordCost(o))
			return
		}
	}
	w.owners = append(w.owners, ownerWord{u.Signer, 1, low, low})
	a.total = a.total.plus(a.wordCost(&w.owners[len(w.owners)-1]))
}

// wordCost returns the gas of a KindWord group, and the most bytes that Plan may write instead: they may cost less
// gas.
func (a *costAccount) wordCost(o *ownerWord) cost {
	mask := maskLength(o.first, o.last)
	c := a.model.groupCost(shape{kind: score.KindWord, updates: o.updates, mask: mask})
	// Split, with every update in a run of one.
	c.bytes = 2*(kindBytes+runsHead) + wordBytes + maskHead + mask + o.updates*(runBytes+lowRecord)
	if o.updates <= maxSmall {
		c.bytes = max(c.bytes, kindBytes+runsHead+o.updates*(runBytes+freeRecord))
	}
	return c
}
