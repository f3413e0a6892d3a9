package lane_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// entry makes one of epoch 1.
func entry(change func(*lane.Entry)) lane.Entry {
	e := lane.Entry{Version: lane.Version, Epoch: 1}
	change(&e)
	return e
}

// bindEntry binds a whole message of bucket 0, an update for each byte.
func bindEntry(nonce, seq uint64, data ...byte) lane.Entry {
	return entry(func(e *lane.Entry) {
		e.Bind = &lane.Bind{
			Nonce: nonce, Raw: raw(nonce, lane.Fees{Tip: 8, Cap: 80}, 1000, data),
			Work:  lane.Work{Kind: lane.Updates, Count: len(data), From: score.Position{Seq: seq}},
			Moves: []lane.Move{moveOf(seq, uint32(len(data)))},
		}
	})
}

// moveOf binds all of a message.
func moveOf(seq uint64, count uint32) lane.Move {
	return lane.Move{
		Bound: score.Positions{{Position: score.Position{Seq: seq}, Count: count}}, Floor: score.Position{Seq: seq + 1}, Passed: uint64(count),
	}
}

// settleEntry ends a slot; it does not say which attempt was executed.
func settleEntry(nonce uint64, result lane.Result) lane.Entry {
	return entry(func(e *lane.Entry) { e.Settle = &lane.Settle{Nonce: nonce, Result: result} })
}

var opened = entry(func(e *lane.Entry) { e.Open = &lane.Open{Replica: "a", Buckets: []score.Bucket{0}} })

// fold folds a whole journal.
func fold(entries []lane.Entry) (*lane.State, error) {
	var f lane.Folder
	for _, e := range entries {
		f.Add(e)
	}
	return f.State()
}

