package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Of how many blocks logs are read at once. The last ones are proved, which takes all their headers; those before are asked for by ranges (chain.Client.Logs).
const (
	provedBlocks   = 4096
	provedAtOnce   = 256
	historicAtOnce = 2000
)

var errRangeRead = errors.New("the range is read")

// Extent tells how long the chain is.
func (r reader) Extent(ctx context.Context) (httpapi.Extent, error) {
	head, err := r.chain.Head(ctx)
	if err != nil {
		return httpapi.Extent{}, err
	}
	final, err := r.chain.FinalBlock(ctx, r.confirmations)
	if err != nil && !errors.Is(err, ethereum.NotFound) {
		return httpapi.Extent{}, err
	}
	return httpapi.Extent{First: r.deployed, Final: final.Number, Head: max(head.Number, final.Number)}, nil
}

// History reads what became of a wallet's updates from the contract's logs, from the last block to the first.
func (r reader) History(
	ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, in httpapi.Extent, fn func(down uint64, newest []score.Execution) bool,
) error {
	for to >= from {
		size := uint64(historicAtOnce)
		if in.Head-to < provedBlocks {
			size = provedAtOnce
		}
		down := to - min(to-from, size-1)
		found, err := r.executions(ctx, project, wallet, down, to, in.Head)
		if err != nil {
			return err
		}
		slices.Reverse(found)
		if !fn(down, found) || down == 0 {
			return nil
		}
		to = down - 1
	}
	return nil
}

// executions are what became of a wallet's updates in the blocks from … to, in order. The question to the chain ends at its head, so that only its
// last blocks are proved.
func (r reader) executions(ctx context.Context, project score.ProjectID, wallet common.Address, from, to, head uint64) (found []score.Execution, err error) {
	var of []types.Log // that found is of
	err = r.chain.Logs(ctx, r.contract, registry.UpdateTopics(), from, head, func(through evidence.Block, logs []types.Log) error {
		for i := range logs {
			l := &logs[i]
			if l.BlockNumber > to {
				break
			}
			event, err := registry.ParseLog(l)
			if err != nil {
				return err
			}
			before := len(found)
			found = appendExecutions(found, event, project, wallet)
			for n := before; n < len(found); n++ {
				found[n].Tx, found[n].Block = l.TxHash, l.BlockNumber
			}
			if len(found) > before {
				of = append(of, *l)
			}
		}
		if through.Number >= to {
			return errRangeRead
		}
		return nil
	})
	if err != nil && !errors.Is(err, errRangeRead) {
		return nil, err
	}
	paid, err := r.chain.Paid(ctx, of)
	for i := range found {
		found[i].Time = time.Unix(int64(paid[found[i].Tx].Time), 0)
	}
	return found, err
}

// appendExecutions appends what an event says of the updates of a project's wallet.
func appendExecutions(found []score.Execution, event registry.Event, project score.ProjectID, wallet common.Address) []score.Execution {
	add := func(updates []score.Update, outcomes []score.Outcome) {
		for i := range updates {
			if u := &updates[i]; u.Project == project && u.Target == wallet {
				found = append(found, score.Execution{
					ID: u.ID, Target: u.Target, Signer: u.Signer, Action: u.Action, ScoreType: u.ScoreType, Outcome: outcomes[i],
				})
			}
		}
	}
	switch e := event.(type) {
	case registry.ScoreUpdated:
		add([]score.Update{e.Update}, []score.Outcome{score.Applied})
	case registry.BatchApplied:
		outcomes := e.Outcomes
		for i := range e.Batch.Groups {
			updates := e.Batch.Groups[i].Updates
			add(updates, outcomes)
			outcomes = outcomes[len(updates):]
		}
	}
	return found
}
