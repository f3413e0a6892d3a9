package relay

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Chain is the EVM chain over one or more endpoints. Every call ends with its context at the latest. An error means
// that nothing was learned.
type Chain interface {
	// Send broadcasts raw transactions to all endpoints, in order, and returns one result each.
	Send(ctx context.Context, raw [][]byte) []txpool.Result
	// CallEach runs a message on the state of block at, at every endpoint. It returns at least one answer, or an
	// error.
	CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error)
	// EstimateGas returns one endpoint's estimate of a message's gas on the newest state, including its bytes.
	EstimateGas(ctx context.Context, msg evidence.Call) (uint64, error)
	// Logs passes the contract's logs with one of topics as first topic to fn, in order. It reads the blocks from …
	// to (inclusive) in ranges; through is a range's last block. An error of fn ends it.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64,
		fn func(through evidence.Block, logs []types.Log) error) error
}

// Statuses publishes the progress of updates, creations and edits, except facts of the ledger. It may fail or lose
// everything at any time, since nothing depends on it. Calls may repeat, and the furthest progress is kept.
type Statuses interface {
	// Bound reports that refs are journaled in this slot (score.Batched) and in no other. Final ones stay final:
	// applied, duplicate, or rejected by one of txs (those of this slot and of slots close behind it). A rejection in
	// a block after final, the newest final one when the slot was journaled, stays, too.
	Bound(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error
	// Slot reports that the slot's transaction tx is Submitted (block is 0) or Included. After Included, Submitted
	// may follow (a reorg), or another tx (a replacement). Reports of a later epoch stay.
	Slot(ctx context.Context, id score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error
	// Released reports that refs lost their slot, and are back at score.Accepted.
	Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error
	// Final reports outcomes[i] as the outcome of the edit refs[i].
	Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error
	// Reopened reports that the chain lost the block of the slot's final transaction tx. Final reports of edits in tx
	// are undone, and refs are in this slot again (score.Batched).
	Reopened(ctx context.Context, id score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error
	// Generation identifies the store's content. If it changed, the store lacks earlier reports.
	Generation(ctx context.Context) (string, error)
}

// Journal is the append-only record of each lane. Append stores e only if last is still the lane's last sequence. Its
// error is lane.ErrFenced if another entry was appended since, lane.ErrAmbiguous if e may be stored.
type Journal interface {
	// Load passes all retained entries to fold, oldest first, and returns the last sequence (0 if empty). It may take
	// long, but fails if entries stop coming, so ctx needs no deadline.
	Load(ctx context.Context, id score.Lane, fold func(lane.Entry)) (last uint64, err error)
	// State returns the fold of the entries, or lane.ErrCorrupt, and the last sequence.
	State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error)
	Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (seq uint64, err error)
	// Last returns the last sequence; 0 for none.
	Last(ctx context.Context, id score.Lane) (uint64, error)
	// Purge may repeat.
	Purge(ctx context.Context, id score.Lane, below uint64) error
}

// Backlogs publishes projects' backlogs to processes that accept updates, and to the next session. It may fail at any
// time.
type Backlogs interface {
	// Tell replaces the published backlogs of a lane.
	Tell(ctx context.Context, id score.Lane, projects map[score.ProjectID]score.Backlog) error
	// Told returns the last published backlogs, however old.
	Told(ctx context.Context) (map[score.ProjectID]score.Backlog, error)
}

// Roster is the desired assignment: the lanes, and the lane that should own each bucket.
type Roster interface {
	// Current returns the newest roster known, and a channel that is closed when there is a newer one.
	Current() (roster.Roster, <-chan struct{})
	// Gone records that a leaving or cut lane with an empty state is gone. It may repeat.
	Gone(ctx context.Context, id score.Lane) error
	// Wake makes a gone lane that has something left driven again, as a cut one. It may repeat.
	Wake(ctx context.Context, id score.Lane) error
}

// Board carries notices between lanes. A lost, late or repeated notice only delays handoffs, which follow from
// journals.
type Board interface {
	// Post replaces a notice. After an error the new one may be stored.
	Post(ctx context.Context, from, to score.Lane, n lane.Notice) error
	Posted(from, to score.Lane) lane.Notice
	// Changed returns a channel that is closed when a notice changes.
	Changed() <-chan struct{}
}

// Leases decides which process tries to drive a lane; the journal decides which one can. Run shares the lanes evenly
// with the other replicas, and calls drive in a goroutine for each held lane. drive's context ends when the lease is
// lost or handed over, or ctx ends. When drive returns, the lease is given up. Run returns when all drives have
// returned. lanes returns, at any time, the lanes to be driven and those that this replica can drive.
type Leases interface {
	Run(ctx context.Context, lanes func() (driven, able []score.Lane), drive func(ctx context.Context, id score.Lane)) error
}

// Halt stops assigning and accepting while NATS holds less than before, until an operator decides.
type Halt interface {
	Halted() bool
	// Journaled reports the stream's creation time and its highest sequence in a lane's journal.
	Journaled(stream time.Time, seq uint64)
	// Unjournaled reports a lane that halts because its journal lacks transactions of its signer.
	Unjournaled(id score.Lane)
}

type Signer interface {
	Address() common.Address
	// Sign signs tx for the signer's chain id.
	Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error)
}

// Source is the stream of accepted updates.
type Source interface {
	// Read returns the messages from a sequence on, in order, forever.
	Read(ctx context.Context, from uint64) (Reader, error)
	State(ctx context.Context) (score.StreamState, error)
	// FirstSince returns the sequence of the first message stored at or after a time; one past the last if none.
	FirstSince(ctx context.Context, at time.Time) (uint64, error)
	StoredAt(ctx context.Context, seq uint64) (time.Time, error)
	Purge(ctx context.Context, below uint64) error
	// AddDeadLetters stores dead letters, idempotently. After an error some may be stored.
	AddDeadLetters(ctx context.Context, letters []score.DeadLetter) error
}

// Reader reads the stream. Its messages are shared and read-only.
type Reader interface {
	// Next blocks until the next message. An error ends the reader; open another at the journal's position. It is
	// score.ErrNewer if the message requires a newer version of this program.
	Next(ctx context.Context) (score.Message, error)
	Close()
}
