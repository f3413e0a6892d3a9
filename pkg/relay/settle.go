package relay

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// settle ends the lowest open slot, whose nonce was used in a final block: read the outcomes from the receipt, dead-letter
// what was rejected, report statuses, and journal the end last, so that a crash anywhere before repeats all of it. It asks
// the chain nothing: the receipt was checked when it was read.
func (s *session) settle(ctx context.Context, f lane.Finalize) ([]lane.Effect, error) {
	nonce := f.Nonce
	slot := s.lane.State.Slot(nonce)
	if slot == nil || nonce != s.lane.State.Floor() {
		return nil, nil
	}
	if f.Foreign != nil {
		return s.settleForeign(ctx, slot, f.Foreign)
	}
	in := s.lane.Included(nonce)
	attempt := slot.Attempt(in.Tx)
	data, err := slot.Data()
	if err != nil {
		return nil, err
	}
	end := lane.Settle{Nonce: nonce, Tx: in.Tx, Block: in.Block}
	switch {
	case attempt.Cancel:
		end.Result = lane.Cancelled
	case in.Receipt.Status != types.ReceiptStatusSuccessful:
		end.Result, end.OutOfGas = lane.Reverted, in.Receipt.GasUsed >= attempt.Gas
	default:
		return s.settleDone(ctx, slot, data, in.Receipt, end)
	}
	s.log.Warn("a transaction is final without having carried its work; the work is bound again", "nonce", nonce, "tx", in.Tx,
		"result", end.Result, "out_of_gas", end.OutOfGas, "updates", slot.Work.Count)
	return s.release(ctx, slot, data, end, in.Receipt)
}

// settleDone ends a slot whose transaction did its work.
func (s *session) settleDone(
	ctx context.Context, slot *lane.Slot, data []byte, receipt *types.Receipt, end lane.Settle,
) ([]lane.Effect, error) {
	end.Result = lane.Done
	switch slot.Work.Kind {
	case lane.Nothing:
		if len(data) > 0 { // it failed, was bound elsewhere, and succeeded where the chain was reorganised: only its events tell
			s.restoreStatuses(ctx, &s.config.Contract)
		}
		return s.close(ctx, end, receipt)
	case lane.Creation:
		return s.settleCreation(ctx, slot, data, receipt, end)
	}
	return s.settleBatch(ctx, slot, data, receipt, end)
}

func (s *session) settleBatch(
	ctx context.Context, slot *lane.Slot, data []byte, receipt *types.Receipt, end lane.Settle,
) ([]lane.Effect, error) {
	b, err := registry.DecodeBatch(data)
	if err != nil {
		return nil, fmt.Errorf("slot %d: %w: %w", slot.Nonce, lane.ErrCorrupt, err)
	}
	outcomes, err := registry.Outcomes(b, s.config.Contract, receipt)
	if err != nil {
		s.unreadable(slot, end, err)
		return nil, nil
	}
	updates, signed := b.Updates(), signedOf(b)
	overtook := make([]bool, len(updates)) // their project, whose slot was lost: they go again
	var told []score.Update
	var results []score.Outcome
	var letters []DeadLetter
	for i, u := range updates {
		if outcomes[i] == score.UnknownProject && s.lane.State.CreationOpen(u.Project) {
			overtook[i] = true
			continue
		}
		told, results = append(told, u), append(results, outcomes[i])
		if outcomes[i].Rejected() {
			letters = append(letters, DeadLetter{
				Lane: s.id, Seq: slot.Work.From.Seq, Reason: reasonOf(outcomes[i]), Outcome: outcomes[i],
				Update: &u, Signed: signed[i], Tx: end.Tx,
			})
		}
	}
	if err := s.bury(ctx, letters); err != nil {
		return nil, err
	}
	again := b.Pick(overtook)
	if again.Len() > 0 {
		end.Again = []lane.Work{{
			Kind: lane.Updates, Count: again.Len(), From: slot.Work.From, Data: registry.EncodeBatch(again),
		}}
	}
	nonce := slot.Nonce
	s.tell(ctx, len(updates), func(ctx context.Context) error {
		if again.Len() > 0 {
			if err := s.Statuses.Released(ctx, s.id, nonce, again.Updates()); err != nil {
				return err
			}
		}
		return s.Statuses.Final(ctx, s.id, nonce, end.Tx, end.Block.Number, told, results)
	})
	effects, err := s.close(ctx, end, receipt)
	if err != nil {
		return nil, err
	}
	bound := s.config.Model.Gas(b)
	s.log.Info("a batch is final", "nonce", nonce, "tx", end.Tx, "block", end.Block.Number, "updates", len(updates),
		"rejected", s.metrics.count(results), "gas", receipt.GasUsed, "gas_bound", bound)
	s.learn(receipt.GasUsed, bound)
	return effects, nil
}

// signedOf tells of each of the batch's updates whether it is one of a signed group.
func signedOf(b batch.Batch) []bool {
	var out []bool
	for i := range b.Groups {
		out = append(out, slices.Repeat([]bool{b.Groups[i].Signature != nil}, len(b.Groups[i].Updates))...)
	}
	return out
}

