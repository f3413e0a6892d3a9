package registry

import (
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// GasModel is what batches cost at worst, measured on geth's EVM under Osaka's rules (which charge calldata no less than
// earlier ones) and rounded up; TestModelBoundsGas holds it against random batches. It does not include the
// data fee that an L2 charges for its L1.
func GasModel() batch.Model {
	return batch.Model{
		Base:     28_200,
		Byte:     24,
		ZeroByte: 12,

		Group:     1_030,
		Named:     390,
		Project:   210,
		Signature: 4_450,
		SignedRun: 104,

		Word: batch.Prices{Group: 580, Update: 530, Action: 715},
		Runs: batch.Prices{Group: 580, Run: 450, Update: 221, Action: 770},
		Free: batch.Prices{Group: 115, Run: 373, Update: 541, Action: 1_160},

		Cold:  2_000,
		Fresh: 21_916,
		Used:  4_800,

		Skip:    1_500,
		Outcome: 9,

		BaseBytes: 512,
	}
}

// DeployGas bounds the gas of the transaction that deploys the contract with up to 100 relayers.
const DeployGas = 8_000_000

// calldataGas is what a transaction pays for its data.
func calldataGas(data []byte) (gas uint64) {
	for _, b := range data {
		if b == 0 {
			gas += 4
		} else {
			gas += 16
		}
	}
	return gas
}

// CreateProjectGas bounds the gas of the project's creation. The largest project the bounds of package score
// allow stays below 16,777,216 (EIP-7825).
func CreateProjectGas(p *score.Project) uint64 {
	data := EncodeCreateProject(p)
	const (
		base      = 53_000 // transaction, role, one slot, event
		perAction = 24_500 // a fresh slot for its name, hashing
		perSlot   = 22_100 // of eight actions, or of the counts and seven
		perType   = 23_350
		perMember = 22_950
		perByte   = 9 // of the event, which is about as long as the calldata
	)
	actions, scoreTypes, members := uint64(len(p.Actions)), uint64(len(p.ScoreTypes)), uint64(len(p.Owners)+len(p.Updaters))
	return base + calldataGas(data) + perByte*uint64(len(data)) + perAction*actions + perSlot*(actions/8+1) + perType*scoreTypes +
		perMember*members
}