func TestTheFoldRefusesWhatContradictsItself(t *testing.T) {
	t.Parallel()
	another := func(nonce uint64, f lane.Fees, data ...byte) lane.Entry {
		return entry(func(e *lane.Entry) { e.Replacement = &lane.Replacement{Nonce: nonce, Raw: raw(nonce, f, 1000, data)} })
	}
	reopened := func(epoch uint64, id lane.Identity) lane.Entry {
		return lane.Entry{Version: lane.Version, Epoch: epoch, Open: &lane.Open{Identity: id}}
	}
	requeued := func(nonce, id uint64, data ...byte) lane.Entry {
		return entry(func(e *lane.Entry) {
			e.Bind = &lane.Bind{Nonce: nonce, Raw: raw(nonce, lane.Fees{Tip: 1, Cap: 1}, 1, data), Requeued: id}
		})
	}
	other := bindEntry(1, 1, 2)
	other.Epoch = 2
	wrongNonce := bindEntry(0, 0, 1)
	wrongNonce.Bind.Raw = raw(5, lane.Fees{Tip: 1, Cap: 1}, 1, []byte{1})
	noWork := bindEntry(0, 0, 1)
	noWork.Bind.Raw = raw(0, lane.Fees{Tip: 1, Cap: 1}, 1, nil)
	creationOfNothing := bindEntry(0, 0, 1)
	creationOfNothing.Bind.Work.Kind = lane.Creation
	garbage := bindEntry(0, 0, 1)
	garbage.Bind.Raw = []byte{1, 2, 3}
	refused(t, map[string][]lane.Entry{
		"a bind before the lane is open":      {bindEntry(0, 0, 1)},
		"an entry of another epoch":           {opened, bindEntry(0, 0, 1), other},
		"an epoch that does not rise":         {opened, opened},
		"another identity":                    {opened, reopened(2, lane.Identity{ChainID: 5})},
		"a gap in the nonces":                 {opened, bindEntry(1, 0, 1)},
		"a nonce bound twice":                 {opened, bindEntry(0, 0, 1), bindEntry(0, 1, 1)},
		"a transaction of another nonce":      {opened, wrongNonce},
		"bytes that are no transaction":       {opened, garbage},
		"a slot without work":                 {opened, noWork},
		"positions bound twice":               {opened, bindEntry(0, 3, 1), bindEntry(1, 3, 2)},
		"an attempt of no slot":               {opened, another(0, lane.Fees{Tip: 9, Cap: 90}, 1)},
		"an attempt that pays the same":       {opened, bindEntry(0, 0, 1), another(0, lane.Fees{Tip: 8, Cap: 90}, 1)},
		"a cancelation that pays less":        {opened, bindEntry(0, 0, 1), another(0, lane.Fees{Tip: 7, Cap: 90})},
		"an attempt with other work":          {opened, bindEntry(0, 0, 1), another(0, lane.Fees{Tip: 9, Cap: 90}, 2)},
		"a settled slot that is not lowest":   {opened, bindEntry(0, 0, 1), bindEntry(1, 1, 1), settleEntry(1, lane.Done)},
		"a result that is not known":          {opened, bindEntry(0, 0, 1), settleEntry(0, "fine")},
		"queued work that is not":             {opened, requeued(0, 7, 1)},
		"queued work with other bytes":        {opened, bindEntry(0, 0, 1), settleEntry(0, lane.Foreign), requeued(1, 1, 2)},
		"a split of nothing":                  {opened, entry(func(e *lane.Entry) { e.Split = &lane.Split{ID: 1, Into: make([]lane.Work, 2)} })},
		"a split that loses an update":        {opened, bindEntry(0, 0, 1, 2, 3), settleEntry(0, lane.Reverted), entry(func(e *lane.Entry) { e.Split = &lane.Split{ID: 1, Into: []lane.Work{{Count: 1}, {Count: 1}}} })},
		"one of many updates dropped":         {opened, bindEntry(0, 0, 1, 2), settleEntry(0, lane.Reverted), entry(func(e *lane.Entry) { e.Drop = &lane.Drop{ID: 1, Count: 1} })},
		"more updates dropped than there are": {opened, bindEntry(0, 0, 1, 2), settleEntry(0, lane.Reverted), entry(func(e *lane.Entry) { e.Drop = &lane.Drop{ID: 1, Count: 3} })},
		"nonces skipped with slots open":      {opened, bindEntry(0, 0, 1), entry(func(e *lane.Entry) { e.Skip = &lane.Skip{Next: 9} })},
		"nonces skipped backwards":            {opened, bindEntry(0, 0, 1), settleEntry(0, lane.Done), entry(func(e *lane.Entry) { e.Skip = &lane.Skip{Next: 1} })},
		"nonces skipped without reason":       {opened, bindEntry(0, 0, 1), settleEntry(0, lane.Done), entry(func(e *lane.Entry) { e.Skip = &lane.Skip{Next: 2} })},
		"a creation of no project":            {opened, creationOfNothing},
		"an unknown slot opened again":        {opened, bindEntry(0, 0, 1), entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0} })},
		"not the highest opened again":        {opened, bindEntry(0, 0, 1), bindEntry(1, 1, 1), settleEntry(0, lane.Done), settleEntry(1, lane.Done), entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0} })},
		"opened again without bytes":          {opened, bindEntry(0, 0, 1), settleEntry(0, lane.Foreign), entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0} })},
		"opened again with another's bytes":   {opened, bindEntry(0, 0, 1), settleEntry(0, lane.Foreign), entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0, Raw: raw(1, lane.Fees{Tip: 1, Cap: 1}, 1, nil)} })},
		"an entry that says nothing":          {opened, entry(func(*lane.Entry) {})},
		"the second half of a snapshot only":  {opened, entry(func(e *lane.Entry) { e.Snapshot = &lane.Snapshot{Part: 1, Parts: 2} })},
	})
}

