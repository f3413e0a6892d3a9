package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// block is read from the node without the senders' delay.
type block struct {
	number   uint64
	at       time.Time
	calls    int // to the endpoint by then
	gasLimit uint64
	txs      int    // transactions that applied updates
	updates  int    // applied
	gas      uint64 // used by these transactions
	wasted   int    // transactions that did not apply all their updates
}

type watch struct {
	world  *world
	heads  ethereum.Subscription
	cancel context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	blocks []block
	err    error
	moved  chan struct{} // closed and replaced at each block
}

// newWatch watches from the next block on.
func newWatch(ctx context.Context, w *world) (*watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	heads := make(chan *types.Header, 1024)
	sub, err := w.eth.SubscribeNewHead(ctx, heads)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("couldn't subscribe to new heads: %w", err)
	}
	seen := &watch{world: w, heads: sub, cancel: cancel, done: make(chan struct{}), moved: make(chan struct{})}
	go seen.run(ctx, heads)
	return seen, nil
}

func (s *watch) close() {
	s.heads.Unsubscribe()
	s.cancel()
	<-s.done
}

func (s *watch) run(ctx context.Context, heads <-chan *types.Header) {
	defer close(s.done)
	var last uint64
	for {
		var head *types.Header
		select {
		case <-ctx.Done():
			return
		case err := <-s.heads.Err():
			s.tell(fmt.Errorf("the node ended the subscription to new heads: %w", err))
			return
		case head = <-heads:
		}
		number := head.Number.Uint64()
		seen := block{at: time.Now(), calls: s.world.endpoint.calls(), gasLimit: head.GasLimit}
		if last == 0 {
			last = number - 1
		}
		for ; last < number; last++ { // the node may report several blocks at once
			b := seen
			b.number = last + 1
			if err := s.read(ctx, &b); err != nil {
				if ctx.Err() == nil {
					s.tell(err)
				}
				return
			}
			s.tell(nil, b)
		}
	}
}

func (s *watch) read(ctx context.Context, b *block) error {
	receipts, err := s.world.eth.BlockReceipts(ctx, rpc.BlockNumberOrHashWithNumber(rpc.BlockNumber(b.number)))
	if err != nil {
		return fmt.Errorf("couldn't read the receipts of block %d: %w", b.number, err)
	}
	for _, receipt := range receipts {
		updates, useful := s.outcomes(receipt)
		if updates > 0 {
			b.txs, b.updates, b.gas = b.txs+1, b.updates+updates, b.gas+receipt.GasUsed
		}
		if !useful {
			b.wasted++
		}
	}
	return nil
}

// outcomes returns the number of applied updates. useful is true if there are some and none was skipped.
func (s *watch) outcomes(receipt *types.Receipt) (updates int, useful bool) {
	total := 0
	for _, log := range receipt.Logs {
		event, err := registry.ParseLog(log)
		applied, ok := event.(registry.BatchApplied)
		if err != nil || !ok || log.Address != s.world.contract {
			continue
		}
		total += len(applied.Outcomes)
		for _, outcome := range applied.Outcomes {
			if outcome == score.Applied {
				updates++
			}
		}
	}
	return updates, total > 0 && updates == total
}

// Blocks are added; an error ends the watch. Both wake waiting goroutines.
func (s *watch) tell(err error, blocks ...block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks, s.err = append(s.blocks, blocks...), err
	close(s.moved)
	s.moved = make(chan struct{})
}

// seen returns all blocks so far, and a channel that closes at the next one.
func (s *watch) seen() ([]block, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clip(s.blocks), s.moved, s.err
}

var errTooLong = errors.New("it did not happen in time")

// until waits until enough returns true for all blocks from index from on; errTooLong after the timeout.
func (s *watch) until(ctx context.Context, from int, timeout time.Duration, enough func([]block) bool) ([]block, error) {
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		blocks, moved, err := s.seen()
		if err != nil {
			return nil, err
		}
		if blocks = blocks[min(from, len(blocks)):]; enough(blocks) {
			return blocks, nil
		}
		select {
		case <-ctx.Done():
			return blocks, ctx.Err()
		case <-deadline.C:
			return blocks, fmt.Errorf("%w: %s passed", errTooLong, timeout)
		case <-moved:
		}
	}
}

func (s *watch) len() int {
	blocks, _, _ := s.seen()
	return len(blocks)
}

// nonceAt returns the lane's number of transactions in blocks up to at; rpc.PendingBlockNumber includes the node's
// pool.
func (w *world) nonceAt(ctx context.Context, lane int, at rpc.BlockNumber) (uint64, error) {
	nonce, err := w.eth.NonceAt(ctx, w.signer(lane), big.NewInt(at.Int64()))
	if err != nil {
		return 0, fmt.Errorf("couldn't read the nonce of lane %d at block %d: %w", lane, at, err)
	}
	return nonce, nil
}
