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
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrNoEvent: the project has no final event with this id, or its dead letter is gone.
var ErrNoEvent = errors.New("the project has no event of this id")

const (
	deadPrefix = "dead-" // of the ids of dead letters' events
	findLimit  = 500     // events read at once
)

// Find returns a project's event by id, except for ChainRewound. Errors: ErrNoEvent, or one that may pass.
func (r *Reader) Find(ctx context.Context, project score.ProjectID, id string) (e Event, err error) {
	r.prepare()
	if strings.HasPrefix(id, deadPrefix) {
		return r.findLetter(ctx, project, id)
	}
	block, err := r.blockOf(ctx, id)
	if err != nil {
		return e, err
	}
	end, err := r.Source.End(ctx)
	if err != nil {
		return e, err
	}
	if block.Number > end.Position.Block || block.Number == 0 || block.Number < r.Deployment.DeployBlock {
		return e, ErrNoEvent
	}
	at := Cursor{Position: ledger.Position{Block: block.Number - 1, Hash: [8]byte(block.Parent[:8])}}
	for at.Block < block.Number {
		events, next, err := r.Next(ctx, project, at, findLimit)
		if errors.Is(err, ErrReplaced) {
			err = ErrNoEvent
		}
		if err != nil {
			return e, err
		}
		for _, e := range events {
			switch {
			case e.ID == id:
				return e, nil
			case e.Type == ChainRewound:
				return Event{}, ErrNoEvent
			}
		}
		at = next
	}
	return e, ErrNoEvent
}

func (r *Reader) findLetter(ctx context.Context, project score.ProjectID, id string) (found Event, err error) {
	t, wait := &turn{Reader: r, project: project}, errors.New("the directory of projects is behind the dead letter")
	err = r.Letters.DeadLettersAfter(ctx, 0, &project, func(_ uint64, d score.DeadLetter) error {
		if !strings.HasPrefix(id, idOf(&d)) {
			return nil
		}
		told, ok, err := t.eventsOf(ctx, &d)
		if err == nil && !ok {
			err = wait
		}
		for i := range told {
			if told[i].ID == id {
				found = told[i] // of the letter's last copy
			}
		}
		return err
	})
	if err == nil && found.ID == "" {
		err = ErrNoEvent
	}
	return found, err
}

// idOf returns the id of the letter's rejection event.
func idOf(d *score.DeadLetter) string { return deadPrefix + strings.ReplaceAll(d.ID, ".", "-") }

// blockOf returns the block, of any branch, with the hash that an event's id begins with.
func (r *Reader) blockOf(ctx context.Context, id string) (evidence.Block, error) {
	text, _, _ := strings.Cut(id, "-")
	hash, err := hexutil.Decode(text)
	if err != nil || len(hash) != common.HashLength {
		return evidence.Block{}, fmt.Errorf("%w: it would begin with the hash of a block, or with %s", ErrNoEvent, deadPrefix)
	}
	b, err := r.Chain.BlockByHash(ctx, common.Hash(hash))
	if errors.Is(err, ethereum.NotFound) {
		err = ErrNoEvent
	}
	return b, err
}
