package topup_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/topup"
)

// TestSignersAreToppedUp, each once, the poorest first, and nothing happens then; but not of lanes that were cut or paused, nor
// who has not the relayer role.
func TestSignersAreToppedUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, 5)
	r.thief = r.lane(4)
	r.foreign(0, r.lane(1), 1e9) // what happened before is none of its business
	known, _ := r.roster.Current()
	known, err := known.Cut(2, false)
	require.NoError(t, err)
	r.roster.Set(known)
	r.paused[3] = true
	p := r.start(nil)
	r.until(func() bool { return r.paid(0) }, p)
	require.True(t, r.pending(), "its block is not final")
	require.Equal(t, big.NewInt(7), r.balance(r.lane(1)))
	r.until(func() bool { return r.settled(3) }, p)
	require.True(t, r.paid(0, 1))
	spent := r.record().SpentWei
	require.Positive(t, spent.Cmp(eth(3.99)))
	require.Negative(t, spent.Cmp(eth(4.01)))
	require.Equal(t, topup.WaitNone, p.Told().Wait)
	r.steps(p)
	require.Equal(t, uint64(3), r.nonce())
	require.Zero(t, r.balance(r.lane(2)).Sign(), "who cut a lane gives its signer nothing")
	require.Zero(t, r.balance(r.lane(3)).Sign(), "it is paused")

	again := r.start(nil) // another process
	r.paused[3] = false
	r.until(func() bool { return r.settled(4) }, again)
	require.True(t, r.paid(3))
	require.Zero(t, r.balance(r.thief).Sign())
	require.InDelta(t, 2, metric(t, p, "scorelay_topup_transfers_total"), 0)
	require.InDelta(t, 1, metric(t, again, "scorelay_topup_transfers_total"), 0)
}

// TestTheDaysCeilingHolds, over processes, and says so; the next day has its own.
func TestTheDaysCeilingHolds(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	r.config.PerDay = eth(5)
	p := r.start(nil)
	r.until(func() bool { return r.settled(2) }, p)
	r.steps(p)
	for _, one := range []*process{p, r.start(nil)} {
		r.until(func() bool { return one.Told().Wait == topup.WaitDay }, one)
	}
	require.Equal(t, uint64(2), r.nonce())
	require.Zero(t, r.balance(r.lane(2)).Sign())
	day := func(as string) {
		record, revision, err := r.store.Get(t.Context())
		require.NoError(t, err)
		record.Day = as
		_, err = r.store.Replace(t.Context(), record, revision)
		require.NoError(t, err)
	}
	day("2999-01-01")
	r.steps(p)
	require.Equal(t, topup.WaitDay, p.Told().Wait, "days only go forward")
	day("2001-01-01")
	r.until(func() bool { return r.settled(3) }, p)
	require.Negative(t, r.record().SpentWei.Cmp(eth(2.01)))
	require.NotEqual(t, "2001-01-01", r.record().Day)
}

// TestWhatHoldsPaymentsUpIsSaid: an account without funds, also before a lane needs them, a halt, a price, an account that is a lane's.
func TestWhatHoldsPaymentsUpIsSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	rich := r.balance(r.signer.Address())
	poor := new(big.Int).Sub(rich, eth(1.5))
	to := common.Address{9}
	require.NoError(t, r.geth.Client().SendTransaction(t.Context(), r.sign(r.signer, &types.LegacyTx{GasPrice: big.NewInt(3e9), Gas: 21_000, To: &to, Value: poor})))
	p := r.start(nil)
	r.until(func() bool { return p.Told().Wait == topup.WaitFunds }, p)
	require.Nil(t, r.record().Transfer)
	r.halted = true
	funds := func(account int, wei *big.Int) {
		of := key(t, account).For(devnet.ChainID)
		nonce, err := r.geth.Client().NonceAt(t.Context(), of.Address(), nil)
		require.NoError(t, err)
		back := r.signer.Address()
		require.NoError(t, r.geth.Client().SendTransaction(t.Context(), r.sign(of, &types.LegacyTx{Nonce: nonce, GasPrice: big.NewInt(3e9), Gas: 21_000, To: &back, Value: wei})))
	}
	funds(5, eth(1.6))
	r.until(func() bool { return p.Told().Wait == topup.WaitHalted }, p)
	r.halted = false
	r.until(func() bool { return r.paid(0) }, p)
	r.until(func() bool { return p.Told().Wait == topup.WaitFunds }, p)
	require.Equal(t, uint64(2), r.nonce(), "no lane needs it: it is said before one does")
	require.InDelta(t, 1, metric(t, p, "scorelay_topup_waiting", "funds"), 0)
	funds(5, eth(3))
	r.until(func() bool { return p.Told().Wait == topup.WaitNone }, p)

	dear := newRig(t, 1)
	dear.config.Fees.MaxCap = 1
	p = dear.start(nil)
	dear.until(func() bool { return p.Told().Wait == topup.WaitPrice }, p)
	own := newRig(t, 1)
	known, err := roster.First([]common.Address{own.signer.Address()})
	require.NoError(t, err)
	own.roster.Set(known)
	p = own.start(nil)
	own.until(func() bool { return p.Told().Wait == topup.WaitAccount }, p)
	for _, w := range topup.Waits() {
		require.NotEmpty(t, w.Sentence(), w)
	}
}

