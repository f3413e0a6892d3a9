package heads

import (
	"slices"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// window is the newest part of the chain: blocks without a gap, each the parent of the next.
type window struct {
	blocks []evidence.Block
}

func (w *window) empty() bool { return len(w.blocks) == 0 }

// head is the newest block, nil before there is one.
func (w *window) head() *evidence.Block {
	if w.empty() {
		return nil
	}
	return &w.blocks[len(w.blocks)-1]
}

// base is the number of the oldest block. The window must not be empty.
func (w *window) base() uint64 { return w.blocks[0].Number }

// at is the block of a height, nil outside of the window.
func (w *window) at(number uint64) *evidence.Block {
	if w.empty() || number < w.base() || number-w.base() >= uint64(len(w.blocks)) {
		return nil
	}
	return &w.blocks[number-w.base()]
}

func (w *window) has(ref evidence.Ref) bool {
	b := w.at(ref.Number)
	return b != nil && b.Hash == ref.Hash
}

// kept tells whether a block that once was in the window is still part of the chain: it is in the window, or below it.
func (w *window) kept(ref evidence.Ref) bool {
	return !w.empty() && ref.Number < w.base() || w.has(ref)
}

// holdsParent tells whether the block's parent is in the window.
func (w *window) holdsParent(b *evidence.Block) bool {
	return b.Number > 0 && w.has(evidence.Ref{Number: b.Number - 1, Hash: b.Parent})
}

// replace drops what is at the first block's height and above, and puts the blocks there.
func (w *window) replace(blocks []evidence.Block) {
	if !w.empty() {
		w.blocks = w.blocks[:blocks[0].Number-w.base()]
	}
	w.blocks = append(w.blocks, blocks...)
}

// prepend puts older blocks in front.
func (w *window) prepend(blocks []evidence.Block) { w.blocks = slices.Concat(blocks, w.blocks) }

// trim drops what is below a height.
func (w *window) trim(base uint64) {
	if !w.empty() && base > w.base() {
		drop := min(base-w.base(), uint64(len(w.blocks)-1))
		clear(w.blocks[:drop]) // the array stays until it is full; the lists of transactions need not
		w.blocks = w.blocks[drop:]
	}
}

// from are the blocks of a height and above.
func (w *window) from(number uint64) []evidence.Block {
	switch {
	case w.empty() || number > w.head().Number:
		return nil
	case number <= w.base():
		return w.blocks
	}
	return w.blocks[number-w.base():]
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
