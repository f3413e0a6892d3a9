package relay

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/registry"
)

// simPlan is what a schedule has and what may go wrong in it. A few faults at a time find more than all of them at once, which
// leave nothing working.
type simPlan struct {
	lanes, replicas, nodes int
	confirmations          uint64 // 0: the finalized tag
	lag                    uint64 // of the finalized tag behind the head
	blocks                 int    // made while the schedule is wild
	window                 int    // of a lane
	ahead                  int    // updates in a horizon
	gasLimit               uint64 // of the first block
	minTip                 uint64 // of all pools, far above what nodes suggest, also when it is calm; 0: none
	maxData                int    // of batches that nodes do not drop, bytes, also when it is calm; 0: they drop none
	oneClient              bool   // every replica asks the nodes in the same order

	// Percent of calls that fail.
	journalFaults, sourceFaults, statusFaults, signerFaults, ledgerFaults int

	moves        bool // lanes are added, removed, replaced and cut
	noticeFaults int  // percent of writes of notices and of the roster that fail
	goneAfter    uint64

	ledger    bool // its lease moves, two write and fold it, and it is purged, or restored from an older copy
	lease     bool // lanes move, and sessions continue that lost theirs
	kills     bool // of replicas, at any call
	reorgs    bool
	deep      bool // reorgs below the final block, too
	floods    bool // of updates of one project
	pauses    bool // of projects, by an operator
	flush     bool // of the statuses, and they forget what they were told last
	drops     bool // of transactions from pools, and mempools that differ
	prices    bool // the base fee moves, beyond the ceiling too
	gas       bool // the chain charges other gas than the model says, and blocks get smaller
	fork      bool // the rules of gas become those of the next fork
	poison    bool // updates on which the contract reverts, or that need more gas than there is
	bad       bool // updates that the contract rejects, and projects that are accepted twice
	role      bool // the relayer role is taken away for a while
	thief     bool // another one has the lanes' keys
	thiefCall bool // and calls the contract
	endpoints []string
	onlyLies  bool // about receipts, nonces and lists of transactions, and nothing else

	// Weights: what it takes to find a planted bug that needs much to meet.
	changes, often, breaks int // of lanes, reorgs, and faults of endpoints
}

// The faults of endpoints.
var endpointFaults = []string{"lag", "stuck", "fails", "down", "partition", "send", "receipts", "nonces", "ahead", "fake", "lists", "early", "calls"}

func drawPlan(rng *rand.Rand) simPlan {
	one := func(of ...uint64) uint64 { return of[rng.IntN(len(of))] }
	p := simPlan{
		lanes: 1 + rng.IntN(3), replicas: 1 + rng.IntN(3), nodes: 1 + rng.IntN(3), confirmations: one(0, 1, 2, 2, 3, 4, 6),
		lag: 2 + uint64(rng.IntN(4)), blocks: 10 + rng.IntN(40), window: 1 + rng.IntN(8),
		ahead:    int(one(3, 8, 8, 15, 15, 40, 20_000)),
		gasLimit: one(9_000_000, 30_000_000, 30_000_000, 60_000_000), oneClient: rng.IntN(2) == 0, changes: 2, often: 1, breaks: 2,
	}
	if rng.IntN(8) == 0 {
		p.onlyLies = true
		p.endpoints = []string{"receipts", "nonces", "lists"}
		return p
	}
	some := func(percent int) bool { return rng.IntN(100) < percent }
	rate := func(percent int) int {
		if some(percent) {
			return 1 + rng.IntN(10)
		}
		return 0
	}
	p.journalFaults, p.sourceFaults, p.statusFaults, p.signerFaults, p.ledgerFaults = rate(30), rate(15), rate(25), rate(10), rate(25)
	p.ledger = some(40)
	p.lease, p.kills, p.reorgs, p.flush, p.drops = some(40), some(50), some(50), some(30), some(30)
	p.prices, p.gas, p.poison, p.bad, p.role = some(25), some(20), some(25), some(50), some(10)
	p.fork = some(25)
	p.floods = some(50)
	p.deep = p.reorgs && (some(40) || p.confirmations == 1)
	if p.moves = some(60); p.moves {
		p.noticeFaults = rate(50)
	}
	if p.goneAfter = 2; p.deep {
		p.goneAfter = 24
	}
	p.thief = some(20)
	p.thiefCall = p.thief && some(50)
	p.pauses = some(40)
	if some(60) {
		for range 1 + rng.IntN(4) {
			p.endpoints = append(p.endpoints, endpointFaults[rng.IntN(len(endpointFaults))])
		}
		slices.Sort(p.endpoints)
		p.endpoints = slices.Compact(p.endpoints)
	}
	switch p.blocks % 16 { // no draw of their own, so that other schedules stay what they are
	case 3:
		p.minTip = simMinTip
	case 5:
		p.maxData = simMaxData
	}
	return p
}

