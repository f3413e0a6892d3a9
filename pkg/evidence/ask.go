package evidence

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Claim is the block that one endpoint claims to be its newest, or to be finalized.
type Claim struct {
	Endpoint string // its name in logs and metrics
	Block    Block
}

// Ask is a request to an endpoint that has the block At.
type Ask struct {
	At       Block // accounts and prices are as of this block
	Accounts []common.Address
	Receipts []Wanted // may be of blocks before At
	Price    bool
}

type Wanted struct {
	Block Block
	Txs   []common.Hash // at least one, all in Block.Txs
}

// Missing entries are unknown.
type Answer struct {
	Accounts map[common.Address]Account
	Receipts map[common.Hash]*Receipt // by transaction, each checked against its block
	Price    *Price                   // nil: unknown or unrequested
}

// Price is the market price of gas, in wei per gas, without the offers of this process.
type Price struct {
	Legacy  bool   // without a base fee: only Gas counts
	Gas     uint64 // legacy gas price
	BaseFee uint64 // of the next block, at most
	// Tip is for inclusion in one of the next blocks; at least 1.
	Tip uint64
	// L1Byte is the most wei that a rollup charges per byte of a transaction on L1 (OP Stack); 0 elsewhere.
	L1Byte uint64
}

// l1Beside is how many bytes more than a transaction's a rollup may charge for: it has a minimum fee, and adds an
// allowance for the signature.
const l1Beside = 128

// L1 returns the most, in wei, that a rollup charges for a transaction of so many bytes.
func (p *Price) L1(bytes int) *big.Int {
	fee := new(big.Int).SetUint64(p.L1Byte)
	return fee.Mul(fee, big.NewInt(int64(bytes)+l1Beside))
}

type Found struct {
	Tx    *types.Transaction
	Block Ref
}

type Included struct {
	Tx      common.Hash
	Block   Ref
	Receipt *Receipt // verified
}

type Paid struct {
	Time uint64   // of its block, unix seconds
	Gas  uint64   // used
	Fee  *big.Int // wei
}

type Call struct {
	From common.Address
	To   common.Address
	Gas  uint64
	Data []byte
}

type Called struct {
	Endpoint string
	Data     []byte
	Refusal  *RevertError // nil unless the EVM reverted the call
}

// RevertError means that the EVM reverted a call, so the call is at fault rather than the node.
type RevertError struct {
	Data     []byte // revert data; may be empty
	OutOfGas bool
	Text     string // the node's message
}

func (e *RevertError) Error() string { return "the contract refused the call: " + e.Text }
