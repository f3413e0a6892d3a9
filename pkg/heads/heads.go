package heads

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Chain asks the chain's endpoints. Whatever it returns has passed the checks of package evidence that need no other
// knowledge; an error means that nothing was learnt. Each call has the deadline of its context at most.
type Chain interface {
	// Latest is the newest block of every endpoint that answers. It returns soon after the first has; an error when none
	// does.
	Latest(ctx context.Context) ([]evidence.Claim, error)
	// Finalized is the same of the "finalized" tag; no claims and no error while the chain has none.
	Finalized(ctx context.Context) ([]evidence.Claim, error)
	// Blocks are the blocks from…to (inclusive, ascending) of one endpoint's chain, in as few exchanges as it allows.
	// With an error come those that were read before it, from `from` on without a gap.
	Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error)
	// Read asks an endpoint that has the block ask.At. The answer may be incomplete; an error means that it is empty.
	Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error)
	// Transactions are all transactions of the blocks, checked against their headers; it may return fewer blocks, from
	// the first on, with an error.
	Transactions(ctx context.Context, blocks []evidence.Block) ([]types.Transactions, error)
	// Find asks endpoints in which block transactions are. An answer is a hint, its absence says nothing.
	Find(ctx context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error)
	// Distrust sets an endpoint aside for a while that contradicts what was verified.
	Distrust(endpoint string, why error)
	// Wake fires when an endpoint announces a head; nil where none does.
	Wake() <-chan struct{}
}

// Config of a Tracker. Zero values mean the defaults.
type Config struct {
	Confirmations uint64           // blocks, its own included, after which one is final; 0: the finalized tag
	PollInterval  time.Duration    // how often to look for a head. Default 500 ms
	CallTimeout   time.Duration    // of one question to the chain. Default 15 s
	Keep          uint64           // how many blocks below the head are remembered. Default 4096; at least 2·Confirmations
	Now           func() time.Time // the clock; time.Now unless a test has another
}

// Update is what a subscriber is told: how the chain looks at Head, as far as this process has seen it. It describes a state,
// not a change: one that is missed is no loss.
type Update struct {
	Head  evidence.Block
	Final evidence.Ref // zero while nothing is final
	// Account of the signer, as of Account.At, which may be some blocks before Head; zero before it was first read.
	Account evidence.Account
	// FinalAccount is the account in the state of a final block (At), as last read for Subscription.NeedFinal; zero before,
	// and after final blocks were replaced.
	FinalAccount evidence.Account
	Price        evidence.Price // zero before it was first learnt
	// Included are the watched transactions that are in blocks of the chain.
	Included map[common.Hash]evidence.Included
	// Foreign are transactions of the signer in blocks of the chain, by nonce, that are not watched. They are looked for
	// where Account.Nonce shows that a nonce was used and none of its watched transactions is seen.
	Foreign map[uint64]evidence.Found
	// Gone are the nonces given to Subscription.Settled whose block is not in the chain any more, ascending.
	Gone []uint64
	Now  time.Time // when an endpoint last showed that the head is as new as it gets
}

func (c Config) withDefaults() Config {
	if c.PollInterval <= 0 {
		c.PollInterval = 500 * time.Millisecond
	}
	if c.CallTimeout <= 0 {
		c.CallTimeout = 15 * time.Second
	}
	if c.Keep == 0 {
		c.Keep = 4096
	}
	c.Keep = max(c.Keep, 2*c.Confirmations, 2*firstRead)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
