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

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// The simulation: a chain that reorganises and forgets, nodes that lie about what they took, a journal that fences and
// loses answers, sessions that die anywhere, somebody else using the key. A session like package relay's, but with
// updates that are numbers, works through a stream; after every step the promises of DESIGN §3 are checked, and at the
// end, with the faults over, every update must have been executed exactly once.

const (
	simDepth  = 4  // blocks until final; reorgs are shallower
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
func (w *simWorld) send(raw []byte) lane.SendClass {
	tx := decodeSim(w.t, raw, true)
	require.True(w.t, w.journaled(raw), "bytes left that are not in the journal")
	fault := ""
	if !w.calm {
		fault = rapid.SampledFrom([]string{"", "", "", "lost", "silent", "down", "full", "low"}).Draw(w.t, "send")
	}
	switch fault {
	case "lost":
		return lane.Timeout
	case "down":
		return lane.NodeDown
	case "full":
		return lane.PoolFull
	case "low":
		return lane.FeeLow
	}
	class := w.admit(tx)
	if fault == "silent" {
		return lane.Unknown
	}
	return class
}

func (w *simWorld) admit(tx simTx) lane.SendClass {
	old, there := w.pool[tx.nonce]
	switch {
	case tx.nonce < w.nonce():
		return lane.NonceLow
	case there && old.hash == tx.hash:
		return lane.Known
	case there && tx.cap*10 < old.cap*11:
		return lane.ReplacementUnderpriced
	}
	w.pool[tx.nonce] = tx
	return lane.Accepted
}

func (w *simWorld) journaled(raw []byte) bool {
	return slices.ContainsFunc(w.journal, func(e lane.Entry) bool {
		return e.Bind != nil && slices.Equal(e.Bind.Raw, raw) || e.Attempt != nil && slices.Equal(e.Attempt.Raw, raw)
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

func (w *simWorld) find(hash common.Hash) (in lane.Inclusion, reverted, ok bool) {
	for n, b := range w.blocks {
		for _, tx := range b.txs {
			if tx.hash == hash {
				return lane.Inclusion{Tx: hash, Number: uint64(n), BlockHash: b.hash}, poisoned(tx.data), true
			}
		}
	}
	return lane.Inclusion{}, false, false
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

// simSession drives the lane like package relay's session.
type simSession struct {
	w     *simWorld
	lane  *lane.Lane
	last  int
	seen  []simBlock // the branch of the last head
	ended bool
}

func (w *simWorld) open() *simSession {
	state, err := lane.Fold(w.journal)
	require.NoError(w.t, err, "every journal that can come about folds")
	s := &simSession{w: w, last: len(w.journal)}
	s.lane = lane.New(state, lane.Rules{
		Fees:   lane.FeeRule{MaxCap: 1 << 50, MaxTxFee: 1 << 62, MinTip: 1},
		Window: simWindow, MaxOpen: 12, BumpBlocks: 3, Rebroadcast: 5 * time.Second, MaxGas: 10,
	})
	s.append(lane.Entry{Epoch: state.Epoch + 1, Open: &lane.Open{Owner: "sim"}})
	return s
}

// append journals; any error ends the session for good.
func (s *simSession) append(e lane.Entry) bool {
	e.Version = lane.Version
	if e.Epoch == 0 {
		e.Epoch = s.lane.State.Epoch
	}
	if err := s.w.append(s.last, e); err != nil {
		s.ended = true
		return false
	}
	s.last++
	effects, err := s.lane.Step(lane.Appended{Entry: e})
	require.NoError(s.w.t, err)
	s.do(effects)
	return true
}

// dies tells whether the process is killed at this point.
func (s *simSession) dies() bool {
	if !s.ended && !s.w.calm && s.w.chance("killed", 2) {
		s.ended = true
	}
	return s.ended
}

func (s *simSession) step(e lane.Event) {
	effects, err := s.lane.Step(e)
	require.NoError(s.w.t, err)
	s.do(effects)
}

func (s *simSession) do(effects []lane.Effect) {
	for _, effect := range effects {
		if s.dies() {
			return
		}
		switch e := effect.(type) {
		case lane.Send:
			for _, n := range e.Nonces {
				if slot := s.lane.State.Slot(n); slot != nil {
					tx := slot.Last()
					s.step(lane.Sent{Nonce: n, Tx: tx.Hash, Class: s.w.send(tx.Raw), Now: s.w.now})
				}
			}
		case lane.Probe:
			s.probe(e.Nonces)
		case lane.Resign:
			slot := s.lane.State.Slot(e.Nonce)
			data, err := slot.Data()
			require.NoError(s.w.t, err)
			s.append(lane.Entry{Attempt: &lane.Another{Nonce: e.Nonce, Raw: raw(e.Nonce, e.Fees, e.Gas, data)}})
		case lane.Finalize:
			s.settle(e.Nonce)
		case lane.Takeover:
			s.append(lane.Entry{Adopt: &lane.Adopt{Next: e.Next}})
		}
	}
}

func (s *simSession) probe(nonces []uint64) {
	if !s.w.calm && s.w.chance("no receipts", 10) {
		return // the node did not answer: nothing was learnt
	}
	found := map[uint64]lane.Inclusion{}
	for _, n := range nonces {
		for _, a := range s.lane.State.Slot(n).Attempts {
			if in, _, ok := s.w.find(a.Hash); ok {
				found[n] = in
			}
		}
	}
	s.step(lane.Receipts{At: s.lane.Last().Block.Number, Asked: nonces, Found: found})
}

func (s *simSession) settle(nonce uint64) {
	slot := s.lane.State.Slot(nonce)
	if slot == nil || nonce != s.lane.State.Floor() {
		return
	}
	end, final := lane.Settle{Nonce: nonce, Result: lane.Foreign}, s.lane.Last().Final.Number
	for _, a := range slot.Attempts {
		in, reverted, ok := s.w.find(a.Hash)
		if !ok {
			continue
		}
		if in.Number > final {
			return // it moved: the next head finds it there
		}
		end.Tx, end.Block, end.Result = a.Hash, in.Number, lane.Done
		if reverted {
			end.Result = lane.Reverted
		}
	}
	if end.Result == lane.Foreign {
		if s.lane.Inclusion(nonce) != nil {
			s.step(lane.Receipts{At: s.lane.Last().Block.Number, Asked: []uint64{nonce}})
			return
		}
		taker := s.w.taker(nonce, final)
		require.True(s.w.t, taker != nil && !taker.ours, "slot %d is given up as foreign and is not", nonce)
	}
	s.append(lane.Entry{Settle: &end})
}

// taker is the transaction that used a nonce in a block up to number.
func (w *simWorld) taker(nonce, number uint64) *simTx {
	for n := range min(number+1, uint64(len(w.blocks))) {
		for i := range w.blocks[n].txs {
			if w.blocks[n].txs[i].nonce == nonce {
				return &w.blocks[n].txs[i]
			}
		}
	}
	return nil
}

// hear tells the session of the chain's head.
func (s *simSession) hear() {
	w := s.w
	reorged := uint64(0)
	for n := range s.seen {
		if n >= len(w.blocks) || s.seen[n].hash != w.blocks[n].hash {
			reorged = uint64(n)
			break
		}
	}
	s.seen = slices.Clone(w.blocks)
	s.step(lane.Head{
		Block:   lane.Block{Number: w.head(), Hash: w.blocks[w.head()].hash},
		Final:   lane.Block{Number: w.head() - min(w.head(), simDepth)},
		Reorged: reorged, Now: w.now,
		Account: lane.Account{Nonce: w.nonce(), Balance: new(big.Int).Lsh(big.NewInt(1), 200)},
		Quote:   lane.Quote{BaseFee: 100, Tip: 10},
	})
}

// work binds what may be bound: lost work first, split around the poison, then new updates.
func (s *simSession) work() {
	for !s.ended {
		fees, wait := s.lane.Ready(5)
		if wait != lane.WaitNone {
			return
		}
		state := s.lane.State
		bind := lane.Bind{Nonce: state.Next}
		var data []byte
		switch {
		case len(state.Queue) > 0:
			work := state.Queue[0]
			if poisoned(work.Data) {
				s.bisect(work)
				continue
			}
			bind.Requeued, data = work.ID, work.Data
		case state.Cursor.Seq < s.w.stream:
			from := state.Cursor.Seq
			to := min(s.w.stream, from+uint64(rapid.IntRange(1, 6).Draw(s.w.t, "batch")))
			for u := from; u < to; u++ {
				data = binary.BigEndian.AppendUint64(data, u)
			}
			bind.Advance, bind.Cursor = true, score.Cursor{Seq: to}
			bind.Work = lane.Work{Kind: lane.Updates, Count: int(to - from), From: state.Cursor}
		default:
			return
		}
		bind.Raw = raw(state.Next, fees, 5, data)
		if s.dies() || !s.append(lane.Entry{Bind: &bind}) {
			return
		}
		require.LessOrEqual(s.w.t, s.lane.Waiting(), simWindow)
	}
}

func (s *simSession) bisect(work lane.Work) {
	updates := updatesOf(work.Data)
	if len(updates) == 1 {
		s.w.dead[updates[0]] = true // the dead letter comes first, and is idempotent
		s.append(lane.Entry{Drop: &lane.Drop{ID: work.ID}})
		return
	}
	var into []lane.Work
	for _, part := range [][]uint64{updates[:len(updates)/2], updates[len(updates)/2:]} {
		into = append(into, lane.Work{Kind: lane.Updates, Count: len(part), From: work.From, Data: dataOf(part)})
	}
	s.append(lane.Entry{Split: &lane.Split{ID: work.ID, Into: into}})
}

// takeNonce is somebody else who has the key.
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
	state, err := lane.Fold(w.journal)
	require.NoError(w.t, err)
	for _, slot := range state.Slots {
		for i := 1; i < len(slot.Attempts); i++ {
			a, b := slot.Attempts[i-1], slot.Attempts[i]
			require.GreaterOrEqual(w.t, b.Cap*1000, a.Cap*1125)
			require.GreaterOrEqual(w.t, b.Tip*1000, a.Tip*1125)
		}
	}
	for nonce, hash := range w.settled {
		in, reverted, ok := w.find(hash)
		require.True(w.t, ok && !reverted, "slot %d is done by a transaction that is not in the chain", nonce)
		require.LessOrEqual(w.t, in.Number, w.head())
	}
	// Every update bound is in exactly one place: done, open, waiting, or dead.
	places := map[uint64]int{}
	add := func(data []byte) {
		for _, u := range updatesOf(data) {
			places[u]++
		}
	}
	for i := range state.Slots {
		data, err := state.Slots[i].Data()
		require.NoError(w.t, err)
		add(data)
	}
	for _, work := range state.Queue {
		add(work.Data)
	}
	for _, hash := range w.settled {
		for _, b := range w.blocks {
			for _, tx := range b.txs {
				if tx.hash == hash {
					add(tx.data)
				}
			}
		}
	}
	for u := range state.Cursor.Seq {
		if w.dead[u] && places[u] == 0 {
			continue
		}
		require.Equal(w.t, 1, places[u], "update %d", u)
	}
	require.LessOrEqual(w.t, uint64(len(places)), state.Cursor.Seq)
}

func TestNothingIsLostOrDoubledWhateverHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &simWorld{
			t: t, pool: map[uint64]simTx{}, now: began, dead: map[uint64]bool{}, settled: map[uint64]common.Hash{},
			blocks: []simBlock{{}},
		}
		sessions := []*simSession{w.open()}
		for range rapid.IntRange(10, 120).Draw(t, "steps") {
			s := sessions[rapid.IntRange(0, len(sessions)-1).Draw(t, "who")] // zombies go on as long as they can
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
	for _, old := range sessions { // the one that holds the journal goes on, if it lives: what it has learnt counts
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
		if len(state.Slots)+len(state.Queue) == 0 && state.Cursor.Seq == w.stream && w.nonce() <= state.Next {
			break
		}
	}
	require.Equal(w.t, w.stream, s.lane.State.Cursor.Seq, "everything accepted is bound: %s", s.lane.Blocked())
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
