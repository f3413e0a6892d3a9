package lane_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

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
