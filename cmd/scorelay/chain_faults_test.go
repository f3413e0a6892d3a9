package main

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// chainFaults are what happens to the chain itself, and to the processes.
var chainFaults = []fault{
	{name: "reorg of 1 block", during: reorg(1), one: true},
	{name: "reorg of 3 blocks", during: reorg(3), always: 1, one: true, two: true},
	{name: "reorg of 5 blocks", during: reorg(5), one: true},
	{name: "reorg of 20 blocks", before: mine(20), during: reorg(20), one: true, after: alarmed},
	{name: "reorg of 2 blocks in geth, whose pool takes the transactions back", rig: rigOptions{geth: &devnet.ChainOptions{}}, during: gethReorg, one: true},
	{name: "reorg that has another attempt of a slot", during: otherAttempt, always: 1, one: true},
	{name: "the pool is wiped", during: wiped, one: true},
	{name: "the lowest transaction is dropped", during: lowestDropped, one: true},
	{name: "a foreign transaction takes a nonce", during: foreign, always: 1, one: true, after: foreignNoticed},
	{name: "a transaction that the journal does not know", during: unjournaled, one: true, after: foreignNoticed},
	{name: "base fee eightfold in 10 blocks", during: feeClimb, one: true},
	{name: "base fee above the ceiling", during: feeSpike, one: true, after: noBumpStorm},
	{name: "a tiny pool", rig: rigOptions{geth: &devnet.ChainOptions{Adjust: tinyPool}}, lasts: 5 * time.Second, one: true, rate: 150, after: poolFull},
	{name: "blocks of 9 million gas", rig: rigOptions{anvil: fresh.AnvilOptions{GasLimit: 9_000_000}}, during: backlog, one: true, after: noneTooLarge(9_000_000)},
	{name: "the chain is down when relayers start", during: downAtStart, always: 1, one: true, restarts: true},
	{name: "SIGTERM of a relayer", during: terminated, one: true, restarts: true, after: caughtUp(8 * time.Second)},
}

// hold notes the transactions in the last depth blocks: they must be in the chain in the end.
func hold(t *testing.T, x *trial, depth int) {
	t.Helper()
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	all, err := x.judge.transactions(x.ctx, head+1-uint64(depth), head)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	x.held = all
	x.block = min(x.block, head-uint64(depth))
}

// reorg replaces blocks by empty ones; their transactions are gone from the node.
func reorg(depth int) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		x.pause(time.Second)
		hold(t, x, depth)
		x.replace(t, depth)
		x.pause(2 * time.Second)
	}
}

// replace has the chain lose its last blocks, for as many that hold these transactions, and counts those that are others now.
func (x *trial) replace(t *testing.T, depth int, txs ...[]byte) {
	t.Helper()
	was := x.hashes(t)
	require.NoError(t, x.anvil.Reorg(x.ctx, depth, txs...))
	x.countReplaced(t, was)
}

// countReplaced counts the blocks of was that the chain lost.
func (x *trial) countReplaced(t *testing.T, was []common.Hash) {
	t.Helper()
	x.did["blocks replaced"] += 0
	now := x.hashes(t)
	for number, hash := range was {
		if number >= len(now) || now[number] != hash {
			x.did["blocks replaced"]++
		}
	}
}

// hashes are those of the chain's blocks, from the first on.
func (x *trial) hashes(t *testing.T) (all []common.Hash) {
	t.Helper()
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	for number := range head + 1 {
		header, err := x.judge.node.HeaderByNumber(x.ctx, new(big.Int).SetUint64(number))
		require.NoError(t, err)
		all = append(all, header.Hash())
	}
	return all
}

// alarmed expects that a reorg of final blocks is an error in the log.
func alarmed(_ *testing.T, x *trial) {
	if x.logged(`"level":"ERROR"`) == 0 {
		x.failf("a reorg of final blocks raised no alarm")
	}
}

