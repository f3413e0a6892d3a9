package relay

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
)

// maxScale bounds what is learnt, percent.
const maxScale = 1600

// margin is what the scale is given above what a chain was seen to charge, percent of the model: batches of another shape
// may be charged still more.
const margin = 25

// gas decides how much gas transactions ask for. The model bounds what execution costs; a chain of other prices, such as a
// rollup that charges its data as gas, needs more, which receipts teach.
type gas struct {
	config  *Config
	plan    func(maxGas uint64)  // bounds, by the model, what the next batches may need
	ofModel prometheus.Histogram // what batches used of what the model says
	log     *slog.Logger

	scale    uint64 // percent of the model that transactions get; only ever rises, see raise
	most     uint64 // of a transaction, as the chain's blocks are now
	perBatch uint64 // of a batch, likewise
}

func newGas(config *Config, plan func(uint64), ofModel prometheus.Histogram, log *slog.Logger) *gas {
	return &gas{
		config: config, plan: plan, ofModel: ofModel, log: log,
		scale: 100, most: config.Rules.MaxGas, perBatch: config.Limits.MaxGas,
	}
}

// limit is the gas of a transaction that the model says needs so much.
func (g *gas) limit(model uint64) uint64 {
	return min(model/100*g.scale+model%100*g.scale/100, g.most)
}

// fitBlocks bounds the gas of a transaction, and of a batch, by what the chain's blocks hold. Limits of blocks drift a
// little all the time; batches are planned again only for a change that counts.
func (g *gas) fitBlocks(blockGas uint64) {
	g.most = maxGas(blockGas, g.config.Rules.MaxGas)
	perBatch := batchGas(blockGas, g.config.Limits.MaxGas)
	if slack := g.perBatch / 256; perBatch >= g.perBatch-slack && perBatch <= g.perBatch+slack {
		return
	}
	g.perBatch = perBatch
	g.plan(g.perBatch * 100 / g.scale)
}

// learn holds what a batch used against what the model says at worst.
func (g *gas) learn(used, worst uint64) {
	g.ofModel.Observe(float64(used) / float64(worst))
	if used > worst {
		g.raise(used*100/worst+margin, "a batch used more gas than it can by the model")
	}
}

// ranOut gives the session's next transactions half as much gas again as one that ran out had. Others that were bound
// before that one ended had no more: they do not raise it further.
func (g *gas) ranOut(had, worst uint64) {
	percent := had * 100 / worst
	g.raise(percent+percent/2, "a batch ran out of gas")
}

// raise gives the session's next transactions at least so many percent of the model's gas, and makes batches smaller by
// as much. The scale never falls while the session lasts.
func (g *gas) raise(percent uint64, why string) {
	if percent = min(percent, maxScale); percent <= g.scale {
		return
	}
	g.log.Warn("the chain charges more gas than the model says; the lane gives its transactions more of it and puts less into them",
		"because", why, "percent_before", g.scale, "percent_now", percent)
	g.scale = percent
	g.plan(g.perBatch * 100 / g.scale)
}

// Miners move a block's gas limit by up to 1/1024 a block: that much of it is not counted on, for some blocks to come.
func usable(block uint64) uint64 { return block - block/128 }

// maxGas is the most gas a transaction may ask for where a block may hold so much; limit is the most anywhere.
func maxGas(block, limit uint64) uint64 {
	if block == 0 {
		return limit
	}
	return min(usable(block), limit)
}

// batchesPerBlock is how many batches fill a block at least. A block is full when what its transactions have left over does
// not hold another one's limit, and a batch's limit is above what it uses: the smaller the batches, the less stays empty. A
// twentieth costs a batch of random ids 1.6 % more gas an update where blocks hold 30 million, half of that at 60.
const batchesPerBlock = 20

// batchGas is the most gas that a batch should ask for, so that batches fill a block but for a twentieth at most, in whole
// numbers: one just above half of a block would leave almost half of it empty.
func batchGas(block, limit uint64) uint64 {
	if block == 0 {
		return limit
	}
	return usable(block) / max(batchesPerBlock, (usable(block)+limit-1)/limit)
}
