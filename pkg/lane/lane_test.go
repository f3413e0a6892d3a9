package lane_test

import (
	"crypto/ecdsa"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

const gwei = 1_000_000_000

var (
	testKey  = mustKey()
	chainID  = big.NewInt(1)
	contract = common.Address{0xcc}
	began    = time.Unix(1_700_000_000, 0)
	rules    = lane.Rules{
		Fees:   lane.FeeRule{MaxCap: 500 * gwei, MaxTxFee: 1_000_000 * gwei * 1_000, MinTip: 1},
		Window: 4, MaxOpen: 8, BumpBlocks: 3, Rebroadcast: 10 * time.Second, MaxGas: 1 << 24,
	}
)

func mustKey() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("lane test")))
	if err != nil {
		panic(err)
	}
	return key
}

// raw signs a dynamic-fee transaction; no data is a cancellation.
func raw(nonce uint64, f lane.Fees, gas uint64, data []byte) []byte {
	tx := types.MustSignNewTx(testKey, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: new(big.Int).SetUint64(f.Tip), GasFeeCap: new(big.Int).SetUint64(f.Cap),
		Gas: gas, To: &contract, Data: data,
	})
	b, err := tx.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return b
}

// bench is a lane and the entries journaled for it.
type bench struct {
	t       *testing.T
	lane    *lane.Lane
	entries []lane.Entry
	now     time.Time
	blocks  map[common.Hash]evidence.Included // of attempts
	foreign map[uint64]evidence.Found
}

func newBench(t *testing.T) *bench {
	b := &bench{
		t: t, lane: lane.New(&lane.State{}, rules), now: began,
		blocks: map[common.Hash]evidence.Included{}, foreign: map[uint64]evidence.Found{},
	}
	b.append(lane.Entry{Epoch: 1, Open: &lane.Open{Replica: "a", Buckets: []score.Bucket{0}, Identity: lane.Identity{Contract: contract}}})
	return b
}

// ref is block n of the usual branch.
func ref(n uint64) evidence.Ref {
	return evidence.Ref{Number: n, Hash: common.BigToHash(new(big.Int).SetUint64(n))}
}

func (b *bench) append(e lane.Entry) []lane.Effect {
	b.t.Helper()
	e.Version = lane.Version
	if e.Epoch == 0 {
		e.Epoch = b.lane.State.Epoch
	}
	effects, err := b.lane.Step(lane.Appended{Entry: e})
	require.NoError(b.t, err)
	b.entries = append(b.entries, e)
	return effects
}

// bind binds one update at the next nonce and a price of 2 gwei.
func (b *bench) bind() []lane.Effect {
	b.t.Helper()
	nonce := b.lane.State.Next
	at := b.lane.State.ReadFrom()
	return b.append(lane.Entry{Bind: &lane.Bind{
		Nonce: nonce, Raw: raw(nonce, lane.Fees{Tip: gwei, Cap: 2 * gwei}, 100_000, []byte{byte(nonce + 1)}),
		Work: lane.Work{Kind: lane.Updates, Count: 1, From: at}, Moves: []lane.Move{moveOf(at.Seq, 1)},
	}})
}

// settle ends the lowest slot, as done in a block.
func (b *bench) settle(nonce, block uint64) {
	b.t.Helper()
	b.append(lane.Entry{Settle: &lane.Settle{Nonce: nonce, Result: lane.Done, Tx: b.lane.State.Slot(nonce).Last().Hash, Block: ref(block)}})
}

func (b *bench) replace(r lane.Replace) []lane.Effect {
	b.t.Helper()
	data, err := b.lane.State.Slot(r.Nonce).Data()
	require.NoError(b.t, err)
	if r.Cancel {
		data = nil
	}
	return b.append(lane.Entry{Replacement: &lane.Replacement{Nonce: r.Nonce, Raw: raw(r.Nonce, r.Fees, r.Gas, data), Reason: r.Reason}})
}

