package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
)

const (
	blocksPerRead  = 128 // headers of one question
	eventsPerRead  = 64  // blocks whose events are asked for at once
	maxRecentSlack = 64  // blocks kept beyond the recent ones before they are trimmed
)

// errUnlinked says that blocks read do not lead to the chain that the process follows. Asking again later cures it.
var errUnlinked = errors.New("the blocks read do not lead to the followed chain")

// recent is the newest part of the final chain: its blocks, each seen to be the parent of the next, and the contract's
// project events in them. It remembers what it read, by hash, so that looking again costs nothing.
type recent struct {
	heads    Heads
	blocks   Blocks
	contract common.Address
	topics   []common.Hash

	older map[uint64]evidence.Block // that Heads does not remember; by height
	seen  map[common.Hash]blockEvents
}

// blockEvents are a block's project events, all there are.
type blockEvents struct {
	number uint64
	events []projectEvent
}

func newRecent(heads Heads, blocks Blocks, contract common.Address) *recent {
	return &recent{
		heads: heads, blocks: blocks, contract: contract, topics: registry.ProjectTopics(),
		older: map[uint64]evidence.Block{}, seen: map[common.Hash]blockEvents{},
	}
}

// chain returns the blocks from … to.Number, ascending: to itself, and before each block its parent.
func (r *recent) chain(ctx context.Context, from uint64, to evidence.Block) ([]evidence.Block, error) {
	if from > to.Number {
		return nil, nil
	}
	blocks := make([]evidence.Block, to.Number-from+1)
	blocks[len(blocks)-1] = to
	for i := len(blocks) - 2; i >= 0; i-- {
		child, number := &blocks[i+1], from+uint64(i)
		b, ok := r.heads.Block(number)
		if !ok || b.Hash != child.Parent {
			b = r.older[number]
		}
		if b.Hash != child.Parent {
			if err := r.read(ctx, max(from, number-min(number, blocksPerRead-1)), *child); err != nil {
				return nil, err
			}
			b = r.older[number]
		}
		blocks[i] = b
	}
	return blocks, nil
}

// read remembers the blocks from `from` up to the parent of child, from the first endpoint whose blocks lead to child.
func (r *recent) read(ctx context.Context, from uint64, child evidence.Block) error {
	claims, err := r.blocks.Latest(ctx)
	if err != nil {
		return fmt.Errorf("couldn't ask for blocks %d to %d: %w", from, child.Number-1, err)
	}
	var errs []error
	for _, claim := range claims {
		blocks, err := r.blocks.Blocks(ctx, claim.Endpoint, from, child.Number-1)
		if err == nil && !lead(blocks, from, child) {
			err = fmt.Errorf("%w: %s, blocks %d to %d", errUnlinked, claim.Endpoint, from, child.Number-1)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, b := range blocks {
			r.older[b.Number] = b
		}
		return nil
	}
	return fmt.Errorf("couldn't read blocks %d to %d: %w", from, child.Number-1, errors.Join(errs...))
}

// lead tells whether the blocks are those from `from` up to the parent of child, each the parent of the next.
func lead(blocks []evidence.Block, from uint64, child evidence.Block) bool {
	if uint64(len(blocks)) != child.Number-from {
		return false
	}
	for i, b := range slices.Backward(blocks) {
		if b.Number != from+uint64(i) || b.Hash != child.Parent {
			return false
		}
		child = b
	}
	return true
}

// events returns the contract's project events in the blocks, in order. Blocks whose bloom says that there is none cost
// nothing; of the others all receipts were seen.
func (r *recent) events(ctx context.Context, blocks []evidence.Block) ([]projectEvent, error) {
	var unread []evidence.Block
	for i := range blocks {
		if _, ok := r.seen[blocks[i].Hash]; !ok && blocks[i].MayHold(r.contract, r.topics) {
			unread = append(unread, blocks[i])
		}
	}
	for part := range slices.Chunk(unread, eventsPerRead) {
		logs, err := r.blocks.Events(ctx, part, r.contract, r.topics)
		if err != nil {
			return nil, fmt.Errorf("couldn't read the contract's events of %d blocks from %d on: %w", len(part), part[0].Number, err)
		}
		for i := range part {
			own := slices.DeleteFunc(slices.Clone(logs), func(l types.Log) bool { return l.BlockHash != part[i].Hash })
			events, err := projectEvents(own)
			if err != nil {
				return nil, err
			}
			r.seen[part[i].Hash] = blockEvents{part[i].Number, events}
		}
	}
	var events []projectEvent
	for i := range blocks {
		events = append(events, r.seen[blocks[i].Hash].events...)
	}
	return events, nil
}

// between returns the project events in the blocks from … to of the chain that ends in last.
func (r *recent) between(ctx context.Context, from, to uint64, last evidence.Block) ([]projectEvent, error) {
	if from > to {
		return nil, nil
	}
	blocks, err := r.chain(ctx, from, last)
	if err != nil {
		return nil, err
	}
	return r.events(ctx, blocks[:to-from+1])
}

// trim forgets what is below a height.
func (r *recent) trim(below uint64) {
	below -= min(below, maxRecentSlack)
	maps.DeleteFunc(r.older, func(number uint64, _ evidence.Block) bool { return number < below })
	maps.DeleteFunc(r.seen, func(_ common.Hash, b blockEvents) bool { return b.number < below })
}
