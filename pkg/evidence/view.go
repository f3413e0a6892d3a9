package evidence

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// View is the chain at its newest block, for one signer, as this process has seen it. Each View is complete, so a
// reader may miss some. Missing entries are unknown.
type View struct {
	Head  Block
	Final Ref // the newest block beyond the finality rule; zero until known
	// Account is as of Account.At, which may be some blocks before Head. It guides searches and spending, and never
	// ends a pending transaction. Balance is nil until first read.
	Account Account
	// FinalAccount is as of a final block, as last read on request. Balance is nil until then, and after final blocks
	// were replaced.
	FinalAccount Account
	Price        Price // zero until first known
	// Included are watched transactions with a verified receipt in a block of the chain.
	Included map[common.Hash]Included
	// Foreign are unwatched transactions of the signer in blocks of the chain, by nonce. They are searched when
	// Account.Nonce shows a nonce used by an unknown transaction.
	Foreign map[uint64]Found
	// Unfound is the lowest nonce that FinalAccount shows as used, although the blocks that can hold its transaction
	// were all read and lack it. It is nil while some are unread.
	Unfound *uint64
	// Reorged are settled nonces with a block that left the chain, ascending.
	Reorged []uint64
	// Now is when an endpoint last confirmed the head as its newest block.
	Now time.Time
	// Old is set while the tracker rests or catches up: the chain was not followed since Now. Such a View is unfit
	// for assignments.
	Old bool
}

func (v *View) Priced() bool { return v.Price != Price{} }

func (v *View) HasAccount() bool { return v.Account.Balance != nil }
