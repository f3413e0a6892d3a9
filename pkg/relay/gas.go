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

// maxScale bounds what is learnt, percent of the model, since an endpoint may lie: batches shrink by as much.
const maxScale = 1600

// margin is what the scale is given above what a chain was seen to charge, percent of the model: batches of another shape
// may be charged still more.
const margin = 25

// gas decides how much gas transactions ask for, and how much batches may take. Rules say, by their models, what execution costs
// at worst. Which of Config.Gas hold is learnt from receipts and headers; and that a chain charges more than they say, such as a rollup
// that charges its data as gas. What is learnt wrongly, from receipts that an endpoint made up, costs gas or room in blocks, and
// nothing else: no limit is above what nodes take, or is only until they refuse it.
type gas struct {
	id      score.Lane
	signer  common.Address
	config  *Config
	chain   Chain
	plan    func(model batch.Model, maxGas uint64) // of the next batches
	known   *batch.Known                           // by what the lane's transactions did in blocks; later nonces come after them on any branch
	trusted map[uint64]int                         // of new work, by nonce: how many of its slots its gas takes as used
	metrics *metrics
	log     *slog.Logger

	learnt    *atomic.Uint64       // of the process: gas that the chain asks for each byte beyond Config.Gas
	perByte   uint64               // what learnt was when charged was made
	charged   []registry.GasRules  // Config.Gas surcharged with perByte
	estimated map[common.Hash]bool // attempts for which an estimate was asked since the last head: each has one at most

	believed int  // the rules, of Config.Gas, that the lane believes the chain to have
	named    bool // the newest head is one that only these make
	returned bool // a receipt took back what want of gas had seemed to show
	capped   bool // nodes refused a transaction for asking for more than Config.Rules.MaxGas

	next    uint64 // the lane's, when it learnt of its newest transaction in a block
	doubted uint64 // next, when slots that were taken as used were last taken for fresh after all; 0 for never

	scale    uint64 // percent of the model that transactions get; only ever rises, see raise
	block    uint64 // gas of the chain's blocks now; 0 before the first head
	most     uint64 // of a transaction, as the chain's blocks are now
	perBatch uint64 // of a batch, likewise
	carried  uint64 // of a batch, at most: half of what the smallest asked for that had to be cancelled, and more with each that is in a block
	fill     fill
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

// maxPerByte bounds the learnt charge per byte, gas, since an endpoint may lie: batches shrink by as much.
const maxPerByte = 4096

// charge takes on what the process has learnt of gas for bytes.
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

// refused is called when nodes refused a slot's last attempt for too little gas. It returns what the next one should ask
// for; 0: that is not known. If the rules do not explain the refusal, one estimate, of a transfer with the same data,
// teaches what the chain asks for bytes.
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

// surcharge learns from the gas of a transfer with data what the chain asks for each byte; it never falls. EIP-7623's floor
// counts as asked for, up to 24 gas a byte too much: a chain may ask for more beside the floor or below it.
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

// limit is the gas of a transaction for the piece of work.
func (g *gas) limit(p *piece) uint64 {
	return min(g.scaled(p.worst(g.rules())), g.ceiling(p, g.rules()))
}

// limitAgain is the gas for a piece that a transaction did not carry, perhaps for want of gas: all that is allowed without an opinion
// of the rules, and what the dearest take of what has no halves.
func (g *gas) limitAgain(p *piece) uint64 {
	dearest := &g.charged[len(g.charged)-1]
	return max(g.most, min(g.scaled(p.worst(dearest)), g.ceiling(p, dearest)))
}

// tooMuch tells whether the piece may run out of any gas that it can have, by the rules, though its halves may not.
func (g *gas) tooMuch(p *piece) bool { return p.splits() && g.scaled(p.worst(g.rules())) > g.most }

func (g *gas) scaled(worst uint64) uint64 { return worst/100*g.scale + worst%100*g.scale/100 }

// ceiling is the most gas a transaction may ask for. What has no halves may have more than Config.Rules.MaxGas where today's
// rules do not hold: it was accepted since it fits under them.
func (g *gas) ceiling(p *piece, rules *registry.GasRules) uint64 {
	if p.splits() || g.capped || g.block == 0 || rules == &g.charged[0] {
		return g.most
	}
	return max(g.most, min(usable(g.block), rules.MaxGas))
}

// head takes from the newest head what blocks hold, and which rules made it if it tells. Limits of blocks drift a little all the
// time; batches are planned again only for a change that counts.
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
	leastCarried  = 128 // of Limits.MaxGas, what batches keep however small one was that had to be cancelled; halves of that one may be smaller
	carriedGrowth = 256 // of gas.carried, by which a batch of about that size that is in a block lets the next be larger
)