// gethReorg continues from the block before last, right after one was made: geth does it only with an empty pool.
func gethReorg(t *testing.T, x *trial) {
	client := x.geth.Client()
	was := x.hashes(t)
	require.True(t, x.until(2*time.Minute, func() bool {
		x.geth.Commit()
		head, err := client.BlockByNumber(x.ctx, nil)
		if err != nil || len(head.Transactions()) == 0 {
			return false
		}
		parent, err := client.HeaderByHash(x.ctx, head.ParentHash())
		was = x.hashes(t)
		return err == nil && x.geth.Fork(parent.ParentHash) == nil
	}), "geth's pool is never empty")
	x.countReplaced(t, was)
	x.pause(2 * time.Second)
}

// otherAttempt has slots bumped, and then a reorg by which another attempt of one is in the chain.
func otherAttempt(t *testing.T, x *trial) {
	remove := x.everywhere(rpcproxy.Swallow())
	require.True(t, x.until(2*time.Minute, func() bool { return x.bumped() != nil }), "no slot was bumped")
	remove()
	var at *slotOf
	var in mined
	require.True(t, x.until(2*time.Minute, func() bool {
		head, err := x.judge.node.BlockNumber(x.ctx)
		if err != nil {
			return false
		}
		all, err := x.judge.transactions(x.ctx, head, head)
		if err != nil {
			return false
		}
		for _, tx := range all { // in the last block, so that a reorg of one block is enough
			if len(x.sends.attempts(slotOf{tx.signer, tx.nonce})) > 1 {
				at, in = &slotOf{tx.signer, tx.nonce}, tx
				return true
			}
		}
		return false
	}), "no bumped slot is in the last block")
	for _, tx := range x.sends.attempts(*at) {
		if tx.Hash() == in.hash {
			continue
		}
		raw, err := tx.MarshalBinary()
		require.NoError(t, err)
		head, err := x.judge.node.BlockNumber(x.ctx)
		require.NoError(t, err)
		x.replace(t, int(head-in.block)+1, raw)
		break
	}
	x.pause(2 * time.Second)
}

// bumped is a slot with more than one attempt.
func (x *trial) bumped() *slotOf {
	x.sends.mu.Lock()
	defer x.sends.mu.Unlock()
	for at, attempts := range x.sends.seen {
		if len(attempts) > 1 {
			return &at
		}
	}
	return nil
}

// wiped empties the pool when transactions have gathered.
func wiped(t *testing.T, x *trial) {
	require.NoError(t, x.anvil.Interval(x.ctx, 0))
	x.pause(2 * time.Second)
	waiting, err := pooled(x.ctx, x.anvil)
	require.NoError(t, err)
	x.did["transactions wiped"] += waiting
	require.NoError(t, x.anvil.DropAll(x.ctx))
	require.NoError(t, x.anvil.Interval(x.ctx, time.Second))
	x.pause(2 * time.Second)
}

// pooled counts the transactions in the node's pool.
func pooled(ctx context.Context, node *fresh.Anvil) (int, error) {
	var pool struct{ Pending, Queued hexutil.Uint64 }
	err := node.Client().CallContext(ctx, &pool, "txpool_status")
	return int(pool.Pending + pool.Queued), err
}

// lowestDropped drops the next transaction of each lane, so that those after it have to wait.
func lowestDropped(t *testing.T, x *trial) {
	require.NoError(t, x.anvil.Interval(x.ctx, 0))
	x.pause(2 * time.Second)
	for signer := range x.judge.signers {
		nonce, err := x.judge.node.NonceAt(x.ctx, signer, nil)
		require.NoError(t, err)
		for _, tx := range x.sends.attempts(slotOf{signer, nonce}) {
			x.did["transactions dropped"]++
			require.NoError(t, x.anvil.Drop(x.ctx, tx.Hash()))
		}
	}
	require.NoError(t, x.anvil.Interval(x.ctx, time.Second))
	x.pause(2 * time.Second)
}

// foreign sends a transaction with a lane's key, at the nonce that the lane's next transaction has, while the lane's own do
// not reach the node.
func foreign(t *testing.T, x *trial) { takeNonce(t, x, devnet.Address(thief), nil) }