// TestKilledBeforeItSends: another process sends the bytes that are recorded, and no others.
func TestKilledBeforeItSends(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*line{"before it sent": {cut: true}, "before the answer": {lost: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			first := r.start(over(l))
			r.until(r.pending, first)
			recorded := r.record()
			require.Equal(t, [][]byte{recorded.Transfer.Raw[0]}, l.sent)
			second := r.start(nil)
			r.until(func() bool { return r.settled(1) }, second)
			ended := r.record()
			require.Equal(t, recorded.Transfer.Raw, ended.Transfer.Raw)
			require.Equal(t, recorded.SpentWei, ended.SpentWei)
			r.steps(first, second)
			require.True(t, r.paid(0))
			require.Equal(t, uint64(1), r.nonce())
		})
	}
}

// TestWritesThatFail: each second one does. Nothing is sent that is not recorded, and each lane is paid once.
func TestWritesThatFail(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		r, l := newRig(t, 2), &line{}
		plan := fault.NewPlan(func(_ string, n int) fault.Kind {
			if n%2 == 1 {
				return kind
			}
			return fault.None
		})
		p := r.start(on(&faulty{Store: r.store, Plan: plan}, l))
		r.until(func() bool { return plan.Writes() == 1 }, p)
		require.Empty(t, l.sent)
		r.until(func() bool { return r.settled(2) }, p)
		require.True(t, r.paid(0, 1))
		require.Negative(t, r.record().SpentWei.Cmp(eth(4.01)))
		r.steps(p)
		require.Equal(t, uint64(2), r.nonce())
	})
}

// TestNATSIsAway: nothing is sent, and the reason is told; what was recorded is sent when it is back.
func TestNATSIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	f, l := &faulty{Store: r.store, Plan: &fault.Plan{}, away: true}, &line{cut: true}
	p := r.start(on(f, l))
	r.steps(p)
	require.Equal(t, topup.WaitRecord, p.Told().Wait)
	f.away = false
	r.until(r.pending, p)
	f.away, l.cut, l.sent = true, false, nil
	r.steps(p)
	require.Empty(t, l.sent)
	f.away = false
	r.until(func() bool { return r.settled(2) }, p)
	require.True(t, r.paid(0, 1))
}

// TestSeveralRelayersAtOnce pay each lane once. Which of them does is decided by the record.
func TestSeveralRelayersAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	all := []*process{r.start(nil), r.start(nil), r.start(nil)}
	for range 2 * calm {
		r.geth.Commit()
		var running sync.WaitGroup
		for _, p := range all {
			running.Go(func() { r.look(p) })
		}
		running.Wait()
	}
	require.True(t, r.paid(0, 1, 2))
	require.True(t, r.settled(3))
	require.Negative(t, r.record().SpentWei.Cmp(eth(6.01)))
}

// TestWhoIsLateSendsNothing: between its reading of the record, or of none, and its write another relayer paid all.
func TestWhoIsLateSendsNothing(t *testing.T) {
	t.Parallel()
	for name, recorded := range map[string]bool{"a record": true, "no record": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			if recorded {
				r.resume()
			}
			stored := func() string {
				text, err := json.Marshal(r.record())
				require.NoError(t, err)
				return string(text)
			}
			paid := ""
			other, l := r.start(nil), &line{}
			f := &faulty{Store: r.store, Plan: &fault.Plan{}, first: func() {
				r.until(func() bool { return r.settled(2) }, other)
				paid = stored()
			}}
			late := r.start(on(f, l))
			r.until(func() bool { return f.first == nil }, late)
			require.Empty(t, l.sent)
			require.Equal(t, paid, stored())
			r.steps(late, other)
			require.True(t, r.paid(0, 1))
			require.Equal(t, uint64(2), r.nonce())
		})
	}
}

