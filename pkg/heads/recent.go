package heads

import (
	"slices"

	"github.com/scorelay/scorelay/pkg/evidence"
)

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

// linked is how many of the blocks begin at a height and follow each other without a gap.
func linked(from uint64, blocks []evidence.Block) int {
	for i := range blocks {
		if blocks[i].Number != from+uint64(i) || i > 0 && blocks[i].Parent != blocks[i-1].Hash {
			return i
		}
	}
	return len(blocks)
}
