package evidence

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// View is how the chain looks to one signer at its newest block, as far as this process has seen it: a state, not a change,
// so that one that is missed is no loss. Everything in it was seen; what is missing in it says nothing.
type View struct {
	Head  Block
	Final Ref // the newest block beyond the finality rule; zero while nothing is final
	// Account of the signer, as of Account.At, which may be some blocks before Head. It tells where to look, and what can be
	// paid; it ends no slot. Its Balance is nil before it was first read.
	Account Account
	// FinalAccount is the account in the state of a final block, as last read when it was asked for. Its Balance is nil
	// before, and after final blocks were replaced.
	FinalAccount Account
	Price        Price // zero before it was first learnt
	// Included are the watched transactions that are in blocks of the chain.
	Included map[common.Hash]Included
	// Foreign are transactions of the signer in blocks of the chain, by nonce, that are not watched. They are looked for
	// where Account.Nonce shows that a nonce was used and none of its watched transactions is seen.
	Foreign map[uint64]Found
	// Unfound is the lowest nonce that FinalAccount shows used, by a transaction in none of the blocks that can hold it: all of
	// them were read. nil while there is none, or some were not read.
	Unfound *uint64
	// Reorged are settled nonces whose block is not in the chain any more, ascending.
	Reorged []uint64
	Now     time.Time // when an endpoint last showed that the head is as new as it gets
	Old     bool      // the tracker rests, or has not caught up since: the chain was not followed since Now, and nothing may be bound by this
}

// Priced tells whether the price of gas is known.
func (v *View) Priced() bool { return v.Price != Price{} }

// HasAccount tells whether the signer's account was read.
func (v *View) HasAccount() bool { return v.Account.Balance != nil }
