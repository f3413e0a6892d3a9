package heads_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// world is a rig under random faults, with a lane that opens slots, bumps and settles them, and a foreigner who uses its key.
type world struct {
	*rig
	rt      *rapid.T
	lane    *heads.Subscription
	next    uint64                      // nonce of the lane's next slot
	watched map[uint64][]common.Hash    // of open slots
	blocks  map[common.Hash]*modelBlock // all that any node had
	sent    map[uint64]types.Transactions
	final   evidence.Ref
	breaks  float64
	salt    int
}

const foreigner = 7 // the variant of a nonce that the lane does not know

func TestTracksTheChainUnderRandomFaults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		config := heads.Config{
			Confirmations: uint64(rapid.IntRange(0, 4).Draw(rt, "confirmations")),
			Keep:          uint64(rapid.SampledFrom([]int{40, 4096}).Draw(rt, "keep")),
			KeepBytes:     rapid.SampledFrom([]int{1, 32 << 20}).Draw(rt, "bytes"),
		}
		w := &world{
			rig: newRig(rt, config, 60, "a", "b"), rt: rt, watched: map[uint64][]common.Hash{}, sent: map[uint64]types.Transactions{},
			blocks: map[common.Hash]*modelBlock{},
		}
		w.lane = w.Subscribe(w.signer(), 0)
		w.rounds(1)
		actions := map[string]func(*rapid.T){
			"": func(*rapid.T) { w.holds() }, "mine": w.mineSome, "mine more": w.mineSome, "open": w.open, "bump": w.bump, "foreign": w.foreign,
			"settle": w.settle, "reorg": w.reorg, "fault": w.fault, "heal": w.heal, "secede": w.secede, "sleep": w.sleep,
			"finalize": w.finalize, "finalize more": w.finalize,
			"poll": w.poll, "poll again": w.poll, "doubt": func(*rapid.T) { w.lane.NeedAccount() },
		}
		rt.Repeat(actions)
		w.recovers()
	})
}

func (w *world) poll(*rapid.T) {
	_ = w.round()
	w.holds()
}

// mineable are the transactions that the next block could hold.
func (w *world) mineable(from *modelBlock) (txs types.Transactions) {
	for nonce := from.nonces[w.signer()]; len(w.sent[nonce]) > 0; nonce++ {
		txs = append(txs, w.sent[nonce][rapid.IntRange(0, len(w.sent[nonce])-1).Draw(w.rt, "variant")])
	}
	return txs[:rapid.IntRange(0, len(txs)).Draw(w.rt, "mined")]
}

func (w *world) mineSome(*rapid.T) { w.rig.mine(w.mineable(w.tip)...) }

func (w *world) watch(nonce uint64, tx *types.Transaction) {
	w.lane.Watch(nonce, tx.Hash(), w.safeSince(nonce))
	w.watched[nonce] = append(w.watched[nonce], tx.Hash())
	w.sent[nonce] = append(w.sent[nonce], tx)
}

// safeSince is a block up to which the nonce was not used.
func (w *world) safeSince(nonce uint64) uint64 {
	b := w.tip
	for b.Number > 60 && b.nonces[w.signer()] > nonce {
		b = b.parent
	}
	return b.Number
}

func (w *world) open(*rapid.T) {
	if len(w.watched) < 6 {
		w.watch(w.next, w.tx(w.next, 0))
		w.next++
	}
}

func (w *world) bump(t *rapid.T) {
	for nonce := range w.next {
		if n := len(w.watched[nonce]); n > 0 && n < 3 {
			w.watch(nonce, w.tx(nonce, uint64(n)))
			return
		}
	}
}

func (w *world) foreign(t *rapid.T) {
	nonce := w.tip.nonces[w.signer()] + uint64(rapid.IntRange(0, 1).Draw(t, "ahead"))
	w.sent[nonce] = append(w.sent[nonce], w.tx(nonce, foreigner))
}

// settle settles the lowest open slot if the View shows a final block with its nonce used.
func (w *world) settle(*rapid.T) {
	select {
	case v := <-w.lane.Views():
		for _, nonce := range slices.Sorted(maps.Keys(w.watched)) {
			for _, in := range v.Included {
				if slices.Contains(w.watched[nonce], in.Tx) && in.Block.Number <= v.Final.Number {
					w.lane.Settled(nonce, in.Tx, in.Block, 0)
					delete(w.watched, nonce)
					return
				}
			}
		}
	default:
	}
}

func (w *world) reorg(t *rapid.T) {
	depth := uint64(rapid.IntRange(1, 8).Draw(t, "depth"))
	w.salt++
	from := w.tip.at(max(w.tip.Number-min(depth, w.tip.Number), 60))
	w.branch(from, rapid.IntRange(1, 9).Draw(t, "length"), string(rune('a'+w.salt)), w.mineable(from)...)
}

func (w *world) anyNode() *node { return w.nodes[rapid.IntRange(0, 1).Draw(w.rt, "node")] }

