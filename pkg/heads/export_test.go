package heads

import (
	"context"
	"time"
)

// Remembered is how many blocks the tracker remembers, whole and in the skeleton, and the bytes that both take at most.
func (t *Tracker) Remembered() (blocks, refs, bytes int) {
	for i := range t.recent.blocks {
		bytes += blockBytes + 32*len(t.recent.blocks[i].Txs)
	}
	return len(t.recent.blocks), len(t.skeleton.refs), bytes + 40*cap(t.skeleton.refs)
}

// Turn is what Run does between two pauses.
func (t *Tracker) Turn(ctx context.Context) (time.Duration, error) { return t.turn(ctx) }
