package httpapi

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
)

// Publisher makes what was accepted durable.
type Publisher interface {
	Edits
	// PublishEnvelope stores updates as one message, of which signed marks the signed groups, in ascending
	// order, and traces what is traced: nil means stored and synced, ErrFull not stored, and any other error that it may or may not be: publishing
	// the same under the same msgID again must be safe.
	PublishEnvelope(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced) error
	// PublishProject stores a creation, once per projectId: a *score.TakenError says that another one is there. replaces is
	// the sequence of an earlier creation that was rejected, or 0. ErrFull and other errors as above.
	PublishProject(ctx context.Context, msgID string, p *score.Project, replaces uint64, traces ...score.Traced) error
}

// Edits stores accepted edits.
type Edits interface {
	// PublishEdit stores an edit, once per project and nonce: a *score.EditTakenError says that one is there which is no dead letter.
	// ErrFull and other errors as of PublishEnvelope.
	PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error
	// Edit is the newest accepted edit that is stored under its name, nil if none is, and its dead letter, nil if it has none.
	Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error)
}

// Statuses keeps claims and statuses. It may fail at any time, then soon; nothing accepted depends on it.
type Statuses interface {
	// Claim claims 1 … score.MaxSigned updates for one accept, and answers for each, in order: all that are free are won,
	// or, when one is busy, none is.
	Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error)
	// Release gives up those of the updates that the token has claimed; anything else stays.
	Release(ctx context.Context, refs []score.Ref, token string) error
	// Accepted reports stored updates and creations; tokens are those of the updates' claims, in order. It may come late.
	Accepted(ctx context.Context, refs []score.Ref, tokens []string) error
	// Read answers for each, in order; the zero Status when nothing is known. That, and that an update did not apply, is
	// the truth only when the store is complete: when nothing was lost that has not been restored yet.
	Read(ctx context.Context, refs []score.Ref) (statuses []score.Status, complete bool, err error)
	// RequestRestore asks for a restore: statuses are missing that no process will write any more.
	RequestRestore(ctx context.Context) error
}

// Events reads what became final, as event.Reader does.
type Events interface {
	Next(ctx context.Context, project score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error)
	End(ctx context.Context) (event.Cursor, error)
	Holds(ctx context.Context, at event.Cursor) error
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
	// After are the first records after an id, in the order of ids; nil: from the first on. At most so many.
	After(id *score.ProjectID, most int) []*score.Record
}

// Keys knows the API keys.
type Keys interface {
	// Authenticate returns what the secret's key allows: the same Grant each time until the key changes. nil of no valid key.
	Authenticate(secret string) *score.Grant
	// Age is how long ago all changes of keys were last known.
	Age() time.Duration
}

// Limiter counts what keys use. A key may have several names in it.
type Limiter interface {
	// Over asks no store whether nothing of the key may pass now, and for how long; 0 if it may.
	Over(key string, q score.Quota) time.Duration
	// Take takes a cost of at most the quota's burst, all or nothing.
	Take(ctx context.Context, key string, q score.Quota, cost score.Cost) score.Left
	// Distinct adds names to those of a key on this UTC day, and returns how many different ones there are, about.
	Distinct(ctx context.Context, key string, names [][]byte) (uint64, error)
	// Return gives gas and gwei back that Take took, on the day of cost.At.
	Return(key string, cost score.Cost)
}

// Gas knows what accepted work takes at worst.
type Gas interface {
	// Unit is of an update or a signed group, without the transaction that it shares with others.
	Unit(u score.Unit) uint64
	CreateProject(p *score.Project) uint64
	Edit(e *score.SignedEdit) uint64
}

// Backlogs knows how much of projects waits to be bound to transactions.
type Backlogs interface {
	// Of is what is known of a project; zero where little waits, or nothing is known.
	Of(project score.ProjectID) score.Backlog
}

// Pause is an operator's: what was accepted waits.
type Pause struct {
	Reason  string // for callers; not empty
	Refuses bool   // nothing is accepted either
}

// Chain reads the contract.
type Chain interface {
	// ProjectExists looks at the newest block.
	ProjectExists(ctx context.Context, project score.ProjectID) (bool, error)
	// NextEdit is the nonce of the project's next edit, as of the newest block and as of a final one; 0 of a project that is not there.
	NextEdit(ctx context.Context, project score.ProjectID) (newest, final uint64, err error)
	// Used tells of each updateId whether it was used up, in order, as of a final block.
	Used(ctx context.Context, project score.ProjectID, updates []score.UpdateID) ([]bool, error)
	// Scores returns the wallet's scores by index of score type, as of the newest block, and that block's number. An
	// index that is missing, or a project the contract does not know (yet), is a score of zero.
	Scores(ctx context.Context, project score.ProjectID, wallet common.Address) (scores []int64, block uint64, err error)
	// Carrier reads the lane's transaction that carries an update; nil of one that is none.
	Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (*score.Carrier, error)
	// Extent tells how long the chain is.
	Extent(ctx context.Context) (score.Extent, error)
	// History reads what became of the updates of a wallet from the logs of the blocks from … to (inclusive), which are within the extent, and hands it to
	// fn, the newest first, a range of blocks at a time: down is the range's first. Points, Gas and Fee are left out. It ends when fn is false.
	History(ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, in score.Extent, fn func(down uint64, newest []score.Execution) bool) error
}

// Standings knows the scores that final executions make, and keeps the newest of these. All that it tells is as of one block. Its errors are a
// *score.RebuildingError while it reads what it lost again, score.ErrNotProjected of a project that it has not come to, and others while it cannot be
// asked. A board is the index of a score type, or score.Total.
type Standings interface {
	// Page is what follows the cursor on a board, or its begin if that is nil; at most limit standings.
	Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error)
	// Around has the wallet in its middle, or as near to it as the board's ends allow; it is empty where the wallet is not on the board.
	Around(ctx context.Context, project score.ProjectID, board int, wallet common.Address, limit int) (score.Page, score.AsOf, error)
	// BoardStandings are those of a wallet on the board of the total, and on those of the first score types, in this order.
	BoardStandings(ctx context.Context, project score.ProjectID, types int, wallet common.Address) ([]score.BoardStanding, score.AsOf, error)
	// Scores answers for each wallet, in order, with the scores of the first score types; 0 where it has none.
	Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error)
	// Recent are the newest executions, the newest first; there are older ones only if these are score.MaxRecent. Blocks after AsOf may be in it in part.
	Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error)
	// Days are those from … to (inclusive) with executions, the oldest first.
	Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error)
	// Applied is how many updates of each project, in order, were applied on each day from … to (inclusive).
	Applied(ctx context.Context, projects []score.ProjectID, from, to time.Time) ([][]uint64, score.AsOf, error)
	// Summaries answers for each project, in order; nil of one that it has not come to.
	Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error)
}

// Contracts asks contract wallets (ERC-1271).
type Contracts interface {
	// HasCode tells whether the address is a contract.
	HasCode(ctx context.Context, address common.Address) (bool, error)
	// Call is an eth_call at the newest block; a revert is an empty answer, not an error.
	Call(ctx context.Context, to common.Address, data []byte) ([]byte, error)
}
