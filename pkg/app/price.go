package app

import (
	"context"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
)

const (
	priceEvery = 5 * time.Second // between two questions for the price, at least

	mostGwei = 1_000_000_000_000_000 // what a cost is at most, above every key's budget
)

// gasPrice is the price at which the API charges keys that have a budget of ether. An API follows no blocks, so it
// asks for the price: when it starts, and then while such keys are used. No request waits for the answer. While
// endpoints do not answer, the last price stands.
type gasPrice struct {
	read   func(context.Context) (*evidence.Price, error) // nil without an error: not learnt
	log    *slog.Logger
	last   atomic.Pointer[evidence.Price] // nil: none is known
	wanted chan struct{}
}

func newGasPrice(read func(context.Context) (*evidence.Price, error), log *slog.Logger) *gasPrice {
	return &gasPrice{read: read, log: log, wanted: make(chan struct{}, 1)}
}

// run asks until ctx ends, and returns its error.
func (p *gasPrice) run(ctx context.Context) error {
	for away := false; ; {
		price, err := p.read(ctx)
		if price != nil {
			p.last.Store(price)
		} else if !away && ctx.Err() == nil {
			p.log.Warn("the API could not read the price of gas; it charges budgets of ether by the last price, and refuses "+
				"their keys while it knows none", "err", err)
		}
		away = price == nil
		if err := retry.Sleep(ctx, priceEvery); err != nil {
			return err
		}
		select {
		case <-p.wanted:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// gwei is httpapi.Deps.Gwei: gas and bytes at the last price, rounded up.
func (p *gasPrice) gwei(gas, bytes uint64) (gwei uint64, known bool) {
	select {
	case p.wanted <- struct{}{}:
	default:
	}
	price := p.last.Load()
	if price == nil {
		return 0, false
	}
	perGas := float64(price.BaseFee) + float64(price.Tip)
	if price.Legacy {
		perGas = float64(price.Gas)
	}
	wei := perGas*float64(gas) + float64(price.L1Byte)*float64(bytes)
	return uint64(min(math.Ceil(wei/1e9), mostGwei)), true
}

// readPrice is the price at the newest block.
func (a *api) readPrice(ctx context.Context) (*evidence.Price, error) {
	head, err := a.chain.Head(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := a.chain.Read(ctx, evidence.Ask{At: head, Price: true})
	return answer.Price, err
}
