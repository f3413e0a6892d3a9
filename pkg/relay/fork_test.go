package relay_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
)

// forkWorld is a deployment on a geth that changes from the rules of Osaka to those of Amsterdam at a block's time, with updates
// of new wallets, which are what the change makes dearer.
type forkWorld struct {
	*world
	at      uint64 // s since 1970: of the first block under the new rules
	wallets int    // so far
	ids     int
}

// untilFork is how far ahead the fork is when the chain starts. Each block is at least a second later than its parent, however
// fast they are made.
const untilFork = 300

func newForkWorld(t *testing.T, lanes int) *forkWorld {
	t.Helper()
	at := uint64(time.Now().Unix()) + untilFork
	geth, err := devnet.StartChain(devnet.ChainOptions{Adjust: func(_ *node.Config, conf *ethconfig.Config) {
		conf.Genesis.Config.AmsterdamTime = &at
	}})
	require.NoError(t, err)
	t.Cleanup(geth.Close)
	return &forkWorld{world: newWorldOn(t, lanes, geth), at: at}
}

func (w *forkWorld) header() *types.Header {
	header, err := w.geth.Client().HeaderByNumber(w.t.Context(), nil)
	require.NoError(w.t, err)
	return header
}

// updates are of a project, on wallets of their own: of consecutive ids, every third of a random one.
func (w *forkWorld) fresh(project byte, n int) []score.Update {
	out := make([]score.Update, n)
	for i := range out {
		w.wallets++
		w.ids++
		u := score.Update{Project: score.ProjectID{project}, Signer: common.Address{0xbb, project}, ScoreType: uint8(i % 2)}
		binary.BigEndian.PutUint32(u.Target[:], uint32(w.wallets))
		binary.BigEndian.PutUint32(u.ID[28:], uint32(w.ids))
		u.ID[0] = project
		if i%3 == 2 {
			binary.BigEndian.PutUint32(u.ID[4:], uint32(w.ids)) // a word of its own
		}
		out[i] = u
	}
	return out
}

// load is what comes between two blocks: of new wallets, and of some that have scores by then, which lanes know and give less gas.
func (w *forkWorld) load() {
	for n := byte(1); n <= 3; n++ {
		w.accept(w.fresh(n, 25)...)
		again := w.fresh(n, 25)
		for i := range again {
			binary.BigEndian.PutUint32(again[i].Target[:], uint32(i+1))
		}
		w.accept(again...)
	}
}

// creation accepts a project that no halves can be made of.
func (w *forkWorld) creation(n byte, actions int) {
	p := w.project(n)
	for i := len(p.Actions); i < actions; i++ {
		p.Actions = append(p.Actions, score.Action{Name: fmt.Sprint("action ", i), Points: 1})
	}
	require.NoError(w.t, w.stream.PublishProject(w.t.Context(), p.Name, p, 0))
}

// group accepts a signed group, which no halves can be made of either.
func (w *forkWorld) group(project byte, n int) {
	var e envelope
	w.sign(&e, score.KindFree, w.fresh(project, n))
	w.acceptEnvelope(&e)
}

// binds notes at which head each nonce of a lane was bound.
type binds struct {
	relay.Journal
	mu    sync.Mutex
	heads map[score.Lane]map[uint64]uint64
}

func (b *binds) Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	if e.Bind != nil {
		b.mu.Lock()
		if b.heads[id] == nil {
			b.heads[id] = map[uint64]uint64{}
		}
		b.heads[id][e.Bind.Nonce] = e.Bind.Since
		b.mu.Unlock()
	}
	return b.Journal.Append(ctx, id, last, e)
}

// failure is a transaction of a lane that failed.
type failure struct {
	lane  score.Lane
	nonce uint64
	block uint64
	data  []byte
}

// failures are the lanes' transactions that failed, as the chain has them, in order. Each did for want of gas.
func (w *forkWorld) failures() (out []failure) {
	w.t.Helper()
	for n := uint64(1); n <= w.header().Number.Uint64(); n++ {
		block, err := w.geth.Client().BlockByNumber(w.t.Context(), new(big.Int).SetUint64(n))
		require.NoError(w.t, err)
		for _, tx := range block.Transactions() {
			receipt, err := w.geth.Client().TransactionReceipt(w.t.Context(), tx.Hash())
			require.NoError(w.t, err)
			if receipt.Status == types.ReceiptStatusSuccessful {
				continue
			}
			require.GreaterOrEqual(w.t, receipt.GasUsed, min(tx.Gas(), registry.MaxExecution), "it failed for another reason than gas")
			from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
			require.NoError(w.t, err)
			id := slices.IndexFunc(w.keys, func(k *signer.Key) bool { return k.Address() == from })
			out = append(out, failure{score.Lane(id), tx.Nonce(), n, tx.Data()})
		}
	}
	return out
}

// carried are the updates and creations of a transaction.
func (f *failure) carried(t *testing.T) (out []string) {
	if p, err := registry.DecodeCreateProject(f.data); err == nil {
		return []string{p.ID.String()}
	}
	b, err := registry.DecodeBatch(f.data)
	require.NoError(t, err)
	for _, u := range b.Updates() {
		out = append(out, u.Project.String()+u.ID.String())
	}
	return out
}

