package relay

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// binder prices, signs and journals pending transactions (slots), and further attempts for them.
type binder struct {
	config   *Config
	lane     *lane.Lane
	signer   Signer
	intake   *intake
	gas      *gas
	append   func(context.Context, lane.Entry) error
	reporter *reporter
	tracer   *tracer
	waiting  *waiting
	ages     *ages
	metrics  *metrics
	log      *slog.Logger

	unsigned bool          // the key failed to sign the last replacement
	signing  time.Duration // since the last broadcast
	rests    time.Time     // when assigning resumes after the key failed
}

// Bounds, since a remote signer may be slow or away.
const (
	slowSigning = 100 * time.Millisecond // after this, assigned work is broadcast first
	longSigning = 2 * time.Second        // after this, the loop receives a view of the chain first
	signerPause = time.Second            // before a failed key is asked again, for new work
)

// bindNew assigns the intake's creation or edit, or a batch of its horizon; false if none is due or the lane must
// wait.
func (b *binder) bindNew(ctx context.Context) (bool, error) {
	now := b.config.Now()
	switch {
	case b.intake.turn():
		return b.bindAlone(ctx)
	case b.intake.alone != nil: // skip the linger: reading pauses until the edit is assigned
		now = now.Add(b.config.Limits.Linger)
	}
	choice, due := b.intake.horizon.Next(now)
	if !due {
		b.idle()
		return false, nil
	}
	places := b.intake.places(choice.Units)
	traces, carries := b.tracer.of(places, choice.Units), &piece{batch: &choice.Batch, known: choice.Known}
	bound, err := b.bindPlaces(ctx, places, binding{
		gas: b.gas.limit(carries), data: registry.EncodeBatch(choice.Batch), piece: carries,
		entry: lane.Bind{Work: lane.Work{Kind: lane.Updates, Count: choice.Batch.Len(), Whole: !carries.splits(), Trace: traces}},
	})
	if bound {
		b.gas.trusted[b.lane.State.Next-1] = choice.Known
		observe(b.metrics.batch.WithLabelValues(string(choice.Why)), float64(choice.Batch.Len()), traces)
		b.intake.batchBound(choice.Units)
	}
	return bound, err
}

// idle records that no work is due, or, before work arrives, that the lane cannot pay for one update.
func (b *binder) idle() {
	one := batch.Single(score.Update{})
	gas, bytes := b.gas.limit(&piece{batch: &one}), txBytes(registry.EncodeBatch(one))
	fees, why := b.lane.Ready(gas, bytes)
	if why != lane.WaitFunds || b.lane.InFlight() > 0 || len(b.lane.State.Buckets) == 0 {
		b.waiting.set(lane.WaitNone)
		return
	}
	b.waiting.need = b.lane.Need(gas, bytes, fees)
	b.waiting.set(why, "gas", gas)
}

func (b *binder) bindAlone(ctx context.Context) (bool, error) {
	at := b.intake.alone
	kind, data, ref := at.alone.alone()
	places := []*place{at}
	bound, err := b.bindPlaces(ctx, places, binding{
		gas: b.gas.limit(at.alone), data: data, piece: at.alone,
		entry: lane.Bind{Work: lane.Work{Kind: kind, Count: 1, Project: &ref.Project, Trace: b.tracer.of(places, nil)}},
	})
	if bound {
		b.intake.alone = nil
	}
	return bound, err
}

// bindPlaces assigns new work, with at least the gas limit of any batch that waits for a block before it (up to
// perBatch). Otherwise a block builder that skips that batch as too large might try this work out of turn. anvil
// drops a transaction that it tries out of turn, and all behind it.
func (b *binder) bindPlaces(ctx context.Context, places []*place, w binding) (bool, error) {
	w.gas = max(w.gas, min(b.gas.perBatch, b.lane.WaitingGas()))
	moves, err := b.intake.moves(places...)
	if err != nil {
		return false, fmt.Errorf("%w: %w", lane.ErrCorrupt, err)
	}
	w.entry.Moves, w.entry.Work.From = moves, moves[0].Bound[0].Position
	for i := range moves {
		if from := moves[i].Bound[0].Position; from.Before(w.entry.Work.From) {
			w.entry.Work.From = from
		}
	}
	bound, err := b.bind(ctx, w)
	if bound {
		b.intake.journaled(moves, places...)
		b.ages.bound(b.lane.State.Next-1, places)
	}
	return bound, err
}

