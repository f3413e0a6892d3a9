package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errOutcomes means that a final transaction lacks events that the contract must have emitted: the address is not a
// ScoreRegistry, or the node withholds logs.
var errOutcomes = errors.New("the outcomes of a final transaction cannot be read")

// errUnsure means that it is unknown whether a project exists or is being created.
var errUnsure = errors.New("neither the lanes' journals nor the endpoints tell of all projects")

// errSigner means that the key failed to sign a transaction that all else waits for.
var errSigner = errors.New("the lane's signer does not sign")

// settler ends slots, and reopens them if the chain loses their blocks.
//
// A slot ends when the transaction that used its nonce, its own or a foreign one, is seen in a final block (package
// evidence defines "seen"). Below the nonce of an operator's Resume, a final account that shows the nonce used
// suffices. But all blocks that can contain the transaction must lack it.
//
// Settling makes no calls to the chain, except for overtook, which only queues updates again.
type settler struct {
	id         score.Lane
	signer     common.Address
	config     *Config
	lane       *lane.Lane
	append     func(context.Context, lane.Entry) error
	deadLetter func(context.Context, []score.DeadLetter) error
	reporter   *reporter
	tracer     *tracer
	gas        *gas
	ages       *ages
	reread     func(tx common.Hash) // reads the receipt again
	creations  func(context.Context) (projects map[score.ProjectID]bool, forgotten uint64, err error)
	// ask asks each endpoint
	ask     func(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error)
	cancel  func(ctx context.Context, nonce uint64, fees lane.Fees) ([]byte, error)
	metrics *metrics
	log     *slog.Logger

	// endpoints' answers about projects that the contract did not know in a block; asking about many takes several
	// heads
	said struct {
		in  evidence.Ref
		has map[score.ProjectID]bool
	}
	// a final transaction has unreadable outcomes; new work waits
	unreadable bool
}

type ending struct {
	entry    lane.Settle
	letters  []score.DeadLetter
	refs     []score.Ref     // with an outcome now
	outcomes []score.Outcome // of refs
	released []score.Ref     // to be assigned again

	work    lane.Work
	carried *piece            // carried out or not; nil for none
	receipt *evidence.Receipt // nil if the transaction is foreign
}

