package main

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
)

// shaped is a stack on another kind of chain.
func shaped(rules rpcproxy.Rules, block time.Duration, provider ...rpcproxy.Fault) rigOptions {
	return rigOptions{shape: &rules, block: block, provider: provider}
}

// onOPStack is a stack on a chain of the OP Stack, which says what bytes cost on L1.
func onOPStack(fullBlooms bool) rigOptions {
	o := shaped(rpcproxy.OPStack(fullBlooms), 2*time.Second)
	at, code := rpcproxy.L1FeeOracle()
	o.contracts = map[common.Address][]byte{at: code}
	return o
}

// onArbitrum is a stack on a chain whose blocks take any amount of gas.
func onArbitrum(block time.Duration) rigOptions {
	o := shaped(rpcproxy.Arbitrum(), block)
	o.anvil = fresh.AnvilOptions{GasLimit: rpcproxy.ArbitrumGasLimit}
	return o
}

// byTag has a block final when the chain calls it so.
func byTag(rules rpcproxy.Rules, args ...string) rigOptions {
	o := shaped(rules, faultBlock)
	o.args = append([]string{"--confirmations", "0"}, args...)
	return o
}

var plain = rpcproxy.Rules{Name: "Ethereum"}

// shapeFaults are other chains, and providers as they are: nothing fails, but they differ from an Ethereum node of
// one's own. Where the shape is a chain's, its answers verify, unless the row has them spoiled.
var shapeFaults = []fault{
	{
		name: "OP Stack", rig: onOPStack(false), lasts: 4 * time.Second, one: true, lie: true,
		after: verified,
	},
	{
		name: "OP Stack, full blooms", rig: onOPStack(true), lasts: 4 * time.Second, one: true, lie: true,
		after: verified,
	},
	{
		name: "OP Stack, receipts spoiled", rig: onOPStack(false), faults: spoiled, lasts: 8 * time.Second,
		one: true, two: true, lie: true, after: contradicted,
	},
	{
		name: "OP Stack, heads that change within a number", rig: onOPStack(false), before: flash,
		lasts: 8 * time.Second,
		one:   true, two: true, after: undisturbedByFlashes,
	},
	{
		name: "Arbitrum, blocks of 1 s", rig: onArbitrum(time.Second), lasts: 4 * time.Second, one: true, lie: true,
		after: verified,
	},
	{
		name: "Arbitrum, blocks of 250 ms", always: 1, rig: onArbitrum(250 * time.Millisecond), lasts: 4 * time.Second, one: true,
		lie: true, after: verified,
	},
	{
		name: "Arbitrum, receipts spoiled", rig: onArbitrum(time.Second), faults: spoiled, lasts: 8 * time.Second, one: true,
		lie: true, after: contradicted,
	},
	{
		name: "Polygon", rig: shaped(rpcproxy.Polygon(), time.Second, tipFloor), lasts: 4 * time.Second, one: true, lie: true,
		after: verified,
	},
	{
		name: "Polygon, receipts spoiled", rig: shaped(rpcproxy.Polygon(), time.Second, tipFloor), faults: spoiled,
		lasts: 8 * time.Second, one: true, lie: true, after: contradicted,
	},
	{
		name: "Polygon before Madhugiri", rig: shaped(rpcproxy.PolygonOutside(false), time.Second, tipFloor),
		lasts: 4 * time.Second, one: true, lie: true, after: verified,
	},
	{
		name:  "Polygon before Madhugiri, also in empty blocks",
		rig:   shaped(rpcproxy.PolygonOutside(true), time.Second, tipFloor),
		lasts: 4 * time.Second, one: true, lie: true, after: verified,
	},
	{
		name: "Avalanche", rig: shaped(rpcproxy.Avalanche(), time.Second), lasts: 4 * time.Second, one: true, lie: true,
		after: verified,
	},
	{
		name: "Avalanche, receipts spoiled", rig: shaped(rpcproxy.Avalanche(), time.Second), faults: spoiled,
		lasts: 8 * time.Second, one: true, lie: true, after: contradicted,
	},

	{
		name: "400 gas a byte", rig: rigOptions{provider: list(rpcproxy.GasFloor(400))}, lasts: 3 * time.Second, one: true,
		after: learntOnce,
	},
	{
		name: "tips of 25 gwei and more", rig: rigOptions{provider: list(tipFloor)}, lasts: 3 * time.Second, one: true,
		lie: true,
	},
	{
		name: "never proofs", rig: rigOptions{provider: list(rpcproxy.Missing(rpcproxy.Proof))}, lasts: 3 * time.Second,
		one: true, lie: true, after: learnt("missing"),
	},
	{
		name: "never receipts of blocks", rig: rigOptions{provider: list(rpcproxy.Missing(rpcproxy.BlockReceipts))},
		lasts: 3 * time.Second, one: true, lie: true, after: learnt("missing"),
	},
	{
		name:  "never proofs nor receipts of blocks",
		rig:   rigOptions{provider: list(rpcproxy.Missing(rpcproxy.Proof, rpcproxy.BlockReceipts))},
		lasts: 3 * time.Second, one: true, lie: true, after: learnt("missing"),
	},
	{
		name: "batches of 10 at most", rig: rigOptions{provider: list(rpcproxy.NoBatches(10)), args: smallBatches.args},
		rate: 200, during: withoutBlocks, one: true, lie: true,
	},
	{
		name: "logs of 500 blocks at most", rig: shaped(plain, 0, rpcproxy.LogRange(500)), lasts: 15 * time.Second, one: true,
		lie:    true,
		before: insert(6000), during: func(t *testing.T, x *trial) { x.flush(t) },
	},
	{
		name: "logs of 10 blocks at most, said by HTTP 400", rig: shaped(plain, 0, rpcproxy.LogRange(10), rpcproxy.ErrorStatus(400)),
		lasts: 15 * time.Second, one: true, lie: true, after: learnt("errors as Bad Request"),
		before: insert(6000), during: func(t *testing.T, x *trial) { x.flush(t) },
	},
	{
		name: "-32005 in answers of status 200", faults: list(rateLimited), lasts: 10 * time.Second, one: true,
		after: fewCalls,
	},
	{
		name: "-32005 in a third of answers of status 200", faults: list(rateLimited.OneOf(0.33)), lasts: 8 * time.Second,
		one: true,
	},
	{
		name: "a spent quota in answers of status 200", lasts: 10 * time.Second, one: true, after: fewCalls,
		faults: list(rpcproxy.Refuse(-32001, "You have exceeded your monthly quota")),
	},
	{name: "blocks of 250 ms", rig: shaped(plain, 250*time.Millisecond), lasts: 4 * time.Second, one: true, lie: true},
	{
		name: "finalized 500 blocks behind", always: 1, rig: byTag(plain), during: lagging(500), ended: endLag(500),
		one: true, lie: true,
	},
	{
		name: "finalized 20,000 blocks behind", rig: byTag(plain), during: lagging(20_000), ended: endLag(20_000),
		one: true, lie: true,
	},
	{
		name: "finalized 20,000 blocks behind at a first start", rig: byTag(plain), during: laggingAtStart(20_000),
		ended: endLag(20_000), one: true, restarts: true,
	},
	{
		name: "a hard fork adds a field to headers", rig: shaped(plain, faultBlock), during: hardFork, one: true, two: true,
		restarts: true, after: saidOnce,
	},
	{name: "an endpoint tells of a hard fork that is none", during: noFork, two: true, lie: true, after: notSaid},
}

