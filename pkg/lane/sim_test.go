package lane_test

import (
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// The simulation: a chain that reorganises and forgets, nodes that lie about what they took, a journal that fences and
// loses answers, sessions that die anywhere, another holder of the key. A session like package relay's, but with
// updates that are numbers, works through a stream; after every step the promises of doc.go are checked, and at the
// end, with the faults over, every update must have been executed exactly once.

const (
	simDepth  = 4  // blocks until final; most reorgs are shallower
	simWindow = 4  // of the rules
	simPoison = 13 // an update that makes any transaction revert
)

type simTx struct {
	raw   []byte
	hash  common.Hash
	nonce uint64
	cap   uint64
	data  []byte
	ours  bool
}

type simBlock struct {
	hash common.Hash
	txs  []simTx
}

// simWorld is everything outside the sessions.
type simWorld struct {
	t       *rapid.T
	blocks  []simBlock // canonical, blocks[i] has number i
	made    uint64
	pool    map[uint64]simTx
	journal []lane.Entry
	stream  uint64 // updates accepted: 0 … stream-1, one per sequence
	now     time.Time
	foreign int
	calm    bool // no more faults
	dead    map[uint64]bool
	settled map[uint64]common.Hash // by nonce, as journaled Done
	sent    map[common.Hash][]byte // data, by hash
}

func (w *simWorld) head() uint64 { return uint64(len(w.blocks) - 1) }

func (w *simWorld) nonce() (n uint64) {
	for _, b := range w.blocks {
		n += uint64(len(b.txs))
	}
	return n
}

func (w *simWorld) mine() {
	w.made++
	b := simBlock{hash: common.BigToHash(new(big.Int).SetUint64(w.made + 1<<32))}
	for n := w.nonce(); ; n++ {
		tx, ok := w.pool[n]
		if !ok || !w.calm && w.chance("left out", 5) {
			break
		}
		b.txs = append(b.txs, tx)
		delete(w.pool, n)
	}
	w.blocks = append(w.blocks, b)
	w.now = w.now.Add(2 * time.Second)
}

// reorg replaces the last blocks by empty ones; their transactions go back to the pool, or nowhere.
func (w *simWorld) reorg() {
	depth := min(rapid.IntRange(1, simDepth-1).Draw(w.t, "depth"), len(w.blocks)-1)
	if w.chance("deep", 10) { // deeper than what was final
		depth = min(simDepth+rapid.IntRange(1, 6).Draw(w.t, "deep by"), len(w.blocks)-1)
	}
	vanish := rapid.Bool().Draw(w.t, "vanish")
	gone := slices.Clone(w.blocks[len(w.blocks)-depth:])
	w.blocks = w.blocks[:len(w.blocks)-depth]
	for _, b := range gone {
		for _, tx := range b.txs {
			if !vanish {
				w.pool[tx.nonce] = tx
			}
		}
		w.made++
		w.blocks = append(w.blocks, simBlock{hash: common.BigToHash(new(big.Int).SetUint64(w.made + 1<<32))})
	}
}

func (w *simWorld) chance(what string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(w.t, what) < percent
}

// send is a node: it may take the bytes and not say so, or not take them and not say so either.
func (w *simWorld) send(raw []byte) txpool.Class {
	tx := decodeSim(w.t, raw, true)
	require.True(w.t, w.journaled(raw), "bytes left that are not in the journal")
	w.sent[tx.hash] = tx.data
	fault := ""
	if !w.calm {
		fault = rapid.SampledFrom([]string{"", "", "", "lost", "silent", "down", "full", "low"}).Draw(w.t, "send")
	}
	switch fault {
	case "lost":
		return txpool.Timeout
	case "down":
		return txpool.NodeDown
	case "full":
		return txpool.Full
	case "low":
		return txpool.FeeLow
	}
	class := w.admit(tx)
	if fault == "silent" {
		return txpool.Unknown
	}
	return class
}

func (w *simWorld) admit(tx simTx) txpool.Class {
	old, there := w.pool[tx.nonce]
	switch {
	case tx.nonce < w.nonce():
		return txpool.NonceLow
	case there && old.hash == tx.hash:
		return txpool.Known
	case there && tx.cap*10 < old.cap*11:
		return txpool.ReplacementUnderpriced
	}
	w.pool[tx.nonce] = tx
	return txpool.Added
}

func (w *simWorld) journaled(raw []byte) bool {
	return slices.ContainsFunc(w.journal, func(e lane.Entry) bool {
		return e.Bind != nil && slices.Equal(e.Bind.Raw, raw) || e.Replacement != nil && slices.Equal(e.Replacement.Raw, raw) ||
			e.Reopen != nil && slices.Equal(e.Reopen.Raw, raw)
	})
}

var (
	errFenced = errors.New("fenced")
	errLost   = errors.New("answer lost")
)

// append is the journal: compare-and-set on its length, with answers that get lost.
func (w *simWorld) append(last int, e lane.Entry) error {
	fault := ""
	if !w.calm {
		fault = rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "failed", "persisted"}).Draw(w.t, "append")
	}
	if fault == "failed" {
		return errLost
	}
	if last != len(w.journal) {
		return errFenced
	}
	b, err := e.Encode()
	require.NoError(w.t, err)
	e, err = lane.DecodeEntry(b)
	require.NoError(w.t, err)
	w.journal = append(w.journal, e)
	if e.Settle != nil && e.Settle.Result == lane.Done {
		w.settled[e.Settle.Nonce] = e.Settle.Tx
	}
	if e.Reopen != nil {
		delete(w.settled, e.Reopen.Nonce)
	}
	if fault == "persisted" {
		return errLost
	}
	return nil
}

