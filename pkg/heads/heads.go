package heads

import (
	"cmp"
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Chain is the part of chain.Client that the tracker needs. Results have passed the checks of package evidence. After
// an error the answer is unknown. Each call ends at its context's deadline.
type Chain interface {
	// Latest returns the newest block of every responding endpoint, or an error if all fail.
	Latest(ctx context.Context) ([]evidence.Claim, error)
	// Finalized is Latest for the finalized tag; empty if the chain lacks the tag.
	Finalized(ctx context.Context) ([]evidence.Claim, error)
	// Blocks returns the blocks from…to (inclusive, ascending) of one endpoint's chain. An error comes with the
	// blocks read before it.
	Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error)
	// HashAt returns one endpoint's block hash at a height, as claimed.
	HashAt(ctx context.Context, endpoint string, number uint64) (common.Hash, error)
	// Agreed returns how many of an endpoint's ascending blocks are believed, from the first on, and an error if some
	// are left out. evidence.ErrUnconfirmed means that the other endpoints lack a block so far.
	Agreed(ctx context.Context, endpoint string, blocks []evidence.Block) (int, error)
	// Read queries an endpoint that has the block ask.At. The answer may be incomplete; with an error it is empty.
	Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error)
	// Transactions returns all transactions of the blocks, verified against their headers unless Hashes is nil. An
	// error may come with fewer blocks, from the first on.
	Transactions(ctx context.Context, blocks []evidence.Block) ([]evidence.Transactions, error)
	// Find returns blocks that may contain transactions. Absence is inconclusive.
	Find(ctx context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error)
	// Distrust reports that an endpoint contradicts verified data, so it is avoided for a while.
	Distrust(endpoint string, why error)
}

// Config configures a Tracker. Zero values are the defaults.
type Config struct {
	Confirmations uint64        // of a final block, its own included; 0: by the chain's tag
	PollInterval  time.Duration // between reads of the head. Default 500 ms
	CallTimeout   time.Duration // deadline of one call. Default 15 s
	Keep          uint64        // remembered blocks below the head. Default 4096; at least 2·Confirmations
	KeepBytes     int           // memory for blocks down to the final one, beyond the Keep newest. Default 32 MiB
	// Peek reports whether an endpoint shows relevant events in the blocks from…to: a hint while the tracker rests.
	// Leave it nil if only subscribers cause events.
	Peek func(ctx context.Context, from, to uint64) (bool, error)
	Now  func() time.Time // default time.Now
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