// TestATransferThatWaitsGetsAHigherFee, recorded before it is sent and counted for the day; the receiver is paid once.
func TestATransferThatWaitsGetsAHigherFee(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	l := &line{cut: true}
	p := r.start(over(l))
	r.until(func() bool { return r.record().Transfer != nil && len(r.record().Transfer.Raw) == 3 }, p)
	record := r.record()
	require.Equal(t, []byte(record.Transfer.Raw[2]), l.sent[len(l.sent)-1])
	most := new(big.Int)
	for i, raw := range record.Transfer.Raw {
		var tx types.Transaction
		require.NoError(t, tx.UnmarshalBinary(raw))
		require.Positive(t, tx.Cost().Cmp(most), "attempt %d", i)
		most = tx.Cost()
	}
	require.Equal(t, most, record.SpentWei, "what the dearest attempt costs")
	var first types.Transaction // any of them may be the one
	require.NoError(t, first.UnmarshalBinary(record.Transfer.Raw[0]))
	require.NoError(t, r.geth.Client().SendTransaction(t.Context(), &first))
	r.until(func() bool { return r.settled(1) }, p)
	require.True(t, r.paid(0))

	tight := newRig(t, 1) // the ceiling leaves no room for another fee
	cut := &line{cut: true}
	p = tight.start(over(cut))
	tight.until(tight.pending, p)
	tight.config.PerDay = new(big.Int).Add(tight.record().SpentWei, big.NewInt(1))
	p = tight.start(over(&line{Chain: nil, cut: true}))
	tight.until(func() bool { return p.Told().Wait == topup.WaitDay }, p)
	require.Len(t, tight.record().Transfer.Raw, 1)
}

// TestEndpointsThatLie about nonces, of every transaction or of none, have nothing paid twice.
func TestEndpointsThatLie(t *testing.T) {
	t.Parallel()
	for name, delta := range map[string]int64{"nonces are too high": 3, "nonces are too low": -3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			for n := range uint64(4) {
				r.foreign(n, common.Address{9}, 1e9)
			}
			r.geth.Commit()
			p := r.start(nil)
			p.proxy.Add(rpcproxy.Missing(rpcproxy.Proof))
			r.until(r.pending, p) // the first nonce is right
			remove := p.proxy.Add(rpcproxy.Nonces(delta))
			r.steps(p)
			require.LessOrEqual(t, r.nonce(), uint64(5), "no second one begins")
			remove()
			r.until(func() bool { return r.settled(6) }, p)
			require.True(t, r.paid(0, 1))

			late := newRig(t, 1) // it lies from the beginning
			for n := range uint64(4) {
				late.foreign(n, common.Address{9}, 1e9)
			}
			late.geth.Commit()
			p = late.start(nil)
			p.proxy.Add(rpcproxy.Missing(rpcproxy.Proof))
			remove = p.proxy.Add(rpcproxy.Nonces(delta))
			late.until(func() bool { return p.Told().Wait == topup.WaitBlock }, p)
			require.Zero(t, late.balance(late.lane(0)).Sign())
			remove()
			late.steps(p)
			late.resume() // its first nonce was a lie
			late.until(func() bool { return late.settled(5) }, p)
			require.True(t, late.paid(0))
		})
	}
}

// TestTheFirstNonce is what final blocks in a row show, where no endpoint proves it, and not one that was used since.
func TestTheFirstNonce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start(nil)
	p.proxy.Add(rpcproxy.Missing(rpcproxy.Proof))
	remove := p.proxy.Add(rpcproxy.Nonces(3))
	for range 3 {
		r.step(p)
	}
	remove()
	r.until(func() bool { return r.settled(1) }, p)

	busy := newRig(t, 1)
	p = busy.start(nil)
	for n := range uint64(10) {
		busy.foreign(n, common.Address{9}, 1e9)
		busy.step(p)
	}
	busy.until(func() bool { return busy.settled(11) }, p)
	require.True(t, busy.paid(0))
}

