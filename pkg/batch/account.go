package batch

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// costAccount bounds the cost of a growing batch, for all groups that Plan may make. It counts the unsigned updates
// of an owner's word as one KindWord group, which Plan replaces only with a cheaper layout. So only slots must be
// counted exactly. The excess is at most a few hundred gas for each further update of a wallet.
type costAccount struct {
	model  *Model
	total  cost   // except memory; as if headers name each project and owner once
	action uint64 // gas of reading a slot of actions, at most
	slots  *storageSlots
}

func newCostAccount(m *Model) *costAccount {
	return &costAccount{
		model: m, total: m.baseCost(), action: max(m.Word.Action, m.Runs.Action, m.Free.Action), slots: newStorageSlots(),
	}
}

type ownerWord struct {
	signer      common.Address
	updates     int
	first, last byte // range of the ids' last bytes
}

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

// add requires ids that are new to the batch.
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

// wordCost returns the gas of a KindWord group, and the bytes of the longest layout, which may cost less gas.
func (a *costAccount) wordCost(o *ownerWord) cost {
	mask := maskLength(o.first, o.last)
	c := a.model.groupCost(shape{kind: score.KindWord, updates: o.updates, mask: mask})
	// The longest layout is split, with every update in a run of one.
	c.bytes = 2*(kindBytes+runsHead) + wordBytes + maskHead + mask + o.updates*(runBytes+lowRecord)
	if o.updates <= maxSmall {
		c.bytes = max(c.bytes, kindBytes+runsHead+o.updates*(runBytes+freeRecord))
	}
	return c
}
