package relay

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// maxScale bounds the learned scale, in percent of the model, since an endpoint may lie to shrink batches.
const maxScale = 1600

// margin, in percent, is added to a learned charge, since other batches may be charged still more.
const margin = 25

// gas decides the gas of transactions and of batches. Each of Config.Gas models the worst cost of execution. The lane
// learns which of these rules the chain follows, from headers if they reveal the fork, else from receipts in blocks.
// It also learns charges above all rules, as of a rollup that charges data as gas. A receipt that an endpoint made up
// only costs gas or room in blocks. If nodes refuse a learned limit, the limit falls.
//
// The models are upper bounds at Ethereum's prices, today's or those announced for the next fork. If a batch used
// more than any model, or ran out, the session's later transactions get more gas and less work.
//
// New work gets gas for fresh storage slots, except for slots that this session's transactions used in blocks. These
// transactions have lower nonces, so they come first on any branch. After a reorg they may apply less, and the new
// work may run out of gas. Then it is retried with gas for fresh slots only, and used ones are forgotten.
// Transactions in no block are ignored, since a bad update in one could make a good batch revert.
type gas struct {
	id     score.Lane
	signer common.Address
	config *Config
	chain  Chain
	plan   func(model batch.Model, maxGas uint64)
	known  *batch.Known
	// by nonce: number of slots that the work's gas assumes as used
	trusted map[uint64]int
	metrics *metrics
	log     *slog.Logger

	learnt    *atomic.Uint64       // gas per byte beyond Config.Gas; all lanes share it
	perByte   uint64               // learnt when charged was computed
	charged   []registry.GasRules  // Config.Gas with perByte
	estimated map[common.Hash]bool // transactions, since the last head

	believed int  // index into Config.Gas
	named    bool // the newest header proves the believed rules
	returned bool // a receipt disproved believed rules, so cheaper ones hold
	capped   bool // nodes refused a transaction that asked for more than Config.Rules.MaxGas

	next    uint64 // State.Next when a transaction was last seen in a block
	doubted uint64 // next when used slots last turned out fresh; 0: never

	scale    uint64 // of the model's gas, in percent; only rises
	block    uint64 // gas limit; 0 if unknown
	most     uint64 // the most gas of a transaction
	perBatch uint64 // the most gas of a batch
	// bounds perBatch: half of the smallest cancelled batch's gas, raised by batches in blocks
	carried uint64
	fill    fill
}

func newGas(id score.Lane, signer common.Address, config *Config, chain Chain, plan func(batch.Model, uint64), learnt *atomic.Uint64,
	metrics *metrics, log *slog.Logger,
) *gas {
	g := &gas{
		id: id, signer: signer, config: config, chain: chain, plan: plan, learnt: learnt, charged: config.Gas, estimated: map[common.Hash]bool{}, metrics: metrics, log: log,
		known: batch.NewKnown(), trusted: map[uint64]int{},
		scale: 100, most: config.Rules.MaxGas, perBatch: config.Limits.MaxGas, carried: math.MaxUint64, fill: newFill(),
	}
	g.replan()
	g.show()
	return g
}

func (g *gas) rules() *registry.GasRules { return &g.charged[g.believed] }

// maxPerByte bounds the learned gas per byte, since an endpoint may lie.
const maxPerByte = 4096

func (g *gas) charge() {
	now := g.learnt.Load()
	if now == g.perByte {
		return
	}
	g.perByte, g.charged = now, make([]registry.GasRules, len(g.config.Gas))
	for i, rules := range g.config.Gas {
		g.charged[i] = rules.Surcharged(now)
	}
	g.replan()
}

