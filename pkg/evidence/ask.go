package evidence

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Claim is one endpoint's word for a block: its newest, or the one it calls finalized.
type Claim struct {
	Endpoint string // its name in logs and metrics
	Block    Block
}

// Ask is what is read for one head, in one exchange with one endpoint that has the block At.
type Ask struct {
	At       Block            // accounts and prices are as of this block
	Accounts []common.Address // nonces and balances
	Receipts []Wanted         // may be of blocks before At
	Price    bool             // the market's price of gas
}

// Wanted are receipts of some transactions of a block.
type Wanted struct {
	Block Block
	Txs   []common.Hash // not empty; all in Block.Txs
}

// Answer is what was learnt of an Ask. What is missing in it was not learnt.
type Answer struct {
	Accounts map[common.Address]Account
	Receipts map[common.Hash]*Receipt // by transaction, each checked against its block
	Price    *Price                   // nil when it was not asked for, or not learnt
}

// Price is the market price of gas, in wei per gas, without what this process's own transactions offered.
type Price struct {
	Legacy  bool   // the chain has no base fee: only Gas counts
	Gas     uint64 // legacy gas price
	BaseFee uint64 // of the next block, at most
	Tip     uint64 // what gets a transaction into one of the next blocks; at least 1
	L1Byte  uint64 // wei that a rollup charges at most for each byte of a transaction on L1 (OP Stack); 0 elsewhere
}

// l1Beside is how many bytes more than a transaction has a rollup charges for: it has a least fee, and signs nothing.
const l1Beside = 128

// L1 is the most that a rollup charges for a transaction of so many bytes on the chain below it, wei.
func (p *Price) L1(bytes int) *big.Int {
	fee := new(big.Int).SetUint64(p.L1Byte)
	return fee.Mul(fee, big.NewInt(int64(bytes)+l1Beside))
}

// Found is a transaction of a signer in a block of the chain.
type Found struct {
	Tx    *types.Transaction
	Block Ref
}

// Included is one of the transactions that were watched, in a block of the chain.
type Included struct {
	Tx      common.Hash
	Block   Ref
	Receipt *Receipt // checked
}

// Paid is when a transaction was included, and what it cost.
type Paid struct {
	Time uint64   // of its block, unix seconds
	Gas  uint64   // used
	Fee  *big.Int // wei
}

// Call is a message for eth_call.
type Call struct {
	From common.Address
	To   common.Address
	Gas  uint64
	Data []byte
}

// Called is what one endpoint says that a Call would do.
type Called struct {
	Endpoint string
	Data     []byte       // what the contract returned
	Refusal  *RevertError // nil unless the EVM refused it
}

// RevertError says that the EVM ran a call and refused it: the call is at fault, not the node.
type RevertError struct {
	Data     []byte // revert data; empty when there is none
	OutOfGas bool
	Text     string // the node's words
}

func (e *RevertError) Error() string { return "the contract refused the call: " + e.Text }
