package httpapi

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
)

// Publisher stores accepted work durably.
type Publisher interface {
	Edits
	// PublishEnvelope stores updates as one message; signed marks the signed groups, in ascending order. nil means
	// stored and synced, ErrFull refused. After any other error the message may be stored; publishing it again under
	// the same msgID must be safe.
	PublishEnvelope(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced) error
	// PublishProject stores a creation, once per projectId. A *score.TakenError means that the projectId has another
	// creation. replaces is the sequence of an earlier, rejected creation, or 0. Other errors are as of
	// PublishEnvelope.
	PublishProject(ctx context.Context, msgID string, p *score.Project, replaces uint64, traces ...score.Traced) error
}

// Edits stores accepted edits.
type Edits interface {
	// PublishEdit stores an edit, once per project and nonce, except that it replaces a dead letter. A
	// *score.EditTakenError means that the nonce has another edit. Other errors are as of PublishEnvelope.
	PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error
	// Edit returns the newest stored edit under the ref, and that edit's dead letter; each is nil if missing.
	Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error)
}

// Statuses is the status store. It may fail at any time, but fast; accepted work is safe without it.
type Statuses interface {
	// Claim claims 1 … score.MaxSigned updates for one accept, and returns an answer per update, in order. It claims
	// all free updates, or none if another request's claim on one is unresolved.
	Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error)
	// Release undoes the token's claims; other states stay.
	Release(ctx context.Context, refs []score.Ref, token string) error
	// Accepted reports stored updates and creations, perhaps late; tokens are those of the claims, in order.
	Accepted(ctx context.Context, refs []score.Ref, tokens []string) error
	// Read returns a status per ref, in order, zero if unknown. If complete is unset, lost statuses are not all
	// restored, and only applied outcomes and pending statuses are reliable.
	Read(ctx context.Context, refs []score.Ref) (statuses []score.Status, complete bool, err error)
	// RequestRestore marks the statuses as incomplete, so that they are restored anew: some are missing and have no
	// writer any more.
	RequestRestore(ctx context.Context) error
}

// Events reads final events: see event.Reader.
type Events interface {
	Next(ctx context.Context, project score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error)
	End(ctx context.Context) (event.Cursor, error)
	Holds(ctx context.Context, at event.Cursor) error
}

// Minter generates unique updateIds. Safe for concurrent use.
type Minter interface {
	// Range generates n ids, 1 … 65,536; other n are an error.
	Range(n int) (score.IDRange, error)
}

// Directory knows the projects that are final on the chain.
type Directory interface {
	// Project returns a project's record, which is immutable.
	Project(id score.ProjectID) (*score.Record, bool)
	// After returns up to most records that follow an id, ordered by id; nil starts at the first.
	After(id *score.ProjectID, most int) []*score.Record
}

type Keys interface {
	// Authenticate returns the grant of the secret's key, the same pointer until the key changes; nil if the key is
	// invalid.
	Authenticate(secret string) *score.Grant
	// Age returns the time since the keys were last known to be complete.
	Age() time.Duration
}

// Limiter counts usage by key. One API key may use several limiter keys.
type Limiter interface {
	// Over returns how long a key over its rate must wait on this replica, else 0. It reads only local state.
	Over(key string, q score.Quota) time.Duration
	// Take takes a cost of at most the quota's burst, all or nothing.
	Take(ctx context.Context, key string, q score.Quota, cost score.Cost) score.Left
	// Distinct adds names to the key's set of this UTC day unless the set's estimated size has reached most. It
	// reports whether it added them.
	Distinct(ctx context.Context, key string, most uint64, names [][]byte) (added bool, err error)
	// Return refunds gas and gwei that Take took, on the day of cost.At.
	Return(key string, cost score.Cost)
}

// Gas estimates the worst-case gas of accepted work.
type Gas interface {
	// Unit excludes the gas that all units of a transaction share.
	Unit(u score.Unit) uint64
	CreateProject(p *score.Project) uint64
	Edit(e *score.SignedEdit) uint64
}