var (
	spoiled     = list(rpcproxy.Reverted())
	tipFloor    = rpcproxy.TipFloor(25 * params.GWei)
	rateLimited = rpcproxy.Refuse(-32005, "daily request count exceeded, request rate limited")
)

// complained are the warnings and errors that hold one of the texts.
func (x *trial) complained(texts ...string) (lines []string) {
	for line := range x.complaints() {
		for _, text := range texts {
			if strings.Contains(line, text) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// verified expects that everything could be checked, and was found in order.
func verified(_ *testing.T, x *trial) {
	if lines := x.complained("cannot be checked", "contradicts", "differ"); len(lines) > 0 {
		x.failf("a chain in order was not verified: %q", lines)
	}
}

// contradicted expects that what was spoiled was found out.
func contradicted(_ *testing.T, x *trial) {
	if len(x.complained("contradicts")) == 0 {
		x.failf("no spoiled receipt was noticed")
	}
}

// flash has the newest block be two others before it stays.
func flash(_ *testing.T, x *trial) { x.shape.Flash(300 * time.Millisecond) }

// undisturbedByFlashes expects that blocks which never stay are no reorg of final ones, and no contradiction.
func undisturbedByFlashes(t *testing.T, x *trial) {
	verified(t, x)
	if n := x.logged(`"level":"ERROR"`); n > 0 {
		x.failf("%d errors were logged; nothing is wrong with the chain", n)
	}
}

// learntOnce expects that what the chain asks for each byte cost the first creation one refusal at most, and of what
// was under way meanwhile one for each lane. An attempt at a higher price alone is no refusal: a slow machine's blocks
// come late.
func learntOnce(_ *testing.T, x *trial) {
	x.did["sends refused and estimates raised"] = x.before[0].Told["gas floor"]
	raised := 0
	for _, at := range x.sends.slots() {
		inSlot, gas := 0, uint64(0)
		for _, tx := range x.sends.attempts(at) {
			if gas > 0 && tx.Gas() > gas {
				inSlot++
			}
			gas = tx.Gas()
		}
		raised += inSlot
		if x.judge.signers[at.signer] && inSlot > 1 {
			x.failf("the slot %d of %s was given more gas %d times", at.nonce, at.signer, inSlot)
		}
	}
	x.t.Logf("%d attempts with more gas than the one before", raised)
	if lanes := len(x.places); raised > lanes {
		x.failf("%d attempts had more gas than the one before: each lane may learn once", raised)
	}
}

// learnt counts what was refused at the start: who knows that does not ask again soon.
func learnt(what string) func(*testing.T, *trial) {
	return func(_ *testing.T, x *trial) { x.did[what] += x.before[0].Told[what] }
}

// insert makes the chain so many blocks longer at once.
func insert(n uint64) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		nextBlock(t, x)
		x.shape.Insert(n)
		nextBlock(t, x)
	}
}

// withoutBlocks has so many transactions wait that those which are sent again make large batches.
func withoutBlocks(t *testing.T, x *trial) {
	require.NoError(t, x.anvil.Interval(x.ctx, 0))
	x.pause(6 * time.Second)
	require.NoError(t, x.anvil.Interval(x.ctx, time.Second))
	x.pause(2 * time.Second)
}

// lagging has the finalized block stall while the chain gets so much longer, and move on so far behind it. A project is created in the
// time of lag: the one of each row may be in a block before it.
func lagging(n uint64) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		x.shape.Finalize(n)
		insert(n)(t, x)
		x.late = x.newPlace(t, 1, 2).Project
		x.pause(4 * time.Second)
	}
}