// refused returns the gas for the next attempt after nodes refused the last one for too little; 0 if unknown. If the
// rules do not explain the refusal, one estimate of a transfer with the same data shows the charge for bytes.
func (g *gas) refused(ctx context.Context, slot *lane.Slot) uint64 {
	last := slot.Last()
	data, err := slot.Data()
	if err != nil {
		return 0
	}
	limit := func() uint64 { return g.rules().Transfer() }
	if p, err := pieceOf(slot.Work.Kind, data); err == nil && !last.Cancel {
		limit = func() uint64 { return g.limit(p) }
	}
	if g.charge(); limit() <= last.Gas && len(data) > 0 && !g.estimated[last.Hash] {
		g.estimated[last.Hash] = true
		estimate, err := g.chain.EstimateGas(ctx, evidence.Call{From: g.signer, To: g.signer, Data: data})
		if err != nil {
			g.log.Warn("the lane couldn't ask how much gas bytes take; it gives the transaction a quarter more", "nonce", slot.Nonce, "err", err)
		} else {
			g.surcharge(estimate, data)
		}
	}
	if gas := limit(); gas > last.Gas {
		return gas
	}
	return 0
}

// surcharge learns the charge per byte, which only rises, from the estimated gas of a transfer with data. EIP-7623's
// floor counts as such a charge, up to 24 gas a byte too much, since a chain may charge more on top of it.
func (g *gas) surcharge(estimate uint64, data []byte) {
	plain, bytes := registry.IntrinsicGas(data), uint64(len(data))
	if estimate <= plain {
		return
	}
	perByte := min(min((estimate-plain)/bytes+1, maxPerByte)*(100+margin)/100, maxPerByte)
	for before := g.learnt.Load(); perByte > before; before = g.learnt.Load() {
		if g.learnt.CompareAndSwap(before, perByte) {
			g.log.Warn("the chain asks for more gas for each byte than its rules say; all transactions get it, and batches are planned by it",
				"gas_per_byte_before", before, "gas_per_byte_now", perByte)
		}
	}
	g.charge()
}

func (g *gas) limit(p *piece) uint64 {
	return min(g.scaled(p.worst(g.rules())), g.ceiling(p, g.rules()))
}

// limitAgain returns the gas for a piece that a transaction failed to carry, perhaps for want of gas. It is g.most,
// or more if the dearest rules require it for an unsplittable piece.
func (g *gas) limitAgain(p *piece) uint64 {
	dearest := &g.charged[len(g.charged)-1]
	return max(g.most, min(g.scaled(p.worst(dearest)), g.ceiling(p, dearest)))
}

// tooMuch reports whether a splittable piece may need more gas than a transaction can have.
func (g *gas) tooMuch(p *piece) bool { return p.splits() && g.scaled(p.worst(g.rules())) > g.most }

func (g *gas) scaled(worst uint64) uint64 { return worst/100*g.scale + worst%100*g.scale/100 }

// ceiling returns the most gas that a transaction with p may ask for under rules. That is g.most, or for an
// unsplittable piece up to the limit of a block or of the rules. It is g.most for every piece by the first rules
// (which all accepted pieces fit), before the first head, and once capped.
func (g *gas) ceiling(p *piece, rules *registry.GasRules) uint64 {
	if p.splits() || g.capped || g.block == 0 || rules == &g.charged[0] {
		return g.most
	}
	return max(g.most, min(usable(g.block), rules.MaxGas))
}

// head learns from the newest head. Its gas limit drifts, so only a larger change replans batches.
func (g *gas) head(head *evidence.Block) {
	clear(g.estimated)
	g.charge()
	g.block = head.GasLimit
	g.most = maxGas(head.GasLimit, g.config.Rules.MaxGas)
	g.named = false
	if i := slices.IndexFunc(g.config.Gas, func(r registry.GasRules) bool { return r.AccessLists }); i >= 0 && head.AccessList {
		g.named = true
		g.believe(i, "the chain's headers are of that fork")
	}
	perBatch := min(batchGas(head.GasLimit, g.config.Limits.MaxGas, g.fill.plan()), g.carried)
	if slack := g.perBatch / 256; perBatch < g.perBatch-slack || perBatch > g.perBatch+slack {
		g.perBatch = perBatch
		g.replan()
	}
}

func (g *gas) replan() {
	model := g.rules().Batch
	model.Known = g.known
	g.plan(model, g.perBatch*100/g.scale)
}

