package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
)

func list(faults ...rpcproxy.Fault) []rpcproxy.Fault { return faults }

// smallBatches makes many transactions, which go in large requests.
var smallBatches = rigOptions{args: []string{"--set", "relayer:SCORELAY_MAX_BATCH=5"}}

// endpointFaults are what endpoints do wrong while the chain does nothing special.
var endpointFaults = []fault{
	{name: "none", lasts: 2 * time.Second, one: true, two: true, lie: true},
	{name: "100 ms a call", faults: list(rpcproxy.Delay(100 * time.Millisecond)), lasts: 5 * time.Second, one: true, lie: true},

	// Lies.
	{name: "wrong block hash", faults: list(rpcproxy.WrongHash()), lasts: 3 * time.Second, one: true, two: true},
	{name: "another block", faults: list(rpcproxy.Sibling()), lasts: 3 * time.Second, always: 2, one: true, two: true},
	{name: "no receipts", faults: list(rpcproxy.NoReceipts()), lasts: 8 * time.Second, one: true, two: true, lie: true},
	{name: "no receipts half the time", faults: list(rpcproxy.NoReceipts().Sometimes(0.5)), lasts: 8 * time.Second, one: true, two: true, lie: true},
	{
		name: "receipts refused half the time", lasts: 8 * time.Second, one: true, lie: true,
		faults: list(rpcproxy.Refuse(-32000, "internal error").For(rpcproxy.TransactionReceipt, rpcproxy.BlockReceipts).Sometimes(0.5)),
	},
	{name: "receipts take as long as a call may", during: slowReceipts, lasts: 50 * time.Second, rate: 17.5, one: true, lie: true},
	{
		name: "receipts of blocks are empty", faults: list(rpcproxy.Empty(rpcproxy.BlockReceipts)), lasts: 8 * time.Second,
		always: 1, one: true, two: true, lie: true, during: addMember, after: memberAccepted,
	},
	{
		name: "receipts of one block are empty for good", lasts: 5 * time.Second, one: true, lie: true, rig: rigOptions{block: 2 * time.Second},
		before: func(_ *testing.T, x *trial) { x.everywhere(rpcproxy.EmptyBlock()) },
	},
	{name: "receipts of blocks are incomplete", faults: list(rpcproxy.Partial(rpcproxy.BlockReceipts)), lasts: 6 * time.Second, one: true, lie: true},
	{name: "no proofs, no receipts of blocks", faults: list(rpcproxy.Missing(rpcproxy.Proof, rpcproxy.BlockReceipts)), lasts: 6 * time.Second, one: true, lie: true},
	{name: "nonces 3 too high", faults: list(rpcproxy.Missing(rpcproxy.Proof), rpcproxy.Nonces(3)), lasts: 5 * time.Second, one: true, two: true, lie: true},
	{name: "nonces 3 too low", faults: list(rpcproxy.Missing(rpcproxy.Proof), rpcproxy.Nonces(-3)), lasts: 5 * time.Second, always: 1, one: true, two: true, lie: true},
	{
		// Only history that is older than what is proved is read by its logs: all of it, when Redis lost what was made of it.
		name: "no logs", before: mine(4200), faults: list(rpcproxy.Empty(rpcproxy.Logs)), lasts: 15 * time.Second, two: true, lie: true,
		during: func(t *testing.T, x *trial) { x.flush(t) },
	},
	{name: "head 1,000 ahead", faults: list(rpcproxy.Ahead(1000)), lasts: 10 * time.Second, one: true, two: true, after: undisturbed},

	// Nodes that lag.
	{name: "5 blocks behind", faults: list(rpcproxy.Behind(5)), lasts: 8 * time.Second, one: true, two: true, after: undisturbed},
	{name: "30 blocks behind", before: mine(40), faults: list(rpcproxy.Behind(30)), lasts: 8 * time.Second, one: true, two: true, after: undisturbed},
	{name: "half of the requests 5 blocks behind", faults: list(rpcproxy.Behind(5).OneOf(0.5)), lasts: 8 * time.Second, one: true, two: true, after: undisturbed},
	{
		name: "5 to 30 blocks behind, changing", before: mine(40), lasts: 8 * time.Second, always: 2, one: true, two: true,
		faults: list(rpcproxy.Behind(5), rpcproxy.Behind(15).OneOf(0.5), rpcproxy.Behind(30).OneOf(0.3)),
		after:  undisturbed,
	},
	{name: "stuck", during: stuck, lasts: 8 * time.Second, one: true, two: true, after: undisturbed},
	{name: "down for 100 blocks, then 250 ms a call", during: down100, one: true, after: caughtUp(10 * time.Second)},

	// Failures.
	{name: "403", faults: list(rpcproxy.Page(403)), lasts: 8 * time.Second, rate: 200, rig: smallBatches, one: true, two: true, after: batchesAgain},
	{name: "429", faults: list(rpcproxy.Page(429, "Retry-After", "2")), lasts: 10 * time.Second, one: true, two: true, after: fewCalls},
	{name: "502", faults: list(rpcproxy.Page(502)), lasts: 5 * time.Second, one: true, two: true},
	{name: "connections drop", faults: list(rpcproxy.Drop()), lasts: 5 * time.Second, one: true, two: true},
	{name: "answers are lost", faults: list(rpcproxy.Lost()), lasts: 5 * time.Second, always: 2, one: true, two: true},
	{name: "hangs before the node", faults: list(rpcproxy.Hang(false)), lasts: 5 * time.Second, one: true, two: true},
	{name: "hangs after the node", faults: list(rpcproxy.Hang(true)), lasts: 5 * time.Second, always: 1, one: true},
	{name: "truncated answers", faults: list(rpcproxy.Truncated()), lasts: 5 * time.Second, one: true, two: true},
	{name: "garbage", faults: list(rpcproxy.Garbage()), lasts: 5 * time.Second, one: true, two: true},
	{name: "no batches", faults: list(rpcproxy.NoBatches(1)), lasts: 5 * time.Second, rate: 200, rig: smallBatches, one: true, after: batchesAgain},
	{name: "a third of everything fails", faults: list(rpcproxy.Page(503).OneOf(0.33)), lasts: 8 * time.Second, one: true, two: true},
	{
		name: "the key in the URL echoed", lasts: 6 * time.Second, one: true, during: printsAboutTheChain, after: keyNowhere,
		faults: list(rpcproxy.Refuse(-32000, "no app has the key "+keyInURL).Sometimes(0.7)),
		rig: rigOptions{wire: func(proxies []string) []string {
			return []string{"--chain-rpc", proxies[0] + "/v2/" + keyInURL}
		}},
	},

	// Sends.
	{name: "sends refused", before: tips, faults: list(rpcproxy.Refuse(-32000, "internal error").For(rpcproxy.SendRawTransaction)), lasts: 20 * time.Second, one: true, after: tipsStay},
	{name: "sends lost", before: tips, faults: list(rpcproxy.Lost().For(rpcproxy.SendRawTransaction)), lasts: 8 * time.Second, one: true, after: tipsStay},
	{name: "sends heard twice, in other chains' words", faults: list(otherWords), lasts: 6 * time.Second, one: true, after: understood},
	{name: "sends swallowed", before: tips, faults: list(rpcproxy.Swallow()), lasts: 15 * time.Second, one: true, two: true, after: tipsStay},
	{name: "sends hang", before: tips, faults: list(rpcproxy.Hang(false).For(rpcproxy.SendRawTransaction)), lasts: 8 * time.Second, one: true, after: tipsStay},
	{name: "tips below a new minimum refused", before: tips, during: minimumTip, lasts: 8 * time.Second, one: true},
	{
		name: "a pool's minimum above the suggested tip", during: poolMinimum, one: true,
		rig: rigOptions{args: []string{"--set", "relayer:SCORELAY_MAX_FEE_GWEI=40"}}, // which an eighth more, and more, reaches before the tip is enough
	},
	{name: "large transactions taken and dropped", during: dropsLarge, one: true, rate: 100, lasts: 3 * time.Second, wasted: 0.3}, // by cancellations
	{name: "replacements by the rule of reth", during: rethRule, lasts: 8 * time.Second, one: true},
}

