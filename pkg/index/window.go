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
	maxWindowSlack = 64  // blocks kept beyond the window before it is trimmed
)

// errUnlinked says that blocks read do not lead to the chain that the process follows. Asking again later cures it.
var errUnlinked = errors.New("the blocks read do not lead to the followed chain")

// window is the newest part of the final chain: its blocks, each seen to be the parent of the next, and the contract's
// project events in them. It remembers what it read, by hash, so that looking again costs nothing.
type window struct {
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

func newWindow(heads Heads, blocks Blocks, contract common.Address) *window {
	return &window{
		heads: heads, blocks: blocks, contract: contract, topics: registry.ProjectTopics(),
		older: map[uint64]evidence.Block{}, seen: map[common.Hash]blockEvents{},
	}
}

// chain returns the blocks from … to.Number, ascending: to itself, and before each block its parent.
func (w *window) chain(ctx context.Context, from uint64, to evidence.Block) ([]evidence.Block, error) {
	if from > to.Number {
		return nil, nil
	}
	blocks := make([]evidence.Block, to.Number-from+1)
	blocks[len(blocks)-1] = to
	for i := len(blocks) - 2; i >= 0; i-- {
		child, number := &blocks[i+1], from+uint64(i)
		b, ok := w.heads.Block(number)
		if !ok || b.Hash != child.Parent {
			b = w.older[number]
		}
		if b.Hash != child.Parent {
			if err := w.read(ctx, max(from, number-min(number, blocksPerRead-1)), *child); err != nil {
				return nil, err
			}
			b = w.older[number]
		}
		blocks[i] = b
	}
	return blocks, nil
}

// read remembers the blocks from `from` up to the parent of child, from the first endpoint whose blocks lead to child.
func (w *window) read(ctx context.Context, from uint64, child evidence.Block) error {
	claims, err := w.blocks.Latest(ctx)
	if err != nil {
		return fmt.Errorf("couldn't ask for blocks %d to %d: %w", from, child.Number-1, err)
	}
	var errs []error
	for _, claim := range claims {
		blocks, err := w.blocks.Blocks(ctx, claim.Endpoint, from, child.Number-1)
		if err == nil && !lead(blocks, from, child) {
			err = fmt.Errorf("%w: %s, blocks %d to %d", errUnlinked, claim.Endpoint, from, child.Number-1)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, b := range blocks {
			w.older[b.Number] = b
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
func (w *window) events(ctx context.Context, blocks []evidence.Block) ([]projectEvent, error) {
	var unread []evidence.Block
	for i := range blocks {
		if _, ok := w.seen[blocks[i].Hash]; !ok && blocks[i].MayHold(w.contract, w.topics) {
			unread = append(unread, blocks[i])
		}
	}
	for part := range slices.Chunk(unread, eventsPerRead) {
		logs, err := w.blocks.Events(ctx, part, w.contract, w.topics)
		if err != nil {
			return nil, fmt.Errorf("couldn't read the contract's events of %d blocks from %d on: %w", len(part), part[0].Number, err)
		}
		for i := range part {
			own := slices.DeleteFunc(slices.Clone(logs), func(l types.Log) bool { return l.BlockHash != part[i].Hash })
			events, err := projectEvents(own)
			if err != nil {
				return nil, err
			}
			w.seen[part[i].Hash] = blockEvents{part[i].Number, events}
		}
	}
	var events []projectEvent
	for i := range blocks {
		events = append(events, w.seen[blocks[i].Hash].events...)
	}
	return events, nil
}

// between returns the project events in the blocks from … to of the chain that ends in last.
func (w *window) between(ctx context.Context, from, to uint64, last evidence.Block) ([]projectEvent, error) {
	if from > to {
		return nil, nil
	}
	blocks, err := w.chain(ctx, from, last)
	if err != nil {
		return nil, err
	}
	return w.events(ctx, blocks[:to-from+1])
}

// trim forgets what is below a height.
func (w *window) trim(below uint64) {
	below -= min(below, maxWindowSlack)
	maps.DeleteFunc(w.older, func(number uint64, _ evidence.Block) bool { return number < below })
	maps.DeleteFunc(w.seen, func(_ common.Hash, b blockEvents) bool { return b.number < below })
}
