package lane

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Head is how the chain looks from this lane at its newest block: a state, not a change, so that one that is missed is no
// loss. Everything in it was seen; what is missing in it says nothing.
type Head struct {
	Block evidence.Block
	Final evidence.Ref // the newest block beyond the finality rule; zero while there is none
	// Account is the signer's account, as of Account.At, which may be some blocks before Block. It tells where to look, and
	// what can be paid; it ends no slot. Its Balance is nil before it was first read.
	Account evidence.Account
	// FinalAccount is the account in the state of a final block; its Balance is nil unless it was asked for.
	FinalAccount evidence.Account
	Price        evidence.Price // zero before it was first learnt
	// Included are attempts of open slots in blocks of the chain, by hash; Foreign are other transactions of the signer, by
	// nonce.
	Included map[common.Hash]evidence.Included
	Foreign  map[uint64]evidence.Found
	// Gone are settled nonces whose block is not in the chain any more, ascending.
	Gone []uint64
	Now  time.Time
}

// priced tells whether the price of gas is known.
func (h *Head) priced() bool { return h.Price != evidence.Price{} }

// known tells whether the signer's account was read.
func (h *Head) known() bool { return h.Account.Balance != nil }

// Miners move a block's gas limit by up to 1/1024 a block: that much of it is not counted on, for some blocks to come.
func usable(block uint64) uint64 { return block - block/128 }

// MaxGas is the most gas a transaction may ask for where a block may hold so much; limit is the most anywhere.
func MaxGas(block, limit uint64) uint64 {
	if block == 0 {
		return limit
	}
	return min(usable(block), limit)
}

// batchesPerBlock is how many batches fill a block at least. A block is full when what its transactions have left over does
// not hold another one's limit, and a batch's limit is above what it uses: the smaller the batches, the less stays empty. A
// twentieth costs a batch of random ids 1.6 % more gas an update where blocks hold 30 million, half of that at 60.
const batchesPerBlock = 20

// BatchGas is the most gas that a batch should ask for, so that batches fill a block but for a twentieth at most, in whole
// numbers: one just above half of a block would leave almost half of it empty.
func BatchGas(block, limit uint64) uint64 {
	if block == 0 {
		return limit
	}
	return usable(block) / max(batchesPerBlock, (usable(block)+limit-1)/limit)
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
