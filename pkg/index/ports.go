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
	Caller
}

// Payments tell what transactions cost.
type Payments interface {
	// Paid tells of each transaction that one of the logs is of when it was included, and what it paid.
	Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error)
}

// Caller runs messages on the state of blocks.
type Caller interface {
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

// viewAt calls views of the contract on the state of a block.
func viewAt(chain Caller, contract common.Address, at common.Hash) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, data []byte) ([]byte, error) {
		return chain.Call(ctx, evidence.Call{To: contract, Data: data}, at)
	}
}

// readEvents hands the contract's events of the blocks from … to (inclusive), each with its log, to fn, in order.
func readEvents(ctx context.Context, chain Chain, contract common.Address, from, to uint64, fn func(registry.Event, *types.Log) error) error {
	if from > to {
		return nil
	}
	return chain.Logs(ctx, contract, registry.Topics(), from, to, func(_ evidence.Block, logs []types.Log) error { return parseEach(logs, fn) })
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

// timeOf is a block's time.
func timeOf(unix uint64) time.Time { return time.Unix(int64(unix), 0).UTC() }

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