func (w *world) fault(t *rapid.T) {
	n := w.anyNode()
	switch rapid.IntRange(0, 12).Draw(t, "fault") {
	case 0:
		n.down = true
	case 1:
		n.lag = uint64(rapid.IntRange(1, 30).Draw(t, "lag"))
	case 2:
		n.ahead = uint64(rapid.SampledFrom([]int{1, 2, 50, 1_000, 9_000}).Draw(t, "claim"))
	case 3:
		n.noBlocks = true
	case 4:
		n.blocksAt = rapid.IntRange(1, 5).Draw(t, "blocks")
	case 5:
		n.noReceipts = true
	case 6:
		n.badReceipt = true
	case 7:
		n.hidden = map[common.Hash]bool{}
		for nonce := range w.next + 3 {
			n.hidden[w.tx(nonce, 0).Hash()], n.hidden[w.tx(nonce, 1).Hash()] = true, true
		}
	case 8:
		n.listed = map[common.Hash]common.Hash{}
		for nonce := range w.next + 3 {
			n.listed[w.tx(nonce, foreigner).Hash()] = w.tx(nonce, 0).Hash()
		}
	case 9:
		n.nonceLie = uint64(rapid.IntRange(1, 5).Draw(t, "lie"))
	case 10:
		n.noTxs = true
	case 11:
		n.noFind = true
	case 12:
		n.findLie = map[common.Hash]evidence.Ref{}
		for nonce := range w.next {
			n.findLie[w.tx(nonce, 0).Hash()] = w.tip.at(w.tip.Number - 3).Ref()
		}
	}
}

func (w *world) heal(*rapid.T) {
	n := w.anyNode()
	*n = node{name: n.name, head: w.tip}
}

// secede puts a node on a branch of its own.
func (w *world) secede(t *rapid.T) {
	n := w.anyNode()
	n.head = n.head.at(max(n.head.Number-uint64(rapid.IntRange(0, 6).Draw(t, "depth")), 60))
	for range rapid.IntRange(1, 8).Draw(t, "length") {
		n.head = mine(n.head, "seceded", w.mineable(n.head)...)
	}
}

func (w *world) sleep(t *rapid.T) {
	for range rapid.SampledFrom([]int{5, 60}).Draw(t, "blocks") {
		w.rig.mine()
	}
}

// finalize has a node call another block final: one of its chain, however old, or one of a branch that no node has.
func (w *world) finalize(t *rapid.T) {
	n := w.anyNode()
	n.finalLie = nil
	n.finalized = n.head.Number - min(n.head.Number, uint64(rapid.SampledFrom([]int{3, 20, 70, 200}).Draw(t, "final")))
	if rapid.IntRange(0, 5).Draw(t, "lie") == 0 {
		n.finalLie = mine(n.head.at(n.finalized), "final lie")
	}
}

// linked reports whether the final block is an ancestor of the head, as far as the nodes' chains say.
func (w *world) linked(head, final evidence.Block) bool {
	for _, b := range []*modelBlock{w.tip, w.nodes[0].head, w.nodes[1].head} {
		for ; b != nil && w.blocks[b.Hash] == nil; b = b.parent {
			w.blocks[b.Hash] = b
		}
	}
	b := w.blocks[head.Hash] // nil where a node claims one that it does not have
	return b == nil || b.at(final.Number) != nil && b.at(final.Number).Hash == final.Hash
}

// holds are the promises that no fault may break.
func (w *world) holds() {
	head, ok := w.Head()
	if !ok {
		return
	}
	lowest := head
	for {
		below, ok := w.Block(lowest.Number - 1)
		if !ok {
			break
		}
		require.Equal(w.rt, below.Hash, lowest.Parent, "the chain has a gap")
		lowest = below
	}
	if final, ok := w.Final(); ok {
		breaks := w.metric("scorelay_heads_finality_breaks_total")
		if breaks == w.breaks {
			require.GreaterOrEqual(w.rt, final.Number, w.final.Number, "finality went back")
			if b, ok := w.Block(w.final.Number); ok && w.final.Number > 0 {
				require.Equal(w.rt, b.Hash, w.final.Hash, "a final block was replaced without a word")
			}
		}
		require.True(w.rt, w.linked(head, final), "what is final is not below the head")
		w.final, w.breaks = final.Ref(), breaks
	}
}

// recovers ends all faults: within a few rounds the lane must know exactly what the chain holds.
func (w *world) recovers() {
	for _, n := range w.nodes {
		*n = node{name: n.name, head: w.tip}
	}
	for range 30 {
		w.mine()
		for _, n := range w.nodes {
			n.finalized = w.tip.Number - 2
		}
		_ = w.round()
		w.holds()
		_ = w.round()
	}
	require.NoError(w.rt, w.round())
	head, _ := w.Head()
	require.Equal(w.rt, w.tip.Ref(), head.Ref())
	v := w.view(w.lane)
	require.LessOrEqual(w.rt, w.tip.Number, v.Final.Number+8)
	seen := 0
	for nonce, txs := range w.watched {
		for _, tx := range txs {
			b := w.tip.where(tx)
			in, included := v.Included[tx]
			require.Equal(w.rt, b != nil, included, "nonce %d", nonce)
			if included {
				seen++
				require.Equal(w.rt, b.Ref(), in.Block)
				require.Equal(w.rt, b.Hash, in.Receipt.BlockHash)
			}
		}
		b := w.tip.where(w.tx(nonce, foreigner).Hash())
		found, foreign := v.Foreign[nonce]
		require.Equal(w.rt, b != nil, foreign, "nonce %d", nonce)
		if foreign {
			require.Equal(w.rt, b.Ref(), found.Block)
		}
	}
	require.Len(w.rt, v.Included, seen)
	for nonce := w.next; nonce < w.tip.nonces[w.signer()]; nonce++ {
		require.Contains(w.rt, v.Foreign, nonce)
	}
}
