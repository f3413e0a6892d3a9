package heads

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// read returns linked blocks of one endpoint's chain. An error comes with the blocks read before it.
func (t *Tracker) read(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error) {
	ctx, cancel := t.call(ctx)
	defer cancel()
	blocks, err := t.chain.Blocks(ctx, endpoint, from, to)
	if n := linked(from, blocks); n < len(blocks) {
		err := fmt.Errorf("%w: block %d of %d…%d does not follow the one before", errUnlinked, from+uint64(n), from, to)
		t.chain.Distrust(endpoint, err)
		return blocks[:n], err
	}
	if want := to - from + 1; err == nil && uint64(len(blocks)) != want {
		err = fmt.Errorf("%w: %d came of the blocks %d…%d", errAbsent, len(blocks), from, to)
		blocks = blocks[:min(uint64(len(blocks)), want)]
	}
	return blocks, err
}

func (t *Tracker) hashAt(ctx context.Context, endpoint string, number uint64) (common.Hash, error) {
	ctx, cancel := t.call(ctx)
	defer cancel()
	return t.chain.HashAt(ctx, endpoint, number)
}

// below reads the size blocks right below b, or returns errUnlinked.
func (t *Tracker) below(ctx context.Context, endpoint string, b evidence.Block, size uint64) ([]evidence.Block, error) {
	older, err := t.read(ctx, endpoint, b.Number-min(b.Number, size), b.Number-1)
	if err != nil {
		return nil, err
	}
	if last := older[len(older)-1]; last.Hash != b.Parent || b.Checked && !last.Checked { // a hard fork stays in force
		return nil, fmt.Errorf("%w: the parent of block %d is %s, its block %d is %s", errUnlinked, b.Number, b.Parent, last.Number, last.Hash)
	}
	return older, nil
}

// belowAny is below, from the first endpoint that has the blocks and passes agree.
func (t *Tracker) belowAny(ctx context.Context, b evidence.Block, size uint64) (blocks []evidence.Block, err error) {
	for _, c := range t.claims {
		if blocks, err = t.below(ctx, c.Endpoint, b, size); err == nil {
			_, err = t.agree(ctx, c.Endpoint, blocks)
		}
		if err == nil {
			return blocks, nil
		}
		err = fmt.Errorf("couldn't read the blocks below %d of %s: %w", b.Number, c.Endpoint, err)
	}
	return nil, err
}

// reach extends the recent blocks down to a height, some per round. ok reports whether they contain it now.
func (t *Tracker) reach(ctx context.Context, number uint64) (ok bool, err error) {
	t.needed = min(t.needed, number)
	for range readsPerRound {
		base := t.recent.blocks[0]
		if number >= base.Number {
			return true, nil
		}
		older, err := t.belowAny(ctx, base, min(base.Number-number, mostRead))
		if len(older) == 0 {
			return false, err
		}
		t.mu.Lock()
		t.recent.prepend(older)
		t.match(t.recent.blocks[:len(older)])
		t.mu.Unlock()
	}
	return number >= t.recent.base(), nil
}