// thief is the account of a lane's signer.
const thief = 10

// takeNonce uses a nonce up with that key, and returns it.
func takeNonce(t *testing.T, x *trial, to common.Address, data []byte) uint64 {
	remove := x.everywhere(rpcproxy.Swallow())
	x.pause(2 * time.Second) // what was under way is in a block
	key := devnet.Key(thief)
	signer := devnet.Address(thief)
	nonce, err := x.judge.node.NonceAt(x.ctx, signer, nil)
	require.NoError(t, err)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Gas: 300_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(50 * params.GWei), Data: data,
	})
	require.NoError(t, err)
	x.judge.foreign[tx.Hash()] = true
	require.NoError(t, x.judge.node.SendTransaction(x.ctx, tx))
	require.True(t, x.until(2*time.Minute, func() bool {
		now, err := x.judge.node.NonceAt(x.ctx, signer, nil)
		return err == nil && now > nonce
	}))
	remove()
	receipt, err := x.judge.node.TransactionReceipt(x.ctx, tx.Hash())
	require.NoError(t, err, "the nonce was taken by another")
	x.did["transactions of others"] += int(min(receipt.BlockNumber.Uint64(), 1))
	return nonce
}

// unjournaled has a transaction of a lane's signer to the contract that is not in its journal, as after NATS was restored
// from an older copy. The lane halts until an operator decides, and so does accepting.
func unjournaled(t *testing.T, x *trial) {
	nonce := takeNonce(t, x, x.judge.contract, registry.EncodeBatch(batch.Single(score.Update{})))
	require.True(t, x.until(2*time.Minute, func() bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(x.complaints())), func(line string) bool {
			return strings.Contains(line, "is not in the lane's journal")
		})
	}), "the lane does not say that it halts: %v", x.complaints())
	require.True(t, x.until(2*time.Minute, func() bool {
		out, _, err := x.scorelay("halt", "show")
		return err == nil && strings.Contains(out, "its journal does not know")
	}), "accepting does not halt")
	list := x.does(t, "lanes", "list")
	row := regexp.MustCompile(`(?mi)^(\d+)\s+` + devnet.Address(thief).Hex()).FindStringSubmatch(list)
	require.NotNil(t, row, list)
	require.Contains(t, x.does(t, "lanes", "resume", row[1], "--below", fmt.Sprint(nonce+1)), "continues behind unknown transactions")
	x.does(t, "halt", "resume", "--nothing-lost")
}

// foreignNoticed expects an alarm: that key is known to others.
func foreignNoticed(_ *testing.T, x *trial) {
	if len(x.complaints()) == 0 {
		x.failf("a foreign transaction of our signer raised no alarm")
	}
}

// feeClimb raises the base fee by a quarter with each block.
func feeClimb(t *testing.T, x *trial) {
	head, err := x.judge.node.HeaderByNumber(x.ctx, nil)
	require.NoError(t, err)
	fee := max(head.BaseFee.Uint64(), params.GWei)
	for range 10 {
		fee += fee / 4
		require.NoError(t, x.anvil.SetNextBaseFee(x.ctx, fee))
		nextBlock(t, x)
	}
	x.countFees(t, 8*head.BaseFee.Uint64())
}

// countFees counts the blocks since the fault began whose base fee is at least so high, in wei per gas.
func (x *trial) countFees(t *testing.T, least uint64) {
	t.Helper()
	head, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	x.did["expensive blocks"] += 0
	for number := x.block; number <= head; number++ {
		header, err := x.judge.node.HeaderByNumber(x.ctx, new(big.Int).SetUint64(number))
		require.NoError(t, err)
		if header.BaseFee.Uint64() >= least {
			x.did["expensive blocks"]++
		}
	}
}

// feeSpike has the base fee above every ceiling for 8 blocks.
func feeSpike(t *testing.T, x *trial) {
	for range 8 {
		require.NoError(t, x.anvil.SetNextBaseFee(x.ctx, 1000*params.GWei))
		nextBlock(t, x)
	}
	x.countFees(t, 1000*params.GWei)
	require.NoError(t, x.anvil.SetNextBaseFee(x.ctx, params.GWei))
	nextBlock(t, x)
}

