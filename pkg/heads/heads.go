package heads

import (
	"cmp"
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Chain asks the chain's endpoints. What it returns has passed the checks of package evidence that need no other
// knowledge; an error means that nothing was learnt. Each call has the deadline of its context at most.
type Chain interface {
	// Latest is the newest block of every endpoint that answers. It returns soon after the first has; an error when none
	// does.
	Latest(ctx context.Context) ([]evidence.Claim, error)
	// Finalized is the same of the tag by which the chain calls blocks final; no claims and no error while the chain has none.
	Finalized(ctx context.Context) ([]evidence.Claim, error)
	// Blocks are the blocks from…to (inclusive, ascending) of one endpoint's chain, in as few exchanges as it allows.
	// With an error come those that were read before it, from `from` on without a gap.
	Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error)
	// HashAt is the hash of one endpoint's block of a height, by its word.
	HashAt(ctx context.Context, endpoint string, number uint64) (common.Hash, error)
	// Agreed is how many of an endpoint's blocks, ascending, from the first on, are believed; an error says why that is not all. Those that
	// are not Checked are what other endpoints say of them, too: evidence.ErrUnconfirmed where these do not have one yet.
	Agreed(ctx context.Context, endpoint string, blocks []evidence.Block) (int, error)
	// Read asks an endpoint that has the block ask.At. The answer may be incomplete; an error means that it is empty.
	Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error)
	// Transactions are all transactions of the blocks, checked against their headers unless Hashes is nil; it may return
	// fewer blocks, from the first on, with an error.
	Transactions(ctx context.Context, blocks []evidence.Block) ([]evidence.Transactions, error)
	// Find asks endpoints in which block transactions are. An answer is a hint, its absence says nothing.
	Find(ctx context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error)
	// Distrust sets an endpoint aside for a while that contradicts what was verified.
	Distrust(endpoint string, why error)
}

// Config of a Tracker. Zero values mean the defaults.
type Config struct {
	Confirmations uint64        // blocks, its own included, after which one is final; 0: by the chain's tag
	PollInterval  time.Duration // how often to look for a head. Default 500 ms
	CallTimeout   time.Duration // of one question to the chain. Default 15 s
	Keep          uint64        // blocks below the head that are always remembered. Default 4096; at least 2·Confirmations
	KeepBytes     int           // of memory for blocks down to the final one, but for the Keep newest, which are kept in any case. Default 32 MiB
	// Peek reports whether an endpoint shows events that the deployment follows in the blocks from…to. It is asked while
	// the tracker rests, and proves nothing. nil: only the subscribers cause events.
	Peek func(ctx context.Context, from, to uint64) (bool, error)
	Now  func() time.Time // the clock; time.Now unless a test has another
}

func (c Config) withDefaults() Config {
	c.PollInterval = cmp.Or(c.PollInterval, 500*time.Millisecond)
	c.CallTimeout = cmp.Or(c.CallTimeout, 15*time.Second)
	c.Keep = max(cmp.Or(c.Keep, 4096), 2*c.Confirmations, 2*firstRead)
	c.KeepBytes = cmp.Or(c.KeepBytes, 32<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}
