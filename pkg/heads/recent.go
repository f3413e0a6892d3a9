package heads

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const blockBytes = 640 // memory of a block without its list of transactions

// recentBlocks are the newest part of the chain: blocks without a gap, each the parent of the next.
type recentBlocks struct {
	blocks []evidence.Block
}

func (r *recentBlocks) empty() bool { return len(r.blocks) == 0 }

// head is the newest block, nil before there is one.
func (r *recentBlocks) head() *evidence.Block {
	if r.empty() {
		return nil
	}
	return &r.blocks[len(r.blocks)-1]
}

// base is the number of the oldest block. The recent blocks must not be empty.
func (r *recentBlocks) base() uint64 { return r.blocks[0].Number }

// at is the block of a height, nil outside of the recent blocks.
func (r *recentBlocks) at(number uint64) *evidence.Block {
	if r.empty() || number < r.base() || number-r.base() >= uint64(len(r.blocks)) {
		return nil
	}
	return &r.blocks[number-r.base()]
}

func (r *recentBlocks) has(ref evidence.Ref) bool {
	b := r.at(ref.Number)
	return b != nil && b.Hash == ref.Hash
}

// kept tells whether a block that once was in the recent blocks is still part of the chain: it is in the recent blocks, or below them.
func (r *recentBlocks) kept(ref evidence.Ref) bool {
	return !r.empty() && ref.Number < r.base() || r.has(ref)
}

// holdsParent tells whether the block's parent is in the recent blocks.
func (r *recentBlocks) holdsParent(b *evidence.Block) bool {
	return b.Number > 0 && r.has(evidence.Ref{Number: b.Number - 1, Hash: b.Parent})
}

// replace drops what is at the first block's height and above, and puts the blocks there.
func (r *recentBlocks) replace(blocks []evidence.Block) {
	if !r.empty() {
		r.blocks = r.blocks[:blocks[0].Number-r.base()]
	}
	r.blocks = append(r.blocks, blocks...)
}

// prepend puts older blocks in front.
func (r *recentBlocks) prepend(blocks []evidence.Block) { r.blocks = slices.Concat(blocks, r.blocks) }

// trim drops what is below a height.
func (r *recentBlocks) trim(base uint64) {
	if !r.empty() && base > r.base() {
		drop := min(base-r.base(), uint64(len(r.blocks)-1))
		clear(r.blocks[:drop]) // the array stays until it is full; the lists of transactions need not
		r.blocks = r.blocks[drop:]
	}
}

// from are the blocks of a height and above.
func (r *recentBlocks) from(number uint64) []evidence.Block {
	switch {
	case r.empty() || number > r.head().Number:
		return nil
	case number <= r.base():
		return r.blocks
	}
	return r.blocks[number-r.base():]
}

// until are the blocks below a height, from another one on.
func (r *recentBlocks) until(height, from uint64) []evidence.Block {
	if height < r.base() {
		return nil
	}
	blocks := r.blocks[:min(height-r.base(), uint64(len(r.blocks)-1))]
	return blocks[min(from-min(from, r.base()), uint64(len(blocks))):]
}

// within is the height from which on the blocks take so many bytes of memory at most.
func (r *recentBlocks) within(bytes int) uint64 {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if bytes -= blockBytes + common.HashLength*len(r.blocks[i].Txs); bytes < 0 {
			return r.blocks[i].Number + 1
		}
	}
	return r.base()
}

// linked is how many of the blocks begin at a height and follow each other without a gap.
func linked(from uint64, blocks []evidence.Block) int {
	for i := range blocks {
		if blocks[i].Number != from+uint64(i) || i > 0 && blocks[i].Parent != blocks[i-1].Hash {
			return i
		}
	}
	return len(blocks)
}

const (
	checkpointEvery = 16   // blocks between two checkpoints, at first
	mostCheckpoints = 8192 // of 40 bytes each
)

// checkpoints are a thinned part of the chain below the recent blocks: each was seen to lead to them, parent by parent.
// They link a final block of any age while memory stays the same.
type checkpoints struct {
	refs  []evidence.Ref // ascending
	every uint64         // their heights are multiples of it
	low   evidence.Block // the lowest block that was seen so, without its lists; Hash zero for none below
}

// bound thins the checkpoints until they are few enough.
func (c *checkpoints) bound() {
	for len(c.refs) > mostCheckpoints {
		c.every *= 2
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number%c.every != 0 })
	}
}

// of are the blocks' checkpoints.
func (c *checkpoints) of(blocks []evidence.Block) (refs []evidence.Ref) {
	c.every = cmp.Or(c.every, checkpointEvery)
	for i := range blocks {
		if blocks[i].Number%c.every == 0 {
			refs = append(refs, blocks[i].Ref())
		}
	}
	return refs
}

// prepend takes in blocks that end with the parent of the lowest.
func (c *checkpoints) prepend(blocks []evidence.Block) {
	c.refs = append(c.of(blocks), c.refs...)
	c.low = bare(&blocks[0])
	c.bound()
}

// pass takes in blocks that leave the recent ones.
func (c *checkpoints) pass(blocks []evidence.Block) {
	if len(blocks) == 0 {
		return
	}
	if c.low.Hash == (common.Hash{}) {
		c.low = bare(&blocks[0])
	}
	for _, ref := range c.of(blocks) {
		if n := len(c.refs); n == 0 || c.refs[n-1].Number < ref.Number {
			c.refs = append(c.refs, ref)
		}
	}
	c.bound()
}

// forget drops all below the final block, for which nothing asks again: everything, where it is one of the recent
// blocks, which begin at base.
func (c *checkpoints) forget(final *evidence.Block, base uint64) {
	switch {
	case final.Number >= base:
		*c = checkpoints{}
	case c.low.Hash != (common.Hash{}) && c.low.Number < final.Number:
		c.low = bare(final)
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number < final.Number })
	}
}

// replaced drops the checkpoints of a height and above, which may not be in the chain any more.
func (c *checkpoints) replaced(from uint64) {
	if c.low.Hash != (common.Hash{}) && c.low.Number >= from {
		*c = checkpoints{}
	}
	c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number >= from })
}

// bare is a block reduced to the fields that linking to it needs.
func bare(b *evidence.Block) evidence.Block {
	return evidence.Block{Number: b.Number, Hash: b.Hash, Parent: b.Parent}
}