// TestAnEndpointThatLiesAboutBalances has the day's ceiling paid at most.
func TestAnEndpointThatLiesAboutBalances(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start(nil)
	rich := json.RawMessage(`"` + hexutil.EncodeBig(eth(1000)) + `"`)
	p.proxy.Add(rpcproxy.Missing(rpcproxy.Proof), rpcproxy.Fault{Name: "balances", Methods: []string{"eth_getBalance"}, Answer: func(_ *rpcproxy.Node, c *rpcproxy.Call, a *rpcproxy.Answer) {
		if a.Result = json.RawMessage(`"0x0"`); string(c.Args()[0]) == `"`+hexutil.Encode(r.signer.Address().Bytes())+`"` {
			a.Result = rich
		}
	}})
	r.until(func() bool { return p.Told().Wait == topup.WaitDay }, p)
	require.LessOrEqual(t, r.balance(r.lane(0)).Cmp(r.config.PerDay), 0)
	require.LessOrEqual(t, r.record().SpentWei.Cmp(r.config.PerDay), 0)
	require.Positive(t, r.balance(r.lane(0)).Cmp(r.config.To), "it was lied to")

	proved := newRig(t, 1)
	p = proved.start(nil)
	p.proxy.Add(rpcproxy.Fault{Name: "balances", Methods: []string{"eth_getBalance"}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
		a.Result = json.RawMessage(`"0x0"`)
	}})
	proved.until(func() bool { return proved.settled(1) }, p)
	proved.steps(p)
	require.True(t, proved.paid(0), "proofs are believed")
}

// TestAForeignTransaction with a nonce of ours, in place of a transfer or behind it, stops payments until an operator resumes.
func TestAForeignTransaction(t *testing.T) {
	t.Parallel()
	for name, replaced := range map[string]bool{"in place of a transfer": true, "behind it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			p := r.start(nil)
			if replaced {
				l := &line{cut: true}
				p = r.start(over(l))
				r.until(r.pending, p)
				r.foreign(0, common.Address{9}, 1e9)
			} else {
				r.until(func() bool { return r.settled(1) }, p)
				r.foreign(1, common.Address{9}, 1e9)
			}
			r.until(func() bool { return p.Told().Wait == topup.WaitStopped }, p)
			require.Contains(t, r.record().Stopped, "its key is used elsewhere")
			other := r.start(nil)
			r.steps(other)
			require.Equal(t, topup.WaitStopped, other.Told().Wait)
			require.Equal(t, replaced, r.balance(r.lane(0)).Sign() == 0)
			before := r.record()
			r.resume()
			require.Equal(t, before.SpentWei, r.record().SpentWei, "what was counted stays")
			r.until(func() bool { return r.paid(0) && other.Told().Wait == topup.WaitNone }, other)
		})
	}
}

// TestAnotherAccount pays where the setting names another one; while a transfer of the last one is open it waits.
func TestAnotherAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	l := &line{cut: true}
	first := r.start(over(l))
	r.until(r.pending, first)
	r.signer = key(t, payer+1).For(devnet.ChainID)
	second := r.start(nil)
	r.until(func() bool { return second.Told().Wait == topup.WaitAccount }, second)
	l.cut = false
	r.until(func() bool { return !r.pending() }, first)
	r.until(func() bool { return second.Told().Wait == topup.WaitNone }, second)
	known, _ := r.roster.Current()
	known, _, err := known.Add(common.Address{0xef})
	require.NoError(t, err)
	r.roster.Set(known)
	before := r.record().SpentWei
	r.until(func() bool { return r.settled(1) }, second)
	require.True(t, r.paid(0, 1))
	require.Equal(t, r.signer.Address(), r.record().Account)
	require.Positive(t, r.record().SpentWei.Cmp(new(big.Int).Add(before, eth(2))), "the day is the same")
}

// TestAChainThatLosesWhatWasFinal: the same bytes are sent again, and count once.
func TestAChainThatLosesWhatWasFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start(nil)
	r.until(func() bool { return r.settled(1) }, p)
	ended := r.record()
	block, err := r.geth.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(ended.Transfer.Ended.Number))
	require.NoError(t, err)
	require.NoError(t, r.geth.Fork(block.ParentHash))
	r.geth.Rollback() // nodes forget
	for range 10 {
		r.geth.Commit()
	}
	require.Zero(t, r.nonce())
	r.until(r.pending, p)
	r.until(func() bool { return r.settled(1) }, p)
	require.True(t, r.paid(0))
	require.Equal(t, ended.Transfer.Raw, r.record().Transfer.Raw)
	require.Equal(t, ended.SpentWei, r.record().SpentWei)
}

