package index

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Chain asks the chain's endpoints. Every call has a deadline of its own; an error means that nothing was learnt, but for
// ethereum.NotFound where it is named.
type Chain interface {
	// Head is the newest block.
	Head(ctx context.Context) (evidence.Block, error)
	// FinalBlock is the newest final block: with so many confirmations, its own included, or by the chain's finalized tag if
	// that is 0; ethereum.NotFound while there is none.
	FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error)
	// BlockByNumber is the canonical block of that height; ethereum.NotFound above the head.
	BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error)
	// Logs hands the contract's logs of the blocks from … to (inclusive) to fn, in order, a range of blocks at a time;
	// through is the last block of the range. topics filters by the first topic. An error of fn ends it.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

// Projects tells which projects there are in final blocks. A directory does.
type Projects interface {
	// Beyond lists the projects whose records are as of a block at or after from.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
}

// Payments tell what transactions cost.
type Payments interface {
	// Paid tells of each transaction that one of the logs is of when it was included, and what it paid.
	Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error)
}

// Standings is the store of the projection: what is read of projects' final executions. It may lose anything at any time.
type Standings interface {
	// Checkpoint is how far the projection is; the zero one where there is none.
	Checkpoint(ctx context.Context) (score.Checkpoint, error)
	// Begin begins the generation after the one of that number, whose rebuild is done at the block target, unless another
	// writer began one: it returns the checkpoint that holds now.
	Begin(ctx context.Context, after, target uint64) (score.Checkpoint, error)
	// Advance moves the checkpoint to a later block; score.ErrProjectionMoved if it is not at from.
	Advance(ctx context.Context, from, to score.Checkpoint) error
	// Create makes a project known, at a mark, unless it is.
	Create(ctx context.Context, generation uint64, project score.ProjectID, at score.Mark) error
	// Marks are how far projects are known, in order; nil for one that is not.
	Marks(ctx context.Context, generation uint64, projects []score.ProjectID) ([]*score.Mark, error)
	// Append adds what a part has after the project's mark. A score.GapError if that is before part.From,
	// score.ErrNotProjected if the project is not known.
	Append(ctx context.Context, generation uint64, part score.Part) error
	// Sweep removes what generations before this one hold.
	Sweep(ctx context.Context, generation uint64) error
	// Process names the store's process; another name than before: it may have lost what was written last. "" where it does not tell.
	Process(ctx context.Context) (string, error)
	// Lead tells whether the holder of that name leads, alone, for so long. It saves work, and is no lock.
	Lead(ctx context.Context, name string, ttl time.Duration) (bool, error)
	// Scores are wallets' scores, in order, each of so many score types. A score.RebuildingError while a rebuild is under way.
	Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error)
}

// viewAt calls views of the contract on the state of a block.
func viewAt(chain Chain, contract common.Address, at common.Hash) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, data []byte) ([]byte, error) {
		return chain.Call(ctx, evidence.Call{To: contract, Data: data}, at)
	}
}

// readEvents hands the contract's events of the blocks from … to (inclusive), each with its log, to fn, in order.
func readEvents(ctx context.Context, chain Chain, contract common.Address, from, to uint64, fn func(registry.Event, *types.Log) error) error {
	return readRanges(ctx, chain, contract, from, to, func(_ evidence.Block, logs []types.Log) error { return parseEach(logs, fn) })
}

// readRanges hands the logs of the contract's events in the blocks from … to (inclusive) to fn as Chain.Logs does.
func readRanges(ctx context.Context, chain Chain, contract common.Address, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error {
	if from > to {
		return nil
	}
	return chain.Logs(ctx, contract, registry.Topics(), from, to, fn)
}

// parseEach hands the events of logs to fn, each with its log.
func parseEach(logs []types.Log, fn func(registry.Event, *types.Log) error) error {
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		if err == nil {
			err = fn(event, &logs[i])
		}
		if err != nil {
			return fmt.Errorf("log %d of block %d: %w", logs[i].Index, logs[i].BlockNumber, err)
		}
	}
	return nil
}

// Heads is the chain of blocks that the process follows: verified link by link, and the same for all its parts.
type Heads interface {
	// Final is the newest final block; ok is false while there is none.
	Final() (b evidence.Block, ok bool)
	// Block is the chain's block of a height, if it is remembered.
	Block(number uint64) (b evidence.Block, ok bool)
	// Changed is closed when the chain's head or its final block change.
	Changed() <-chan struct{}
}