// otherWords has an endpoint that gives each transaction to its node twice, and answers what Conflux, Flow and Ethermint say to the second.
var otherWords = rpcproxy.Fault{
	Name: "other words", Methods: []string{rpcproxy.SendRawTransaction},
	Answer: func(_ *rpcproxy.Node, c *rpcproxy.Call, a *rpcproxy.Answer) {
		tx, _ := c.Transaction()
		*a = rpcproxy.Answer{Error: []*rpcproxy.Error{
			{Code: -32602, Message: "Invalid parameters: tx", Data: json.RawMessage(`"tx already exist"`)},
			{Code: -32000, Message: "transaction with the same nonce already submitted"},
			{Code: -32000, Message: fmt.Sprintf("invalid nonce; got %d, expected %d: invalid sequence", tx.Nonce(), tx.Nonce()+1)},
		}[tx.Nonce()%3]}
	},
}

// understood expects that no answer was in unknown words.
func understood(_ *testing.T, x *trial) {
	if lines := x.complained("in unknown words"); len(lines) > 0 {
		x.failf("words that mean something are unknown: %q", lines)
	}
}

const keyInURL = "Wd3pLs-key_Of4nApp"

// printsAboutTheChain has commands print what they hear of the endpoint.
func printsAboutTheChain(_ *testing.T, x *trial) {
	for _, command := range []string{"status", "chain"} {
		if out, told, _ := x.scorelay(command); strings.Contains(out+told, keyInURL) {
			x.failf("`scorelay %s` prints the key in an endpoint's URL: %s %s", command, out, told)
		}
	}
}