// unreadable notes that a final transaction lacks what the contract must have emitted: the address is not a ScoreRegistry,
// or the node keeps logs back. Nothing may be assumed then; each head tries again, and nothing new is bound.
func (s *session) unreadable(slot *lane.Slot, end lane.Settle, err error) {
	if !s.stuck {
		s.log.Error("the outcomes of a final transaction cannot be read; the lane binds nothing new, and reads the receipt again",
			"nonce", slot.Nonce, "tx", end.Tx, "err", err)
	}
	s.stuck = true
	s.heads.Reread(end.Tx)
}

func (s *session) settleCreation(
	ctx context.Context, slot *lane.Slot, data []byte, receipt *types.Receipt, end lane.Settle,
) ([]lane.Effect, error) {
	project, err := registry.DecodeCreateProject(data)
	if err != nil {
		return nil, fmt.Errorf("slot %d: %w: %w", slot.Nonce, lane.ErrCorrupt, err)
	}
	if err := registry.Created(project.ID, s.config.Contract, receipt); err != nil {
		s.unreadable(slot, end, err)
		return nil, nil
	}
	nonce := slot.Nonce
	s.tell(ctx, 0, func(ctx context.Context) error {
		return s.Statuses.ProjectFinal(ctx, s.id, nonce, end.Tx, end.Block.Number, project.ID, score.Applied)
	})
	effects, err := s.close(ctx, end, receipt)
	if err == nil {
		s.metrics.creations.WithLabelValues(score.Applied.String()).Inc()
		s.log.Info("a project is final", "project", project.ID, "nonce", nonce, "tx", end.Tx, "block", end.Block.Number, "gas", receipt.GasUsed)
	}
	return effects, err
}

// settleForeign ends a slot whose nonce was used by a transaction that is not ours, which was seen in a final block.
func (s *session) settleForeign(ctx context.Context, slot *lane.Slot, found *evidence.Found) ([]lane.Effect, error) {
	data, err := slot.Data()
	if err != nil {
		return nil, err
	}
	if found.Tx != nil {
		s.log.Error("a nonce of the lane was used by a transaction that is not the lane's: its key is used elsewhere; the work is bound again",
			"nonce", slot.Nonce, "signer", s.signer.Address(), "tx", found.Tx.Hash(), "block", found.Block.Number, "updates", slot.Work.Count)
		s.restoreStatuses(ctx, found.Tx.To())
	}
	return s.release(ctx, slot, data, lane.Settle{Nonce: slot.Nonce, Result: lane.Foreign, Block: found.Block}, nil)
}

// restoreStatuses asks for a restore where a transaction to the contract is not in the lane's journal: what it did to
// updates is in its event, and nowhere else.
func (s *session) restoreStatuses(ctx context.Context, to *common.Address) {
	if to != nil && *to == s.config.Contract {
		s.tell(ctx, 0, s.Statuses.Incomplete)
	}
}

// release ends a slot whose work is to be bound again.
func (s *session) release(
	ctx context.Context, slot *lane.Slot, data []byte, end lane.Settle, receipt *types.Receipt,
) ([]lane.Effect, error) {
	nonce := slot.Nonce
	switch slot.Work.Kind {
	case lane.Nothing:
		return s.close(ctx, end, receipt)
	case lane.Creation:
		project := *slot.Work.Project
		s.tell(ctx, 0, func(ctx context.Context) error { return s.Statuses.ProjectReleased(ctx, s.id, nonce, project) })
		return s.close(ctx, end, receipt)
	}
	b, err := registry.DecodeBatch(data)
	if err != nil {
		return nil, fmt.Errorf("slot %d: %w: %w", nonce, lane.ErrCorrupt, err)
	}
	s.tell(ctx, b.Len(), func(ctx context.Context) error { return s.Statuses.Released(ctx, s.id, nonce, b.Updates()) })
	had := uint64(0)
	if end.OutOfGas {
		had = slot.Attempt(end.Tx).Gas
	}
	effects, err := s.close(ctx, end, receipt)
	if err == nil && had > 0 && b.Units() > 1 { // one that is too much by itself says nothing about others
		s.ranOut(had, s.config.Model.Gas(b))
	}
	return effects, err
}

// close journals the end and counts it.
func (s *session) close(ctx context.Context, end lane.Settle, receipt *types.Receipt) ([]lane.Effect, error) {
	s.noteTold(ctx)
	effects, err := s.append(ctx, lane.Entry{Settle: &end})
	if err != nil {
		return nil, err
	}
	s.stuck = false
	s.metrics.settled.WithLabelValues(string(end.Result)).Inc()
	if receipt != nil {
		s.metrics.gasUsed.Add(float64(receipt.GasUsed))
		if receipt.EffectiveGasPrice != nil {
			s.metrics.fees.Add(gwei(new(big.Int).Mul(receipt.EffectiveGasPrice, new(big.Int).SetUint64(receipt.GasUsed))))
		}
	}
	return effects, nil
}

func reasonOf(o score.Outcome) string {
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
		return "the project takes signed groups only, and nobody signed the group it was in"
	case score.BadSignature:
		return "the signature of its group is not its signer's"
	default:
		return "the contract rejected it: " + o.String()
	}
}
