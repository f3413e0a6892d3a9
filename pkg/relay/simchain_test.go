package relay

import (
	"crypto/ecdsa"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	simAdmin   = 0
	simLane    = 4  // the first lane's account
	simMember  = 10 // the first account that projects name
	simMore    = 20 // the accounts of lanes that have no place before that
	simGwei    = 1_000_000_000
	simCeiling = 1000 * simGwei // of a lane's fees
	simMinTip  = 500 * simGwei  // of pools
	simMaxData = 800            // of what nodes do not drop, bytes
)

// simKeys are the accounts' keys.
var simKeys = sync.OnceValue(func() (keys [20 + simMaxLanes]*ecdsa.PrivateKey) {
	for i := range keys {
		keys[i] = devnet.Key(i)
	}
	return keys
})

func simAddress(account int) common.Address {
	return crypto.PubkeyToAddress(simKeys()[account].PublicKey)
}

// laneAccount is the account of a lane.
func laneAccount(id score.Lane) int {
	if account := simLane + int(id); account < simMember {
		return account
	}
	return simMore + int(id)
}

func (r *simRun) laneAddress(id score.Lane) common.Address { return simAddress(laneAccount(id)) }

func (r *simRun) chainConfig() model.Config {
	c := model.Config{
		ID: 1337, Contract: crypto.CreateAddress(simAddress(simAdmin), 0), Admin: simAddress(simAdmin),
		Accounts: map[common.Address]model.Account{}, GasLimit: r.plan.gasLimit, BaseFee: simGwei,
	}
	million := new(big.Int).Mul(big.NewInt(1_000_000), big.NewInt(1e18))
	c.Accounts[c.Admin] = model.Account{Balance: million}
	for id := range score.Lane(simMaxLanes) {
		c.Relayers = append(c.Relayers, r.laneAddress(id))
		c.Accounts[r.laneAddress(id)] = model.Account{Balance: million}
	}
	return c
}

func (r *simRun) advance(ms int) { r.clock.Advance(time.Duration(ms) * time.Millisecond) }

// sync lets every node hear of the chain.
func (r *simRun) sync() {
	for _, n := range r.nodes {
		n.Sync()
	}
}

// adopt makes a block the head.
func (r *simRun) adopt(b *model.Block) {
	r.chain.Adopt(b)
	if head := r.chain.Head().Number; head > r.plan.lag {
		r.chain.Finalized = max(r.chain.Finalized, head-r.plan.lag)
	}
	r.watch.highest = max(r.watch.highest, b.Number)
	r.sync()
	r.stats.blocks++
	r.note("block %d %s with %d transactions", b.Number, short(b.Hash), len(b.Txs))
}

// mine makes a block of what a node has.
func (r *simRun) mine(by *model.Node) {
	head := r.chain.Head()
	others := uint64(0)
	if r.plan.maxData > 0 { // only beside others' transactions a lane takes its own for dropped
		others = 21_000
	}
	r.adopt(r.chain.Make(head, r.ready(by, head), others))
}

// mineSome makes a block of what some node has, some time after the last, maybe with other traffic in it.
func (r *simRun) mineSome() {
	r.advance(r.draw(1500))
	r.gossip(60)
	head, node, used := r.chain.Head(), r.nodes[r.draw(len(r.nodes))], uint64(0)
	if r.chance(20) {
		used = uint64(r.draw(int(r.chain.GasLimit)))
	}
	r.adopt(r.chain.Make(head, r.ready(node, head), used))
}

// gossip gives what is in some pools to the others.
func (r *simRun) gossip(percent int) {
	for _, from := range r.nodes {
		if !r.chance(percent) {
			continue
		}
		for _, to := range r.nodes {
			if to == from {
				continue
			}
			for _, tx := range from.Pool() {
				to.Hear(tx)
			}
		}
	}
}

// reorg replaces the last blocks. Their transactions come back in the new ones, in pools, or nowhere.
func (r *simRun) reorg() {
	depth := 1 + r.draw(int(max(r.plan.confirmations, r.plan.lag, 2))-1)
	if r.plan.confirmations > 0 {
		depth = min(depth, max(int(r.plan.confirmations)-1, 1))
	}
	if r.plan.deep && r.chance(50) {
		depth += r.draw(8)
	}
	head := r.chain.Head()
	depth = min(depth, int(head.Number-r.unfillable()))
	if depth == 0 {
		return
	}
	back, keep := r.chance(50), r.chance(60)
	base := r.chain.At(head.Number - uint64(depth))
	var txs []*model.Tx
	for n := base.Number + 1; back && n <= head.Number; n++ {
		txs = append(txs, r.chain.At(n).Txs...)
	}
	txs = slices.DeleteFunc(txs, r.isDead)
	for _, n := range r.nodes {
		n.Keeps = keep
	}
	b := base
	for range depth + r.draw(3) {
		some := txs[:r.draw(len(txs)+1)]
		txs = txs[len(some):]
		b = r.chain.Make(b, slices.Concat(some, r.ready(r.nodes[r.draw(len(r.nodes))], b)), 0)
	}
	r.did("reorg")
	r.note("reorg of %d blocks below %d, transactions back: %t, in pools: %t", depth, head.Number, back, keep)
	r.chain.Finalized = min(r.chain.Finalized, base.Number)
	r.adopt(b)
}

