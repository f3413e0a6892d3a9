package registry

import (
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// GasRules bound the gas of the contract's transactions under one fork. They exclude an L2's data fee for its L1.
type GasRules struct {
	Name  string
	Batch batch.Model

	// MaxGas is the highest gas limit of a transaction, independent of the block's limit.
	MaxGas uint64
	// AccessLists means that block headers commit to an access list.
	AccessLists bool

	slot uint64 // gas of a fresh, cold storage slot
	base uint64 // gas of an empty transaction, its data excluded

	perByte uint64 // see Surcharged
}

// Gas of a storage slot's read and write, and of a transaction.
const (
	osakaFresh = 22_100 // EIP-2929: 2,100 for the read of a cold slot, 20,000 for the write
	osakaBase  = 21_000

	// A fresh slot costs 97,920 gas for its 64 bytes of state (EIP-8037). The first write of any slot costs 10,000
	// and 100 for access, instead of 2,900 (EIP-8038). A transaction costs 12,000, its recipient 3,000 (EIP-2780).
	amsterdamFresh = 2_100 + 100 + 10_000 + 97_920
	amsterdamBase  = 12_000 + 3_000
	amsterdamWrite = 100 + 10_000 - 2_900 // added to the write of a used slot
)

// MaxExecution is the most gas that a transaction may use (EIP-7825), new state excepted from Amsterdam on
// (EIP-8037).
const MaxExecution = 1 << 24

// Osaka returns Ethereum's current rules, measured on geth's EVM and rounded up; TestModelBoundsGas checks them with
// random batches. Earlier forks charge no more for calldata.
func Osaka() GasRules {
	return GasRules{
		Name: "osaka",
		Batch: batch.Model{
			Base:     28_200,
			Byte:     24,
			ZeroByte: 12,

			Group:     1_030,
			Named:     390,
			Project:   340,
			Signature: 4_450,
			SignedRun: 104,

			Word: batch.Prices{Group: 580, Update: 530, Action: 715},
			Runs: batch.Prices{Group: 580, Run: 450, Update: 221, Action: 770},
			Free: batch.Prices{Group: 115, Run: 373, Update: 541, Action: 1_160},

			Cold:  2_000,
			Fresh: 21_916,
			Used:  4_816, // 17,100 less than Fresh, as in the EVM

			Skip:    1_500,
			Outcome: 9,

			BaseBytes: 512,
		},
		MaxGas: MaxExecution,
		slot:   osakaFresh, base: osakaBase,
	}
}

// Amsterdam returns the rules of Ethereum's next fork as geth implements them: Osaka's model with other prices of
// slots and transactions. Osaka's tests check it against geth, too.
func Amsterdam() GasRules {
	r := Osaka()
	r.Name, r.AccessLists = "amsterdam", true // EIP-7928
	r.MaxGas = 1<<32 - 1                      // EIP-8037 keeps the cap of EIP-7825 except for state
	r.Batch.Base -= osakaBase - amsterdamBase
	r.Batch.Fresh += amsterdamFresh - osakaFresh
	r.Batch.Used += amsterdamWrite
	r.slot, r.base = amsterdamFresh, amsterdamBase
	return r
}

func AllGasRules() []GasRules { return []GasRules{Osaka(), Amsterdam()} }

// DeployGas bounds the gas of deploying the contract with up to 100 relayers under Osaka.
const DeployGas = 8_000_000

const (
	EnvelopeBytes = 130           // of a transaction except its calldata, at most
	batchABIBytes = 4 + 2*32 + 31 // of an applyBatch call except the batch's data, at most
)

// Surcharged returns the rules of a chain that charges more gas for each byte of a transaction, as some rollups do.
func (r GasRules) Surcharged(perByte uint64) GasRules {
	r.perByte = perByte
	r.Batch.Base += perByte * (EnvelopeBytes + batchABIBytes)
	r.Batch.Byte += perByte
	return r
}

func (r GasRules) Transfer() uint64 { return osakaBase + r.perByte*EnvelopeBytes }

// IntrinsicGas returns the gas that a transaction with such data uses before execution, EIP-7623 left out.
func IntrinsicGas(data []byte) uint64 { return osakaBase + calldataGas(data) }

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

// Unit bounds the gas that an update or a signed group adds to any batch.
func (r GasRules) Unit(u score.Unit) uint64 { return r.Batch.UnitGas(u) }

// NewSlot returns the gas that the first write of a storage slot costs beyond later ones.
func (r GasRules) NewSlot() uint64 { return r.Batch.Fresh - r.Batch.Used }

func (r GasRules) surcharge(data []byte) uint64 { return r.perByte * uint64(EnvelopeBytes+len(data)) }

// CreateProject bounds the gas of the project's creation. Under Osaka the largest project that package score allows
// stays below MaxGas; under Amsterdam it takes 45 million.
func (r GasRules) CreateProject(p *score.Project) uint64 {
	data := EncodeCreateProject(p)
	// Gas beyond that of fresh slots.
	const (
		rest      = 9_900 // role, event
		perAction = 2_400 // hashing its name
		perType   = 1_250
		perMember = 850
		perByte   = 9 // per byte of calldata; the event is about as long
	)
	actions, scoreTypes, members := uint64(len(p.Actions)), uint64(len(p.ScoreTypes)), uint64(len(p.Owners)+len(p.Updaters))
	// A slot holds the points of eight actions; the first, those of seven and the counts.
	slots := 1 + actions + (actions/8 + 1) + scoreTypes + members
	return r.base + rest + r.surcharge(data) + calldataGas(data) + perByte*uint64(len(data)) + r.slot*slots + perAction*actions + perType*scoreTypes +
		perMember*members
}