// TestAReceiverThatTakesNothing stops payments: they would cost fees until the day's ceiling.
func TestAReceiverThatTakesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	tx := r.sign(key(t, 0).For(devnet.ChainID), &types.LegacyTx{GasPrice: big.NewInt(3e9), Gas: 200_000, Data: common.FromHex("6005600c60003960056000f360006000fd")})
	require.NoError(t, r.geth.Client().SendTransaction(t.Context(), tx))
	r.geth.Commit()
	receipt, err := r.geth.Client().TransactionReceipt(t.Context(), tx.Hash())
	require.NoError(t, err)
	known, err := roster.First([]common.Address{receipt.ContractAddress})
	require.NoError(t, err)
	r.roster.Set(known)
	p := r.start(nil)
	r.until(func() bool { return p.Told().Wait == topup.WaitStopped }, p)
	require.Contains(t, p.Told().Stopped, "reverted")
	require.Equal(t, uint64(1), r.nonce())
	require.Zero(t, r.balance(receipt.ContractAddress).Sign())
}

// TestARecordThatCannotBeContinued: nothing is paid, and it is told.
func TestARecordThatCannotBeContinued(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	to := common.Address{9}
	raw, err := r.sign(r.signer, &types.LegacyTx{GasPrice: big.NewInt(3e9), Gas: 21_000, To: &to, Value: big.NewInt(1)}).MarshalBinary()
	require.NoError(t, err)
	free, err := types.SignNewTx(devnet.Key(payer), types.HomesteadSigner{}, &types.LegacyTx{GasPrice: big.NewInt(3e9), Gas: 21_000, To: &to, Value: big.NewInt(1)})
	require.NoError(t, err)
	unprotected, err := free.MarshalBinary()
	require.NoError(t, err)
	for _, record := range []topup.Record{
		{Version: topup.Version, Account: common.Address{1}, Transfer: &topup.Transfer{Raw: []hexutil.Bytes{unprotected}}},
		{Version: topup.Version + 1},
		{Version: topup.Version, Transfer: &topup.Transfer{}},
		{Version: topup.Version, Transfer: &topup.Transfer{Raw: []hexutil.Bytes{{1}}}},
		{Version: topup.Version, Account: common.Address{1}, Transfer: &topup.Transfer{Raw: []hexutil.Bytes{raw}}},
	} {
		_, revision, _ := r.store.Get(t.Context())
		_, err := r.store.Replace(t.Context(), record, revision)
		require.NoError(t, err)
		_, _, err = r.store.Get(t.Context())
		require.Error(t, err)
		p := r.start(nil)
		r.until(func() bool { return p.Told().Wait == topup.WaitRecord }, p)
	}
	_, err = topup.Resume(t.Context(), r.store)
	require.ErrorIs(t, err, topup.ErrCorrupt)
}

// metric is one of a process's, with these values of labels.
func metric(t *testing.T, p *process, name string, labels ...string) float64 {
	t.Helper()
	families, err := p.metrics.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			if f.GetName() == name && slices.Equal(values, labels) {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("no metric %s of %v", name, labels)
	return 0
}

// TestATransferCountsWhatItsBytesCost on the chain below a rollup, for the day, and has to afford it.
func TestATransferCountsWhatItsBytesCost(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start(nil)
	p.proxy.Add(rpcproxy.Fault{
		Name: "oracle", Methods: []string{"eth_call"},
		Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
			a.Result = json.RawMessage(`"` + hexutil.Encode(common.BigToHash(new(big.Int).Lsh(big.NewInt(4e12),
				17)).Bytes()) + `"`)
		},
	})
	r.until(func() bool { return r.settled(1) }, p)
	l1 := big.NewInt((4e12 + 1) * (130 + 128))
	require.Positive(t, r.record().SpentWei.Cmp(new(big.Int).Add(eth(2), l1)))
	require.Negative(t, r.record().SpentWei.Cmp(new(big.Int).Add(eth(2.01), l1)))
}