// laggingAtStart is lagging for relayers that find the chain so.
func laggingAtStart(n uint64) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		lagging(n)(t, x)
		x.kill(t, "relayer")
		x.pause(4 * time.Second)
	}
}

// endLag expects that nothing of the time of lag is final and, once all of it is in blocks, makes the chain as much
// longer as it takes.
func endLag(n uint64) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		_, err := x.settled(x.tally.Promised(), faultPatience)
		require.NoError(t, err)
		p, err := x.client.Project(x.ctx, x.late)
		require.NoError(t, err)
		if p.Final() {
			x.failf("a project is final that is in no block which the chain calls so")
		}
		x.did["projects that waited for finality"]++
		insert(n)(t, x)
		began := time.Now()
		x.until(5*time.Minute, func() bool { // every block of the time of lag is read once
			p, err := x.client.Project(x.ctx, x.late)
			return err == nil && p.Final()
		})
		t.Logf("final %s after the chain called it so", time.Since(began).Round(100*time.Millisecond))
	}
}

const (
	saysUpgrade = "upgrade Scorelay"  // in the line that says that headers have fields which are not known
	saysStart   = `"msg":"connected"` // one line of each process
)

// hardFork has headers get a field that the program does not know, and the relayers end when they follow the chain above it: those that
// start then find blocks of both kinds.
func hardFork(t *testing.T, x *trial) {
	nextBlock(t, x)
	first := x.shape.Fork()
	require.True(t, x.until(3*time.Minute, func() bool { return x.logged(saysUpgrade) > 0 }), "nothing is said: %v", x.complaints())
	x.pause(4 * time.Second)
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	x.did["blocks with an unknown field"] += int(head + 1 - first)
	x.kill(t, "relayer")
	x.pause(6 * time.Second)
}

// saidOnce expects one line of each process, which names the field.
func saidOnce(_ *testing.T, x *trial) {
	said, named, processes := x.logged(saysUpgrade), x.logged(rpcproxy.UnknownField), x.logged(saysStart)
	if said == 0 || said > processes || said != named {
		x.failf("%d lines of %d processes say that Scorelay is to be upgraded, and %d name the unknown field", said, processes, named)
	}
}

// noFork has the first endpoint tell, for longer than a fork is waited for, a chain of its own whose headers have a field more and link.
func noFork(t *testing.T, x *trial) {
	alone := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "a fork of one endpoint"})
	defer x.proxies[0].Add(alone.Fault())()
	x.pause(2 * time.Second)
	nextBlock(t, x)
	alone.Fork()
	x.pause(75 * time.Second)
}

// notSaid expects that one endpoint alone did not have the checks of headers end.
func notSaid(_ *testing.T, x *trial) {
	if x.logged(saysUpgrade) > 0 {
		x.failf("the word of one endpoint had the relayers not check headers any more")
	}
}
