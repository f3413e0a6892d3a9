package registry

import (
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// GasRules are what chains of one fork charge for the contract's transactions, at worst. They do not include the data fee that
// an L2 charges for its L1.
type GasRules struct {
	Name  string      // of the fork
	Batch batch.Model // of batches

	// MaxGas is the most gas that a transaction may ask for, of a block of any size.
	MaxGas uint64
	// AccessLists tells whether blocks name their access lists in their headers, which none of an earlier fork does.
	AccessLists bool

	slot uint64 // gas of a fresh storage slot that was not read before
	base uint64 // what a transaction pays before it does anything, but for its data

	perByte uint64 // gas of each byte of a transaction beyond what the fork charges, see Surcharged
}

// Gas of a storage slot that is read and then written: as long as it is fresh, or not.
const (
	osakaFresh = 22_100 // EIP-2929: 2,100 for the read of a cold slot, 20,000 for the write
	osakaBase  = 21_000

	// A fresh slot costs 97,920 gas for its 64 bytes of state (EIP-8037), and the first write of any slot 10,000 and 100 for access,
	// where it cost 2,900 (EIP-8038). A transaction costs 12,000, its recipient 3,000 (EIP-2780).
	amsterdamFresh = 2_100 + 100 + 10_000 + 97_920
	amsterdamBase  = 12_000 + 3_000
	amsterdamWrite = 100 + 10_000 - 2_900 // more, for the write of a slot that is not fresh
)

// MaxExecution is the most gas that a transaction may use for all but new state (EIP-7825, EIP-8037). Today that is all of its gas.
const MaxExecution = 1 << 24

// Osaka is what Ethereum charges today, measured on geth's EVM and rounded up; TestModelBoundsGas holds it against random batches. It
// charges calldata no less than earlier forks.
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
			Used:  4_816, // 17,100 less, as the EVM has it

			Skip:    1_500,
			Outcome: 9,

			BaseBytes: 512,
		},
		MaxGas: MaxExecution,
		slot:   osakaFresh, base: osakaBase,
	}
}

// Amsterdam is what Ethereum has announced for its next fork, as far as geth has it: Osaka's model with other prices of slots and of the
// transaction itself. The tests of Osaka hold it against geth, too.
func Amsterdam() GasRules {
	r := Osaka()
	r.Name, r.AccessLists = "amsterdam", true // EIP-7928
	r.MaxGas = 1<<32 - 1                      // EIP-8037 keeps the cap of EIP-7825 for what is not state
	r.Batch.Base -= osakaBase - amsterdamBase
	r.Batch.Fresh += amsterdamFresh - osakaFresh
	r.Batch.Used += amsterdamWrite
	r.slot, r.base = amsterdamFresh, amsterdamBase
	return r
}

// AllGasRules are those a chain may have, the cheapest first.
func AllGasRules() []GasRules { return []GasRules{Osaka(), Amsterdam()} }

// GasModel is what batches cost today; see Osaka.
func GasModel() batch.Model { return Osaka().Batch }

// DeployGas bounds the gas of the transaction that deploys the contract with up to 100 relayers, under Osaka.
const DeployGas = 8_000_000

const (
	EnvelopeBytes = 130           // of a transaction beside its calldata, at most
	batchABIBytes = 4 + 2*32 + 31 // of an applyBatch beside the batch's data, at most
)

// Surcharged are the rules of a chain that asks for more gas for each byte of a transaction, as rollups do that pay for it
// elsewhere.
func (r GasRules) Surcharged(perByte uint64) GasRules {
	r.perByte = perByte
	r.Batch.Base += perByte * (EnvelopeBytes + batchABIBytes)
	r.Batch.Byte += perByte
	return r
}

// Transfer is the gas of a transaction that does nothing, with no data.
func (r GasRules) Transfer() uint64 { return osakaBase + r.perByte*EnvelopeBytes }

// IntrinsicGas is the gas of a transaction with such data before it does anything, without EIP-7623.
func IntrinsicGas(data []byte) uint64 { return osakaBase + calldataGas(data) }

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

// Unit bounds what an update or a signed group adds to the gas of any batch: what of a batch's gas is its own.
func (r GasRules) Unit(u score.Unit) uint64 { return r.Batch.UnitGas(u) }

// NewSlot is what the first update that uses a storage slot pays more than a later one.
func (r GasRules) NewSlot() uint64 { return r.Batch.Fresh - r.Batch.Used }

func (r GasRules) surcharge(data []byte) uint64 { return r.perByte * uint64(EnvelopeBytes+len(data)) }

// CreateProject bounds the gas of the project's creation. Under Osaka the largest project that the bounds of package score allow
// stays below MaxGas; under Amsterdam it takes 45 million.
func (r GasRules) CreateProject(p *score.Project) uint64 {
	data := EncodeCreateProject(p)
	// Each on top of its fresh slot, but perByte.
	const (
		rest      = 9_900 // role, event
		perAction = 2_400 // hashing its name
		perType   = 1_250
		perMember = 850
		perByte   = 9 // of the event, which is about as long as the calldata
	)
	actions, scoreTypes, members := uint64(len(p.Actions)), uint64(len(p.ScoreTypes)), uint64(len(p.Owners)+len(p.Updaters))
	slots := 1 + actions + (actions/8 + 1) + scoreTypes + members // of eight actions, or of the counts and seven, one each
	return r.base + rest + r.surcharge(data) + calldataGas(data) + perByte*uint64(len(data)) + r.slot*slots + perAction*actions + perType*scoreTypes +
		perMember*members
}