// keyNowhere expects errors of the endpoint in the logs, and its key in none.
func keyNowhere(t *testing.T, x *trial) {
	x.did["errors that were logged without the key"] = x.logged("no app has the key …")
	logs, err := filepath.Glob(filepath.Join(x.dir, "logs", "*.log"))
	require.NoError(t, err)
	for _, path := range logs {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		if bytes.Contains(raw, []byte(keyInURL)) {
			x.failf("the key in an endpoint's URL is in %s", filepath.Base(path))
		}
	}
}

// undisturbed expects that an honest endpoint beside the one that fails is enough: transactions in blocks of the second
// half of the fault, when what was in flight before is over. And nothing is wrong with the chain, so no error says so.
func undisturbed(_ *testing.T, x *trial) {
	if n := x.logged(`"level":"ERROR"`); n > 0 {
		x.failf("%d errors were logged; nothing is wrong with the chain", n)
	}
	if len(x.proxies) < 2 {
		return
	}
	all, err := x.judge.transactions(x.ctx, x.block, x.final.through)
	if err != nil {
		x.failf("couldn't read the transactions: %v", err)
		return
	}
	half := x.ended.Sub(x.began) / 2
	meanwhile := 0
	for _, tx := range all {
		if tx.at.After(x.began.Add(half)) && tx.at.Before(x.ended) {
			meanwhile++
		}
	}
	if least := 2 * int(half.Seconds()); meanwhile < least {
		x.failf("only %d transactions in %s beside an honest endpoint; at least %d were expected", meanwhile, half.Round(time.Second), least)
	}
}

// slowReceipts has receipts take as long as --chain-timeout, and expects that most of what is promised meanwhile is applied meanwhile.
func slowReceipts(t *testing.T, x *trial) {
	applied := func() int {
		e, err := x.judge.final(x.ctx)
		require.NoError(t, err)
		return len(e.applied)
	}
	remove := x.everywhere(rpcproxy.Delay(10*time.Second).For(rpcproxy.BlockReceipts, rpcproxy.TransactionReceipt))
	defer remove()
	before, promised := applied(), len(x.tally.Promised())
	x.pause(x.row.lasts)
	got, of := applied()-before, len(x.tally.Promised())-promised
	t.Logf("%d of %d were applied in %s, a ratio of %.2f", got, of, x.row.lasts, float64(got)/float64(of))
	if got < of/2 {
		x.failf("only %d of %d updates were applied in %s in which receipts came late", got, of, x.row.lasts)
	}
}

// mine makes blocks, so that the chain is longer than a fault is deep.
func mine(n int) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) { require.NoError(t, x.anvil.Mine(x.ctx, n)) }
}

// stuck has the endpoint know no block after this one.
func stuck(t *testing.T, x *trial) {
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	remove := x.proxies[0].Add(rpcproxy.Stuck(head))
	x.pause(x.row.lasts)
	remove()
}

func down100(t *testing.T, x *trial) {
	remove := x.everywhere(rpcproxy.Drop())
	require.NoError(t, x.anvil.Mine(x.ctx, 100))
	x.pause(3 * time.Second)
	remove()
	x.everywhere(rpcproxy.Delay(250 * time.Millisecond)) // until the end of the row
}

