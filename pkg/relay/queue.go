package relay

import (
	"context"
	"errors"
	"fmt"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// bindQueued deals with the first piece of work that lost its slot: split it, bury it, or bind it again. It is tried by
// eth_call before gas is spent on it. False means that nothing could be done now.
func (s *session) bindQueued(ctx context.Context) (bool, error) {
	work, head := s.lane.State.Queue[0], s.lane.Last().Block
	if s.probed == head.Number {
		return false, nil // one try per block
	}
	if work.Kind == lane.Creation {
		return s.bindQueuedCreation(ctx, work)
	}
	b, err := registry.DecodeBatch(work.Data)
	if err != nil {
		return false, fmt.Errorf("waiting work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	if work.Halve && b.Len() > 1 {
		return true, s.split(ctx, work, b)
	}
	gas := min(s.config.Model.Gas(b), s.config.Rules.MaxGas)
	if work.Tries > 1 || work.Halve {
		gas = s.config.Rules.MaxGas // the model was wrong about it, or may have been
	}
	refusal, ok := s.try(ctx, work.Data, gas)
	switch {
	case !ok:
		s.probed = head.Number
		return false, nil
	case refusal == nil:
		return s.bind(ctx, binding{
			gas: gas, data: work.Data, updates: b.Updates(), entry: lane.Bind{Work: work, Requeued: work.ID},
		})
	case s.global(ctx, refusal):
		s.probed = head.Number
		s.waits(lane.WaitContract)
		return false, nil
	case b.Len() > 1:
		return true, s.split(ctx, work, b)
	}
	u := b.Updates()[0]
	return true, s.drop(ctx, work, DeadLetter{
		Lane: s.id, Seq: work.From.Seq, Outcome: score.Unprocessable, Update: &u,
		Reason: "the contract reverts on it even alone: " + registry.DecodeRevert(refusal.Data).Error(),
	})
}

func (s *session) bindQueuedCreation(ctx context.Context, work lane.Work) (bool, error) {
	project, err := registry.DecodeCreateProject(work.Data)
	if err != nil {
		return false, fmt.Errorf("waiting work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	gas := min(registry.CreateProjectGas(project), s.config.Rules.MaxGas)
	if work.Tries > 1 {
		gas = s.config.Rules.MaxGas
	}
	refusal, ok := s.try(ctx, work.Data, gas)
	switch {
	case !ok:
		s.probed = s.lane.Last().Block.Number
		return false, nil
	case refusal == nil:
		return s.bind(ctx, binding{
			gas: gas, data: work.Data, project: &project.ID, entry: lane.Bind{Work: work, Requeued: work.ID},
		})
	}
	letter := DeadLetter{Lane: s.id, Seq: work.From.Seq, Project: project, Outcome: score.Unprocessable}
	switch revert := registry.DecodeRevert(refusal.Data); {
	case revert.Name == registry.RevertProjectExists:
		letter.Outcome, letter.Reason = score.ProjectExists, "the projectId is taken on the chain"
	case s.global(ctx, refusal):
		s.probed = s.lane.Last().Block.Number
		s.waits(lane.WaitContract)
		return false, nil
	default:
		letter.Reason = "the contract refuses it: " + revert.Error()
	}
	return true, s.drop(ctx, work, letter)
}

// try runs calldata on the head's state, as the lane's signer. ok is false when no node could tell.
func (s *session) try(ctx context.Context, data []byte, gas uint64) (refusal *lane.RevertError, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	_, err := s.Chain.Call(ctx, lane.Call{
		From: s.signer.Address(), To: s.config.Contract, Gas: gas, Data: data,
	}, s.lane.Last().Block.Hash)
	switch {
	case err == nil:
		return nil, true
	case errors.As(err, &refusal):
		return refusal, true
	}
	s.log.Warn("couldn't try waiting work on the chain's state; the next block tries again", "err", err)
	return nil, false
}

// global tells whether the refusal has a cause that concerns everything this lane sends. The control is a batch of one
// update of a project that cannot exist: the contract skips it and does not revert, unless it refuses the signer.
func (s *session) global(ctx context.Context, refusal *lane.RevertError) bool {
	if registry.DecodeRevert(refusal.Data).Name == registry.RevertNotRelayer {
		return true
	}
	control := batch.Of([]score.Update{{}})
	refused, ok := s.try(ctx, registry.EncodeBatch(control), s.config.Model.Gas(control))
	return !ok || refused != nil
}

// split replaces waiting work by its halves.
func (s *session) split(ctx context.Context, work lane.Work, b batch.Batch) error {
	updates := b.Updates()
	var parts []lane.Work
	for _, half := range [][]score.Update{updates[:len(updates)/2], updates[len(updates)/2:]} {
		parts = append(parts, lane.Work{
			Kind: lane.Updates, Count: len(half), From: work.From, Data: registry.EncodeBatch(batch.Of(half)), Tries: work.Tries,
		})
	}
	s.log.Warn("splitting work that the chain did not take as a whole", "updates", len(updates), "tries", work.Tries)
	effects, err := s.append(ctx, lane.Entry{Split: &lane.Split{ID: work.ID, Into: parts}})
	if err != nil {
		return err
	}
	return s.do(ctx, effects)
}

// drop buries waiting work of one update or creation, tells its status, and journals that it is gone.
func (s *session) drop(ctx context.Context, work lane.Work, letter DeadLetter) error {
	if err := s.bury(ctx, letter); err != nil {
		return err
	}
	s.log.Error("an accepted update or creation cannot be applied; it is a dead letter now", "reason", letter.Reason, "seq", letter.Seq)
	s.tell(ctx, func(ctx context.Context) error {
		if letter.Project != nil {
			return s.Statuses.ProjectFinal(ctx, s.id, 0, letter.Tx, 0, letter.Project.ID, letter.Outcome)
		}
		return s.Statuses.Final(ctx, s.id, 0, letter.Tx, 0, []score.Update{*letter.Update}, []score.Outcome{letter.Outcome})
	})
	effects, err := s.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Reason: letter.Reason}})
	if err != nil {
		return err
	}
	s.metrics.outcomes.WithLabelValues(letter.Outcome.String()).Inc()
	return s.do(ctx, effects)
}