// refused checks that the last entry of each journal does not fold, and changes nothing.
func refused(t *testing.T, journals map[string][]lane.Entry) {
	t.Helper()
	for name, entries := range journals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fold(entries)
			require.ErrorIs(t, err, lane.ErrCorrupt)
			s, err := fold(entries[:len(entries)-1])
			require.NoError(t, err)
			before := encode(t, s)
			require.Error(t, s.Apply(entries[len(entries)-1]))
			require.Equal(t, before, encode(t, s), "an entry that is refused changes nothing")
		})
	}
}

func encode(t *testing.T, s *lane.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	return string(b)
}

func TestASignedGroupIsDroppedWhole(t *testing.T) {
	t.Parallel()
	s, err := fold([]lane.Entry{
		opened, bindEntry(0, 0, 1, 2, 3), settleEntry(0, lane.Reverted),
		entry(func(e *lane.Entry) { e.Drop = &lane.Drop{ID: 1, Count: 3} }),
	})
	require.NoError(t, err)
	require.Empty(t, s.Queue)
	require.Equal(t, score.Position{Seq: 1}, settledOf(t, s))
}

func TestLostWorkWaitsAndIsBoundAgain(t *testing.T) {
	t.Parallel()
	for _, result := range []lane.Result{lane.Reverted, lane.Foreign, lane.Cancelled} {
		s, err := fold([]lane.Entry{opened, bindEntry(0, 0, 1, 2), bindEntry(1, 1, 3), settleEntry(0, result)})
		require.NoError(t, err)
		require.Len(t, s.Queue, 1)
		require.Equal(t, []byte{1, 2}, s.Queue[0].Data)
		require.Equal(t, result == lane.Cancelled, s.Queue[0].Halve)
		require.Equal(t, result != lane.Foreign, s.Queue[0].Tries == 1, "what another transaction did says nothing of the work")
		require.Equal(t, score.Position{}, settledOf(t, s), "nothing before it may be purged")
		require.NoError(t, s.Apply(entry(func(e *lane.Entry) {
			e.Bind = &lane.Bind{Nonce: 2, Raw: raw(2, lane.Fees{Tip: 1, Cap: 1}, 1, []byte{1, 2}), Requeued: s.Queue[0].ID}
		})))
		require.Empty(t, s.Queue)
		require.Equal(t, 2, s.Slots[1].Work.Count)
		require.Equal(t, score.Position{Seq: 2}, s.ReadFrom(), "the floor stays")
		require.NoError(t, s.Apply(settleEntry(1, lane.Done)))
		require.NoError(t, s.Apply(settleEntry(2, lane.Done)))
		require.Equal(t, score.Position{Seq: 2}, settledOf(t, s))
	}
}

func TestACancelledSlotKeepsItsWork(t *testing.T) {
	t.Parallel()
	s, err := fold([]lane.Entry{opened, bindEntry(0, 0, 1), entry(func(e *lane.Entry) {
		e.Replacement = &lane.Replacement{Nonce: 0, Raw: raw(0, lane.Fees{Tip: 9, Cap: 90}, 21_000, nil)}
	})})
	require.NoError(t, err)
	require.True(t, s.Slots[0].Last().Cancel)
	data, err := s.Slots[0].Data()
	require.NoError(t, err)
	require.Equal(t, []byte{1}, data)
}

func TestASlotIsOpenedAgainAsItWas(t *testing.T) {
	t.Parallel()
	done := settleEntry(0, lane.Done)
	bind := bindEntry(0, 0, 1, 2)
	bind.Bind.Since = 7
	s, err := fold([]lane.Entry{opened, bind})
	require.NoError(t, err)
	before := s.Slots[0]
	before.Reopened = true
	done.Settle.Tx = before.Last().Hash
	require.NoError(t, s.Apply(done))
	require.Equal(t, score.Position{Seq: 1}, settledOf(t, s))
	require.NoError(t, s.Apply(entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0} })))
	require.Equal(t, before, s.Slots[0])
	require.Empty(t, s.Past)
	require.Equal(t, score.Position{}, settledOf(t, s), "nothing of it may be purged")
	require.NoError(t, s.Apply(done))
	require.Len(t, s.Past, 1)
}