const (
	// carried is at least Limits.MaxGas / leastCarried; halves of a cancelled batch may be smaller.
	leastCarried = 128
	// An included batch with at least half of carried as gas raises carried by 1 / carriedGrowth.
	carriedGrowth = 256
)

// staged learns from a transaction once it is in a block. A reorg may undo the block, but a wrong lesson costs less
// than waiting.
func (g *gas) staged(l *lane.Lane, nonce uint64) {
	slot, in := l.State.Slot(nonce), l.Included(nonce)
	if slot == nil || in == nil || slot.Work.Kind == lane.NonceOnly {
		return
	}
	p, err := pieceOfSlot(slot)
	if err != nil {
		return // settle reports it
	}
	p.nonce, p.known, g.next = nonce, g.trusted[nonce], l.State.Next
	attempt := slot.Attempt(in.Tx)
	if p.batch != nil && !attempt.Cancel {
		g.fill.learn(in.Receipt.GasUsed, attempt.Gas)
	}
	switch {
	case attempt.Cancel:
		first := slot.Attempts[0].Gas
		g.capped = g.capped || first > g.config.Rules.MaxGas
		if p.splits() && first <= g.most { // its size most likely kept it out of the blocks
			g.carried = max(min(g.carried, first/2), g.config.Limits.MaxGas/leastCarried)
		}
	case in.Receipt.Status == types.ReceiptStatusSuccessful:
		// the size may no longer matter
		if p.splits() && attempt.Gas >= g.carried/2 && g.carried < g.config.Limits.MaxGas {
			g.carried += g.carried / carriedGrowth
		}
		g.learn(p, in.Receipt)
	case usedAll(in.Receipt, attempt):
		g.ranOut(p, attempt.Gas)
	}
}

// outcomes learns which storage slots a batch used, and reports whether all of it applied; false if unreadable.
func (g *gas) outcomes(p *piece, receipt *evidence.Receipt) (allApplied bool) {
	if p.batch == nil {
		return true
	}
	outcomes, err := registry.Outcomes(*p.batch, g.config.Contract, &receipt.Receipt)
	if err != nil {
		return false // settle reports it
	}
	if g.known.Full() {
		g.forget()
	}
	g.known.Learn(*p.batch, outcomes)
	return !slices.ContainsFunc(outcomes, func(o score.Outcome) bool { return o != score.Applied })
}

// usedAll reports whether a failed attempt used all its gas. Gas above registry.MaxExecution is for new state only
// (EIP-8037), and refunded if unused.
func usedAll(receipt *evidence.Receipt, attempt *lane.Attempt) bool {
	return receipt.GasUsed >= min(attempt.Gas, registry.MaxExecution)
}

func (g *gas) learn(p *piece, receipt *evidence.Receipt) {
	allApplied := g.outcomes(p, receipt)
	used, worst := receipt.GasUsed, p.worst(g.rules())
	if used > worst {
		const why = "a transaction used more gas than it can by the rules"
		dearer, found := g.dearer(func(rules *registry.GasRules) bool { return used <= p.worst(rules) })
		if p.batch != nil && (!found || g.returned) {
			g.raise(used*100/worst+margin, why)
		}
		g.believe(dearer, why)
		return
	}
	if g.believed == 0 || g.named || used >= p.least(g.rules())/100*(100-clearly) || !allApplied {
		return
	}
	if cheaper := g.believed - 1; used <= p.worst(&g.charged[cheaper]) {
		g.returned = true
		g.believe(cheaper, "a transaction used less gas than it must by the rules")
	}
}

// clearly is how far, in percent, a receipt must be below the rules' least to disprove them. The model is off by 2
// percent at most (package registry).
const clearly = 10

