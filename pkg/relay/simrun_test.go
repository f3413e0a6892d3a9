package relay

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/score"
)

// simRun is one schedule of the simulation: lanes, replicas, journal, stream, statuses, chain and endpoints on virtual time, in
// one goroutine. Its seed decides all that happens; two runs of a seed are the same.
//
// A schedule has two parts. While it is wild, random actions come one after the other, faults among them. When it is calm, the
// faults are over, and all that was accepted must come to its end within calmSeconds. The invariants are checked after
// every action, see simWatch, and at the end, see audit.
type simRun struct {
	seed     uint64
	rng      *rand.Rand
	plan     simPlan
	plant    simPlant
	log      *slog.Logger // of the program; discarded unless one schedule is played by itself
	print    bool
	digest   hash.Hash64 // of everything that happened
	clock    *model.Clock
	synced   time.Time // when the statuses were on disk last
	chain    *model.Chain
	nodes    []*model.Node
	journal  *model.Journal
	source   *simSource
	statuses *simStatuses
	ledger   *simLedger
	keeper   int // the replica that holds the ledger's lease
	users    *simUsers
	watch    *simWatch

	replicas []*simReplica
	lanes    *simLanes
	holders  []int // the replica that holds a lane's lease, by lane
	zombies  []*simSession
	current  *simReplica // whose turn it is; nil between turns
	fuse     int         // calls of the current replica until it is killed; 0 never
	calm     bool
	halted   map[score.Lane]time.Time      // since when a lane waits for the operator
	paused   map[score.ProjectID]time.Time // since when, by the operator
	stats    simStats
}

// simStats is what a schedule comes to.
type simStats struct {
	actions, blocks, crashes, calmed, updates int
	parks, unparks, pauses                    int
	did                                       map[string]int // what went wrong, by kind, that something met
}

// did counts that something met a fault of this kind.
func (r *simRun) did(kind string) { r.stats.did[kind]++ }

// simKinds are the kinds of faults that schedules are to deliver, besides endpointFaults.
var simKinds = []string{
	"journal", "store", "killed", "lease moved", "zombie", "reorg", "flood", "pause", "statuses flushed", "dropped from a pool",
	"price", "minimum tip", "large ones dropped", "gas", "role taken", "thief", "lanes changed", "notice lost", "ledger's lease moved", "ledger purged", "ledger restored",
}

// simPlant is a bug that a test plants.
type simPlant string

const (
	noPlant    simPlant = ""
	storesFail simPlant = "stores that fail" // no bug: more writes fail than in other schedules

	freesNonce simPlant = "freed nonce"           // a send whose answer is lost frees the slot's nonce, and its work is bound again
	noFence    simPlant = "unfenced append"       // an append is stored although another session appended since
	floorEarly simPlant = "early floor"           // floors move before the journal holds what is before it
	floorOver  simPlant = "floor over unbound"    // a floor moves over what was not bound: the count of what it passed says nothing of it
	givesOn    simPlant = "giver that continues"  // a lane binds what is in buckets that it gave
	givesEarly simPlant = "giver without waiting" // a bucket is given while a creation of it is open
	takesTwice simPlant = "bucket taken twice"    // what was given to one lane is taken by another, too
	ownOnly    simPlant = "death too soon"        // of what overtook its project, only the lane's own creations count, and the chain does not

	pauseIgnored    simPlant = "ignored pause"             // updates of paused projects are bound
	parkedForgotten simPlant = "forgotten project"         // what a parked project left out is not read again
	secondEndsEarly simPlant = "second reading ends early" // what a parked project left out is read again, but not all of it

	foldApart  simPlant = "fold apart"        // the place of the fold is stored before what is folded
	rewindLost simPlant = "lost rewind"       // the fold takes nothing back: statuses of blocks that the chain lost stay
	boundOver  simPlant = "slot over its end" // a slot that is told of again replaces what its own transaction rejected
)

// simPlants are all of them.
var simPlants = []simPlant{
	freesNonce, noFence, floorEarly, floorOver, givesOn, givesEarly, takesTwice, ownOnly, pauseIgnored, parkedForgotten, secondEndsEarly,
	foldApart, rewindLost, boundOver,
}

// simFailure is what a schedule panics with that shows something wrong.
type simFailure struct{ what string }

func (r *simRun) fail(format string, args ...any) {
	panic(simFailure{fmt.Sprintf(format, args...)})
}

// note adds to the schedule's trace.
func (r *simRun) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	_, _ = r.digest.Write([]byte(text))
	if r.print {
		fmt.Fprintf(os.Stderr, "%s %s\n", r.clock.Now().Format("04:05.000"), text)
	}
}

// simulate plays a schedule. The trace of two runs of one seed is the same.
func simulate(seed uint64, plant simPlant, print bool) (simStats, uint64, error) {
	return newSimRun(seed, plant, print).play()
}

