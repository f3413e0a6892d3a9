package event

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrReplaced says that the chain does not have a cursor's block any more: blocks that were final were replaced.
var ErrReplaced = errors.New("the chain has replaced the block that the cursor names, which was final")

// Chain asks the chain's endpoints, as index.Chain does.
type Chain interface {
	// FinalBlock is the newest final block by a rule: so many confirmations, or by 0 the chain's finalized tag; ethereum.NotFound while there is none.
	FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error)
	// BlockByNumber is the canonical block of that height.
	BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error)
	// Logs hands the contract's logs of the blocks from … to (inclusive) to fn, in order, a range of blocks at a time; through is the last block of the range.
	Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(through evidence.Block, logs []types.Log) error) error
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

// Projects knows the records of final projects. A directory's view does.
type Projects interface {
	// Project is a project's record, which may not be changed; ok is false of one that it does not know (yet).
	Project(id score.ProjectID) (rec *score.Record, ok bool)
}

// DeadLetters reads the dead letters that no event of the contract tells of.
type DeadLetters interface {
	// LastDeadLetter is the sequence of the newest; 0 while there was none.
	LastDeadLetter(ctx context.Context) (uint64, error)
	// DeadLettersAfter hands those after a sequence to fn, in order, of one project or, of nil, of all. An error of fn ends it.
	DeadLettersAfter(ctx context.Context, after uint64, of *score.ProjectID, fn func(seq uint64, d score.DeadLetter) error) error
}

// Reader is what reads a project's log. It may be used by many at once.
type Reader interface {
	// Next waits until there is something after a cursor, and returns up to limit events (at least 1 is allowed) and the cursor after the last of them.
	// It may return no events and a later cursor, which says that there was nothing in between; a reader that stores cursors stores it now and then, so that
	// it has little to read again. The cursor is good, and never before the given one, also with an error, in which case there are no events.
	// ErrReplaced: see the package. The context's error: it ended while there was nothing. Any other error may pass: try again after a pause.
	Next(ctx context.Context, project score.ProjectID, after Cursor, limit int) ([]Event, Cursor, error)
	// End is the cursor after all that is final now.
	End(ctx context.Context) (Cursor, error)
}