func decodeSim(t *rapid.T, raw []byte, ours bool) simTx {
	tx := new(types.Transaction)
	require.NoError(t, tx.UnmarshalBinary(raw))
	return simTx{raw, tx.Hash(), tx.Nonce(), tx.GasFeeCap().Uint64(), tx.Data(), ours}
}

func (w *simWorld) find(hash common.Hash) (in evidence.Included, reverted, ok bool) {
	for n, b := range w.blocks {
		for _, tx := range b.txs {
			if tx.hash == hash {
				receipt := &evidence.Receipt{Receipt: types.Receipt{Status: types.ReceiptStatusSuccessful}}
				if poisoned(tx.data) {
					receipt.Status = types.ReceiptStatusFailed
				}
				return evidence.Included{Tx: hash, Block: w.ref(uint64(n)), Receipt: receipt}, poisoned(tx.data), true
			}
		}
	}
	return evidence.Included{}, false, false
}

func (w *simWorld) ref(n uint64) evidence.Ref { return evidence.Ref{Number: n, Hash: w.blocks[n].hash} }

// holds tells whether the chain has the block.
func (w *simWorld) holds(r evidence.Ref) bool {
	return r.Number < uint64(len(w.blocks)) && w.blocks[r.Number].hash == r.Hash
}

func updatesOf(data []byte) (out []uint64) {
	for ; len(data) >= 8; data = data[8:] {
		out = append(out, binary.BigEndian.Uint64(data))
	}
	return out
}

func dataOf(updates []uint64) (data []byte) {
	for _, u := range updates {
		data = binary.BigEndian.AppendUint64(data, u)
	}
	return data
}

func poisoned(data []byte) bool { return slices.Contains(updatesOf(data), simPoison) }

// takeNonce is another holder of the key.
func (w *simWorld) takeNonce() {
	if w.foreign++; w.foreign > 3 {
		return
	}
	n := w.nonce()
	delete(w.pool, n)
	tx := decodeSim(w.t, raw(n, lane.Fees{Tip: 1 << 40, Cap: 1 << 40}, uint64(7+w.foreign), nil), false)
	w.pool[n] = tx
}

