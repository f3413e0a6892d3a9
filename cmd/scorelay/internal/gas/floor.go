package gas

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// The prices of Osaka that no contract of this design gets around.
const (
	coldRead    = params.ColdSloadCostEIP2929
	freshSlot   = params.ColdSloadCostEIP2929 + params.SstoreSetGasEIP2200
	changedSlot = params.SstoreResetGasEIP2200 // its cold read included
	slotKey     = params.Keccak256Gas + 2*params.Keccak256WordGas
	event       = params.LogGas + params.LogTopicGas
	byteEvent   = params.LogDataGas
	byteZero    = params.TxDataZeroGas
	byteOther   = params.TxDataNonZeroGasEIP2028
	recover     = params.EcrecoverGas
)

// used knows which slots of the contract hold something.
type used struct {
	words  map[projectWord]bool
	scores map[scoreSlot]bool
}

type projectWord struct {
	project score.ProjectID
	word    score.Word
}

// scoreSlot is a slot of four scores.
type scoreSlot struct {
	project score.ProjectID
	wallet  common.Address
	four    uint8
}

func newUsed() used { return used{map[projectWord]bool{}, map[scoreSlot]bool{}} }

// least is the least gas that the batch can cost with projects, members, ids and scores kept as they are, and marks its
// slots as used: the transaction, an event, a read of the relayer, of each signer and of each slot of actions, a write of
// each word and each slot of scores, and the bytes that say what is not known yet: one id of each word, target and type
// once for a group's updates that share them, and actions. Headers, masks and lengths are left out. fresh counts the slots that were not used before.
func (s used) least(b batch.Batch) (gas uint64, fresh batch.Fresh) {
	t := tally{used: s, seen: map[any]bool{}, gas: params.TxGas + event + coldRead}
	for i := range b.Groups {
		g := &b.Groups[i]
		if g.Signature != nil {
			t.gas += recover
			t.bytes(g.Signature[:])
		}
		runs := map[run]bool{}
		for j := range g.Updates {
			t.update(&g.Updates[j], runs)
		}
	}
	return t.gas, t.fresh
}

// tally adds one batch up.
type tally struct {
	used
	seen  map[any]bool
	gas   uint64
	fresh batch.Fresh
}

// run is what updates of one wallet share in the bytes of a group.
type run struct {
	target    common.Address
	scoreType uint8
}

func (t *tally) update(u *score.Update, runs map[run]bool) {
	type member struct {
		project score.ProjectID
		signer  common.Address
	}
	type actionSlot struct {
		project score.ProjectID
		eight   uint8
	}
	t.once(member{u.Project, u.Signer}, coldRead)
	t.once(actionSlot{u.Project, u.Action / 8}, coldRead)

	word := projectWord{u.Project, u.ID.Word()}
	if !t.seen[word] {
		t.bytes(u.ID[:])
	}
	t.write(word, t.words[word], &t.fresh.Words)
	t.words[word] = true
	slot := scoreSlot{u.Project, u.Target, u.ScoreType / 4}
	t.write(slot, t.scores[slot], &t.fresh.Scores)
	t.scores[slot] = true

	same := run{u.Target, u.ScoreType}
	if !runs[same] {
		runs[same] = true
		t.bytes(u.Target[:])
		t.bytes([]byte{u.ScoreType})
	}
	t.bytes([]byte{u.Action})
}

// once charges the first touch in a transaction.
func (t *tally) once(what any, gas uint64) {
	if !t.seen[what] {
		t.seen[what] = true
		t.gas += gas
	}
}

// write charges for a slot that is read and written, once.
func (t *tally) write(slot any, exists bool, fresh *int) {
	if exists {
		t.once(slot, slotKey+changedSlot)
		return
	}
	*fresh++
	t.once(slot, slotKey+freshSlot)
}

// bytes charges for calldata that is copied to the event.
func (t *tally) bytes(data []byte) {
	for _, b := range data {
		t.gas += byteEvent
		if b == 0 {
			t.gas += byteZero
		} else {
			t.gas += byteOther
		}
	}
}
