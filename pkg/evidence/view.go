package evidence

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// View is the chain of one signer at its newest block, as this process has seen it. It is a state rather than a
// change, so a missed one is no loss. Everything in it was seen; missing entries prove nothing.
type View struct {
	Head  Block
	Final Ref // the newest block beyond the finality rule; zero: none
	// Account of the signer, as of Account.At, which may be some blocks before Head. It guides searches and
	// spending, and never ends a pending transaction. Its Balance is nil until first read.
	Account Account
	// FinalAccount is the account as of a final block, as last read on request. Its Balance is nil until then, and
	// after final blocks were replaced.
	FinalAccount Account
	Price        Price // zero until first known
	// Included are the watched transactions in blocks of the chain.
	Included map[common.Hash]Included
	// Foreign are unwatched transactions of the signer in blocks of the chain, by nonce. They are searched when
	// Account.Nonce shows a used nonce with none of its watched transactions in sight.
	Foreign map[uint64]Found
	// Unfound is the lowest nonce that FinalAccount shows as used, although the blocks that can hold its
	// transaction were all read and lack it. nil: none, or some were unread.
	Unfound *uint64
	// Reorged are settled nonces with a block that left the chain, ascending.
	Reorged []uint64
	// Now is when an endpoint last confirmed the head as its newest block.
	Now time.Time
	// Old is set while the tracker rests or catches up: the chain was not followed since Now, and must not be the
	// basis of assignments.
	Old bool
}

// Priced reports whether the price of gas is known.
func (v *View) Priced() bool { return v.Price != Price{} }

// HasAccount reports whether the signer's account was read.
func (v *View) HasAccount() bool { return v.Account.Balance != nil }