// check holds the journal and the final part of the chain against the promises.
func (w *simWorld) check() {
	state, err := fold(w.journal)
	require.NoError(w.t, err)
	for _, slot := range state.Slots {
		for i := 1; i < len(slot.Attempts) && !slot.Reopened; i++ { // of one reopened, the one that was executed is the last
			a, b := slot.Attempts[i-1], slot.Attempts[i]
			require.GreaterOrEqual(w.t, b.Cap*1000, a.Cap*1125)
			require.GreaterOrEqual(w.t, b.Tip*1000, a.Tip*1125)
		}
	}
	// What is done is in the chain, but for what a reorg deeper than finality took since.
	for _, p := range state.Past {
		if hash, ok := w.settled[p.Nonce]; ok && w.holds(p.Block) {
			in, reverted, ok := w.find(hash)
			require.True(w.t, ok && !reverted, "slot %d is done by a transaction that is not in the chain", p.Nonce)
			require.Equal(w.t, p.Block, in.Block)
		}
	}
	// Every update bound is in exactly one place: done, open, waiting, or dead.
	places := map[uint64]int{}
	add := func(data []byte) {
		for _, u := range updatesOf(data) {
			places[u]++
		}
	}
	for i := range state.Slots {
		if state.Slots[i].Work.Kind == lane.NonceOnly {
			continue
		}
		data, err := state.Slots[i].Data()
		require.NoError(w.t, err)
		add(data)
	}
	for _, work := range state.Queue {
		add(work.Data)
	}
	for _, hash := range w.settled {
		add(w.sent[hash])
	}
	for u := range w.stream {
		switch {
		case !isBound(state, u):
			require.Zero(w.t, places[u], "update %d", u)
		case !w.dead[u] || places[u] > 0:
			require.Equal(w.t, 1, places[u], "update %d", u)
		}
	}
}

func TestNothingIsLostOrDoubledUnderFaults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &simWorld{
			t: t, pool: map[uint64]simTx{}, now: began, dead: map[uint64]bool{}, settled: map[uint64]common.Hash{},
			sent:   map[common.Hash][]byte{},
			blocks: []simBlock{{}},
		}
		sessions := []*simSession{w.open()}
		for range rapid.IntRange(10, 120).Draw(t, "steps") {
			s := sessions[rapid.IntRange(0, len(sessions)-1).Draw(t, "who")] // zombies continue as long as they can
			switch rapid.IntRange(0, 12).Draw(t, "what") {
			case 0, 1, 2, 3:
				w.mine()
			case 4:
				w.reorg()
			case 5:
				w.pool = map[uint64]simTx{}
			case 6:
				w.stream += uint64(rapid.IntRange(1, 12).Draw(t, "accepted"))
			case 7:
				w.takeNonce()
			case 8:
				sessions = append(sessions, w.open())
			default:
				if !s.ended {
					s.hear()
				}
				if !s.ended {
					s.work()
				}
			}
			w.check()
		}
		w.finish(sessions)
	})
}

// finish ends the faults: one more session must bring everything to its end, soon.
func (w *simWorld) finish(sessions []*simSession) {
	w.calm = true
	var s *simSession
	for _, old := range sessions { // the one that holds the journal continues, if it lives: what it has learnt counts
		if !old.ended && old.last == len(w.journal) {
			s = old
		}
	}
	if s == nil {
		s = w.open()
	}
	for range 600 {
		s.hear()
		s.work()
		require.False(w.t, s.ended)
		w.mine()
		w.check()
		state := s.lane.State
		if len(state.Slots)+len(state.Queue) == 0 && state.ReadFrom().Seq == w.stream && w.nonce() <= state.Next {
			break
		}
	}
	require.Equal(w.t, w.stream, s.lane.State.ReadFrom().Seq, "everything accepted is bound: %s", s.lane.Blocked())
	require.Empty(w.t, s.lane.State.Slots)
	require.Empty(w.t, s.lane.State.Queue)
	executed := map[uint64]int{}
	for _, b := range w.blocks {
		for _, tx := range b.txs {
			if tx.ours && !poisoned(tx.data) {
				for _, u := range updatesOf(tx.data) {
					executed[u]++
				}
			}
		}
	}
	for u := range w.stream {
		want := 1
		if u == simPoison {
			want = 0
			require.True(w.t, w.dead[u], "the poison is a dead letter")
		}
		require.Equal(w.t, want, executed[u], "update %d", u)
	}
	require.LessOrEqual(w.t, len(w.dead), 1, "nothing but the poison is a dead letter")
}

func (tx simTx) decoded(t *rapid.T) *types.Transaction {
	out := new(types.Transaction)
	require.NoError(t, out.UnmarshalBinary(tx.raw))
	return out
}
