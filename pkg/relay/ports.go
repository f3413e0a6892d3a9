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

// Chain is the EVM chain over one or more endpoints, as far as a lane asks it by itself; what happens on it comes from
// package heads. Every call has the deadline of its context at most; an error means that nothing was learnt.
type Chain interface {
	// Send broadcasts raw transactions to all endpoints, in order, and returns one result each. Errors are results.
	Send(ctx context.Context, raw [][]byte) []txpool.Result
	// CallEach runs a message on the state of block at, at every endpoint, and returns what those said that answered: at least
	// one where there is no error.
	CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error)
	// EstimateGas is one endpoint's estimate of the gas that a message takes on the newest state, its bytes included.
	EstimateGas(ctx context.Context, msg evidence.Call) (uint64, error)
	// Logs gives a contract's logs with one of the first topics in the blocks from … to (inclusive) to fn, in order, a range of blocks
	// at a time: through is the last block of the range. An error of fn ends it.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64,
		fn func(through evidence.Block, logs []types.Log) error) error
}

// Statuses tells callers how far their updates and creations are. It may fail or lose everything at any time; nothing
// else depends on it. Calls may repeat and the implementation keeps what is further. What the ledger tells is not told here.
type Statuses interface {
	// Bound: they are in this slot now, journaled (score.Batched), and in no other, unless they are final: applied or duplicates; or rejected, by
	// one of the slot's transactions, txs, or in a block after final, the newest final one when the slot was bound.
	Bound(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref, final uint64, txs []common.Hash) error
	// Slot: the slot's transaction tx came to a stage: Submitted (block is 0) or Included in block. Included may be
	// followed by Submitted (a reorg) and by another tx (a replacement). What a session of a later epoch of the lane said stays.
	Slot(ctx context.Context, id score.Lane, epoch, nonce uint64, stage score.Stage, tx common.Hash, block uint64) error
	// Released: they are in no slot any more (theirs was lost or reverted) and back at score.Accepted.
	Released(ctx context.Context, id score.Lane, nonce uint64, refs []score.Ref) error
	// Final: outcomes[i] is what became of the edit refs[i].
	Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error
	// Reopened: the slot's transaction tx was final, and the chain lost its block: what Final said of edits in tx is taken
	// back, they are in this slot again (score.Batched).
	Reopened(ctx context.Context, id score.Lane, nonce uint64, tx common.Hash, refs []score.Ref) error
	// Generation names what the store holds: another one lost what it was told.
	Generation(ctx context.Context) (string, error)
}

// Journal is the append-only record of each lane. Append is a compare-and-set: it stores e only if last is still the
// lane's last sequence. lane.ErrFenced: another appended since. lane.ErrAmbiguous: e may or may not be stored.
type Journal interface {
	// Load gives all entries retained to fold, oldest first, and returns the last sequence (0 when empty). It ends when no
	// entry comes for a while, however long it takes as a whole: ctx needs no deadline.
	Load(ctx context.Context, id score.Lane, fold func(lane.Entry)) (last uint64, err error)
	// State is what the entries lead to, and the last sequence. lane.ErrCorrupt: they contradict each other.
	State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error)
	Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (seq uint64, err error)
	// Last is the sequence of the lane's last entry; 0 when there is none.
	Last(ctx context.Context, id score.Lane) (uint64, error)
	// Purge removes the lane's entries with sequences below; it may repeat.
	Purge(ctx context.Context, id score.Lane, below uint64) error
}

// Backlogs tells how much of projects waits, to those who accept updates, and to the next session. It may fail at any time.
type Backlogs interface {
	// Tell says what waits in a lane now, in place of what was said of it before.
	Tell(ctx context.Context, id score.Lane, projects map[score.ProjectID]score.Backlog) error
	// Told is what was said last of each project, however long ago. It is advice.
	Told(ctx context.Context) (map[score.ProjectID]score.Backlog, error)
}

// Roster tells which lanes there are and which lane shall own each bucket.
type Roster interface {
	// Current is the newest roster known, and a channel that is closed when there is a newer one.
	Current() (roster.Roster, <-chan struct{})
	// Gone ends the life of a lane that leaves or was cut, and whose journal says that nothing is left. It may repeat.
	Gone(ctx context.Context, id score.Lane) error
	// Wake has a lane that is gone driven again, as one that was cut: another lane gave it something while it went. It may repeat.
	Wake(ctx context.Context, id score.Lane) error
}

// Board carries notices between lanes. It is a messenger: what it loses, or shows late or again, delays handovers and does nothing else,
// since journals say what is so.
type Board interface {
	// Post replaces what lane from tells lane to. After an error it may or may not have.
	Post(ctx context.Context, from, to score.Lane, n lane.Notice) error
	// Posted is what lane from tells lane to, as far as is known here.
	Posted(from, to score.Lane) lane.Notice
	// Changed is closed when another notice is known here.
	Changed() <-chan struct{}
}

// Leases decides who tries to drive a lane (the journal decides who can). Run shares the lanes evenly with the other replicas
// and calls drive in a goroutine of its own for each lane held; drive's context ends when the lease is lost, handed over, or
// ctx ends. lanes tells, whenever it is called, which lanes shall be driven and which of them this replica can drive. When
// drive returns, the lease is given up. Run returns when all drives have.
type Leases interface {
	Run(ctx context.Context, lanes func() (driven, able []score.Lane), drive func(ctx context.Context, id score.Lane)) error
}

// Halt stops what may be wrong while NATS holds less than it did, until an operator decides.
type Halt interface {
	// Halted tells whether nothing new may be bound.
	Halted() bool
	// Journaled tells what a lane's journal says of the stream: when it was made, and the highest sequence that it has held.
	Journaled(stream time.Time, seq uint64)
	// Unjournaled tells of a lane that halts because of transactions that its journal does not know.
	Unjournaled(id score.Lane)
}

// Signer signs with one key.
type Signer interface {
	Address() common.Address
	// Sign returns tx signed for the chain id given to the signer.
	Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error)
}

// Source is the stream of accepted updates.
type Source interface {
	// Read returns the messages with sequences from that one on, in order, forever.
	Read(ctx context.Context, from uint64) (Reader, error)
	// State tells the stream's identity and extent.
	State(ctx context.Context) (score.StreamState, error)
	// FirstSince is the sequence of the first message stored at or after a time; one past the last if there is none.
	FirstSince(ctx context.Context, at time.Time) (uint64, error)
	// StoredAt is when the message with a sequence was stored.
	StoredAt(ctx context.Context, seq uint64) (time.Time, error)
	// Purge removes all messages with sequences below.
	Purge(ctx context.Context, below uint64) error
	// AddDeadLetters stores dead letters; repeating it changes nothing. nil means that all are stored; after an error some
	// may be.
	AddDeadLetters(ctx context.Context, letters []score.DeadLetter) error
}

// Reader reads the stream. What it returns is shared: it may not be changed.
type Reader interface {
	// Next blocks for the next message. An error ends the reader: open another from what the journal says. score.ErrNewer: only a newer
	// version of this program reads the message.
	Next(ctx context.Context) (score.Message, error)
	Close()
}