// noAccessLists is a chain whose headers do not tell their fork, as those of a rollup may not.
type noAccessLists struct{ heads.Chain }

func (c noAccessLists) Latest(ctx context.Context) ([]evidence.Claim, error) {
	claims, err := c.Chain.Latest(ctx)
	for i := range claims {
		claims[i].Block.AccessList = false
	}
	return claims, err
}

func (c noAccessLists) Blocks(ctx context.Context, endpoint string, from, to uint64) ([]evidence.Block, error) {
	blocks, err := c.Chain.Blocks(ctx, endpoint, from, to)
	for i := range blocks {
		blocks[i].AccessList = false
	}
	return blocks, err
}

// TestTheNextFork rehearses it on geth's own rules, under load: what was in flight when they changed runs out of gas once at
// most, the lanes notice by what their first receipts or headers say (where the first may be a reorg's, by the next), and everything accepted becomes final. Under the new rules a
// signed group and a creation take more gas than a transaction could have before.
func TestTheNextFork(t *testing.T) {
	long.Test(t)
	t.Parallel()
	for name, telling := range map[string]bool{"headers tell": true, "receipts tell": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rehearse(t, telling)
		})
	}
}

func rehearse(t *testing.T, telling bool) {
	w := newForkWorld(t, 2)
	if !telling {
		w.view = noAccessLists{w.client}
	}
	metrics := prometheus.NewRegistry()
	deps := w.deps()
	deps.Metrics = metrics
	journal := &binds{Journal: deps.Journal, heads: map[score.Lane]map[uint64]uint64{}}
	deps.Journal = journal
	for n := byte(1); n <= 3; n++ {
		w.create(n)
	}
	stop := w.start(w.config(), deps)
	for w.header().Time < w.at-30 {
		w.geth.Commit()
	}
	for w.header().Time+1 < w.at {
		w.load()
		w.mine()
	}
	require.Equal(t, map[string]float64{"osaka": 2, "amsterdam": 0}, believed(t, metrics))

	// What is in flight when the rules change was bound under the old ones.
	w.creation(4, 20)
	w.group(1, 110)
	w.load()
	require.Eventually(t, func() bool { return w.pending() >= 4 }, 2*time.Minute, 10*time.Millisecond)
	w.geth.Commit()
	forked := w.header()
	require.GreaterOrEqual(t, forked.Time, w.at)
	for range 20 {
		w.load()
		w.mine()
	}
	w.group(2, 110)
	w.creation(5, score.MaxActions)
	w.drain()
	require.Equal(t, map[string]float64{"osaka": 0, "amsterdam": 2}, believed(t, metrics))

	failures := w.failures()
	require.NotEmpty(t, failures, "nothing was in flight")
	times := map[string]int{}
	wanted, known := map[score.Lane]uint64{}, map[score.Lane]uint64{} // from these heads on
	for _, f := range failures {
		bound := journal.heads[f.lane][f.nonce]
		if _, found := wanted[f.lane]; !found {
			wanted[f.lane] = f.block
		}
		// The first want of gas, and what was bound before it was seen, may be a reorg's, of which slots that were taken as used are
		// fresh. What was bound since has no such excuse: the first of it tells the lane.
		if _, found := known[f.lane]; !found && bound >= wanted[f.lane] {
			known[f.lane] = f.block
		}
		if telling {
			known[f.lane] = forked.Number.Uint64()
		}
		if head, found := known[f.lane]; found {
			require.Less(t, bound, head, "nonce %d of lane %d in block %d was bound by the old rules", f.nonce, f.lane, f.block)
		}
		for _, what := range f.carried(t) {
			times[what]++
			require.Equal(t, 1, times[what], "%s ran out of gas more than once", what)
		}
	}
	t.Logf("the fork was in block %d; %d transactions with %d updates and creations ran out of gas, the last in block %d",
		forked.Number, len(failures), len(times), failures[len(failures)-1].block)
	require.Equal(t, map[score.Outcome]int{score.Applied: len(w.accepted)}, w.audit())
	require.Empty(t, w.deadLetters())
	if telling {
		w.restarted(stop)
	}
}

// believed is how many lanes believe in which rules.
func believed(t *testing.T, metrics *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := metrics.Gather()
	require.NoError(t, err)
	lanes := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "scorelay_relay_gas_rules" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "rules" {
					lanes[l.GetValue()] += m.GetGauge().GetValue()
				}
			}
		}
	}
	return lanes
}

// restarted: a relayer that starts after the fork loses nothing to it.
func (w *forkWorld) restarted(stop func()) {
	stop()
	before := w.failures()
	w.load()
	w.start(w.config(), w.deps())
	w.drain()
	require.Len(w.t, w.failures(), len(before), "a transaction ran out of gas after a restart")
	require.Empty(w.t, w.deadLetters())
}

// pending is how many transactions wait for a block.
func (w *forkWorld) pending() uint {
	n, err := w.geth.Client().PendingTransactionCount(w.t.Context())
	require.NoError(w.t, err)
	return n
}