func TestWorkThatWasBoundAgainIsNotInTheSlotThatIsOpenedAgain(t *testing.T) {
	t.Parallel()
	s, err := fold([]lane.Entry{opened, bindEntry(0, 0, 1, 2)})
	require.NoError(t, err)
	reverted := settleEntry(0, lane.Reverted)
	reverted.Settle.Tx = s.Slots[0].Last().Hash
	require.NoError(t, s.Apply(reverted))
	require.NoError(t, s.Apply(entry(func(e *lane.Entry) { e.Reopen = &lane.Reopen{Nonce: 0} })))
	require.Equal(t, lane.NonceOnly, s.Slots[0].Work.Kind)
	require.Len(t, s.Queue, 1)
	require.NoError(t, s.Apply(reverted))
	require.Len(t, s.Queue, 1, "it waits once")
}

func TestWhatIsRememberedOfSettledSlotsIsBounded(t *testing.T) {
	t.Parallel()
	entries := []lane.Entry{opened}
	for n := range uint64(300) {
		bind := bindEntry(n, n, make([]byte, 30_000)...)
		settle := settleEntry(n, lane.Done)
		tx := new(types.Transaction)
		require.NoError(t, tx.UnmarshalBinary(bind.Bind.Raw))
		settle.Settle.Tx = tx.Hash()
		entries = append(entries, bind, settle)
	}
	s, err := fold(entries)
	require.NoError(t, err)
	bytes := 0
	for _, p := range s.Past {
		for _, a := range p.Attempts {
			bytes += len(a.Raw)
		}
	}
	require.LessOrEqual(t, bytes, 8<<20)
	require.Greater(t, len(s.Past), 100)
	require.Equal(t, uint64(299), s.Past[len(s.Past)-1].Nonce)
}

func TestUpdatesThatOvertookTheirProjectWaitBehindIt(t *testing.T) {
	t.Parallel()
	p := score.ProjectID{9}
	creation := bindEntry(0, 0, 0xc0)
	creation.Bind.Work.Kind, creation.Bind.Work.Project = lane.Creation, &p
	s, err := fold([]lane.Entry{opened, creation, bindEntry(1, 1, 1, 2), settleEntry(0, lane.Foreign)})
	require.NoError(t, err)
	creations, forgotten, err := lane.Lanes{0: s}.Creations()
	require.NoError(t, err)
	require.Equal(t, map[score.ProjectID]bool{p: true}, creations)
	require.Equal(t, s.Past[0].Block.Number, forgotten)
	done := settleEntry(1, lane.Done)
	done.Settle.Again = []lane.Work{{Kind: lane.Updates, Count: 2, From: score.Position{Seq: 1}, Data: []byte{1, 2}, Unknown: 2}}
	require.NoError(t, s.Apply(done))
	require.Len(t, s.Queue, 2)
	require.Equal(t, lane.Creation, s.Queue[0].Kind)
	require.NotEqual(t, s.Queue[0].ID, s.Queue[1].ID)
	part := lane.Work{Kind: lane.Updates, Count: 1}
	require.NoError(t, s.Apply(entry(func(e *lane.Entry) { e.Split = &lane.Split{ID: s.Queue[1].ID, Into: []lane.Work{part, part}} })))
	require.Equal(t, []int{2, 2}, []int{s.Queue[1].Unknown, s.Queue[2].Unknown})
}

