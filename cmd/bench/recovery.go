package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	kills           = 3
	recoveryTimeout = time.Minute
	ahead           = 20 // seconds that the backlog lasts with full windows
)

func (b *bench) recoveryLeg(ctx context.Context) (figures, error) {
	return b.deployed(ctx, "recovery", worldOptions{lanes: window / laneWindow, gasLimit: wide}, batchSize, func(s *stack) (figures, error) {
		return s.recovery(ctx)
	})
}

func (s *stack) recovery(ctx context.Context) (figures, error) {
	var seconds []float64
	published := 0 // batches per lane
	for i := range kills {
		sent, err := s.leastSent(ctx)
		if err != nil {
			return figures{}, err
		}
		if more := sent + ahead*laneWindow - published; more > 0 {
			if err := s.publish(ctx, more*batchSize); err != nil {
				return figures{}, err
			}
			published += more
		}
		if err := s.awaitLoad(ctx); err != nil {
			return figures{}, err
		}
		took, err := s.killOne(ctx, i%replicas)
		if err != nil {
			return figures{}, fmt.Errorf("after kill %d: %w", i+1, err)
		}
		seconds = append(seconds, took.Seconds())
		if i == kills-1 {
			break
		}
		if err := s.startRelayer(ctx, i%replicas); err != nil {
			return figures{}, err
		}
		if err := s.awaitShared(ctx); err != nil {
			return figures{}, err
		}
	}
	progress(fmt.Sprintf("recovery took %.1f s", seconds))
	return figures{RecoveryS: some(median(seconds))}, nil
}

// leastSent returns the most transactions that a lane has sent. A backlog from there on keeps every lane busy.
func (s *stack) leastSent(ctx context.Context) (int, error) {
	most := uint64(0)
	for lane := range s.projects {
		nonce, err := s.nonceAt(ctx, lane, rpc.PendingBlockNumber)
		if err != nil {
			return 0, err
		}
		most = max(most, nonce)
	}
	return int(most), nil
}

func (s *stack) awaitLoad(ctx context.Context) error {
	_, err := s.watch.until(ctx, s.watch.len(), firstTimeout, func(blocks []block) bool {
		row := 0
		for _, b := range blocks {
			if row++; b.txs == 0 {
				row = 0
			}
		}
		return row >= warmUp
	})
	return err
}

// killOne returns the time, at most recoveryTimeout, until each of the killed relayer's lanes has a transaction in a
// block that was not in the node's pool before. Another relayer must have sent it.
func (s *stack) killOne(ctx context.Context, victim int) (time.Duration, error) {
	holders, err := s.holders(ctx)
	if err != nil {
		return 0, err
	}
	from := s.watch.len()
	s.relayers[victim].kill()
	killed := time.Now()
	time.Sleep(s.bench.rtt + 100*time.Millisecond) // until its transactions in flight arrive
	waiting := map[int]uint64{}                    // awaited nonce by lane
	for lane, holder := range holders {
		if holder != victim {
			continue
		}
		if waiting[lane], err = s.nonceAt(ctx, lane, rpc.PendingBlockNumber); err != nil {
			return 0, err
		}
	}
	if len(waiting) == 0 {
		return 0, fmt.Errorf("relayer %d drove no lane", victim)
	}
	var bad error
	blocks, err := s.watch.until(ctx, from, recoveryTimeout, func(blocks []block) bool {
		if len(blocks) == 0 {
			return false
		}
		for lane, nonce := range waiting {
			next, err := s.nonceAt(ctx, lane, rpc.BlockNumber(blocks[len(blocks)-1].number))
			if bad = err; err != nil {
				return true
			}
			if next > nonce {
				delete(waiting, lane)
			}
		}
		return len(waiting) == 0
	})
	if errors.Is(err, errTooLong) {
		progress(fmt.Sprintf("lanes %v have not moved %s after a kill", waiting, recoveryTimeout))
		return recoveryTimeout, nil
	}
	if err = errors.Join(err, bad); err != nil {
		return 0, err
	}
	return blocks[len(blocks)-1].at.Sub(killed), nil
}