// staged learns from a transaction of the lane as soon as it is in a block: that may be undone, and is not worth waiting for.
func (g *gas) staged(l *lane.Lane, nonce uint64) {
	slot, in := l.State.Slot(nonce), l.Included(nonce)
	if slot == nil || in == nil || slot.Work.Kind == lane.NonceOnly {
		return
	}
	p, err := pieceOfSlot(slot)
	if err != nil {
		return // settling says so
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
		if p.splits() && first <= g.most { // its size is what kept it out of the blocks, most likely
			g.carried = max(min(g.carried, first/2), g.config.Limits.MaxGas/leastCarried)
		}
	case in.Receipt.Status == types.ReceiptStatusSuccessful:
		if p.splits() && attempt.Gas >= g.carried/2 && g.carried < g.config.Limits.MaxGas { // the size may be no matter any more
			g.carried += g.carried / carriedGrowth
		}
		g.learn(p, in.Receipt)
	case usedAll(in.Receipt, attempt):
		g.ranOut(p, attempt.Gas)
	}
}

// outcomes learns which slots a batch used, and tells whether all of it applied, so that it cost what the model estimates.
func (g *gas) outcomes(p *piece, receipt *evidence.Receipt) (allApplied bool) {
	if p.batch == nil {
		return true
	}
	outcomes, err := registry.Outcomes(*p.batch, g.config.Contract, &receipt.Receipt)
	if err != nil {
		return false // settling says so
	}
	if g.known.Full() {
		g.forget()
	}
	g.known.Learn(*p.batch, outcomes)
	return !slices.ContainsFunc(outcomes, func(o score.Outcome) bool { return o != score.Applied })
}

// usedAll tells whether the attempt, which failed, used all gas that it could. What a limit has above registry.MaxExecution is
// for state only (EIP-8037), and comes back where none was made.
func usedAll(receipt *evidence.Receipt, attempt *lane.Attempt) bool {
	return receipt.GasUsed >= min(attempt.Gas, registry.MaxExecution)
}

// learn holds what a piece used against what the rules say at worst, and at least.
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

// clearly is how far below the least by the rules a receipt has to be to show that they do not hold, percent. The model is off by 2 at
// most (package registry).
const clearly = 10

// ranOut learns from a piece that ran out of the gas it had. Where that should have been enough, and would not be by dearer rules,
// those hold. Else the session's next transactions get half as much gas again. Others that were bound before that one ended had
// no more: they do not raise it further. What it took as used may be fresh after a reorg, so all of that is forgotten.
func (g *gas) ranOut(p *piece, had uint64) {
	const why = "a transaction ran out of gas"
	g.forget()
	if p.known > 0 {
		fresh := &piece{batch: p.batch}
		if had >= g.scaled(fresh.worst(g.rules())) {
			p = fresh // no reorg makes it take more
		} else if g.doubt(p.nonce) {
			return
		}
	}
	worst := p.worst(g.rules())
	dearer, found := g.dearer(func(rules *registry.GasRules) bool { return worst <= had && had < p.worst(rules) })
	if p.splits() && (!found || g.returned) { // one that is too much by itself says nothing about others
		percent := had * 100 / worst
		g.raise(percent+percent/2, why)
	}
	g.believe(dearer, why)
}

// spell is how many transactions after a reorg made used slots fresh the want of gas of another shows something else.
const spell = 256

// doubt tells whether a transaction that took slots as used may have run out of gas for that alone, and says nothing of prices: the first
// one, and those that were bound with it, which had less gas than all of them take if they are fresh. Where it happens again soon, with what was learnt since, no reorg explains it.
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

// dearer are the next rules, dearer than those that the lane believes in, that explain what was seen; those if none do.
func (g *gas) dearer(explain func(*registry.GasRules) bool) (rules int, found bool) {
	for i := g.believed + 1; i < len(g.charged); i++ {
		if explain(&g.charged[i]) {
			return i, true
		}
	}
	return g.believed, false
}

// believe plans the next batches, and what waits, by the rules.
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

// forget takes all slots as fresh again.
func (g *gas) forget() {
	g.known = batch.NewKnown()
	g.replan()
}

// final counts what a final batch used and paid, and tells what it can use at worst.
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

// shares are the parts of a batch's cost that its projects are the cause of: as their groups would cost by the model in a batch of
// their own, less what any batch costs.
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

// raise gives the session's next transactions at least so many percent of the model's gas, and makes batches smaller by
// as much. The scale never falls while the session lasts.
func (g *gas) raise(percent uint64, why string) {
	if percent = min(percent, maxScale); percent <= g.scale {
		return
	}
	g.log.Warn("the chain charges more gas than the model says; the lane gives its transactions more of it and puts less into them",
		"because", why, "percent_before", g.scale, "percent_now", percent)
	g.scale = percent
	g.replan()
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