// TestTracesAreBounded: they count as part of the state, parts of work do not repeat them, and settled slots have none.
func TestTracesAreBounded(t *testing.T) {
	t.Parallel()
	bind := bindEntry(0, 0, 1, 2)
	plain, err := fold([]lane.Entry{opened, bind})
	require.NoError(t, err)
	bind.Bind.Work.Trace = &lane.WorkTrace{Batch: score.Trace{1}, Units: make([]lane.TracedUnit, 128)}
	s, err := fold([]lane.Entry{opened, bind})
	require.NoError(t, err)
	require.Greater(t, s.Size(), plain.Size()+128*200)
	require.NoError(t, s.Apply(settleEntry(0, lane.Reverted)))
	require.Len(t, s.Queue[0].Trace.Units, 128, "it goes again")
	require.Nil(t, s.Past[0].Work.Trace)
	part := lane.Work{Kind: lane.Updates, Count: 1}
	require.NoError(t, s.Apply(entry(func(e *lane.Entry) { e.Split = &lane.Split{ID: s.Queue[0].ID, Into: []lane.Work{part, part}} })))
	for _, half := range s.Queue {
		require.Equal(t, &lane.WorkTrace{Batch: score.Trace{1}}, half.Trace)
	}

	done, err := fold([]lane.Entry{opened, bind, settleEntry(0, lane.Done)})
	require.NoError(t, err)
	require.Nil(t, done.Past[0].Work.Trace)
	require.NotNil(t, bind.Bind.Work.Trace)
}

// journalOf makes a random journal that folds.
func journalOf(t *rapid.T) []lane.Entry {
	entries := []lane.Entry{opened}
	s, err := fold(entries)
	require.NoError(t, err)
	epoch := uint64(1)
	add := func(e lane.Entry) {
		e.Epoch = epoch
		require.NoError(t, s.Apply(e))
		entries = append(entries, e)
	}
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0, 1, 2:
			add(bindEntry(s.Next, s.ReadFrom().Seq, rapid.SliceOfN(rapid.Byte(), 1, 5).Draw(t, "data")...))
		case 3:
			if len(s.Slots) > 0 {
				settle := settleEntry(s.FirstOpen(), rapid.SampledFrom([]lane.Result{lane.Done, lane.Reverted, lane.Foreign, lane.Cancelled}).Draw(t, "result"))
				if settle.Settle.Result != lane.Foreign {
					settle.Settle.Tx = s.Slots[0].Last().Hash
				}
				add(settle)
			}
		case 4:
			if len(s.Queue) > 0 {
				add(entry(func(e *lane.Entry) {
					e.Bind = &lane.Bind{Nonce: s.Next, Raw: raw(s.Next, lane.Fees{Tip: 1, Cap: 1}, 1, s.Queue[0].Data), Requeued: s.Queue[0].ID}
				}))
			}
		case 5:
			if len(s.Slots) > 0 {
				slot := &s.Slots[rapid.IntRange(0, len(s.Slots)-1).Draw(t, "slot")]
				data, err := slot.Data()
				require.NoError(t, err)
				f := lane.Fees{Tip: slot.Last().Tip * 2, Cap: slot.Last().Cap * 2}
				add(entry(func(e *lane.Entry) {
					e.Replacement = &lane.Replacement{Nonce: slot.Nonce, Raw: raw(slot.Nonce, f, 1, data)}
				}))
			}
		case 6:
			if n := len(s.Past); n > 0 && s.Past[n-1].Nonce+1 == s.FirstOpen() {
				add(entry(func(e *lane.Entry) {
					e.Reopen = &lane.Reopen{Nonce: s.FirstOpen() - 1, Raw: raw(s.FirstOpen()-1, lane.Fees{Tip: 1, Cap: 1}, 21_000, nil)}
				}))
			}
		case 7:
			if len(s.Slots) == 0 {
				add(entry(func(e *lane.Entry) { e.Skip = &lane.Skip{Next: s.Next + 1, Used: make([]lane.Used, 1)} }))
			}
		case 8:
			epoch++
			add(lane.Entry{Version: lane.Version, Open: &lane.Open{Replica: "b"}})
		}
	}
	return entries
}

func TestASnapshotIsWorthWhatItReplaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entries := journalOf(t)
		whole, err := fold(entries)
		require.NoError(t, err)
		parts, err := whole.Snapshots()
		require.NoError(t, err)
		want, err := json.Marshal(whole)
		require.NoError(t, err)
		keep := rapid.IntRange(0, len(entries)).Draw(t, "purged")
		for name, journal := range map[string][]lane.Entry{
			"purged":        parts,
			"purged partly": append(entries[keep:len(entries):len(entries)], parts...),
			"interrupted":   append(append(append(entries[:len(entries):len(entries)], parts[:len(parts)-1]...), parts...), opensNext(whole)),
		} {
			got, err := fold(journal)
			require.NoError(t, err, name)
			got.Epoch = whole.Epoch
			have, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, normal(want), normal(have), name)
			for i := range whole.Slots { // what attempts say of themselves is not in JSON
				require.Equal(t, whole.Slots[i].Attempts, got.Slots[i].Attempts, name)
			}
		}
		for _, e := range append(entries, parts...) { // through bytes and back
			b, err := e.Encode()
			require.NoError(t, err)
			require.Less(t, len(b), 1<<20)
			back, err := lane.DecodeEntry(b)
			require.NoError(t, err)
			again, err := back.Encode()
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
	})
}

func opensNext(s *lane.State) lane.Entry {
	return lane.Entry{Version: lane.Version, Epoch: s.Epoch + 1, Open: &lane.Open{Identity: s.Identity}}
}

// normal makes empty lists and none the same.
func normal(b []byte) string {
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		panic(err)
	}
	for k, v := range m {
		if list, ok := v.([]any); ok && len(list) == 0 {
			m[k] = nil
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func TestALargeStateIsSnapshotInParts(t *testing.T) {
	t.Parallel()
	entries := []lane.Entry{opened}
	for n := range uint64(40) {
		entries = append(entries, bindEntry(n, n, make([]byte, 30_000)...))
	}
	s, err := fold(entries)
	require.NoError(t, err)
	parts, err := s.Snapshots()
	require.NoError(t, err)
	require.Greater(t, len(parts), 2)
	for _, part := range parts {
		data, err := part.Encode()
		require.NoError(t, err)
		require.LessOrEqual(t, len(data), score.MaxPayload)
	}
	got, err := fold(parts)
	require.NoError(t, err)
	require.Equal(t, encode(t, s), encode(t, got))
	broken := append(append(append([]lane.Entry{}, entries...), parts[:len(parts)-1]...), opensNext(s), bindEntryAt(s))
	got, err = fold(broken)
	require.NoError(t, err)
	require.Len(t, got.Slots, 41, "a snapshot that was cut short counts for nothing")
}

func bindEntryAt(s *lane.State) lane.Entry {
	e := bindEntry(s.Next, s.ReadFrom().Seq, 1)
	e.Epoch = s.Epoch + 1
	return e
}

func TestEntriesOfOtherFormatsAreRefused(t *testing.T) {
	t.Parallel()
	for _, b := range []string{`{"v":6}`, `{"v":8}`, `{"v":0}`, `{}`, `nonsense`} {
		_, err := lane.DecodeEntry([]byte(b))
		require.ErrorIs(t, err, lane.ErrUnreadable)
	}
}

func TestLegacyAttemptsAreRead(t *testing.T) {
	t.Parallel()
	tx := types.MustSignNewTx(testKey, types.LatestSignerForChainID(chainID), &types.LegacyTx{
		Nonce: 0, GasPrice: big.NewInt(77), Gas: 5, To: &common.Address{}, Data: []byte{1},
	})
	b, err := tx.MarshalBinary()
	require.NoError(t, err)
	e := bindEntry(0, 0, 1)
	e.Bind.Raw = b
	s, err := fold([]lane.Entry{opened, e})
	require.NoError(t, err)
	last := s.Slots[0].Last()
	require.Equal(t, [2]uint64{77, 77}, [2]uint64{last.Tip, last.Cap})
	require.Equal(t, tx.Hash(), last.Hash)
}

func TestBumpsClearEveryNodesRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := lane.FeeRule{
			MaxCap: rapid.Uint64Range(1, math.MaxUint64).Draw(t, "max"), MaxTxFee: math.MaxUint64, MinTip: 1,
		}
		legacy := rapid.Bool().Draw(t, "legacy")
		prev := lane.Fees{Tip: rapid.Uint64Range(1, math.MaxUint64).Draw(t, "tip")}
		prev.Cap = rapid.Uint64Range(prev.Tip, math.MaxUint64).Draw(t, "cap")
		if legacy {
			prev.Tip = prev.Cap
		}
		q := evidence.Price{Legacy: legacy, Gas: rapid.Uint64().Draw(t, "price"), BaseFee: rapid.Uint64().Draw(t, "base"), Tip: rapid.Uint64().Draw(t, "market")}
		gas := rapid.Uint64Range(1, 1<<24).Draw(t, "gas")
		f, ok := rule.Replacement(prev, q, gas)
		if !ok {
			return
		}
		atLeast := func(old, now uint64) {
			want := new(big.Int).Mul(new(big.Int).SetUint64(old), big.NewInt(1125))
			have := new(big.Int).Mul(new(big.Int).SetUint64(now), big.NewInt(1000))
			require.GreaterOrEqual(t, have.Cmp(want), 0, "12.5 %% more than %d is not %d", old, now)
			require.Greater(t, now, old)
		}
		atLeast(prev.Tip, f.Tip)
		atLeast(prev.Cap, f.Cap)
		require.LessOrEqual(t, f.Tip, f.Cap)
		require.LessOrEqual(t, f.Cap, rule.MaxCap)
		require.LessOrEqual(t, f.Cap, math.MaxUint64/gas, "the node's cap on the whole fee")
		if legacy {
			require.Equal(t, f.Tip, f.Cap)
		}
	})
}

