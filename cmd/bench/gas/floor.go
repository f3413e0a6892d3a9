package gas

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// Osaka's prices, in gas, of operations that any contract of this design needs.
const (
	coldRead    = params.ColdSloadCostEIP2929
	slotKey     = params.Keccak256Gas + 2*params.Keccak256WordGas
	freshSlot   = slotKey + params.ColdSloadCostEIP2929 + params.SstoreSetGasEIP2200
	changedSlot = slotKey + params.SstoreResetGasEIP2200 // includes its cold read
	event       = params.LogGas + params.LogTopicGas
	recover     = params.EcrecoverGas
)

// used is the set of the contract's non-empty storage slots, each a wordSlot or scoreSlot.
type used map[any]bool

// Keys of the data that least counts once per transaction: storage slots, and parts of the calldata.
type (
	memberSlot struct {
		project score.ProjectID
		signer  common.Address
	}
	actionSlot struct { // of eight actions
		project score.ProjectID
		eight   uint8
	}
	wordSlot struct {
		project score.ProjectID
		word    score.Word
	}
	scoreSlot struct { // of four scores
		project score.ProjectID
		wallet  common.Address
		four    uint8
	}
	run struct { // updates of a group that share their target and type
		group     int
		target    common.Address
		scoreType uint8
	}
)

// least returns a lower bound of the batch's gas for any code that stores projects, members, ids and scores as this
// contract does. The coldRead in the first sum is for the relayer's role. Calldata of headers, masks and lengths is
// omitted. least marks the batch's slots as used; fresh counts those that were unused before.
func (s used) least(b batch.Batch) (gas uint64, fresh batch.Fresh) {
	gas = params.TxGas + event + coldRead
	seen := map[any]bool{}
	first := func(what any) bool { known := seen[what]; seen[what] = true; return !known }
	read := func(slot any) {
		if first(slot) {
			gas += coldRead
		}
	}
	write := func(slot any, fresh *int) {
		switch {
		case !first(slot):
		case s[slot]:
			gas += changedSlot
		default:
			gas += freshSlot
			s[slot] = true
			*fresh++
		}
	}
	for i, g := range b.Groups {
		if g.Signature != nil {
			gas += recover + said(g.Signature[:]...)
		}
		for _, u := range g.Updates {
			read(memberSlot{u.Project, u.Signer})
			read(actionSlot{u.Project, u.Action / 8})
			word := wordSlot{u.Project, u.ID.Word()}
			if !seen[word] {
				gas += said(u.ID[:]...)
			}
			write(word, &fresh.Words)
			write(scoreSlot{u.Project, u.Target, u.ScoreType / 4}, &fresh.Scores)
			if first(run{i, u.Target, u.ScoreType}) {
				gas += said(append(u.Target[:], u.ScoreType)...)
			}
			gas += said(u.Action)
		}
	}
	return gas, fresh
}

// said returns the gas of calldata that is also copied to the event.
func said(data ...byte) (gas uint64) {
	for _, b := range data {
		gas += params.LogDataGas + params.TxDataNonZeroGasEIP2028
		if b == 0 {
			gas -= params.TxDataNonZeroGasEIP2028 - params.TxDataZeroGas
		}
	}
	return gas
}