// Backlogs knows the projects' backlogs of unassigned updates.
type Backlogs interface {
	// Of returns zero if the backlog is small or unknown.
	Of(project score.ProjectID) score.Backlog
}

// Pause is a pause by an operator: accepted work waits.
type Pause struct {
	Reason  string // for callers; required
	Refuses bool   // refuses new work, too
}

// Chain reads the contract.
type Chain interface {
	// ProjectExists reads the newest block.
	ProjectExists(ctx context.Context, project score.ProjectID) (bool, error)
	// NextEdit returns the nonce of the project's next edit, as of the newest block and of a final one; 0 if the
	// project is missing.
	NextEdit(ctx context.Context, project score.ProjectID) (newest, final uint64, err error)
	// Used reports for each updateId, in order, whether it was used, as of a final block.
	Used(ctx context.Context, project score.ProjectID, updates []score.UpdateID) ([]bool, error)
	// Scores returns the wallet's scores by index of score type, as of the newest block, and that block's number. A
	// missing index or project is a score of zero.
	Scores(ctx context.Context, project score.ProjectID, wallet common.Address) (scores []int64, block uint64, err error)
	// Carrier reads a transaction; it returns nil unless tx is a lane's transaction that contains the update.
	Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (*score.Carrier, error)
	// Extent returns the blocks that History can read.
	Extent(ctx context.Context) (score.Extent, error)
	// History passes executions of a wallet's updates to fn, newest first, one range of blocks at a time; down is the
	// range's first block. It reads the logs of blocks from … to (inclusive), within the extent, until fn returns
	// false. Points, Gas and Fee are omitted.
	History(ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, in score.Extent, fn func(down uint64, newest []score.Execution) bool) error
}

// Standings projects final executions. Each result is as of one block. Errors: *score.RebuildingError while it
// rebuilds, score.ErrNotProjected for a project that it has yet to read, and others while it is unavailable. A board
// is the index of a score type, or score.Total.
type Standings interface {
	// Page starts after the cursor; nil means at the top.
	Page(ctx context.Context, project score.ProjectID, board int, after *score.Cursor, limit int) (score.Page, score.AsOf, error)
	// Around puts the wallet in the middle as far as the board's ends allow; empty if it is absent.
	Around(ctx context.Context, project score.ProjectID, board int, wallet common.Address, limit int) (score.Page, score.AsOf, error)
	// BoardStandings returns a wallet's standings: on the total board, then on the boards of score types 0 … types-1.
	BoardStandings(ctx context.Context, project score.ProjectID, types int, wallet common.Address) ([]score.BoardStanding, score.AsOf, error)
	// Scores returns, for each wallet in order, its scores of score types 0 … types-1; 0 for missing ones.
	Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error)
	// Recent returns the newest executions, newest first. Older ones exist only if it returns score.MaxRecent of
	// them. Blocks after asOf may be incomplete.
	Recent(ctx context.Context, project score.ProjectID) (newest []score.Execution, asOf score.AsOf, err error)
	// Days returns the days from … to (inclusive) with executions, oldest first.
	Days(ctx context.Context, project score.ProjectID, from, to time.Time) ([]score.Day, score.AsOf, error)
	// Applied counts the applied updates of each project, in order, on each day from … to (inclusive).
	Applied(ctx context.Context, projects []score.ProjectID, from, to time.Time) ([][]uint64, score.AsOf, error)
	// Summaries returns a summary per project, in order; nil for a project that it has yet to read.
	Summaries(ctx context.Context, projects []score.ProjectID) ([]*score.Summary, score.AsOf, error)
}

// Contracts calls contract wallets (ERC-1271).
type Contracts interface {
	HasCode(ctx context.Context, address common.Address) (bool, error)
	// Call makes an eth_call at the newest block; a revert returns an empty result and nil.
	Call(ctx context.Context, to common.Address, data []byte) ([]byte, error)
}