func TestFirstPrices(t *testing.T) {
	t.Parallel()
	rule := lane.FeeRule{MaxCap: 100, MaxTxFee: 1_000_000, MinTip: 2}
	for name, c := range map[string]struct {
		quote evidence.Price
		gas   uint64
		want  lane.Fees
		ok    bool
	}{
		"twice the base fee and the tip":      {evidence.Price{BaseFee: 20, Tip: 5}, 1000, lane.Fees{Tip: 5, Cap: 45}, true},
		"at least the smallest tip":           {evidence.Price{BaseFee: 20}, 1000, lane.Fees{Tip: 2, Cap: 42}, true},
		"the ceiling":                         {evidence.Price{BaseFee: 60, Tip: 5}, 1000, lane.Fees{Tip: 5, Cap: 100}, true},
		"the ceiling below the base fee":      {evidence.Price{BaseFee: 100, Tip: 5}, 1000, lane.Fees{Tip: 5, Cap: 100}, false},
		"the fee of the whole transaction":    {evidence.Price{BaseFee: 20, Tip: 5}, 50_000, lane.Fees{Tip: 5, Cap: 20}, false},
		"a legacy price":                      {evidence.Price{Legacy: true, Gas: 30}, 1000, lane.Fees{Tip: 30, Cap: 30}, true},
		"a legacy price beyond the ceiling":   {evidence.Price{Legacy: true, Gas: 101}, 1000, lane.Fees{Tip: 100, Cap: 100}, false},
		"a base fee that overflows saturates": {evidence.Price{BaseFee: math.MaxUint64}, 1000, lane.Fees{Tip: 2, Cap: 100}, false},
	} {
		f, ok := rule.First(c.quote, c.gas)
		require.Equal(t, c.want, f, name)
		require.Equal(t, c.ok, ok, name)
	}
}

func TestEverySendClassHasAName(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for c := txpool.Unknown; c <= txpool.Timeout; c++ {
		require.False(t, seen[c.String()], c.String())
		seen[c.String()] = true
		require.False(t, c.Taken() && c.Ambiguous())
	}
	require.True(t, txpool.Class(0).Ambiguous(), "what is not understood frees nothing")
	require.Equal(t, "unknown", txpool.Class(200).String())
}