// ranOut learns from a piece that ran out of gas. If its gas (had) suffices by the believed rules, but not by dearer
// ones, the dearer ones hold. Otherwise the session's next transactions get half as much gas again. Those assigned
// earlier had as little, so they raise it no further.
func (g *gas) ranOut(p *piece, had uint64) {
	const why = "a transaction ran out of gas"
	g.forget()
	if p.known > 0 {
		fresh := &piece{batch: p.batch}
		if had >= g.scaled(fresh.worst(g.rules())) {
			p = fresh // a reorg cannot explain it
		} else if g.doubt(p.nonce) {
			return
		}
	}
	worst := p.worst(g.rules())
	dearer, found := g.dearer(func(rules *registry.GasRules) bool { return worst <= had && had < p.worst(rules) })
	if p.splits() && (!found || g.returned) { // a single unit that is too much proves little about others
		percent := had * 100 / worst
		g.raise(percent+percent/2, why)
	}
	g.believe(dearer, why)
}

// spell is the number of nonces after a doubt within which another want of gas is blamed on prices.
const spell = 256

// doubt reports whether a want of gas may come from used slots that became fresh; it then proves nothing about
// prices. That is assumed for the first such transaction and those assigned before it was seen, and again after spell
// nonces.
func (g *gas) doubt(nonce uint64) bool {
	switch {
	case g.doubted > 0 && nonce < g.doubted:
		return true
	case g.doubted > 0 && nonce-g.doubted < spell:
		return false
	}
	g.doubted = g.next
	return true
}

// dearer returns the next dearer rules that explain the observation; else the believed ones, and false.
func (g *gas) dearer(explain func(*registry.GasRules) bool) (rules int, found bool) {
	for i := g.believed + 1; i < len(g.charged); i++ {
		if explain(&g.charged[i]) {
			return i, true
		}
	}
	return g.believed, false
}

func (g *gas) believe(rules int, why string) {
	if rules == g.believed {
		return
	}
	g.log.Warn("the chain charges gas by other rules than the lane thought; the lane gives its transactions what these take, and plans its batches by them",
		"because", why, "rules_before", g.rules().Name, "rules_now", g.config.Gas[rules].Name)
	g.believed = rules
	g.replan()
	g.show()
}

func (g *gas) show() {
	for i := range g.config.Gas {
		value := 0.0
		if i == g.believed {
			value = 1
		}
		g.metrics.gasRules.WithLabelValues(label(g.id), g.config.Gas[i].Name).Set(value)
	}
}

func (g *gas) forget() {
	g.known = batch.NewKnown()
	g.replan()
}

func (g *gas) final(end *ending) (worst uint64) {
	batch := end.carried.batch
	worst = g.rules().Batch.Gas(*batch)
	observe(g.metrics.gasToModel, float64(end.receipt.GasUsed)/float64(worst), end.work.Trace)
	updates := batch.Len()
	for range updates {
		g.metrics.gasPerUpdate.Observe(float64(end.receipt.GasUsed) / float64(updates))
	}
	fee := ether(end.receipt.Fee())
	for project, part := range shares(&g.rules().Batch, batch) {
		g.metrics.projectFees.add(project, fee*part)
	}
	return worst
}

// shares returns the projects' parts of a batch's cost, adding up to 1. They follow the model's gas for each
// project's groups alone, without the base cost.
func shares(model *batch.Model, b *batch.Batch) map[score.ProjectID]float64 {
	parts, total := map[score.ProjectID]float64{}, 0.0
	for first := 0; first < len(b.Groups); {
		project, next := b.Groups[first].Project, first+1
		for next < len(b.Groups) && b.Groups[next].Project == project {
			next++
		}
		cost := float64(model.Gas(batch.Batch{Groups: b.Groups[first:next]}) - model.Base)
		parts[project] += cost
		total += cost
		first = next
	}
	for project := range parts {
		parts[project] /= total
	}
	return parts
}

func (g *gas) raise(percent uint64, why string) {
	if percent = min(percent, maxScale); percent <= g.scale {
		return
	}
	g.log.Warn("the chain charges more gas than the model says; the lane gives its transactions more of it and puts less into them",
		"because", why, "percent_before", g.scale, "percent_now", percent)
	g.scale = percent
	g.replan()
}

// usable returns the block gas to count on for some blocks, since miners move the limit by up to 1/1024 a block.
func usable(block uint64) uint64 { return block - block/128 }

func maxGas(block, limit uint64) uint64 {
	if block == 0 {
		return limit
	}
	return min(usable(block), limit)
}
