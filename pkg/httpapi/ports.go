package httpapi

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Publisher makes what was accepted durable.
type Publisher interface {
	// PublishEnvelope stores updates as one message, of which signed marks the signed groups, in ascending
	// order: nil means stored and synced, ErrFull not stored, and any other error that it may or may not be: publishing
	// the same under the same msgID again must be safe.
	PublishEnvelope(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed) error
	// PublishProject stores a creation, once per projectId: a *score.TakenError says that another one is there. replaces is
	// the sequence of an earlier creation that was rejected, or 0. ErrFull and other errors as above.
	PublishProject(ctx context.Context, msgID string, p *score.Project, replaces uint64) error
}

// Statuses keeps claims and statuses. It may fail at any time, then soon; nothing accepted depends on it.
type Statuses interface {
	// Claim claims 1 … score.MaxSigned updates for one accept, and answers for each, in order: all that are free are won,
	// or, when one is busy, none is.
	Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error)
	// Release gives up those of the updates that the token has claimed; anything else stays.
	Release(ctx context.Context, refs []score.Ref, token string) error
	// Accepted marks stored updates and creations; tokens are those of the updates' claims, in order. It may come late.
	Accepted(ctx context.Context, refs []score.Ref, tokens []string) error
	// Read answers for each, in order; the zero Status when nothing is known. That, and that an update did not apply, is
	// the truth only when the store is complete: when nothing was lost that has not been restored yet.
	Read(ctx context.Context, refs []score.Ref) (statuses []score.Status, complete bool, err error)
	// RequestRestore asks for a restore: statuses are missing that no process will write any more.
	RequestRestore(ctx context.Context) error
}

// Minter makes updateIds that no other Minter makes. Safe for concurrent use.
type Minter interface {
	// Range makes n ids (1 … 65,536, anything else is an error).
	Range(n int) (score.IDRange, error)
}

// Directory knows the projects that exist on the chain, final.
type Directory interface {
	// Project returns a record that does not change any more.
	Project(id score.ProjectID) (*score.Record, bool)
}

// Keys knows the API keys.
type Keys interface {
	// Authenticate tells whose secret it is and how many requests a second the key may send (0: the default).
	Authenticate(secret string) (id string, rate int, ok bool)
}

// Limiter counts requests.
type Limiter interface {
	// Allow returns 0, or how long the key should wait before its next try.
	Allow(ctx context.Context, key string, perSecond int) (retryAfter time.Duration)
}

// Backlogs knows how much of projects waits to be bound to transactions.
type Backlogs interface {
	// Of is what is known of a project; zero where little waits, or nothing is known.
	Of(project score.ProjectID) score.Backlog
}

// Chain reads the contract.
type Chain interface {
	// ProjectExists looks at the newest block.
	ProjectExists(ctx context.Context, project score.ProjectID) (bool, error)
	// Used tells of each updateId whether it was used up, in order, as of a final block.
	Used(ctx context.Context, project score.ProjectID, updates []score.UpdateID) ([]bool, error)
	// Scores returns the wallet's scores by index of score type, as of the newest block, and that block's number. An
	// index that is missing, or a project the contract does not know (yet), is a score of zero.
	Scores(ctx context.Context, project score.ProjectID, wallet common.Address) (scores []int64, block uint64, err error)
}

// Contracts asks contract wallets (ERC-1271).
type Contracts interface {
	// HasCode tells whether the address is a contract.
	HasCode(ctx context.Context, address common.Address) (bool, error)
	// Call is an eth_call at the newest block; a revert is an empty answer, not an error.
	Call(ctx context.Context, to common.Address, data []byte) ([]byte, error)
}
