package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	window       = 64 // transactions in flight, in all
	warmUp       = 3  // blocks with transactions before the steady part
	firstTimeout = 90 * time.Second
)

// steady returns the blocks of a leg's steady part: from the third with transactions to the first that is at least
// the given time later.
func (w *world) steady(ctx context.Context, from int, seconds time.Duration) ([]block, error) {
	begun := func(blocks []block) int {
		n := 0
		for i := range blocks {
			if blocks[i].txs > 0 {
				n++
			}
			if n == warmUp {
				return i
			}
		}
		return -1
	}
	blocks, err := w.watch.until(ctx, from, firstTimeout, func(blocks []block) bool { return begun(blocks) >= 0 })
	if err != nil {
		return nil, fmt.Errorf("waiting for transactions in %d blocks: %w", warmUp, err)
	}
	first := begun(blocks)
	blocks, err = w.watch.until(ctx, from+first, seconds+firstTimeout, func(blocks []block) bool {
		return blocks[len(blocks)-1].at.Sub(blocks[0].at) >= seconds
	})
	if err != nil {
		return nil, fmt.Errorf("measuring: %w", err)
	}
	return blocks, nil
}

// rates returns a steady part's figures, from the blocks after the first, and the time and calls since the first.
func rates(blocks []block) (figures, error) {
	first, rest := blocks[0], blocks[1:]
	var txs, updates, wasted int
	for _, b := range rest {
		txs, updates, wasted = txs+b.txs, updates+b.updates, wasted+b.wasted
	}
	if txs == 0 {
		return figures{}, errors.New("no transaction is in a block of the steady part")
	}
	last := rest[len(rest)-1]
	seconds := last.at.Sub(first.at).Seconds()
	return figures{
		UpdatesPerS: some(float64(updates) / seconds), TxPerS: some(float64(txs) / seconds),
		TxPerBlock: some(float64(txs) / float64(len(rest))), RPCPerTx: some(float64(last.calls-first.calls) / float64(txs)),
		WastedTx: some(float64(wasted)),
	}, nil
}
