package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Ledger is what the contract's own final events say became of updates: the other side of every promise. It reads the
// chain and nothing else of Scorelay. It is not safe for concurrent use.
type Ledger struct {
	chain         *chain.Client
	contract      common.Address
	next          uint64 // the first block not read yet
	confirmations uint64 // blocks that make one final, its own included; 0: the finalized tag

	applied  map[Key]int
	settled  map[Key]time.Time // when its first outcome other than duplicate was read
	outcomes map[score.Outcome]int
	txs      map[common.Hash][]common.Hash // by block, with batches whose gas is not counted yet
	gas      uint64
}

// NewLedger reads the events of contract from block on.
func NewLedger(c *chain.Client, contract common.Address, from, confirmations uint64) *Ledger {
	return &Ledger{
		chain: c, contract: contract, next: from, confirmations: confirmations,
		applied: map[Key]int{}, settled: map[Key]time.Time{}, outcomes: map[score.Outcome]int{}, txs: map[common.Hash][]common.Hash{},
	}
}

// Advance reads everything that became final since the last call.
func (l *Ledger) Advance(ctx context.Context) error {
	final, err := l.chain.FinalBlock(ctx, l.confirmations)
	if errors.Is(err, ethereum.NotFound) {
		return nil // nothing is final yet
	}
	if err != nil || final.Number < l.next {
		return err
	}
	now := time.Now()
	return l.chain.Logs(ctx, l.contract, registry.UpdateTopics(), l.next, final.Number, func(through evidence.Block, logs []types.Log) error {
		for i := range logs {
			if err := l.add(&logs[i], now); err != nil {
				return err
			}
		}
		l.next = through.Number + 1
		return l.countGas(ctx, through)
	})
}

func (l *Ledger) add(log *types.Log, now time.Time) error {
	event, err := registry.ParseLog(log)
	if err != nil {
		return err
	}
	switch e := event.(type) {
	case registry.BatchApplied:
		l.txs[log.BlockHash] = append(l.txs[log.BlockHash], log.TxHash)
		for i, u := range e.Batch.Updates() {
			l.note(Key{u.Project, u.ID}, e.Outcomes[i], now)
		}
	case registry.ScoreUpdated:
		l.note(Key{e.Update.Project, e.Update.ID}, score.Applied, now)
	}
	return nil
}

func (l *Ledger) note(key Key, outcome score.Outcome, now time.Time) {
	l.outcomes[outcome]++
	if outcome == score.Applied {
		l.applied[key]++
	}
	if _, known := l.settled[key]; !known && outcome != score.Duplicate {
		l.settled[key] = now
	}
}

// countGas adds up what the batches read so far cost; at is the newest of their blocks.
func (l *Ledger) countGas(ctx context.Context, at evidence.Block) error {
	for hash, txs := range l.txs {
		block, err := l.chain.BlockByHash(ctx, hash)
		if err != nil {
			return err
		}
		learnt, err := l.chain.Read(ctx, evidence.Ask{At: at, Receipts: []evidence.Wanted{{Block: block, Txs: txs}}})
		if err != nil {
			return err
		}
		gas := uint64(0)
		for _, tx := range txs {
			receipt := learnt.Receipts[tx]
			if receipt == nil {
				return fmt.Errorf("transaction %s has an event, and no endpoint tells its receipt", tx)
			}
			gas += receipt.GasUsed
		}
		l.gas += gas
		delete(l.txs, hash)
	}
	return nil
}

// Verdict compares promises with the ledger.
type Verdict struct {
	Promised int   `json:"promised"` // distinct updates that got a 200
	Applied  int   `json:"applied"`  // of those, applied exactly once or more
	Lost     int   `json:"lost"`     // of those, not applied
	Doubled  int   `json:"doubled"`  // updates applied more than once, promised or not
	Chain    int   `json:"chain_duplicates"`
	GasPer   int   `json:"gas_per_update"` // gas of all batches by applied updates
	Example  []Key `json:"-"`              // some of the lost
}

// Judge compares what was promised with what is final now.
func (l *Ledger) Judge(promised map[Key]time.Time) Verdict {
	v := Verdict{Promised: len(promised), Chain: l.outcomes[score.Duplicate]}
	for key := range promised {
		if l.applied[key] > 0 {
			v.Applied++
			continue
		}
		v.Lost++
		if len(v.Example) < 5 {
			v.Example = append(v.Example, key)
		}
	}
	for _, times := range l.applied {
		if times > 1 {
			v.Doubled++
		}
	}
	if n := l.outcomes[score.Applied]; n > 0 {
		v.GasPer = int(l.gas / uint64(n))
	}
	return v
}

// ErrStalled says that nothing became final for too long while promises were outstanding.
var ErrStalled = errors.New("nothing became final for too long")

// Settle advances until every promise has a final outcome. It gives up with ErrStalled when none got one for patience.
func (l *Ledger) Settle(ctx context.Context, promised map[Key]time.Time, patience time.Duration) error {
	const poll = 200 * time.Millisecond
	best, since := -1, time.Now()
	for {
		err := l.Advance(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("stopped waiting for final outcomes: %w", ctx.Err())
		}
		settled := 0
		for key := range promised {
			if !l.settled[key].IsZero() {
				settled++
			}
		}
		switch {
		case settled == len(promised):
			return nil
		case settled > best:
			best, since = settled, time.Now()
		case time.Since(since) > patience:
			return errors.Join(fmt.Errorf("%w: %d of %d after %s", ErrStalled, settled, len(promised), patience), err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(poll):
		}
	}
}

// Latencies are how long each settled promise took from its 200 to being read here as final.
func (l *Ledger) Latencies(promised map[Key]time.Time) []time.Duration {
	var out []time.Duration
	for key, at := range promised {
		if final := l.settled[key]; !final.IsZero() {
			out = append(out, max(0, final.Sub(at)))
		}
	}
	return out
}