// settle ends the lowest open slot, with a nonce used in a final block; the receipt was checked when read. The Settle
// entry itself queues work that was not carried out. Dead letters come before it and are idempotent, so a crash
// before the commit point repeats all.
func (t *settler) settle(ctx context.Context, f lane.SettleSlot) error {
	slot := t.lane.State.Slot(f.Nonce)
	if slot == nil || f.Nonce != t.lane.State.FirstOpen() {
		return nil
	}
	began := time.Now()
	end, err := t.read(ctx, slot, f)
	switch {
	case errors.Is(err, errOutcomes):
		t.keepOpen(end, err)
		return nil
	case errors.Is(err, errUnsure):
		t.log.Warn("the lane couldn't find out whether its updates overtook their project; it tries again with the next head",
			"nonce", end.entry.Nonce, "err", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.deadLetter(ctx, end.letters); err != nil {
		return err
	}
	if err := t.append(ctx, lane.Entry{Settle: &end.entry}); err != nil { // the commit point
		return err
	}
	t.reporter.released(ctx, f.Nonce, end.released)
	if end.entry.Result == lane.Done && end.work.Kind == lane.Edit {
		t.reporter.edited(ctx)
	}
	t.unreadable = false
	t.tracer.ended(&end.work, began, &end)
	t.metrics.slotSettled(t.id, end.entry.Result, end.work.Kind, end.receipt)
	t.logEnd(ctx, end)
	return nil
}

// keepOpen keeps slots with unreadable outcomes open. Each head retries, and new work waits.
func (t *settler) keepOpen(end ending, err error) {
	if !t.unreadable {
		t.log.Error("the outcomes of a final transaction cannot be read; the lane binds nothing new, and reads the receipt again",
			"nonce", end.entry.Nonce, "tx", end.entry.Tx, "err", err)
	}
	t.unreadable = true
	t.reread(end.entry.Tx)
}

// read returns how a slot ended. The error is errOutcomes, errUnsure or lane.ErrCorrupt.
func (t *settler) read(ctx context.Context, slot *lane.Slot, f lane.SettleSlot) (ending, error) {
	carried, _, err := carriedBy(slot)
	end := ending{entry: lane.Settle{Nonce: slot.Nonce}, work: slot.Work, carried: carried}
	if err != nil {
		return end, err
	}
	if f.Foreign != nil {
		return t.readForeign(end, f.Foreign), nil
	}
	in := t.lane.Included(slot.Nonce)
	attempt := slot.Attempt(in.Tx)
	end.entry.Tx, end.entry.Block, end.receipt = in.Tx, in.Block, in.Receipt
	switch {
	case attempt.Cancel:
		end.entry.Result = lane.Cancelled
	case in.Receipt.Status != types.ReceiptStatusSuccessful:
		end.entry.Result, end.entry.OutOfGas = lane.Reverted, usedAll(in.Receipt, attempt)
	default:
		return t.readDone(ctx, end)
	}
	end.released = end.carries()
	return end, nil
}

func (e *ending) carries() []score.Ref {
	if e.carried == nil {
		return nil
	}
	return e.carried.refs()
}

// readForeign handles a foreign transaction. found.Tx is nil if only the account shows the use of the nonce.
func (t *settler) readForeign(end ending, found *evidence.Found) ending {
	end.entry.Result, end.entry.Block = lane.Foreign, found.Block
	if found.Tx != nil {
		end.entry.Tx = found.Tx.Hash()
		t.log.Error("a nonce of the lane was used by a transaction that is not the lane's: its key is used elsewhere; the lane binds the work again",
			"nonce", end.entry.Nonce, "signer", t.signer, "tx", found.Tx.Hash(), "block", found.Block.Number, "updates", end.work.Count)
	}
	end.released = end.carries()
	return end
}

func (t *settler) readDone(ctx context.Context, end ending) (ending, error) {
	end.entry.Result = lane.Done
	// NonceOnly lacks outcomes: its work failed, was assigned elsewhere, and succeeded after a reorg.
	switch end.work.Kind {
	case lane.Creation, lane.Edit:
		if err := end.carried.done(t.config.Contract, end.receipt); err != nil {
			return end, fmt.Errorf("%w: %w", errOutcomes, err)
		}
		end.refs, end.outcomes = end.carries(), []score.Outcome{score.Applied}
	case lane.Updates:
		return t.readOutcomes(ctx, end)
	}
	return end, nil
}

// readOutcomes adds a batch's outcomes and dead letters to end. Updates that overtook their project's creation are
// queued again.
func (t *settler) readOutcomes(ctx context.Context, end ending) (ending, error) {
	batch := end.carried.batch
	outcomes, err := registry.Outcomes(*batch, t.config.Contract, &end.receipt.Receipt)
	if err != nil {
		return end, fmt.Errorf("%w: %w", errOutcomes, err)
	}
	updates, signed, name := batch.Updates(), signedOf(*batch), end.work.Name(t.id)
	overtook, unknown, err := t.overtook(ctx, end.entry.Block, &end.work, updates, outcomes)
	if err != nil {
		return end, fmt.Errorf("%w: %w", errUnsure, err)
	}
	for i, u := range updates {
		if overtook[i] {
			continue
		}
		end.refs, end.outcomes = append(end.refs, u.Ref()), append(end.outcomes, outcomes[i])
		if outcomes[i].Rejected() {
			end.letters = append(end.letters, score.DeadLetter{
				Lane: name.Lane, Seq: end.work.From.Seq, Work: name.ID, Reason: rejection(outcomes[i]), Outcome: outcomes[i],
				Update: &u, Signed: signed[i], Tx: end.entry.Tx, Block: end.entry.Block.Number,
			})
		}
	}
	if again := batch.Pick(overtook); again.Len() > 0 {
		end.released = score.Refs(again.Updates())
		end.entry.Again = []lane.Work{{
			Kind: lane.Updates, Count: again.Len(), From: end.work.From, Data: registry.EncodeBatch(again), Unknown: unknown,
		}}
	}
	return end, nil
}

func (t *settler) logEnd(ctx context.Context, end ending) {
	e, updates := &end.entry, uint64(0)
	if e.Result == lane.Done && end.work.Kind == lane.Updates {
		updates = uint64(len(end.refs))
	}
	t.ages.settled(ctx, e.Nonce, &end.work, updates)
	switch {
	case e.Result == lane.Reverted || e.Result == lane.Cancelled:
		t.log.Warn("a transaction of the lane is final without having carried its work; the lane binds the work again",
			"nonce", e.Nonce, "tx", e.Tx, "result", e.Result, "out_of_gas", e.OutOfGas, "updates", end.work.Count)
	case e.Result == lane.Done && end.work.Kind == lane.Updates:
		worst := t.gas.final(&end)
		t.log.Info("a batch of the lane is final", "nonce", e.Nonce, "tx", e.Tx, "block", e.Block.Number, "updates", end.carried.batch.Len(),
			"rejected", t.metrics.ended(end.refs, end.outcomes), "gas", end.receipt.GasUsed, "gas_worst", worst)
	case e.Result == lane.Done && end.work.Kind.Alone():
		t.metrics.ended(end.refs, end.outcomes)
		t.metrics.projectFees.add(end.refs[0].Project, ether(end.receipt.Fee()))
		t.log.Info("a project of the lane is created or edited, final", "work", end.work.Kind, "project", end.refs[0].Project, "nonce", e.Nonce, "tx", e.Tx,
			"block", e.Block.Number, "gas", end.receipt.GasUsed)
	}
}

func (t *settler) skip(ctx context.Context, skip lane.Skip) error {
	next := t.lane.State.Next
	t.log.Warn("nonces were used that the lane did not bind; the lane continues behind them",
		"from", next, "to", skip.Next, "transactions", skip.Used)
	return t.append(ctx, lane.Entry{Skip: &skip})
}

// reopen journals that a settled slot is open again, since the chain lost its block. The lane broadcasts the same
// bytes until they are final again; the ledger rolls back the outcomes. With Fill, an empty transaction uses up the
// nonce instead; errSigner if the key fails.
func (t *settler) reopen(ctx context.Context, e lane.ReopenSlot) error {
	entry := lane.Reopen{Nonce: e.Nonce}
	if e.Fill {
		raw, err := t.cancel(ctx, e.Nonce, e.Fees)
		if err != nil {
			return fmt.Errorf("%w a transaction that uses up nonce %d: %w", errSigner, e.Nonce, err)
		}
		entry.Raw = raw
	}
	if err := t.append(ctx, lane.Entry{Reopen: &entry}); err != nil {
		return err
	}
	t.metrics.reopened.Inc()
	slot := t.lane.State.Slot(e.Nonce)
	tx := slot.Last().Hash
	if e.Fill {
		t.log.Warn("a nonce below the lane's own is not used on the chain; the lane uses it up with a transaction that carries nothing",
			"nonce", e.Nonce, "tx", tx)
		return nil
	}
	t.log.Error("the chain lost a final transaction of the lane; the lane rebroadcasts the same bytes",
		"nonce", e.Nonce, "tx", tx, "updates", slot.Work.Count)
	t.reporter.bound(ctx, e.Nonce)
	return nil
}

func signedOf(b batch.Batch) (signed []bool) {
	for i := range b.Groups {
		for range b.Groups[i].Updates {
			signed = append(signed, b.Groups[i].Signature != nil)
		}
	}
	return signed
}

func rejection(o score.Outcome) string {
	switch o {
	case score.UnknownProject:
		return "the project does not exist on the chain"
	case score.NotMember:
		return "the signer was neither owner nor updater of the project when the update was executed"
	case score.UnknownAction:
		return "the project has no action of that index"
	case score.UnknownScoreType:
		return "the project has no score type of that index"
	case score.SignatureRequired:
		return "the project takes signed groups only, and the group it was in has no signature"
	case score.BadSignature:
		return "the signature of its group is not its signer's"
	default:
		return "the contract rejected it: " + o.String()
	}
}