// forPlant makes sure that a planted bug gets its chance, soon.
func (p *simPlan) forPlant(plant simPlant) {
	p.journalFaults, p.lease, p.kills = max(p.journalFaults, 5), true, true
	p.floods, p.pauses, p.ahead = true, true, min(p.ahead, 15)
	p.endpoints, p.onlyLies, p.replicas, p.moves = append(p.endpoints, "send"), false, max(p.replicas, 2), true
	switch plant {
	case storesFail:
		p.journalFaults, p.sourceFaults, p.statusFaults, p.signerFaults, p.noticeFaults = 15, 15, 15, 5, 15
		p.bad, p.poison, p.thief, p.reorgs = true, true, true, true
		if p.blocks%2 == 1 {
			p.gas, p.changes = true, 6
		}
	case freesNonce:
		p.endpoints, p.breaks = []string{"send"}, 16
	case ownOnly: // another lane creates the project, and the chain loses that once more
		p.reorgs, p.deep, p.lanes, p.often, p.changes = true, true, max(2, p.lanes), 4, 8
	case rewindLost: // what comes back is in an earlier block
		p.deepReorgs()
		p.flush, p.moves, p.ledger, p.statusFaults, p.ledgerFaults = false, false, false, 0, 0
	case boundOver: // a slot is open again, and the ledger is faster than its lane
		p.deepReorgs()
		p.bad = true
	case foldApart:
		p.statusFaults = 10
	}
}

// deepReorgs are often below the final block, and little else goes wrong.
func (p *simPlan) deepReorgs() {
	p.reorgs, p.deep, p.often, p.confirmations, p.endpoints, p.blocks = true, true, 6, 1, nil, 60
}

// simAction is something that may happen next; weight is how often.
type simAction struct {
	name   string
	weight int
	do     func()
}

// actions are what the plan allows.
func (r *simRun) actions() []simAction {
	p := &r.plan
	all := []simAction{
		{"round", 30, func() { r.round(r.anyReplica()) }},
		{"session", 60, r.stepLane},
		{"block", 10, r.mineSome},
		{"publish", 10, func() { r.users.publish() }},
		{"purge", 1, func() { r.purge(r.anyReplica()) }},
		{"rest", 4, func() { r.advance(1 + r.draw(2000)) }},
	}
	when := func(on bool, name string, weight int, do func()) {
		if on {
			all = append(all, simAction{name, weight, do})
		}
	}
	when(p.kills, "kill", 3, func() { r.fuse = 1 + r.draw(1+r.draw(30)); r.turnOf(r.anyReplica()) })
	when(p.moves, "lanes", p.changes, r.changeLanes)
	when(p.moves, "lanes heard of", 12, func() { r.hearOfLanes(r.anyReplica(), false) })
	when(p.moves && p.noticeFaults > 0, "notice lost", 1, r.loseNotice)
	when(p.lease, "lease", 2, r.moveLease)
	when(p.lease, "zombie", 6, r.stepZombie)
	when(p.reorgs, "reorg", p.often, r.reorg)
	when(p.floods, "flood", 1, func() { r.did("flood"); r.users.flood() })
	when(p.pauses, "pause", 2, r.pause)
	when(p.pauses, "resume", 2, r.resume)
	when(p.flush, "flush", 1, func() { r.did("statuses flushed"); r.statuses.flush() })
	when(p.flush, "sync", 8, r.statuses.sync)
	when(p.flush, "forget", 1, r.statuses.forget)
	when(true, "ledger", 12, r.followLedger)
	when(p.ledger, "ledger lost", 1, r.loseLedger)
	when(p.drops, "drop", 2, r.dropPools)
	when(p.prices, "price", 1, r.movePrices)
	when(p.gas, "gas", 1, r.moveGas)
	when(p.fork, "fork", 1, func() { r.chain.Fork(registry.Amsterdam()) })
	when(p.role, "role", 1, r.moveRole)
	when(p.thief, "thief", 1, r.steal)
	when(p.thief || p.deep, "operator", 1, r.operate)
	when(len(p.endpoints) > 0, "endpoint", p.breaks, r.breakEndpoint)
	when(len(p.endpoints) > 0, "endpoint heals", 2, r.healEndpoint)
	return all
}

// simSyncs is how often a Redis writes to its disk what it was told, at least.
const simSyncs = 2 * time.Second

// act does one thing.
func (r *simRun) act() {
	actions, sum := r.actions(), 0
	for _, a := range actions {
		sum += a.weight
	}
	n := r.draw(sum)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			r.stats.actions++
			r.note("%s", a.name)
			r.advance(1 + r.draw(60))
			a.do()
			if now := r.clock.Now(); now.Sub(r.synced) >= simSyncs {
				r.statuses.sync()
				r.synced = now
			}
			return
		}
	}
}
