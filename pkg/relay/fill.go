package relay

import "math"

// A block is full when its free gas is below the next transaction's limit, and a batch's limit exceeds its use. So
// smaller batches leave less of a block empty. But they cost more per update, since each writes its wallets and id
// words by itself.
const (
	// batchesPerBlock is the least number of batches that fill a block, by gas used. At a tenth of a block, a batch
	// of random ids costs more gas per update: 0.8 % if blocks hold 30 million gas, half of that at 60 million.
	batchesPerBlock = 10
	// leastPerBlock is the least number that fill a block, by gas limits. With known wallets and id words, batches
	// use half of their limits: at a fifth of a block each, they leave a tenth of it empty.
	leastPerBlock = 5
	// lastBatches is about how many batches fill.used averages.
	lastBatches = 8
)

// fill decides how many batches a block should hold, by their limits.
type fill struct {
	used     float64 // gas used / gas limit, averaged over the last batches
	perBlock uint64
}

// newFill assumes that batches use their limits, until some are included.
func newFill() fill { return fill{used: 1, perBlock: batchesPerBlock} }

// learn records the gas that an included batch used, applied or not.
func (f *fill) learn(used, limit uint64) {
	f.used += (min(1, float64(used)/float64(limit)) - f.used) / lastBatches
}

// plan returns how many batches should fill a block. It has hysteresis, since a change replans the backlog.
func (f *fill) plan() uint64 {
	n := max(leastPerBlock, uint64(math.Round(batchesPerBlock*f.used)))
	if n < f.perBlock || n > f.perBlock+1 {
		f.perBlock = n
	}
	return f.perBlock
}

// batchGas returns the most gas of a batch, so that a whole number of them fills a block: perBlock, or a few more. A
// batch just above half of a block would leave almost half of it empty.
func batchGas(block, limit, perBlock uint64) uint64 {
	if block == 0 {
		return limit
	}
	return usable(block) / max(perBlock, (usable(block)+limit-1)/limit)
}
