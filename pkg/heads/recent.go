package heads

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const blockBytes = 640 // memory per block: 600, and its base fee; transactions excluded

// recentBlocks are the newest part of the chain (invariant 1).
type recentBlocks struct {
	blocks []evidence.Block
}

func (r *recentBlocks) empty() bool { return len(r.blocks) == 0 }

func (r *recentBlocks) head() *evidence.Block {
	if r.empty() {
		return nil
	}
	return &r.blocks[len(r.blocks)-1]
}

// base panics if r is empty.
func (r *recentBlocks) base() uint64 { return r.blocks[0].Number }

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

// kept reports whether a block counts as one of the chain: it is recent, or below all recent blocks.
func (r *recentBlocks) kept(ref evidence.Ref) bool {
	return !r.empty() && ref.Number < r.base() || r.has(ref)
}

func (r *recentBlocks) holdsParent(b *evidence.Block) bool {
	return b.Number > 0 && r.has(evidence.Ref{Number: b.Number - 1, Hash: b.Parent})
}

func (r *recentBlocks) replace(blocks []evidence.Block) {
	if !r.empty() {
		r.blocks = r.blocks[:blocks[0].Number-r.base()]
	}
	r.blocks = append(r.blocks, blocks...)
}

func (r *recentBlocks) prepend(blocks []evidence.Block) { r.blocks = slices.Concat(blocks, r.blocks) }

// trim drops the blocks below a height, except the head.
func (r *recentBlocks) trim(base uint64) {
	if !r.empty() && base > r.base() {
		drop := min(base-r.base(), uint64(len(r.blocks)-1))
		clear(r.blocks[:drop]) // frees the lists of transactions; the array stays until it is full
		r.blocks = r.blocks[drop:]
	}
}

func (r *recentBlocks) from(number uint64) []evidence.Block {
	switch {
	case r.empty() || number > r.head().Number:
		return nil
	case number <= r.base():
		return r.blocks
	}
	return r.blocks[number-r.base():]
}

// between returns the blocks from…below-1, except the head.
func (r *recentBlocks) between(from, below uint64) []evidence.Block {
	if below < r.base() {
		return nil
	}
	blocks := r.blocks[:min(below-r.base(), uint64(len(r.blocks)-1))]
	return blocks[min(from-min(from, r.base()), uint64(len(blocks))):]
}

// within returns the lowest height from which the blocks fit in that many bytes.
func (r *recentBlocks) within(bytes int) uint64 {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if bytes -= blockBytes + common.HashLength*len(r.blocks[i].Txs); bytes < 0 {
			return r.blocks[i].Number + 1
		}
	}
	return r.base()
}

// linked returns how many of the blocks, from the first on, link to each other and have the heights from `from` on.
func linked(from uint64, blocks []evidence.Block) int {
	for i := range blocks {
		if blocks[i].Number != from+uint64(i) || i > 0 && blocks[i].Parent != blocks[i-1].Hash {
			return i
		}
	}
	return len(blocks)
}

const (
	skeletonEvery = 16   // initial distance of a skeleton's blocks
	mostSkeleton  = 8192 // refs of 40 bytes. Beyond, every doubles, and so do the blocks that parentUnder reads
)

// skeleton is the chain below the recent blocks, thinned after all blocks were linked, parent by parent. It links a
// final block of any age to the head in bounded memory. It may overlap the recent blocks, since reach extends these
// downwards.
type skeleton struct {
	refs  []evidence.Ref // ascending
	every uint64         // heights of refs are multiples of it
	low   evidence.Block // lowest linked block, see bare; Hash zero: none
}

func (c *skeleton) bound() {
	for len(c.refs) > mostSkeleton {
		c.every *= 2
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number%c.every != 0 })
	}
}

func (c *skeleton) of(blocks []evidence.Block) (refs []evidence.Ref) {
	c.every = cmp.Or(c.every, skeletonEvery)
	for i := range blocks {
		if blocks[i].Number%c.every == 0 {
			refs = append(refs, blocks[i].Ref())
		}
	}
	return refs
}

// prepend adds blocks that end with the parent of the lowest linked block.
func (c *skeleton) prepend(blocks []evidence.Block) {
	c.refs = append(c.of(blocks), c.refs...)
	c.low = bare(&blocks[0])
	c.bound()
}

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

// forget drops everything below the final block, since later finalized blocks are above it. If the final block is
// recent (from base on), it drops all.
func (c *skeleton) forget(final *evidence.Block, base uint64) {
	switch {
	case final.Number >= base:
		*c = skeleton{}
	case c.low.Hash != (common.Hash{}) && c.low.Number < final.Number:
		c.low = bare(final)
		c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number < final.Number })
	}
}

// replaced drops everything from a height on, since it may have left the chain.
func (c *skeleton) replaced(from uint64) {
	if c.low.Hash != (common.Hash{}) && c.low.Number >= from {
		*c = skeleton{}
	}
	c.refs = slices.DeleteFunc(c.refs, func(r evidence.Ref) bool { return r.Number >= from })
}

func bare(b *evidence.Block) evidence.Block {
	return evidence.Block{Number: b.Number, Hash: b.Hash, Parent: b.Parent}
}
