package relay

import "math"

// A block is full when its free gas is below the next transaction's limit, and a batch's limit exceeds its use. So
// smaller batches leave less of a block empty. But they cost more per update, since each writes its wallets and id
// words by itself.
const (
	// batchesPerBlock is the least number of batches that fill a block, by gas used. A batch of random ids then costs
	// 0.8 % more gas per update at 30 million gas a block, half of that at 60 million.
	batchesPerBlock = 10
	// leastPerBlock is the least number by gas limits. Batches with known wallets and id words use half of their
	// limits. So at a fifth of a block each, they leave a tenth of the block empty.
	leastPerBlock = 5
	// lastBatches is about how many batches fill.used averages.
	lastBatches = 8
)

type fill struct {
	used     float64 // average gas used / gas limit
	perBlock uint64
}

// newFill assumes that batches use their limits, until some are included.
func newFill() fill { return fill{used: 1, perBlock: batchesPerBlock} }

// learn records an included batch, applied or reverted.
func (f *fill) learn(used, limit uint64) {
	f.used += (min(1, float64(used)/float64(limit)) - f.used) / lastBatches
}

// plan returns how many batches should fill a block, with hysteresis, since a change replans the backlog.
func (f *fill) plan() uint64 {
	n := max(leastPerBlock, uint64(math.Round(batchesPerBlock*f.used)))
	if n < f.perBlock || n > f.perBlock+1 {
		f.perBlock = n
	}
	return f.perBlock
}

// batchGas returns the most gas of a batch, at most limit, so that a whole number fills a block: perBlock, or a few
// more. Batches just above half of a block would leave almost half of it empty. block is 0 if unknown.
func batchGas(block, limit, perBlock uint64) uint64 {
	if block == 0 {
		return limit
	}
	return usable(block) / max(perBlock, (usable(block)+limit-1)/limit)
}