// head is block n of the usual branch with the account's nonce; blocks three back are final.
func (b *bench) head(n, nonce uint64, change ...func(*lane.View)) []lane.Effect {
	b.t.Helper()
	b.now = b.now.Add(time.Second)
	block := ref(n)
	h := lane.View{
		Head: evidence.Block{Number: n, Hash: block.Hash}, Final: ref(n - min(n, 3)), Now: b.now,
		Account:  evidence.Account{Nonce: nonce, Balance: new(big.Int).Lsh(big.NewInt(1), 100), At: block, Proved: true},
		Price:    evidence.Price{BaseFee: gwei / 2, Tip: gwei},
		Included: map[common.Hash]evidence.Included{}, Foreign: map[uint64]evidence.Found{},
	}
	for tx, in := range b.blocks {
		if in.Block.Number <= n {
			h.Included[tx] = in
		}
	}
	for nonce, found := range b.foreign {
		if found.Block.Number <= n {
			h.Foreign[nonce] = found
		}
	}
	for _, f := range change {
		f(&h)
	}
	effects, err := b.lane.Step(h)
	require.NoError(b.t, err)
	return effects
}

func (b *bench) step(e lane.Event) []lane.Effect {
	b.t.Helper()
	effects, err := b.lane.Step(e)
	require.NoError(b.t, err)
	return effects
}

func (b *bench) sent(nonce uint64, class txpool.Class) []lane.Effect {
	b.t.Helper()
	return b.step(lane.Sent{Nonce: nonce, Tx: b.lane.State.Slot(nonce).Last().Hash, Class: class, Now: b.now})
}

// mined puts the last attempts of slots into a block, of which the heads from it on tell.
func (b *bench) mined(block uint64, nonces ...uint64) {
	b.t.Helper()
	for _, n := range nonces {
		tx := b.lane.State.Slot(n).Last().Hash
		b.blocks[tx] = evidence.Included{Tx: tx, Block: ref(block), Receipt: &evidence.Receipt{Receipt: types.Receipt{Status: 1}}}
	}
}

// thief has a transaction that is not the lane's use a nonce in a block.
func (b *bench) thief(block, nonce uint64, to common.Address, data ...byte) {
	tx := types.MustSignNewTx(testKey, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, Gas: 21_000, To: &to, Data: data, GasFeeCap: big.NewInt(1), GasTipCap: big.NewInt(1),
	})
	b.foreign[nonce] = evidence.Found{Tx: tx, Block: ref(block)}
}

func only[T lane.Effect](effects []lane.Effect) (out []T) {
	for _, e := range effects {
		if t, ok := e.(T); ok {
			out = append(out, t)
		}
	}
	return out
}

func TestAWorkGoesFromSlotToFinal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Nil(t, b.lane.View())
	require.Equal(t, lane.WaitHead, b.lane.Blocked())
	b.head(10, 0)
	require.EqualValues(t, 10, b.lane.View().Head.Number)
	require.Equal(t, lane.WaitNone, b.lane.Blocked())

	require.Equal(t, []lane.Send{{Nonces: []uint64{0}}}, only[lane.Send](b.bind()))
	require.Equal(t, score.Submitted, only[lane.Report](b.sent(0, txpool.Added))[0].Stage)
	b.mined(11, 0)
	effects := b.head(11, 1)
	require.Equal(t, []lane.Effect{lane.Report{
		Nonce: 0, Stage: score.Included, Tx: b.lane.State.Slot(0).Last().Hash, Block: 11,
	}}, effects, "block 11 is not final at head 11")
	require.Empty(t, b.head(13, 1))
	require.Equal(t, []lane.Effect{lane.SettleSlot{Nonce: 0}}, b.head(14, 1))
	b.settle(0, 11)
	require.Empty(t, b.lane.State.Slots)
	require.Equal(t, score.Position{Seq: 1}, settledOf(t, b.lane.State))
}

func TestNothingIsFinalOutOfOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.mined(11, 1) // of nonce 0 nothing is known: the receipt may be missing
	b.head(11, 2)
	require.Equal(t, lane.WaitNone, b.lane.Blocked())
	require.Empty(t, only[lane.SettleSlot](b.head(20, 2)))
	b.mined(11, 0)
	require.Equal(t, []lane.SettleSlot{{Nonce: 0}, {Nonce: 1}}, only[lane.SettleSlot](b.head(20, 2)))
}

func TestAbsenceEndsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.Added)
	for n := uint64(11); n < 200; n++ { // the nonce is used, as it seems, and no receipt comes
		effects := b.head(n, 1)
		require.Empty(t, only[lane.SettleSlot](effects))
		require.Empty(t, only[lane.Replace](effects), "no price helps a nonce that is used")
	}
	require.Len(t, b.lane.State.Slots, 1)
}

