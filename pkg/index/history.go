package index

import (
	"context"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Logs are read in ranges of blocks: provedAtOnce among the chain's last provedBlocks, since proving reads all
// headers, and historicAtOnce below.
const (
	provedBlocks   = 4096
	provedAtOnce   = 256
	historicAtOnce = 2000
)

var errRangeRead = errors.New("the range is read")

// Histories reads a wallet's executions backwards from the chain's head, including blocks before finality. It lacks
// project records, so executions contain only the indexes of actions. Payments supplies their times with few calls.
type Histories struct {
	Deployment score.Deployment
	// Final returns the newest final block; ok is false before the first.
	Final    func(ctx context.Context) (b evidence.Ref, ok bool, err error)
	Chain    Chain
	Payments Payments
}

func (h Histories) Extent(ctx context.Context) (score.Extent, error) {
	head, err := h.Chain.Head(ctx)
	if err != nil {
		return score.Extent{}, err
	}
	final, _, err := h.Final(ctx)
	if err != nil {
		return score.Extent{}, err
	}
	return score.Extent{First: h.Deployment.DeployBlock, Final: final.Number, Head: max(head.Number, final.Number)}, nil
}

// History calls fn with a wallet's executions in the blocks from … to (inclusive), by ranges of blocks, newest first,
// until fn returns false. down is the range's lowest block. from … to must be within the extent in. Points, Gas and
// Fee are unset.
func (h Histories) History(
	ctx context.Context, project score.ProjectID, wallet common.Address, from, to uint64, in score.Extent, fn func(down uint64, newest []score.Execution) bool,
) error {
	for to >= from {
		size := uint64(historicAtOnce)
		if in.Head-to < provedBlocks {
			size = provedAtOnce
		}
		down := to - min(to-from, size-1)
		found, err := h.executions(ctx, project, wallet, down, to, in.Head)
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

// executions returns the executions in order. Chain.Logs proves the last blocks of its range. So the range is up to
// head, to prove only the chain's last blocks, and reading stops after to.
func (h Histories) executions(ctx context.Context, project score.ProjectID, wallet common.Address, from, to, head uint64) (found []score.Execution, err error) {
	var of []types.Log
	err = h.Chain.Logs(ctx, h.Deployment.Contract, registry.UpdateTopics(), from, head, func(through evidence.Block, logs []types.Log) error {
		if above := slices.IndexFunc(logs, func(l types.Log) bool { return l.BlockNumber > to }); above >= 0 {
			logs = logs[:above]
		}
		err := parseEach(logs, func(event registry.Event, log *types.Log) error {
			for _, e := range registry.ExecutedOf(event, project) {
				if e.Target == wallet {
					e.Tx, e.Block = log.TxHash, log.BlockNumber
					found, of = append(found, e), append(of, *log)
				}
			}
			return nil
		})
		if err == nil && through.Number >= to {
			return errRangeRead
		}
		return err
	})
	if err != nil && !errors.Is(err, errRangeRead) {
		return nil, err
	}
	paid, err := h.Payments.Paid(ctx, of)
	for i := range found {
		found[i].Time = timeOf(paid[found[i].Tx].Time)
	}
	return found, err
}
