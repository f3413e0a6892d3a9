package main

import (
	"context"
	"fmt"
	"time"
)

// prepared is how much longer than the measurement the backlog lasts, if every block has a full window.
const prepared = 15 * time.Second

func (b *bench) backlog(perSecond int) int {
	return perSecond * int((b.seconds+prepared)/time.Second)
}

func (b *bench) scorelayLeg(ctx context.Context, name string, lanes int) (figures, error) {
	return b.deployed(ctx, name, worldOptions{lanes: lanes, gasLimit: wide}, batchSize, func(s *stack) (figures, error) {
		if err := s.publish(ctx, b.backlog(laneWindow)*batchSize); err != nil {
			return figures{}, err
		}
		return s.measure(ctx, b.seconds)
	})
}

// laneWindow is the default window of one lane.
const laneWindow = 16

func (b *bench) peerLeg(ctx context.Context, name string, updates int, cachedFees bool) (figures, error) {
	w, err := b.newWorld(ctx, name, worldOptions{lanes: window / laneWindow, gasLimit: wide})
	if err != nil {
		return figures{}, err
	}
	defer w.close()
	list, err := calls(w.projects, b.backlog(window), updates)
	if err != nil {
		return figures{}, err
	}
	p, err := b.startPeer(w, list, cachedFees)
	if err != nil {
		return figures{}, err
	}
	defer p.kill()
	measured, err := w.measure(ctx, b.seconds)
	if err != nil {
		return figures{}, err
	}
	return measured, p.finish(len(list))
}

func (w *world) measure(ctx context.Context, seconds time.Duration) (figures, error) {
	blocks, err := w.steady(ctx, w.watch.len(), seconds)
	if err != nil {
		return figures{}, err
	}
	return rates(blocks)
}

func (b *bench) fillLeg(ctx context.Context) (figures, error) {
	return b.deployed(ctx, "block_fill", worldOptions{lanes: window / laneWindow, gasLimit: narrow, random: true}, 0, func(s *stack) (figures, error) {
		return s.fill(ctx)
	})
}

func (s *stack) fill(ctx context.Context) (figures, error) {
	if err := s.publish(ctx, s.bench.backlog(updatesOfNarrow)/len(s.projects)); err != nil {
		return figures{}, err
	}
	blocks, err := s.steady(ctx, s.watch.len(), s.bench.seconds)
	if err != nil {
		return figures{}, err
	}
	measured, err := rates(blocks)
	if err != nil {
		return figures{}, err
	}
	progress(fmt.Sprintf("blocks of 30 M gas: %s", measured))
	var fills []float64
	for _, block := range blocks[1:] {
		fills = append(fills, float64(block.gas)/float64(block.gasLimit))
	}
	return figures{BlockFill: some(median(fills))}, nil
}

// updatesOfNarrow is more updates with random ids than fit into a narrow block.
const updatesOfNarrow = 1400
