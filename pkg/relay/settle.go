package relay

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// settle ends the lowest open slot, whose end the lane holds to be beyond the finality rule: check that against the
// chain, read the outcomes, dead-letter what was rejected, tell statuses, and journal the end last, so that a crash
// anywhere before repeats all of it.
func (s *session) settle(ctx context.Context, nonce uint64) ([]lane.Effect, error) {
	slot, head := s.lane.State.Slot(nonce), s.lane.Last()
	if slot == nil || nonce != s.lane.State.Floor() {
		return nil, nil
	}
	in := s.lane.Inclusion(nonce)
	if in == nil {
		return s.settleForeign(ctx, slot, head)
	}
	receipt, ok := s.confirm(ctx, in, head)
	if !ok {
		return nil, nil
	}
	if receipt == nil { // not where it was seen: the next head looks for it anew
		return s.lane.Step(lane.Receipts{At: head.Block.Number, Asked: []uint64{nonce}})
	}
	data, err := slot.Data()
	if err != nil {
		return nil, err
	}
	end := lane.Settle{Nonce: nonce, Tx: in.Tx, Block: in.Number}
	switch attempt := attemptOf(slot, in.Tx); {
	case attempt.Cancel:
		end.Result = lane.Cancelled
	case receipt.Status != types.ReceiptStatusSuccessful:
		end.Result, end.OutOfGas = lane.Reverted, receipt.GasUsed >= attempt.Gas
	default:
		return s.settleDone(ctx, slot, data, receipt, end)
	}
	s.log.Warn("a transaction is final without having carried its work; the work goes again", "nonce", nonce, "tx", in.Tx,
		"result", end.Result, "out_of_gas", end.OutOfGas, "updates", slot.Work.Count)
	return s.release(ctx, slot, data, end, receipt)
}

// confirm reads the receipt again, at the final block. ok is false when nothing could be learnt; receipt is nil when the
// transaction is not where it was seen.
func (s *session) confirm(ctx context.Context, in *lane.Inclusion, head *lane.Head) (receipt *types.Receipt, ok bool) {
	receipts, ok := s.receipts(ctx, head.Final.Hash, []common.Hash{in.Tx})
	if !ok {
		return nil, false
	}
	receipt = receipts[0]
	if receipt == nil || receipt.BlockHash != in.BlockHash || receipt.BlockNumber.Uint64() > head.Final.Number {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	block, err := s.Chain.BlockByNumber(ctx, in.Number)
	if err != nil || block.Hash != in.BlockHash {
		s.log.Warn("couldn't see a final transaction's block in the chain; the next head tries again",
			"block", in.Number, "want", in.BlockHash, "have", block.Hash, "err", err)
		return nil, false
	}
	return receipt, true
}

func attemptOf(slot *lane.Slot, tx common.Hash) *lane.Attempt {
	for i := range slot.Attempts {
		if slot.Attempts[i].Hash == tx {
			return &slot.Attempts[i]
		}
	}
	return slot.Last()
}

// settleDone ends a slot whose transaction did its work.
func (s *session) settleDone(
	ctx context.Context, slot *lane.Slot, data []byte, receipt *types.Receipt, end lane.Settle,
) ([]lane.Effect, error) {
	end.Result = lane.Done
	if slot.Work.Kind == lane.Creation {
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
		return s.Statuses.Final(ctx, s.id, nonce, end.Tx, end.Block, told, results)
	})
	effects, err := s.close(ctx, end, receipt)
	if err != nil {
		return nil, err
	}
	bound := s.config.Model.Gas(b)
	s.log.Info("a batch is final", "nonce", nonce, "tx", end.Tx, "block", end.Block, "updates", len(updates),
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
		s.log.Error("the outcomes of a final transaction cannot be read; the lane stands still and tries again",
			"nonce", slot.Nonce, "tx", end.Tx, "err", err)
	}
	s.stuck = true
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
		return s.Statuses.ProjectFinal(ctx, s.id, nonce, end.Tx, end.Block, project.ID, score.Applied)
	})
	effects, err := s.close(ctx, end, receipt)
	if err == nil {
		s.metrics.creations.WithLabelValues(score.Applied.String()).Inc()
		s.log.Info("a project is final", "project", project.ID, "nonce", nonce, "tx", end.Tx, "block", end.Block, "gas", receipt.GasUsed)
	}
	return effects, err
}

// settleForeign ends a slot whose nonce was used by a transaction that is not ours: the lane saw it used, in a block that
// is final now, without a receipt of ours. A node that knows the final block is asked once more for any of them.
func (s *session) settleForeign(ctx context.Context, slot *lane.Slot, head *lane.Head) ([]lane.Effect, error) {
	final := head.Final
	txs := make([]common.Hash, len(slot.Attempts))
	for i := range slot.Attempts {
		txs[i] = slot.Attempts[i].Hash
	}
	receipts, ok := s.receipts(ctx, final.Hash, txs)
	if !ok {
		return nil, nil
	}
	for _, r := range receipts {
		if r != nil {
			return nil, nil // one of ours after all: the next head probes it
		}
	}
	data, err := slot.Data()
	if err != nil {
		return nil, err
	}
	s.log.Error("a nonce of the lane was used by a transaction that is not ours: the key is used elsewhere; the work goes again",
		"nonce", slot.Nonce, "signer", s.signer.Address(), "updates", slot.Work.Count)
	return s.release(ctx, slot, data, lane.Settle{Nonce: slot.Nonce, Result: lane.Foreign, Block: final.Number}, nil)
}

// release ends a slot whose work is to be bound again.
func (s *session) release(
	ctx context.Context, slot *lane.Slot, data []byte, end lane.Settle, receipt *types.Receipt,
) ([]lane.Effect, error) {
	nonce := slot.Nonce
	if slot.Work.Kind == lane.Creation {
		project := *slot.Work.Project
		s.tell(ctx, 0, func(ctx context.Context) error { return s.Statuses.ProjectReleased(ctx, s.id, nonce, project) })
		return s.close(ctx, end, receipt)
	}
	b, err := registry.DecodeBatch(data)
	if err != nil {
		return nil, fmt.Errorf("slot %d: %w: %w", nonce, lane.ErrCorrupt, err)
	}
	s.tell(ctx, b.Len(), func(ctx context.Context) error { return s.Statuses.Released(ctx, s.id, nonce, b.Updates()) })
	effects, err := s.close(ctx, end, receipt)
	if err == nil && end.OutOfGas && b.Units() > 1 { // one that is too much by itself says nothing about others
		s.ranOut()
	}
	return effects, err
}

// close journals the end and counts it.
func (s *session) close(ctx context.Context, end lane.Settle, receipt *types.Receipt) ([]lane.Effect, error) {
	s.noteTold(ctx, end.Nonce)
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
