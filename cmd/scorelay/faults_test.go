package main

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/score"
)

// fault is a row of the table: what fails for how long, and what is expected beyond what is expected of every row.
type fault struct {
	name   string
	faults []rpcproxy.Fault // of the endpoint that fails
	lasts  time.Duration
	before func(t *testing.T, x *trial) // what is done before the fault
	during func(t *testing.T, x *trial) // what happens meanwhile, or instead
	ended  func(t *testing.T, x *trial) // what is done when fault and load are over
	after  func(t *testing.T, x *trial) // what is expected besides

	one, two bool // with this endpoint alone; with an honest one after it
	always   int  // with so many endpoints also without -faults; 0 means only with it

	allEndpoints bool    // fail alike, if there are two
	lie          bool    // only about receipts, nonces or logs: no transaction may be wasted
	wasted       float64 // share of the transactions that may be, if it is not the table's
	restarts     bool    // the row itself ends relayers
	rate         float64 // updates a second; 0 means the table's
	rig          rigOptions
}

// What every row is held to.
const (
	faultRate     = 60.0            // updates a second, over both lanes
	faultPatience = 3 * time.Minute // from the end of the fault until everything promised is final
	faultWasted   = 0.02
	faultBlock    = 500 * time.Millisecond
)

// trial is a row being tried.
type trial struct {
	*rig
	t        *testing.T
	row      fault
	problems []string
	began    time.Time        // the fault
	ended    time.Time        // the fault
	before   []rpcproxy.Stats // of the endpoints, before the fault
	meantime []rpcproxy.Stats // during it
	block    uint64           // when it began
	held     []mined          // transactions that must be in the chain in the end
	final    *events
	took     time.Duration   // from the end of the fault until everything was final
	created  score.ProjectID // during the fault
	late     score.ProjectID // of a row about finality: created while the finalized block lags
	member   *load.Wallet    // of a row about members: the one that was added
	minTip   *big.Int        // of a row about tips: the highest before the fault, wei per gas
	did      map[string]int  // what the row did besides its endpoints' faults, and how often
}

// failf notes a problem. A row tells all of its problems.
func (x *trial) failf(format string, args ...any) {
	x.problems = append(x.problems, fmt.Sprintf(format, args...))
}

var allFaults = flag.Bool("faults", false, "have TestFaults try all of its rows")

// TestFaults tries the rows, one of each kind unless it is told to try all: the table takes longer than all other tests together.
//
//	go test ./cmd/scorelay -run TestFaults -timeout 30m -args -faults
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, row := range slices.Concat(endpointFaults, chainFaults, shapeFaults) {
		if row.one && (*allFaults || row.always == 1) {
			t.Run(row.name+"/one endpoint", func(t *testing.T) { t.Parallel(); try(t, row, 1) })
		}
		if row.two && (*allFaults || row.always == 2) {
			t.Run(row.name+"/first of two endpoints", func(t *testing.T) { t.Parallel(); try(t, row, 2) })
		}
	}
}

// try runs a row and holds it to what is expected of all.
func try(t *testing.T, row fault, endpoints int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	o := row.rig
	o.endpoints, o.lanes = endpoints, 2
	if o.block == 0 {
		o.block = faultBlock
	}
	o.args = append([]string{"--relayers", "2"}, o.args...)
	x := &trial{rig: startRig(ctx, t, o), t: t, row: row, did: map[string]int{}}
	if row.rate == 0 {
		x.row.rate = faultRate
	}
	stop := x.load(x.row.rate)
	require.True(t, x.applied(20, 2*time.Minute), "the stack works before the fault")
	if row.before != nil {
		row.before(t, x)
	}
	relayers := x.pids(t)
	x.fail(t)
	x.pause(2 * time.Second) // of load after the fault
	stop()
	if row.ended != nil {
		row.ended(t, x)
	}
	promised := x.tally.Promised()
	x.settle(promised)
	x.judgeEvents(promised)
	x.judgeStatuses(promised)
	if now := x.pids(t); !row.restarts && fmt.Sprint(now) != fmt.Sprint(relayers) {
		x.failf("relayers ended: the processes were %v and are %v", relayers, now)
	}
	if row.after != nil {
		row.after(t, x)
	}
	x.judgeDeliveries()
	x.audit()
	for _, problem := range x.problems {
		t.Error(problem)
	}
	if t.Failed() {
		t.Logf("warnings and errors of the relayers: %v", x.complaints())
	}
}

// fail has the fault begin, a project be created meanwhile, and the fault end.
func (x *trial) fail(t *testing.T) {
	t.Helper()
	for _, p := range x.proxies {
		x.before = append(x.before, p.ResetStats())
	}
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	x.began, x.block = time.Now(), head
	remove := x.proxies[0].Add(x.row.faults...)
	if x.row.allEndpoints {
		remove()
		remove = x.everywhere(x.row.faults...)
	}
	created := x.newPlace(t, 1, 2)
	for n := range 5 {
		u := created.Update(n)
		u.ID = load.RandomID()
		x.tally.Add(x.client.Send(x.ctx, load.Alone(u), time.Now()))
	}
	if x.row.during != nil {
		x.row.during(t, x)
	}
	if rest := x.row.lasts - time.Since(x.began); rest > 0 {
		x.pause(rest)
	}
	remove()
	x.ended = time.Now()
	for _, p := range x.proxies {
		x.meantime = append(x.meantime, p.ResetStats())
	}
	x.created = created.Project
}