// caughtUp expects that everything of before, and of the two seconds after, is final so soon after the fault, on a machine where
// one update in calm is final within calmly; and later where that takes longer.
func caughtUp(within time.Duration) func(*testing.T, *trial) {
	const calmly = 3 * time.Second
	return func(_ *testing.T, x *trial) {
		if x.took <= within {
			return
		}
		u, began := x.places[0].Update(0), time.Now()
		u.ID = load.RandomID()
		result := x.client.Send(x.ctx, load.Alone(u), time.Now())
		if reported := x.reported(map[load.Key]time.Time{{Project: x.places[0].Project, ID: u.ID}: began}, 2*time.Minute); reported["final applied"] != 1 {
			x.failf("one update in calm is not final: %v, %v", result.Err, reported)
		}
		took := max(time.Since(began), calmly)
		if allowed := time.Duration(float64(within) * float64(took) / float64(calmly)); x.took > allowed {
			x.failf("caught up after %s; at most %s were expected where one update takes %s", x.took.Round(time.Second), allowed, took)
		}
	}
}

// addMember has the owner of a project add an updater by a transaction of its own.
func addMember(t *testing.T, x *trial) {
	wallet, err := load.RandomWallet()
	require.NoError(t, err)
	x.member = wallet
	x.ownerSends(t, calls.AddUpdater(x.places[0].Project, wallet.Address))
}

// memberAccepted expects updates of that member to be accepted once the fault is over.
func memberAccepted(_ *testing.T, x *trial) {
	var last load.Result
	if !x.until(2*time.Minute, func() bool {
		u := x.places[0].Update(0)
		u.Wallet, u.ID = x.member, load.RandomID()
		last = x.client.Send(x.ctx, load.Alone(u), time.Now())
		return last.Err == nil
	}) {
		x.failf("the new member is refused %s after the fault: %v", time.Since(x.ended).Round(time.Second), last.Err)
	}
}

// batchesAgain expects batches again, larger than any that were taken during the fault. How large depends on what the
// lanes happen to send at once, and on which endpoint is asked first.
func batchesAgain(_ *testing.T, x *trial) {
	before := x.before[0].MaxBatch
	want := min(before/2, 3)
	after := func() (most int) {
		for _, p := range x.proxies {
			most = max(most, p.Stats().MaxBatch)
		}
		return most
	}
	stop := x.load(x.row.rate)
	defer stop()
	if !x.until(2*time.Minute, func() bool { return after() >= want }) {
		x.failf("batches had up to %d calls before the fault and have %d after it", before, after())
	}
	x.t.Logf("batches had up to %d calls before the fault, %d after it", before, after())
}

// fewCalls expects that an endpoint that says 429 is left alone, even if it is the only one.
func fewCalls(_ *testing.T, x *trial) {
	const most = 5.0 // requests per second, of three processes
	if perSecond := float64(x.meantime[0].Requests) / x.ended.Sub(x.began).Seconds(); perSecond > most {
		x.failf("%.1f requests per second to an endpoint that says 429; at most %.0f were expected", perSecond, most)
	}
}

// highestTip is that of the transactions in the last blocks.
func highestTip(x *trial, from uint64) *big.Int {
	highest := new(big.Int)
	head, err := x.judge.node.BlockNumber(x.ctx)
	if err != nil {
		x.failf("couldn't read the head: %v", err)
		return highest
	}
	all, err := x.judge.transactions(x.ctx, from, head)
	if err != nil {
		x.failf("couldn't read the transactions: %v", err)
	}
	for _, tx := range all {
		if tx.tip.Cmp(highest) > 0 {
			highest = tx.tip
		}
	}
	return highest
}

// tips notes what tips were paid before the fault.
func tips(_ *testing.T, x *trial) { x.minTip = highestTip(x, 1) }

// tipsStay expects that transactions of after the fault pay no more than those of before it: that those of the backlog were
// bumped says nothing of the market.
func tipsStay(t *testing.T, x *trial) {
	from, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	before := len(x.final.applied)
	stop := x.load(x.row.rate)
	x.applied(before+50, 2*time.Minute)
	stop()
	most := new(big.Int).Div(new(big.Int).Mul(x.minTip, big.NewInt(13)), big.NewInt(10))
	now := highestTip(x, from+1)
	t.Logf("the highest tip was %s and is %s wei per gas", x.minTip, now)
	if now.Cmp(most) > 0 {
		x.failf("tips climbed from %s to %s wei per gas", x.minTip, now)
	}
}

// minimumTip has the endpoint refuse tips below one and a half times what was paid before.
func minimumTip(_ *testing.T, x *trial) {
	least := new(big.Int).Div(new(big.Int).Mul(x.minTip, big.NewInt(3)), big.NewInt(2))
	remove := x.everywhere(rpcproxy.RefuseSends(func(tx *types.Transaction) error {
		if tx.GasTipCap().Cmp(least) < 0 {
			return fmt.Errorf("transaction gas price below minimum: gas tip cap %s, minimum needed %s", tx.GasTipCap(), least)
		}
		return nil
	}))
	x.pause(x.row.lasts)
	remove()
}