func TestAnAmbiguousSendFreesNothing(t *testing.T) {
	t.Parallel()
	for _, class := range []txpool.Class{txpool.Unknown, txpool.Timeout, txpool.NodeDown, txpool.Throttled, txpool.NonceLow, txpool.NonceHigh} {
		t.Run(class.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.head(10, 0)
			b.bind()
			before := b.lane.State.Next
			b.sent(0, class)
			require.Equal(t, before, b.lane.State.Next)
			require.Len(t, b.lane.State.Slots, 1)
			effects := b.head(11, 0)
			require.Equal(t, []lane.Send{{Nonces: []uint64{0}}}, only[lane.Send](effects), "the same bytes go out again")
			require.Empty(t, only[lane.Replace](effects))
		})
	}
}

func TestEverythingWaitingIsRebroadcastInOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	for n := range uint64(4) {
		b.bind()
		b.sent(n, txpool.Added)
	}
	require.Empty(t, b.head(11, 0))
	b.now = b.now.Add(rules.Rebroadcast)
	require.Equal(t, []lane.Send{{Nonces: []uint64{0, 1, 2, 3}}}, only[lane.Send](b.head(11, 0)))
}

func TestASlotThatNoNodeTookIsNotBumped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	for n := uint64(11); n < 60; n++ {
		b.sent(0, txpool.Timeout)
		require.Empty(t, only[lane.Replace](b.head(n, 0)), "a price does not cure an endpoint")
	}
}

func TestTheLowestSlotIsBumpedWhenSlow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	b.sent(0, txpool.Added)
	b.sent(1, txpool.Added)
	require.Empty(t, only[lane.Replace](b.head(12, 0)))
	found := only[lane.Replace](b.head(13, 0))
	require.Len(t, found, 1, "the others wait for it, not for a price")
	require.Equal(t, uint64(0), found[0].Nonce)
	require.Equal(t, "slow", found[0].Reason)
	require.Equal(t, lane.Fees{Tip: gwei * 9 / 8, Cap: 2 * gwei * 9 / 8}, found[0].Fees)
	require.Equal(t, []lane.Send{{Nonces: []uint64{0}}}, only[lane.Send](b.replace(found[0])))
	b.sent(0, txpool.Added)
	require.Empty(t, only[lane.Replace](b.head(15, 0)))
	require.Len(t, only[lane.Replace](b.head(16, 0)), 1)
}

func TestABaseFeeThatRisesOverAllWaitingSlotsBumpsThemAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.bind()
	effects := b.head(11, 0, func(h *lane.View) { h.Price.BaseFee = 8 * gwei })
	found := only[lane.Replace](effects)
	require.Len(t, found, 2)
	require.Equal(t, uint64(17*gwei), found[0].Fees.Cap)
}

func TestRefusalsAreBumped(t *testing.T) {
	t.Parallel()
	for class, want := range map[txpool.Class]lane.Replace{
		txpool.FeeLow:                 {Gas: 100_000, Reason: "fee_low"},
		txpool.ReplacementUnderpriced: {Gas: 100_000, Reason: "replacement_underpriced"},
		txpool.BadGas:                 {Gas: 125_001, Reason: "gas"},
		txpool.TooBig:                 {Gas: 21_000, Cancel: true, Reason: "cancel"},
	} {
		t.Run(class.String(), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.head(10, 0)
			b.bind()
			b.sent(0, class)
			require.Empty(t, only[lane.Replace](b.head(10, 0)), "not in the same block")
			found := only[lane.Replace](b.head(11, 0))
			require.Len(t, found, 1)
			want.Fees = lane.Fees{Tip: gwei * 9 / 8, Cap: 2 * gwei * 9 / 8}
			switch class { // no pool has the first bytes
			case txpool.BadGas:
				want.Fees = lane.Fees{Tip: gwei + 1, Cap: 2*gwei + 1}
			case txpool.FeeLow:
				want.Fees.Cap = gwei + gwei*9/8
			}
			require.Equal(t, want, found[0])
			b.replace(found[0])
			require.Len(t, b.lane.State.Slots[0].Attempts, 2)
		})
	}
}