// settle waits until everything promised is applied in final blocks.
func (x *trial) settle(promised map[load.Key]time.Time) {
	var err error
	x.final, err = x.settled(promised, time.Until(x.ended.Add(faultPatience)))
	x.took = time.Since(x.ended)
	require.NotNil(x.t, x.final, err)
	if err != nil {
		x.failf("a lane waits: %v", err)
	}
}

// judgeEvents compares what was promised with the contract's events, and counts the transactions that did nothing.
func (x *trial) judgeEvents(promised map[load.Key]time.Time) {
	counts := x.tally.Counts()
	if counts.Wrong > 0 || counts.Failed > 0 {
		x.failf("the API refused or left unanswered %d: %v", counts.Wrong+counts.Failed, counts.Refusals)
	}
	if n := x.final.doubled(); n > 0 {
		x.failf("%d updates are doubled", n)
	}
	if n := x.final.created[x.created]; n != 1 {
		x.failf("the project created during the fault was created %d times", n)
	}
	all, err := x.judge.transactions(x.ctx, x.block, x.final.through)
	if err != nil {
		x.failf("couldn't read the transactions: %v", err)
		return
	}
	wasted := 0
	for _, tx := range all {
		if !x.final.useful[tx.hash] {
			wasted++
		}
	}
	x.judgeHeld(all)
	allowed := faultWasted
	if x.row.wasted > 0 {
		allowed = x.row.wasted
	}
	if x.row.lie {
		allowed = 0
	}
	if float64(wasted) > allowed*float64(len(all)) {
		x.failf("%d of %d transactions are wasted, %d duplicates found by the contract", wasted, len(all), x.final.duplicates)
	}
	slots, attempts := x.sends.count()
	calls := 0
	for _, s := range x.meantime {
		calls += s.Total()
	}
	x.t.Logf("promised %d, settled %s after the fault; %d transactions, %d wasted; %d attempts for %d slots; %d calls in %s of fault",
		len(promised), x.took.Round(100*time.Millisecond), len(all), wasted, attempts, slots, calls, x.ended.Sub(x.began).Round(100*time.Millisecond))
}

// judgeDeliveries expects that the row did what it is named after: that what its endpoints tell reached the stack, and that what it
// does to the chain and to processes had an effect.
func (x *trial) judgeDeliveries() {
	for i, p := range x.proxies {
		for _, told := range []map[string]int{x.meantime[i].Told, p.Stats().Told} {
			for name, n := range told {
				x.did[name] += n
			}
		}
	}
	x.t.Logf("deliveries: %v", x.did)
	if len(x.did) == 0 && x.row.name != "none" {
		x.failf("the row %q does nothing that is counted", x.row.name)
	}
	for name, n := range x.did {
		if n == 0 {
			x.failf("the row %q did not deliver %q: nothing was tried", x.row.name, name)
		}
	}
}

// judgeHeld expects the transactions that a reorg took away in the chain again: the very bytes, or a bump of them.
func (x *trial) judgeHeld(all []mined) {
	in := map[slotOf]common.Hash{}
	for _, tx := range all {
		in[slotOf{tx.signer, tx.nonce}] = tx.hash
	}
	same, bumped := 0, 0
	for _, tx := range x.held {
		at := slotOf{tx.signer, tx.nonce}
		switch {
		case in[at] == tx.hash:
			same++
		case x.sends.alike(at, tx.hash, in[at]):
			bumped++
		}
	}
	if gone := len(x.held) - same - bumped; gone > 0 {
		x.failf("%d of %d transactions that the reorg took away are gone for good; the same bytes were expected in the chain again", gone, len(x.held))
	}
	if len(x.held) > 0 {
		x.t.Logf("of %d transactions that the reorg took away %d are in the chain again, and bumps of %d", len(x.held), same, bumped)
	}
}

// judgeStatuses holds what the API tells against the events.
func (x *trial) judgeStatuses(promised map[load.Key]time.Time) {
	applied := map[load.Key]time.Time{}
	for key, at := range promised {
		if x.final.applied[key] > 0 {
			applied[key] = at
		}
	}
	reported := x.reported(applied, 2*time.Minute)
	if reported["final applied"] != len(applied) {
		x.failf("of %d applied updates the API reports %v", len(applied), reported)
	}
	var last string
	if !x.until(2*time.Minute, func() bool {
		p, err := x.client.Project(x.ctx, x.created)
		if err != nil {
			last = err.Error()
			return false
		}
		last = p.Stage + " " + p.Outcome
		return p.Final() && (p.Outcome == "applied" || p.Outcome == "")
	}) {
		x.failf("of the project created during the fault the API tells %s", last)
	}
}

// audit runs `scorelay audit` past the proxies; through one where the chain is told as another.
func (x *trial) audit() {
	if len(x.problems) > 0 && x.final.missing(x.tally.Promised()) > 0 {
		return // it would only wait
	}
	at := x.node
	if x.shape != nil {
		at = x.proxies[0].URL
	}
	if out, told, err := x.scorelay("audit", "--wait", "2m", "--chain-rpc", at); err != nil {
		x.failf("the audit fails: %s %s", out, told)
	}
}