// poolMinimum has the endpoint suggest a gwei and refuse tips below 25, in Bor's words, and expects updates to be applied all the same.
func poolMinimum(t *testing.T, x *trial) {
	least := big.NewInt(25 * params.GWei)
	remove := x.everywhere(rpcproxy.RefuseSends(func(tx *types.Transaction) error {
		if tx.GasTipCap().Cmp(least) < 0 {
			return fmt.Errorf("transaction gas price below minimum: gas tip cap %s, minimum needed %s", tx.GasTipCap(), least)
		}
		return nil
	}))
	defer remove()
	final, err := x.judge.final(x.ctx)
	require.NoError(t, err)
	if !x.applied(len(final.applied)+300, 2*time.Minute) {
		x.failf("nothing is applied while the pool's minimum is above the suggested tip: %v", x.complaints())
	}
}

// dropsLarge has the endpoint take transactions of more than 1,000 bytes and drop them, while others' are in blocks, and expects updates to be
// applied all the same, and an operator to be told.
func dropsLarge(t *testing.T, x *trial) {
	defer x.everywhere(rpcproxy.SwallowAbove(1000))()
	x.pause(x.row.lasts)
	promised := len(x.tally.Promised())
	if !x.until(4*time.Minute, func() bool {
		x.otherSends(t)
		final, err := x.judge.final(x.ctx)
		return err == nil && len(final.applied) > promised
	}) {
		x.failf("no more is applied while the endpoint drops large transactions: %v", x.complaints())
	}
	if len(x.complained("a transaction is in no block")) == 0 { // the status says so, too, for the seconds that it lasts
		x.failf("no relayer says that transactions are in no block")
	}
}

// otherSends sends a transaction of another account's to the node.
func (x *trial) otherSends(t *testing.T) {
	other := devnet.Address(8)
	nonce, err := x.judge.node.PendingNonceAt(x.ctx, other)
	require.NoError(t, err)
	tx, err := types.SignNewTx(devnet.Key(8), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: &other, Gas: 21_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(50 * params.GWei),
	})
	require.NoError(t, err)
	require.NoError(t, x.judge.node.SendTransaction(x.ctx, tx))
}

// rethRule has the endpoint keep transactions to itself and judge their replacements as reth does, which rounds up.
func rethRule(_ *testing.T, x *trial) {
	var mu sync.Mutex
	held, refused, replaced := map[slotOf]*types.Transaction{}, map[common.Hash]bool{}, map[common.Hash]bool{}
	signer := types.LatestSignerForChainID(big.NewInt(devnet.ChainID))
	least := func(old *big.Int) *big.Int { // a tenth more, rounded up
		return new(big.Int).Div(new(big.Int).Add(new(big.Int).Mul(old, big.NewInt(110)), big.NewInt(99)), big.NewInt(100))
	}
	swallow := rpcproxy.Swallow()
	judge := rpcproxy.RefuseSends(func(tx *types.Transaction) error {
		sender, err := types.Sender(signer, tx)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		at := slotOf{sender, tx.Nonce()}
		old := held[at]
		replaced[tx.Hash()] = old != nil && old.Hash() != tx.Hash()
		if old != nil && old.Hash() != tx.Hash() &&
			(tx.GasTipCap().Cmp(least(old.GasTipCap())) < 0 || tx.GasFeeCap().Cmp(least(old.GasFeeCap())) < 0) {
			refused[tx.Hash()] = true
			return errors.New("replacement transaction underpriced")
		}
		held[at] = tx
		return nil
	})
	remove := x.everywhere(rpcproxy.Fault{
		Name: "pool by the rule of reth", Methods: judge.Methods,
		Ask: func(n *rpcproxy.Node, c *rpcproxy.Call) *rpcproxy.Answer {
			return cmp.Or(judge.Ask(n, c), swallow.Ask(n, c))
		},
	})
	x.pause(x.row.lasts)
	remove()
	mu.Lock()
	defer mu.Unlock()
	x.did["replacements judged"] += 0
	for _, one := range replaced {
		if one {
			x.did["replacements judged"]++
		}
	}
	if len(refused) > 0 {
		x.failf("%d replacements were too cheap for reth", len(refused))
	}
}