func txBytes(data []byte) int { return registry.EnvelopeBytes + len(data) }

type binding struct {
	gas   uint64
	data  []byte
	piece *piece
	entry lane.Bind
}

// bind assigns work to the next nonce; false if the lane must wait. Before the commit point it has no effects. After
// it, the work has exactly this nonce until the nonce is final.
func (b *binder) bind(ctx context.Context, w binding) (bool, error) {
	fees, why := b.lane.Ready(w.gas, txBytes(w.data))
	if why != lane.WaitNone {
		b.waiting.need = b.lane.Need(w.gas, txBytes(w.data), fees)
		b.waiting.set(why, "gas", w.gas)
		return false, nil
	}
	nonce := b.lane.State.Next
	span := b.tracer.binds(&w.entry.Work, nonce)
	raw, err := b.sign(ctx, nonce, fees, w.gas, &b.config.Contract, w.data)
	if err != nil {
		b.rests = b.config.Now().Add(signerPause)
		b.waiting.set(lane.WaitSigner, "nonce", nonce, "err", err)
		return false, nil
	}
	b.waiting.set(lane.WaitNone)
	w.entry.Nonce, w.entry.Raw, w.entry.Since, w.entry.Final = nonce, raw, b.lane.View().Head.Number, b.lane.View().Final.Number

	if err := b.append(ctx, lane.Entry{Bind: &w.entry}); err != nil { // the commit point
		return false, err
	}
	b.tracer.bound(span, b.lane.State.Slot(nonce))
	b.metrics.attempts.WithLabelValues("first").Inc()
	b.reporter.bound(ctx, nonce)
	return true, nil
}

func (b *binder) replace(ctx context.Context, e lane.Replace) error {
	slot := b.lane.State.Slot(e.Nonce)
	if slot == nil {
		return nil
	}
	to, data := b.signer.Address(), []byte(nil)
	if !e.Cancel {
		var err error
		if data, err = slot.Data(); err != nil {
			return err
		}
		to = b.config.Contract
	}
	raw, err := b.sign(ctx, e.Nonce, e.Fees, e.Gas, &to, data)
	if err != nil && !b.unsigned { // once, since each view requests it again
		b.log.Error("the lane couldn't sign a replacement; it keeps broadcasting the last attempt", "nonce", e.Nonce, "err", err)
	}
	if b.unsigned = err != nil; b.unsigned {
		return nil
	}
	b.metrics.attempts.WithLabelValues(e.Reason).Inc()
	b.log.Info("the lane replaces a slot's attempt", "nonce", e.Nonce, "reason", e.Reason, "attempt", len(slot.Attempts)+1,
		"tip_wei", e.Fees.Tip, "cap_wei", e.Fees.Cap, "gas", e.Gas, "cancel", e.Cancel)
	return b.append(ctx, lane.Entry{Replacement: &lane.Replacement{Nonce: e.Nonce, Raw: raw, Reason: e.Reason}})
}

func (b *binder) cancel(ctx context.Context, nonce uint64, fees lane.Fees) ([]byte, error) {
	self := b.signer.Address()
	return b.sign(ctx, nonce, fees, lane.CancelGas, &self, nil)
}

func (b *binder) sign(ctx context.Context, nonce uint64, fees lane.Fees, gas uint64, to *common.Address, data []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, b.config.CallTimeout)
	defer cancel()
	var tx *types.Transaction
	if b.lane.View().Price.Legacy {
		tx = types.NewTx(&types.LegacyTx{
			Nonce: nonce, GasPrice: wei(fees.Cap), Gas: gas, To: to, Value: new(big.Int), Data: data,
		})
	} else {
		tx = types.NewTx(&types.DynamicFeeTx{
			ChainID: wei(b.config.ChainID), Nonce: nonce, GasTipCap: wei(fees.Tip), GasFeeCap: wei(fees.Cap),
			Gas: gas, To: to, Value: new(big.Int), Data: data,
		})
	}
	began := b.config.Now()
	signed, err := b.signer.Sign(ctx, tx)
	took, result := b.config.Now().Sub(began), "signed"
	if err != nil {
		result = "failed"
	}
	b.signing += took
	b.metrics.signing.WithLabelValues(result).Observe(took.Seconds())
	if err != nil {
		return nil, err
	}
	raw, err := signed.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("couldn't encode a signed transaction: %w", err)
	}
	return raw, nil
}

func wei(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func ether(wei *big.Int) float64 {
	f, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(1e18)).Float64()
	return f
}