// unfillable is the newest block with a nonce of a lane that was cut which others used. A chain that loses it loses what the lane settled
// before for good, since without the key nothing uses the nonce up again (docs/lanes.md): so deep no reorg is.
func (r *simRun) unfillable() (newest uint64) {
	for id, state := range r.watch.states {
		if l, _ := r.lanes.roster.Lane(score.Lane(id)); l.State != roster.Cut {
			continue
		}
		for i := range state.Past {
			if p := &state.Past[i]; p.Attempt(p.Tx) == nil {
				newest = max(newest, min(p.Block.Number, r.chain.Head().Number))
			}
		}
	}
	return newest
}

func (r *simRun) dropPools() {
	percent := 20 + r.draw(81)
	n := r.nodes[r.draw(len(r.nodes))]
	n.Drop(func(tx *model.Tx) bool {
		drop := int(tx.Hash()[0])*100/256 < percent
		if drop {
			r.did("dropped from a pool")
		}
		return drop
	})
	n.Rules = r.rules()
	n.Rules.NoGaps, n.Rules.NoCheap, n.Rules.PerAccount = r.chance(20), r.chance(20), r.draw(3)*2
}

// rules are those of all pools, also when it is calm.
func (r *simRun) rules() model.Rules {
	return model.Rules{MinTip: r.plan.minTip, MaxData: r.plan.maxData}
}

func (r *simRun) movePrices() {
	r.chain.BaseFee = []uint64{simGwei / 10, simGwei, simGwei * 3, simGwei * 40, 2 * simCeiling}[r.draw(5)]
	r.chain.Tip = uint64(1+r.draw(5)) * simGwei
	r.did("price")
}

func (r *simRun) moveGas() {
	r.did("gas")
	r.chain.GasPercent = []uint64{50, 70, 95, 120, 160}[r.draw(5)]
	r.chain.GasLimit = r.plan.gasLimit / 1000 * uint64(995+r.draw(11)) // miners move it by 1/1024 a block at most
}

// moveRole takes the relayer role from a lane, or gives it back.
func (r *simRun) moveRole() { r.setRole(score.Lane(r.draw(int(r.ids()))), r.chance(60)) }

func (r *simRun) setRole(id score.Lane, grant bool) {
	data := calls.RevokeRelayer(r.laneAddress(id))
	if grant {
		data = registry.EncodeGrantRelayer(r.laneAddress(id))
	} else {
		r.did("role taken")
	}
	head, node := r.chain.Head(), r.nodes[0]
	tx := r.sign(simAdmin, head.Nonce(simAddress(simAdmin)), &r.chain.Contract, data, 200_000, 2*simCeiling)
	r.adopt(r.chain.Make(head, append([]*model.Tx{tx}, r.ready(node, head)...), 0))
}

// useKeys has the keys of some lanes used, in a block, before any journal begins.
func (r *simRun) useKeys() {
	head := r.chain.Head()
	var txs []*model.Tx
	for id := range score.Lane(r.plan.lanes) {
		if r.chance(50) {
			to := simAddress(simAdmin)
			txs = append(txs, r.sign(laneAccount(id), head.Nonce(r.laneAddress(id)), &to, nil, 21_000, 2*simGwei))
		}
	}
	r.adopt(r.chain.Make(head, txs, 0))
}

func (r *simRun) sign(account int, nonce uint64, to *common.Address, data []byte, gas, price uint64) *model.Tx {
	id := new(big.Int).SetUint64(r.chain.ID)
	tx, err := types.SignNewTx(simKeys()[account], types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: to, Data: data, Gas: gas,
		GasTipCap: new(big.Int).SetUint64(price), GasFeeCap: new(big.Int).SetUint64(price),
	})
	if err != nil {
		r.fail("couldn't sign: %v", err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		r.fail("couldn't encode: %v", err)
	}
	decoded, err := r.chain.Decode(raw)
	if err != nil {
		r.fail("couldn't decode: %v", err)
	}
	return decoded
}
