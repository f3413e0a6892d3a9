package event

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrNoEvent says that a project has no event of an id: nothing final has it, or its dead letter is gone.
var ErrNoEvent = errors.New("the project has no event of this id")

const (
	deadPrefix = "dead-" // of ids of what dead letters tell
	findLimit  = 500     // events that are looked at at once
)

// Find is a project's event of an id, and the cursor before it. Run must be running. Errors: ErrNoEvent; any other one may pass.
func (l *Log) Find(ctx context.Context, project score.ProjectID, id string) (Event, Cursor, error) {
	at, err := l.End(ctx)
	if err != nil {
		return Event{}, Cursor{}, err
	}
	through := at
	if strings.HasPrefix(id, deadPrefix) {
		at.dead = 0
	} else {
		block, err := l.blockOf(ctx, id)
		if err != nil {
			return Event{}, Cursor{}, err
		}
		if block.Number > through.block.Number || block.Number == 0 || block.Number < l.Deployment.DeployBlock {
			return Event{}, Cursor{}, ErrNoEvent
		}
		at.block, through.block = evidence.Ref{Number: block.Number - 1, Hash: block.Parent}, block.Ref()
	}
	for !at.covers(through) && (at.dead < through.dead || at.block.Number < through.block.Number || at.logIndex != wholeBlock) { // the block may have been replaced
		events, next, err := l.Next(ctx, project, at, findLimit)
		if errors.Is(err, ErrReplaced) {
			err = ErrNoEvent
		}
		if err != nil {
			return Event{}, Cursor{}, err
		}
		for i := range events {
			if events[i].ID == id {
				return events[i], at, nil
			}
			at = events[i].After
		}
		at = next
	}
	return Event{}, Cursor{}, ErrNoEvent
}

// blockOf is the block, of any branch, whose hash an event's id begins with.
func (l *Log) blockOf(ctx context.Context, id string) (evidence.Block, error) {
	text, _, _ := strings.Cut(id, "-")
	hash, err := hexutil.Decode(text)
	if err != nil || len(hash) != common.HashLength {
		return evidence.Block{}, fmt.Errorf("%w: it would begin with the hash of a block, or with %s", ErrNoEvent, deadPrefix)
	}
	b, err := l.Chain.BlockByHash(ctx, common.Hash(hash))
	if errors.Is(err, ethereum.NotFound) {
		err = ErrNoEvent
	}
	return b, err
}
