package topup

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/txpool"
)

const (
	unknown     = math.MaxUint64 // next nonce before the first transfer
	transferGas = 21_000         // first gas limit; some rollups refuse it as too low
	mostGas     = 2_000_000
	mostBytes   = 130 // of a signed transfer
	lateBlocks  = 50  // blocks until a transfer that is in none is reported
	agreedFinal = 3   // final blocks in a row that must show the same nonce, unless it is proved
)

func (t *TopUp) pay(ctx context.Context) reason {
	v := t.view
	if len(v.Reorged) > 0 {
		return t.reopen(ctx)
	}
	t.sub.NeedAccount()
	nonce, why := t.nonce(ctx)
	if why.wait != WaitNone {
		return why
	}
	to, balance, found, err := t.needy(ctx)
	switch {
	case err != nil:
		return because(WaitChain, "err", err)
	case !found && v.Account.Balance.Cmp(t.config.To) < 0: // reported before a lane needs it
		return because(WaitFunds, "balance_wei", v.Account.Balance, "need_wei", t.config.To)
	case !found:
		return reason{}
	case t.deps.Halted():
		return because(WaitHalted)
	}
	fees, ok := t.config.Fees.First(v.Price, transferGas)
	if !ok {
		return because(WaitPrice, "base_fee_wei", v.Price.BaseFee, "tip_wei", v.Price.Tip, "legacy_price_wei", v.Price.Gas)
	}
	value := new(big.Int).Sub(t.config.To, balance)
	cost := new(big.Int).Add(value, t.cost(transferGas, fees))
	raw, why := t.attempt(ctx, attempt{nonce: nonce, to: to.Signer, value: value, gas: transferGas, fees: fees, counts: cost})
	if why.wait != WaitNone {
		return why
	}
	next := t.record
	next.spend(t.day(), cost)
	next.Transfer = &Transfer{Lane: to.ID, Raw: []hexutil.Bytes{raw}, Since: v.Account.At.Number}
	if err := t.put(ctx, next); err != nil {
		return because(WaitRecord, "err", err)
	}
	t.deps.Log.Info("topping a lane's signer up", "lane", to.ID, "signer", to.Signer, "balance_wei", balance, "value_wei", value,
		"nonce", nonce, "tx", t.record.Transfer.last().Hash(), "spent_wei", next.SpentWei, "per_day_wei", t.config.PerDay)
	return t.send(ctx)
}

func (t *TopUp) reopen(ctx context.Context) reason {
	next, open := t.record, *t.record.Transfer
	t.deps.Log.Error("the chain lost the final block of the newest top-up; its bytes are sent again", "lane", open.Lane, "tx", open.last().Hash(), "block", open.Ended.Number)
	open.Ended, next.Transfer = nil, &open
	if err := t.put(ctx, next); err != nil {
		return because(WaitRecord, "err", err)
	}
	return reason{}
}

// nonce returns the newest transfer's nonce plus one. Before the first transfer, it returns the account's, which must
// match at the head and in final blocks. While endpoints show another nonce, it returns a reason to wait.
func (t *TopUp) nonce(ctx context.Context) (uint64, reason) {
	v := t.view
	if t.record.Transfer == nil {
		t.sub.NeedFinal()
		if f := v.FinalAccount; f.Balance != nil && f.At != t.begun.At {
			if f.Nonce != t.begun.Nonce {
				t.agreed = 0
			}
			t.begun, t.agreed = f, t.agreed+1
		}
		if t.begun.Balance == nil || !t.begun.Proved && t.agreed < agreedFinal || t.begun.Nonce != v.Account.Nonce {
			return 0, because(WaitChain, "account_nonce", v.Account.Nonce, "final_nonce", t.begun.Nonce)
		}
		return t.begun.Nonce, reason{}
	}
	next := t.record.Transfer.nonce() + 1
	if why, stops := t.foreign(ctx, next); stops {
		return 0, why
	}
	switch {
	case v.Account.Nonce > next:
		return 0, because(WaitForeign, "account_nonce", v.Account.Nonce, "next_nonce", next)
	case v.Account.Nonce < next:
		return 0, because(WaitBehind, "account_nonce", v.Account.Nonce, "next_nonce", next)
	}
	return next, reason{}
}