func nextBlock(t *testing.T, x *trial) {
	t.Helper()
	before, err := x.judge.node.BlockNumber(x.ctx)
	require.NoError(t, err)
	require.True(t, x.until(2*time.Minute, func() bool {
		now, err := x.judge.node.BlockNumber(x.ctx)
		return err == nil && now > before
	}))
}

// noBumpStorm expects few attempts for each slot.
func noBumpStorm(_ *testing.T, x *trial) {
	if slots, attempts := x.sends.count(); attempts > 2*slots {
		x.failf("%d attempts for %d slots", attempts, slots)
	}
}

// tinyPool has geth hold very few transactions.
func tinyPool(_ *node.Config, conf *ethconfig.Config) {
	conf.TxPool.AccountSlots, conf.TxPool.GlobalSlots = 1, 3
	conf.TxPool.AccountQueue, conf.TxPool.GlobalQueue = 2, 3
}

// poolFull counts what the pool refused for want of room, and replacements: it drops without a word, too, and then a lane bids again. Beside no
// fault one slot in four at most has a replacement.
func poolFull(_ *testing.T, x *trial) {
	slots, attempts := x.sends.count()
	x.sends.mu.Lock()
	defer x.sends.mu.Unlock()
	x.did["transactions without room"] = x.sends.refused + max(0, attempts-slots*5/4)
}

// backlog has more waiting than a block holds, with ids that cost most, when relayers that were paused continue.
func backlog(t *testing.T, x *trial) {
	relayers := x.pids(t)
	for _, pid := range relayers {
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	var posts []*load.Post
	for n := range 2000 {
		u := x.places[n%2].Update(n)
		u.ID = load.RandomID()
		posts = append(posts, load.Alone(u))
	}
	load.Run(x.ctx, x.client, posts, 16, x.tally.Add)
	for _, pid := range relayers {
		require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	}
}

// noneTooLarge expects that no transaction was sent that no block can hold.
func noneTooLarge(gas uint64) func(*testing.T, *trial) {
	return func(t *testing.T, x *trial) {
		x.did["blocks more than half full"] += 0
		for number := x.block; number <= x.final.through; number++ {
			header, err := x.judge.node.HeaderByNumber(x.ctx, new(big.Int).SetUint64(number))
			require.NoError(t, err)
			if header.GasUsed > gas/2 {
				x.did["blocks more than half full"]++
			}
		}
		x.sends.mu.Lock()
		slots := make([]slotOf, 0, len(x.sends.seen))
		for at := range x.sends.seen {
			slots = append(slots, at)
		}
		x.sends.mu.Unlock()
		large, cancelled := 0, 0
		for _, at := range slots {
			for _, tx := range x.sends.attempts(at) {
				if tx.Gas() > gas {
					large++
				}
				if tx.To() != nil && *tx.To() == at.signer {
					cancelled++
				}
			}
		}
		if large+cancelled > 0 {
			x.failf("%d transactions sent are larger than a block, %d cancel others", large, cancelled)
		}
	}
}

// downAtStart kills the relayers while no endpoint answers, and has the chain come back after they started.
func downAtStart(t *testing.T, x *trial) {
	remove := x.everywhere(rpcproxy.Drop())
	x.did["relayers killed"] += len(x.pids(t))
	x.kill(t, "relayer")
	x.pause(5 * time.Second)
	started := x.pids(t)
	remove()
	x.pause(time.Second)
	if now := x.pids(t); !slices.Equal(now, started) {
		x.failf("relayers ended because the chain was down when they started")
	}
}

// terminated asks one relayer to end, with transactions in flight.
func terminated(t *testing.T, x *trial) {
	require.NoError(t, syscall.Kill(x.pids(t)[0], syscall.SIGTERM))
	x.did["relayers asked to end"]++
	x.pause(4 * time.Second)
}