// Blocks reads blocks from the chain's endpoints. What it returns was checked against itself; an error means that nothing
// was learnt.
type Blocks interface {
	// Latest is the newest block of every endpoint that answers: it tells the endpoints' names.
	Latest(ctx context.Context) ([]evidence.Claim, error)
	// Blocks are the blocks from…to (inclusive, ascending) of one endpoint's chain. With an error come those that were
	// read before it.
	Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error)
	// Events are all logs of the contract with one of the first topics in the blocks, in order: that there are no others
	// is proved by the blocks' receipts roots.
	Events(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) ([]types.Log, error)
}

// Directory keeps project records, and the checkpoint that says as of which block they are. Every write
// is made under a revision of the checkpoint and stored only while that is its newest one: else it is evidence.ErrMoved.
type Directory interface {
	// Followed is the checkpoint; revision 0 when there is none.
	Followed(ctx context.Context) (f evidence.Followed, revision uint64, err error)
	// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new one's.
	SetFollowed(ctx context.Context, revision uint64, f evidence.Followed) (uint64, error)
	// Project returns a record and the position (block, log index) of the newest event in it; nil when it is unknown.
	Project(ctx context.Context, id score.ProjectID) (*score.Record, uint64, uint, error)
	// Put stores a record as of a position. score.ErrTooBig: it cannot be stored, and concerns only that project.
	Put(ctx context.Context, revision uint64, rec *score.Record, block uint64, logIndex uint) error
	// Remove forgets a project.
	Remove(ctx context.Context, revision uint64, id score.ProjectID) error
	// Beyond lists the projects whose records are as of a block at or after from.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
}

// StatusStore is the status store, as far as the fold goes. Its writes keep what says more or is newer.
type StatusStore interface {
	// Folded is up to where the ledger is folded into each table, as Fold wrote it, "" where it did not; and whether the store holds all it should.
	Folded(ctx context.Context) (at []string, complete bool, err error)
	// Fold computes facts, in order, and says in the same writes up to where that is; nothing of an empty to. score.ErrFoldMoved: a table's fold is
	// not where from has it.
	Fold(ctx context.Context, from []string, to string, facts []score.Fact) error
	// Process names the store's process: another one may have lost what was written last. "" where it does not tell.
	Process(ctx context.Context) (string, error)
	// BeginRestore gives the token that EndRestore wants, and where the folds are: the token and a space. Of two restores at once the later one counts.
	BeginRestore(ctx context.Context) (token string, at []string, err error)
	RestoreAccepted(ctx context.Context, refs []score.Ref) error
	// EndRestore declares the store complete; score.ErrFoldMoved if data was lost, or another restore began or was requested, since BeginRestore.
	EndRestore(ctx context.Context, token string) error
	// Final and Accepted tell of edits what the ledger does not.
	Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error
	Accepted(ctx context.Context, refs []score.Ref, tokens []string) error
	// Flush loses everything.
	Flush(ctx context.Context) error
	// ForgetOnce forgets what has no outcome, unless the newest loss that was forgotten is that of the token.
	ForgetOnce(ctx context.Context, token string) (did bool, err error)
	// Sweep removes some of what is older than its retention, and keeps the rest from expiring. It is called once a second or so.
	Sweep(ctx context.Context) error
}

// Source is the stream of accepted updates and its dead letters.
type Source interface {
	// ReadAll hands every message that the stream holds now to fn, in order, and returns. An error of fn ends it.
	ReadAll(ctx context.Context, fn func(score.Message) error) error
	// ReadFrom is ReadAll from a sequence on, and FirstSince the sequence of the first message stored at or after a time; one past the last if
	// there is none.
	ReadFrom(ctx context.Context, from uint64, fn func(score.Message) error) error
	FirstSince(ctx context.Context, at time.Time) (uint64, error)
	// DeadLetters hands every dead letter there is now to fn, replayed ones too. An error of fn ends it.
	DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error
}

// Journals tells what the lanes' journals lead to.
type Journals interface {
	// State is the lane's state, and the sequence of its journal's last entry; 0 when there is none.
	State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error)
}

// Lanes tells how many lanes the deployment has had so far, those that are gone too: their journals stay.
type Lanes func(ctx context.Context) (int, error)