func (t *TopUp) foreign(ctx context.Context, nonce uint64) (why reason, stops bool) {
	found, seen := t.view.Foreign[nonce]
	if !seen || found.Block.Number > t.view.Final.Number {
		return reason{}, false
	}
	next := t.record
	next.Stopped = fmt.Sprintf("transaction %s in block %d has nonce %d of the account that pays, and is not recorded: its key is used elsewhere, or NATS "+
		"was restored from an older copy", found.Tx.Hash(), found.Block.Number, nonce)
	if err := t.put(ctx, next); err != nil {
		return because(WaitRecord, "err", err), true
	}
	return because(WaitStopped, "stopped", next.Stopped), true
}

// push ends the pending transfer, resends it or raises its fee.
func (t *TopUp) push(ctx context.Context) reason {
	v, tr := t.view, t.record.Transfer
	t.sub.NeedAccount()
	for _, tx := range tr.attempts {
		switch in, seen := v.Included[tx.Hash()]; {
		case seen && in.Block.Number <= v.Final.Number:
			return t.end(ctx, in)
		case seen:
			return reason{}
		}
	}
	if why, stops := t.foreign(ctx, tr.nonce()); stops {
		return why
	}
	if v.Account.Nonce > tr.nonce() {
		t.sub.NeedFinal()
	}
	raised, why := t.raise(ctx)
	if sent := t.send(ctx); raised || why.wait == WaitNone {
		why = sent
	}
	switch numbers := []any{"account_nonce", v.Account.Nonce, "nonce", tr.nonce()}; {
	case why.wait != WaitNone:
	case v.Unfound != nil:
		return because(WaitForeign, numbers...)
	case v.Head.Number >= tr.Since+lateBlocks:
		return because(WaitBlock, numbers...)
	}
	return why
}

// end records that the pending transfer is in a final block. If it reverted, payments stop.
func (t *TopUp) end(ctx context.Context, in evidence.Included) reason {
	next, ended := t.record, *t.record.Transfer
	ended.Ended, next.Transfer = &in.Block, &ended
	if in.Receipt.Status != types.ReceiptStatusSuccessful {
		next.Stopped = fmt.Sprintf("transfer %s to the signer of lane %d reverted in block %d: that account takes no plain transfers; fund it by hand",
			in.Tx, ended.Lane, in.Block.Number)
	}
	if err := t.put(ctx, next); err != nil {
		return because(WaitRecord, "err", err)
	}
	t.metrics.ended.Inc()
	if next.Stopped != "" {
		return because(WaitStopped, "stopped", next.Stopped)
	}
	t.deps.Log.Info("a lane's signer was topped up", "lane", ended.Lane, "value_wei", ended.last().Value(), "tx", in.Tx, "block", in.Block.Number)
	return reason{}
}

