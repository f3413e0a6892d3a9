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

// Chain queries the chain's endpoints. Each call has its own deadline. After any error except a documented
// ethereum.NotFound, the answer is unknown.
type Chain interface {
	Head(ctx context.Context) (evidence.Block, error)
	// FinalBlock returns the newest block with that many confirmations, its own included, or for 0 the block with the
	// finalized tag. It returns ethereum.NotFound while there is none.
	FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error)
	// BlockByNumber returns the canonical block at a height; ethereum.NotFound above the head.
	BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error)
	// Logs calls fn with the contract's logs in the blocks from … to (inclusive), in order, one range of blocks at a
	// time. through is the range's last block; topics are the wanted first topics. fn's first error ends it.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error
	Caller
}

type Payments interface {
	// Paid returns inclusion time and cost of the logs' transactions.
	Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error)
}

type Caller interface {
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

func viewAt(chain Caller, contract common.Address, at common.Hash) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, data []byte) ([]byte, error) {
		return chain.Call(ctx, evidence.Call{To: contract, Data: data}, at)
	}
}

// readEvents is Chain.Logs with parsed events.
func readEvents(ctx context.Context, chain Chain, contract common.Address, from, to uint64, fn func(registry.Event, *types.Log) error) error {
	if from > to {
		return nil
	}
	return chain.Logs(ctx, contract, registry.Topics(), from, to, func(_ evidence.Block, logs []types.Log) error { return parseEach(logs, fn) })
}

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

func timeOf(unix uint64) time.Time { return time.Unix(int64(unix), 0).UTC() }

// StatusStore is the status store (package status). A write leaves a later stage or a newer fact in place.
type StatusStore interface {
	// Folded returns the place that each table stores, or "". complete reports whether all statuses are there.
	Folded(ctx context.Context) (at []string, complete bool, err error)
	// Fold writes facts in order, and to as each table's place, unless to is empty. It returns score.ErrFoldMoved if
	// a table's place differs from the one in from.
	Fold(ctx context.Context, from []string, to string, facts []score.Fact) error
	// Process is as in Standings.
	Process(ctx context.Context) (string, error)
	// BeginRestore returns the token for EndRestore, and in at the from for Fold. It ends an earlier restore.
	BeginRestore(ctx context.Context) (token string, at []string, err error)
	RestoreAccepted(ctx context.Context, refs []score.Ref) error
	// EndRestore declares the store complete. It returns score.ErrFoldMoved if data was lost since BeginRestore, or
	// another restore began or was requested.
	EndRestore(ctx context.Context, token string) error
	// Final and Accepted write the statuses of edits.
	Final(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error
	Accepted(ctx context.Context, refs []score.Ref, tokens []string) error
	Flush(ctx context.Context) error
	// ForgetOnce deletes the statuses of unfinished work, unless its last run had the same token, which names a loss.
	ForgetOnce(ctx context.Context, token string) (did bool, err error)
	// Sweep removes some expired statuses, and keeps others from expiring. Call it about once a second.
	Sweep(ctx context.Context) error
}

// Source reads the stream of accepted updates and its dead letters. An error of fn ends a read.
type Source interface {
	// ReadAll reads the present messages, in order.
	ReadAll(ctx context.Context, fn func(score.Message) error) error
	// ReadFrom is ReadAll from a sequence on. FirstSince returns the sequence of the first message stored at or after
	// a time, or one past the last.
	ReadFrom(ctx context.Context, from uint64, fn func(score.Message) error) error
	FirstSince(ctx context.Context, at time.Time) (uint64, error)
	// DeadLetters reads all dead letters, including replayed ones.
	DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error
}

type Journals interface {
	// State returns the lane's state and the sequence of its journal's last entry (0: none).
	State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error)
}

// Lanes returns the number of lanes that ever existed, since the journals of removed lanes stay.
type Lanes func(ctx context.Context) (int, error)