func (r *simRun) play() (stats simStats, trace uint64, err error) {
	defer func() {
		stats, trace = r.stats, r.digest.Sum64()
		maps.Copy(stats.did, r.chain.Told)
		switch why := recover().(type) {
		case nil:
		case simFailure:
			err = fmt.Errorf("after %d actions: %s", r.stats.actions, why.what)
		default:
			err = fmt.Errorf("after %d actions: the program panicked: %v\n%s", r.stats.actions, why, debug.Stack())
		}
	}()
	r.begin()
	for r.stats.blocks < r.plan.blocks {
		r.act()
	}
	r.calmDown()
	r.audit()
	r.auditLanes()
	return r.stats, r.digest.Sum64(), nil
}

func newSimRun(seed uint64, plant simPlant, print bool) *simRun {
	r := &simRun{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), plant: plant, print: print, digest: fnv.New64a(), clock: model.NewClock(),
		journal: model.NewJournal(), statuses: newSimStatuses(), stats: simStats{did: map[string]int{}}, halted: map[score.Lane]time.Time{}, paused: map[score.ProjectID]time.Time{}, log: slog.New(slog.DiscardHandler),
	}
	if print {
		r.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	}
	r.plan = drawPlan(r.rng)
	if plant != noPlant {
		r.plan.forPlant(plant)
	}
	return r
}

// begin sets the scene.
func (r *simRun) begin() {
	r.note("seed %d: %+v", r.seed, r.plan)
	r.source = newSimSource(r.clock.Now)
	r.chain = model.NewChain(r.chainConfig(), r.clock)
	for i := range r.plan.nodes {
		r.nodes = append(r.nodes, r.chain.NewNode(string(rune('a'+i)), r.seed))
		r.nodes[i].Rules = r.rules()
	}
	r.watch = newSimWatch(r)
	r.source.onPurge = r.watch.purged
	r.users = newSimUsers(r)
	r.journal.OnStored = r.watch.stored
	r.journal.Fault = func(what string, _ score.Lane) model.JournalFault {
		if r.current == nil || r.calm || !r.chance(r.plan.journalFaults) {
			return model.JournalRight
		}
		r.note("the journal's answer to %s is lost", what)
		r.did("journal")
		r.did("journal: " + what)
		return []model.JournalFault{model.JournalRefused, model.JournalLost}[r.draw(2)]
	}
	r.source.fault = func(what string) (before, after error) { return r.fault(what, r.plan.sourceFaults) }
	r.statuses.fault = func(what string) (before, after error) { return r.fault(what, r.plan.statusFaults) }
	r.statuses.apart, r.statuses.over = r.plant == foldApart, r.plant == boundOver
	r.ledger = &simLedger{now: r.clock.Now, fault: func(what string) (before, after error) { return r.fault(what, r.plan.ledgerFaults) }}
	r.beginLanes()
	for i := range r.plan.replicas {
		r.replicas = append(r.replicas, r.newReplica(i))
	}
	for range r.plan.lanes {
		r.holders = append(r.holders, r.draw(len(r.replicas)))
	}
	for range r.draw(4) { // the keys were used before
		r.useKeys()
	}
}

// draw is a number below n.
func (r *simRun) draw(n int) int { return r.rng.IntN(n) }

// chance is true percent times of a hundred.
func (r *simRun) chance(percent int) bool { return percent > 0 && r.rng.IntN(100) < percent }

var errSimAway = errors.New("the store does not answer")

// fault decides of a call to the stream or the statuses: it fails, it is made and its answer is lost, or the process is killed
// before or after it.
func (r *simRun) fault(what string, percent int) (before, after error) {
	if killed, late := r.spend(what); killed {
		if late {
			return nil, errSimCrash
		}
		panic(simCrash{})
	}
	if r.current == nil || r.calm || !r.chance(percent) {
		return nil, nil
	}
	done := r.chance(50)
	r.did("store")
	r.did("store: " + what)
	r.note("%s fails for %s (done: %t)", what, r.current.name, done)
	if done {
		return nil, errSimAway
	}
	return errSimAway, nil
}

// spend counts a call of the current replica's; killed says that this is the one that ends it, before or after it is made.
func (r *simRun) spend(what string) (killed, late bool) {
	if r.current == nil || r.fuse == 0 {
		return false, false
	}
	if r.fuse--; r.fuse > 0 {
		return false, false
	}
	late = r.chance(50)
	r.note("%s is killed at %s (after it: %t)", r.current.name, what, late)
	return true, late
}

// turn lets a replica do something, which may end it.
func (r *simRun) turn(on *simReplica, do func()) {
	r.current = on
	defer func() {
		r.current, r.fuse = nil, 0
		switch why := recover().(type) {
		case nil:
		case simCrash:
			r.killed(on)
		default:
			panic(why)
		}
	}()
	do()
}

// short names a hash in a trace.
func short(h common.Hash) string { return h.Hex()[2:8] }

// background is the context of all calls: no deadline of it passes in virtual time.
func background() context.Context { return context.Background() }