// raise records an attempt with a higher fee or more gas, if the newest one was refused, is late or is below the base
// fee.
func (t *TopUp) raise(ctx context.Context) (raised bool, why reason) {
	v, tr := t.view, t.record.Transfer
	last, block := tr.last(), v.Head.Number
	prev, gas := lane.Fees{Tip: last.GasTipCap().Uint64(), Cap: last.GasFeeCap().Uint64()}, last.Gas()
	if t.pricedAt == 0 {
		t.pricedAt = block
	}
	slow := block >= t.pricedAt+t.config.BumpBlocks
	switch {
	case v.Account.Nonce > tr.nonce(): // the nonce seems to be used, so a fee cannot help
		return false, why
	case t.refused == txpool.BadGas && gas < mostGas:
		gas = min(gas+gas/4, mostGas)
	case t.refused == txpool.FeeLow || slow && (t.refused == txpool.Added || t.refused == txpool.ReplacementUnderpriced):
	case !v.Price.Legacy && prev.Cap < v.Price.BaseFee:
	default:
		return false, why
	}
	fees, ok := t.config.Fees.Replacement(prev, v.Price, gas)
	if !ok {
		return false, why // the newest attempt is at the limit and is resent
	}
	more := new(big.Int).Sub(fee(gas, fees), fee(last.Gas(), prev))
	raw, why := t.attempt(ctx, attempt{nonce: tr.nonce(), to: *last.To(), value: last.Value(), gas: gas, fees: fees, counts: more})
	if why.wait != WaitNone {
		return false, why
	}
	next := t.record
	next.spend(t.day(), more)
	next.Transfer = tr.again(raw)
	if err := t.put(ctx, next); err != nil {
		return false, because(WaitRecord, "err", err)
	}
	t.deps.Log.Info("a top-up gets a higher fee", "lane", tr.Lane, "nonce", tr.nonce(), "attempt", len(next.Transfer.Raw), "tip_wei", fees.Tip, "cap_wei", fees.Cap, "gas", gas)
	return true, why
}

type attempt struct {
	nonce  uint64
	to     common.Address
	value  *big.Int // wei
	gas    uint64
	fees   lane.Fees
	counts *big.Int // wei to count for the day, on top of earlier attempts
}

// attempt signs the transaction if the day's ceiling and the account's balance allow it.
func (t *TopUp) attempt(ctx context.Context, a attempt) ([]byte, reason) {
	cost := new(big.Int).Add(a.value, t.cost(a.gas, a.fees))
	spent := t.record.spent(t.day())
	switch {
	case new(big.Int).Add(spent, a.counts).Cmp(t.config.PerDay) > 0:
		return nil, because(WaitDay, "spent_wei", spent, "need_wei", a.counts, "per_day_wei", t.config.PerDay)
	case t.view.Account.Balance.Cmp(cost) < 0:
		return nil, because(WaitFunds, "balance_wei", t.view.Account.Balance, "need_wei", cost)
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	var tx *types.Transaction
	if t.view.Price.Legacy {
		tx = types.NewTx(&types.LegacyTx{Nonce: a.nonce, GasPrice: wei(a.fees.Cap), Gas: a.gas, To: &a.to, Value: a.value})
	} else {
		tx = types.NewTx(&types.DynamicFeeTx{
			ChainID: wei(t.config.ChainID), Nonce: a.nonce, GasTipCap: wei(a.fees.Tip), GasFeeCap: wei(a.fees.Cap), Gas: a.gas, To: &a.to, Value: a.value,
		})
	}
	signed, err := t.deps.Signer.Sign(ctx, tx)
	var raw []byte
	if err == nil {
		raw, err = signed.MarshalBinary()
	}
	if err != nil {
		return nil, because(WaitSigner, "err", err)
	}
	return raw, reason{}
}

func (t *TopUp) send(ctx context.Context) reason {
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	raw := t.record.Transfer.Raw
	result := t.deps.Chain.Send(ctx, [][]byte{raw[len(raw)-1]})[0]
	t.refused = txpool.Added
	if !result.Class.Ambiguous() && !result.Class.Taken() {
		t.refused = result.Class
	}
	switch t.refused {
	case txpool.Funds:
		return because(WaitFunds, "err", result.Err)
	case txpool.Reserved, txpool.Invalid, txpool.FeeCapRPC, txpool.TooBig:
		return because(WaitRefused, "err", result.Err)
	}
	return reason{}
}

// cost returns an attempt's maximum cost besides its value, in wei, with a rollup's fee for its bytes.
func (t *TopUp) cost(gas uint64, fees lane.Fees) *big.Int {
	cost := fee(gas, fees)
	return cost.Add(cost, t.view.Price.L1(mostBytes))
}

func fee(gas uint64, fees lane.Fees) *big.Int { return new(big.Int).Mul(wei(gas), wei(fees.Cap)) }

func wei(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