// TestTheNextAttemptAsksForTheGasThatIsKnownToBeNeeded, also above the most that is planned; at a higher price only if
// a pool may have the last one.
func TestTheNextAttemptAsksForTheGasThatIsKnownToBeNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		class, refused txpool.Class
		times          int
		gas            uint64
		fees           lane.Fees
	}{
		{txpool.BadGas, txpool.Unknown, 1, 640_000, lane.Fees{Tip: gwei + 1, Cap: 2*gwei + 1}},
		{txpool.BadGas, txpool.Unknown, 1, 1<<24 + 1, lane.Fees{Tip: gwei + 1, Cap: 2*gwei + 1}},
		{txpool.Timeout, txpool.BadGas, 6, 640_000, lane.Fees{Tip: gwei * 9 / 8, Cap: 2 * gwei * 9 / 8}},
	} {
		b := newBench(t)
		b.head(10, 0)
		b.bind()
		for range c.times {
			b.step(lane.Sent{
				Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: c.class, Refused: c.refused,
				Gas: c.gas, Now: b.now,
			})
		}
		found := only[lane.Replace](b.head(11, 0))
		require.Equal(t, []lane.Replace{{Gas: c.gas, Fees: c.fees, Reason: "gas"}}, found)
		b.replace(found[0])
		require.Len(t, b.lane.State.Slots[0].Attempts, 2)
	}
}

// TestACancelAtTheCeiling: what no node takes since blocks shrank is canceled at its own price where the ceiling leaves no more.
func TestACancelAtTheCeiling(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.Added)
	ceiling := func(v *lane.View) { v.Price.BaseFee = 260 * gwei }
	b.replace(only[lane.Replace](b.head(20, 0, ceiling))[0])
	at := b.lane.State.Slots[0].Last()
	require.Equal(t, uint64(500*gwei-1<<10), at.Cap)
	b.sent(0, txpool.TooBig)
	found := only[lane.Replace](b.head(21, 0, ceiling))
	require.Equal(t, []lane.Replace{{Gas: 21_000, Cancel: true, Reason: "cancel", Fees: lane.Fees{Tip: at.Tip, Cap: at.Cap}}}, found)
	b.replace(found[0])
	require.True(t, b.lane.State.Slots[0].Last().Cancel)
}

// TestWhatNoNodeTookForItsPriceIsPricedAgain: it has nothing to outbid, so its cap is as high as its tip takes, and no node's word is taken beyond
// the lane's rules.
func TestWhatNoNodeTookForItsPriceIsPricedAgain(t *testing.T) {
	t.Parallel()
	strict := rules
	strict.Fees.MaxTip = 50 * gwei
	held := func(v *lane.View) { v.Price.BaseFee = 30 * gwei } // and the first attempt's cap is below it
	high := func(v *lane.View) { v.Price.BaseFee = 260 * gwei }
	above := func(v *lane.View) { v.Price.BaseFee = 1000 * gwei }
	for name, c := range map[string]struct {
		market func(*lane.View)
		minTip uint64
		sent   []txpool.Class
		want   lane.Fees // zero: no attempt
	}{
		"the minimum that is named":                {held, 25 * gwei, []txpool.Class{txpool.FeeLow}, lane.Fees{Tip: 25 * gwei, Cap: 85 * gwei}},
		"an eighth more where none is":             {held, 0, []txpool.Class{txpool.FeeLow}, lane.Fees{Tip: gwei * 9 / 8, Cap: 60*gwei + gwei*9/8}},
		"the lane's highest tip":                   {held, 900 * gwei, []txpool.Class{txpool.FeeLow}, lane.Fees{Tip: 50 * gwei, Cap: 110 * gwei}},
		"at the ceiling the tip rises below it":    {high, 25 * gwei, []txpool.Class{txpool.FeeLow}, lane.Fees{Tip: 25 * gwei, Cap: 500*gwei - 1<<10}},
		"what a pool took before is to be outbid":  {nil, 25 * gwei, []txpool.Class{txpool.Added, txpool.FeeLow}, lane.Fees{Tip: 25 * gwei, Cap: 26 * gwei}},
		"no tip helps above the ceiling":           {above, 25 * gwei, []txpool.Class{txpool.FeeLow}, lane.Fees{}},
		"what may be in a pool is no refusal":      {nil, 25 * gwei, []txpool.Class{txpool.Timeout}, lane.Fees{}},
		"a refusal does not undo that it was sent": {nil, 0, []txpool.Class{txpool.Added, txpool.FeeLow}, lane.Fees{Tip: gwei * 9 / 8, Cap: 2 * gwei * 9 / 8}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.lane = lane.New(b.lane.State, strict)
			var market []func(*lane.View)
			if c.market != nil {
				market = append(market, c.market)
			}
			b.head(10, 0)
			b.bind()
			for _, class := range c.sent {
				b.step(lane.Sent{Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: class, MinTip: c.minTip, Now: b.now})
			}
			found := only[lane.Replace](b.head(11, 0, market...))
			if c.want == (lane.Fees{}) {
				require.Empty(t, found)
				return
			}
			require.Equal(t, c.want, found[0].Fees)
			b.replace(found[0])
			b.step(lane.Sent{Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: txpool.FeeLow, MinTip: 49 * gwei, Now: b.now})
			if found = only[lane.Replace](b.head(12, 0, high)); c.want.Tip < 50*gwei {
				require.Equal(t, uint64(49*gwei), found[0].Fees.Tip)
				require.Equal(t, max(c.want.Cap+1, 500*gwei-1<<10), found[0].Fees.Cap)
				b.replace(found[0])
			}
		})
	}
}

