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
	priceEvery = 5 * time.Second // minimum interval of price reads

	mostGwei = 1_000_000_000_000_000 // maximum cost, above every key's budget
)

// gasPrice is the price at which the API charges keys with a budget of ether. An API follows no blocks, so it reads
// the price at the start, and then while such keys are used. During a read, and while endpoints fail, the last price
// applies.
type gasPrice struct {
	read   func(context.Context) (*evidence.Price, error) // nil without an error: unknown
	log    *slog.Logger
	last   atomic.Pointer[evidence.Price] // nil: unknown
	wanted chan struct{}
}

func newGasPrice(read func(context.Context) (*evidence.Price, error), log *slog.Logger) *gasPrice {
	return &gasPrice{read: read, log: log, wanted: make(chan struct{}, 1)}
}

// run reads the price on demand until ctx ends.
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

// gwei implements httpapi.Deps.Gwei: the cost of gas and bytes at the last price, rounded up.
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

func (a *api) readPrice(ctx context.Context) (*evidence.Price, error) {
	head, err := a.chain.Head(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := a.chain.Read(ctx, evidence.Ask{At: head, Price: true})
	return answer.Price, err
}
