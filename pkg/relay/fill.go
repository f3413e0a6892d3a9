package relay

import "math"

// A block is full when what its transactions have left over does not hold another one's limit, and a batch's limit is above what
// it uses. So the smaller the batches, the less of a block stays empty; and the dearer is an update, since each batch writes its
// wallets and words of ids for itself.
const (
	// batchesPerBlock is how many batches fill a block at least, by what they use. A tenth costs a batch of random ids 0.8 % more gas
	// an update where blocks hold 30 million, half of that at 60.
	batchesPerBlock = 10
	// leastPerBlock is how many fill it at least, by their limits. With wallets and words of ids that are known, batches use half of
	// their limits: of a fifth of a block each they leave a tenth of it empty.
	leastPerBlock = 5
	// lastBatches is of about how many batches fill knows what they used.
	lastBatches = 8
)

// fill decides how many batches a block is planned to hold, by their limits.
type fill struct {
	used     float64 // of their limits, by the last batches
	perBlock uint64
}

// newFill takes limits for what batches use, until some are included.
func newFill() fill { return fill{used: 1, perBlock: batchesPerBlock} }

// learn takes what a batch used of its limit, applied or not.
func (f *fill) learn(used, limit uint64) {
	f.used += (min(1, float64(used)/float64(limit)) - f.used) / lastBatches
}

// plan is how many batches are to fill a block. It does not change back and forth with the last batch: what changes it has
// what waits planned again.
func (f *fill) plan() uint64 {
	n := max(leastPerBlock, uint64(math.Round(batchesPerBlock*f.used)))
	if n < f.perBlock || n > f.perBlock+1 {
		f.perBlock = n
	}
	return f.perBlock
}

// batchGas is the most gas that a batch should ask for, so that perBlock batches or a few more fill a block, in whole numbers: one just
// above half of a block would leave almost half of it empty.
func batchGas(block, limit, perBlock uint64) uint64 {
	if block == 0 {
		return limit
	}
	return usable(block) / max(perBlock, (usable(block)+limit-1)/limit)
}