// TestAfterTheLastPriceNothingIsSigned until the nodes ask for less, and the lane says so meanwhile.
func TestAfterTheLastPriceNothingIsSigned(t *testing.T) {
	t.Parallel()
	strict := rules
	strict.Fees.MaxTip = 50 * gwei
	for _, minTip := range []uint64{0, 25 * gwei, 900 * gwei} {
		b := newBench(t)
		b.lane = lane.New(b.lane.State, strict)
		b.head(10, 0)
		b.bind()
		attempts, quiet := 0, 0
		for n := uint64(11); quiet < 10; n++ {
			b.step(lane.Sent{Nonce: 0, Tx: b.lane.State.Slots[0].Last().Hash, Class: txpool.FeeLow, MinTip: minTip, Now: b.now})
			quiet++
			for _, r := range only[lane.Replace](b.head(n, 0)) {
				b.replace(r)
				attempts, quiet = attempts+1, 0
				require.LessOrEqual(t, r.Fees.Tip, uint64(50*gwei+attempts))
				require.LessOrEqual(t, r.Fees.Cap, rules.Fees.MaxCap)
			}
			require.Less(t, attempts, 100)
		}
		require.Equal(t, lane.WaitUnderpriced, b.lane.Blocked())
		require.NotEmpty(t, only[lane.Send](b.head(1000, 0)), "it is broadcast all the same")
		b.sent(0, txpool.Added)
		require.Equal(t, lane.WaitNone, b.lane.Blocked())
	}
}

// TestABaseFeeAboveTheCeilingIsWaitedFor: nodes refuse what is sent meanwhile, which is no reason to sign anything, nor to call an operator.
func TestABaseFeeAboveTheCeilingIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	attempts := 0
	for n := range uint64(20) {
		for _, r := range only[lane.Replace](b.head(11+n, 0, func(v *lane.View) { v.Price.BaseFee = 1000 * gwei })) {
			b.replace(r)
			attempts++
		}
		b.sent(0, txpool.FeeLow)
	}
	require.LessOrEqual(t, attempts, 1, "up to the ceiling")
	require.NotEqual(t, lane.WaitUnderpriced, b.lane.Blocked())
}

func TestAChainWithoutBlocksStillGetsABetterPrice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	b.sent(0, txpool.FeeLow)
	b.now = b.now.Add(rules.Rebroadcast)
	require.Len(t, only[lane.Replace](b.head(10, 0)), 1)
}

func TestReplacementsAreNotRacedForever(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	bumps := 0
	for n := uint64(11); n < 16; n++ {
		b.sent(0, txpool.ReplacementUnderpriced)
		for _, r := range only[lane.Replace](b.head(n, 0)) {
			b.replace(r)
			bumps++
		}
	}
	require.Equal(t, 3, bumps, "then the usual pace")
}

func TestAtTheCeilingTheBestAttemptKeepsGoingOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.head(10, 0)
	b.bind()
	for n := uint64(20); n < 4000; n += 10 {
		effects := b.head(n, 0, func(h *lane.View) { h.Price.BaseFee = 1000 * gwei })
		found := only[lane.Replace](effects)
		if len(found) == 0 {
			require.NotEmpty(t, only[lane.Send](b.head(n, 0, func(h *lane.View) {
				h.Price.BaseFee, h.Now = 1000*gwei, h.Now.Add(time.Hour)
			})))
			break
		}
		b.replace(found[0])
	}
	last := b.lane.State.Slots[0].Last()
	require.LessOrEqual(t, last.Cap, rules.Fees.MaxCap)
	_, wait := b.lane.Ready(100_000, 0)
	require.Equal(t, lane.WaitCeiling, wait, "nothing new is bound at a price no lane may pay")
}
