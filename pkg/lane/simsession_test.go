package lane_test

import (
	"encoding/binary"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// simSession drives the lane like package relay's session.
type simSession struct {
	w     *simWorld
	lane  *lane.Lane
	last  int
	ended bool
}

func (w *simWorld) open() *simSession {
	state, err := fold(w.journal)
	require.NoError(w.t, err, "every journal that can come about folds")
	s := &simSession{w: w, last: len(w.journal)}
	s.lane = lane.New(state, lane.Rules{
		Fees:   lane.FeeRule{MaxCap: 1 << 50, MaxTxFee: 1 << 62, MinTip: 1},
		Window: simWindow, MaxOpen: 12, BumpBlocks: 3, Rebroadcast: 5 * time.Second, MaxGas: 10,
	})
	open := &lane.Open{Replica: "sim"}
	if state.Epoch == 0 {
		open.Buckets = []score.Bucket{0}
	}
	s.append(lane.Entry{Epoch: state.Epoch + 1, Open: open})
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
		case lane.Replace:
			slot := s.lane.State.Slot(e.Nonce)
			data, err := slot.Data()
			require.NoError(s.w.t, err)
			if e.Cancel {
				data = nil
			}
			s.append(lane.Entry{Replacement: &lane.Replacement{Nonce: e.Nonce, Raw: raw(e.Nonce, e.Fees, e.Gas, data)}})
		case lane.ReopenSlot:
			again := lane.Reopen{Nonce: e.Nonce}
			if e.Fill {
				again.Raw = raw(e.Nonce, e.Fees, 21_000, nil)
			}
			s.append(lane.Entry{Reopen: &again})
		case lane.SettleSlot:
			s.settle(e)
		case lane.SkipNonces:
			s.append(lane.Entry{Skip: &e.Skip})
		}
	}
}

func (s *simSession) settle(f lane.SettleSlot) {
	slot := s.lane.State.Slot(f.Nonce)
	if slot == nil || f.Nonce != s.lane.State.FirstOpen() {
		return
	}
	end := lane.Settle{Nonce: f.Nonce, Result: lane.Foreign}
	if f.Foreign != nil {
		end.Block = f.Foreign.Block
	} else {
		in := s.lane.Included(f.Nonce)
		end.Tx, end.Block, end.Result = in.Tx, in.Block, lane.Done
		switch {
		case slot.Attempt(in.Tx).Cancel:
			end.Result = lane.Cancelled
		case in.Receipt.Status != types.ReceiptStatusSuccessful:
			end.Result = lane.Reverted
		}
	}
	s.append(lane.Entry{Settle: &end})
}

// hear tells the session how the chain looks. Receipts may be missing, the account may be old or a lie.
func (s *simSession) hear() {
	w, state := s.w, s.lane.State
	h := lane.View{
		Head:  evidence.Block{Number: w.head(), Hash: w.blocks[w.head()].hash},
		Final: w.ref(w.head() - min(w.head(), simDepth)), Now: w.now,
		Account:  evidence.Account{Nonce: w.nonce(), Balance: new(big.Int).Lsh(big.NewInt(1), 200), At: w.ref(w.head())},
		Price:    evidence.Price{BaseFee: 100, Tip: 10},
		Included: map[common.Hash]evidence.Included{}, Foreign: map[uint64]evidence.Found{},
	}
	if !w.calm && w.chance("nonce lie", 10) {
		h.Account.Nonce += uint64(rapid.IntRange(0, 4).Draw(w.t, "lie"))
	}
	watched := map[common.Hash]bool{}
	for i := range state.Slots {
		for k := range state.Slots[i].Attempts {
			hash := state.Slots[i].Attempts[k].Hash
			watched[hash] = true
			if in, _, ok := w.find(hash); ok && (w.calm || !w.chance("no receipt", 10)) {
				h.Included[hash] = in
			}
		}
	}
	for n, b := range w.blocks {
		for _, tx := range b.txs {
			if !watched[tx.hash] && tx.nonce >= state.FirstOpen() && (w.calm || !w.chance("not searched", 30)) {
				h.Foreign[tx.nonce] = evidence.Found{Tx: tx.decoded(w.t), Block: w.ref(uint64(n))}
			}
		}
	}
	for _, p := range state.Past {
		if !w.holds(p.Block) {
			h.Reorged = append(h.Reorged, p.Nonce)
		}
	}
	if h.Account.Nonce < state.FirstOpen() {
		final := h.Final
		h.FinalAccount = evidence.Account{Balance: big.NewInt(1), At: final}
		for n := range final.Number + 1 {
			h.FinalAccount.Nonce += uint64(len(w.blocks[n].txs))
		}
	}
	s.step(h)
}

// work binds what may be bound: lost work first, split around the poison, then new updates.
func (s *simSession) work() {
	for !s.ended {
		fees, wait := s.lane.Ready(5, 0)
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
		case state.ReadFrom().Seq < s.w.stream:
			bind, data = s.choose()
			if len(data) == 0 {
				return
			}
		default:
			return
		}
		bind.Raw, bind.Since = raw(state.Next, fees, 5, data), s.lane.View().Head.Number
		if s.dies() || !s.append(lane.Entry{Bind: &bind}) {
			return
		}
		require.LessOrEqual(s.w.t, s.lane.InFlight(), simWindow)
	}
}

// choose binds some of the updates that wait, in any order; each is a message of its own.
func (s *simSession) choose() (bind lane.Bind, data []byte) {
	state := s.lane.State
	floor := state.ReadFrom().Seq
	most := rapid.IntRange(1, 6).Draw(s.w.t, "batch")
	var spans []score.Span
	chosen := map[uint64]bool{}
	for u := floor; u < min(s.w.stream, floor+12) && len(spans) < most; u++ {
		if isBound(state, u) || u > floor && rapid.IntRange(0, 3).Draw(s.w.t, "passed over") == 0 {
			continue
		}
		data = binary.BigEndian.AppendUint64(data, u)
		spans, chosen[u] = append(spans, score.Span{Position: score.Position{Seq: u}, Count: 1}), true
	}
	bound, err := score.PositionsOf(spans...)
	require.NoError(s.w.t, err)
	to := floor
	for to < s.w.stream && (chosen[to] || isBound(state, to)) {
		to++
	}
	bind.Nonce = state.Next
	bind.Moves = []lane.Move{{Bound: bound, Floor: score.Position{Seq: to}, Passed: to - floor}}
	bind.Work = lane.Work{Kind: lane.Updates, Count: len(spans), From: bound[0].Position}
	return bind, data
}

// isBound tells whether the update of a message is bound.
func isBound(state *lane.State, u uint64) bool {
	held := state.Buckets[0]
	return u < held.Floor.Seq || held.Bound.Has(score.Position{Seq: u})
}

func (s *simSession) bisect(work lane.Work) {
	updates := updatesOf(work.Data)
	if len(updates) == 1 {
		s.w.dead[updates[0]] = true // the dead letter comes first, and is idempotent
		s.append(lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: 1}})
		return
	}
	var into []lane.Work
	for _, part := range [][]uint64{updates[:len(updates)/2], updates[len(updates)/2:]} {
		into = append(into, lane.Work{Kind: lane.Updates, Count: len(part), From: work.From, Data: dataOf(part)})
	}
	s.append(lane.Entry{Split: &lane.Split{ID: work.ID, Into: into}})
}
