package heads

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const blockBytes = 640 // of memory for a block without its list of transactions: 600, and its base fee

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

// between are the blocks from…below-1.
func (r *recentBlocks) between(from, below uint64) []evidence.Block {
	if below < r.base() {
		return nil
	}
	blocks := r.blocks[:min(below-r.base(), uint64(len(r.blocks)-1))]
	return blocks[min(from-min(from, r.base()), uint64(len(blocks))):]
}

// within is the lowest height from which the blocks up to the head take at most so many bytes of memory.
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
	skeletonEvery = 16   // blocks between two of a skeleton, at first
	mostSkeleton  = 8192 // blocks of a skeleton, of 40 bytes each: with more, every doubles, and parentUnder reads as many for one claim
)

// skeleton is a thinned part of the chain below the recent blocks: each of its blocks was seen to lead to them, parent by
// parent. It links a final block of any age in bounded memory. reach may extend the recent blocks into it.
type skeleton struct {
	refs  []evidence.Ref // ascending
	every uint64         // heights of refs are multiples of it
	low   evidence.Block // the lowest block that was linked, see bare; Hash zero for none
}

// bound thins the skeleton until it is small enough.
func (c *skeleton) bound() {
	for len(c.refs) > mostSkeleton {
		c.every *= 2
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number%c.every != 0 })
	}
}

// of are those of the blocks that belong into the skeleton.
func (c *skeleton) of(blocks []evidence.Block) (refs []evidence.Ref) {
	c.every = cmp.Or(c.every, skeletonEvery)
	for i := range blocks {
		if blocks[i].Number%c.every == 0 {
			refs = append(refs, blocks[i].Ref())
		}
	}
	return refs
}

// prepend takes in blocks that end with the parent of the lowest.
func (c *skeleton) prepend(blocks []evidence.Block) {
	c.refs = append(c.of(blocks), c.refs...)
	c.low = bare(&blocks[0])
	c.bound()
}

// pass takes in blocks that leave the recent ones.
func (c *skeleton) pass(blocks []evidence.Block) {
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

// forget drops all below the final block, since no later claim is there: everything, if the final block is one of the
// recent blocks, which begin at base.
func (c *skeleton) forget(final *evidence.Block, base uint64) {
	switch {
	case final.Number >= base:
		*c = skeleton{}
	case c.low.Hash != (common.Hash{}) && c.low.Number < final.Number:
		c.low = bare(final)
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number < final.Number })
	}
}

// replaced drops what is at a height or above: it may not be in the chain any more.
func (c *skeleton) replaced(from uint64) {
	if c.low.Hash != (common.Hash{}) && c.low.Number >= from {
		*c = skeleton{}
	}
	c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number >= from })
}

// bare is a block reduced to the fields that linking to it needs.
func bare(b *evidence.Block) evidence.Block {
	return evidence.Block{Number: b.Number, Hash: b.Hash, Parent: b.Parent}
}
