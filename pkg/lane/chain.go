package lane

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// Block is what a lane needs of a block's header. Hash is the one the node reports: on some chains hashing the header's
// fields gives another.
type Block struct {
	Number   uint64
	Hash     common.Hash
	Parent   common.Hash
	Time     uint64 // unix seconds
	GasLimit uint64
	BaseFee  *big.Int // wei; nil on a chain without EIP-1559
}

// Account is a signer's account at one block.
type Account struct {
	Nonce   uint64   // transactions executed, including that block's
	Balance *big.Int // wei
}

// Quote is the market price of gas, in wei per gas. With Legacy only Price counts; else BaseFee and Tip.
type Quote struct {
	Legacy  bool
	Price   uint64 // legacy gas price
	BaseFee uint64 // of the next block
	Tip     uint64 // what gets a transaction into one of the next blocks; at least 1
}

// Call is a message for eth_call.
type Call struct {
	From common.Address
	To   common.Address
	Gas  uint64
	Data []byte
}

// RevertError says that the EVM ran a call and refused it: the call is at fault, not the node.
type RevertError struct {
	Data     []byte // revert data; empty when there is none
	OutOfGas bool
	Text     string // the node's words
}

func (e *RevertError) Error() string {
	return fmt.Sprintf("the contract refused the call: %s", e.Text)
}
