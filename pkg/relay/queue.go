package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Pauses before waiting work is tried again: when nodes did not answer, and when the contract refuses everything.
const (
	retryTransport = time.Second
	retryContract  = 5 * time.Second
)

// lostTries is after how many transactions a single update, signed group or creation is given up on that is too much for
// one.
const lostTries = 3

// bindQueued deals with the first piece of work that lost its slot: split it, bury it, or bind it again. It is tried by
// eth_call before gas is spent on it. False means that nothing could be done now.
func (s *session) bindQueued(ctx context.Context) (bool, error) {
	if s.config.Now().Before(s.retry) {
		return false, nil
	}
	work := s.lane.State.Queue[0]
	if work.Kind == lane.Creation {
		return s.bindQueuedCreation(ctx, work)
	}
	b, err := registry.DecodeBatch(work.Data)
	if err != nil {
		return false, fmt.Errorf("waiting work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	if work.Halve && b.Units() > 1 {
		return true, s.split(ctx, work, b)
	}
	gas, refusal, ok := s.try(ctx, work, s.config.Model.Gas(b))
	switch {
	case !ok:
		return false, nil
	case refusal == nil && (!work.Halve || work.Tries < lostTries):
		return s.bind(ctx, binding{
			gas: gas, data: work.Data, updates: b.Updates(), entry: lane.Bind{Work: work, Requeued: work.ID},
		})
	case refusal != nil && s.global(ctx):
		return false, nil
	case b.Units() > 1:
		return true, s.split(ctx, work, b)
	}
	return true, s.dropUpdates(ctx, work, b, refusalReason(refusal))
}

func (s *session) bindQueuedCreation(ctx context.Context, work lane.Work) (bool, error) {
	project, err := registry.DecodeCreateProject(work.Data)
	if err != nil {
		return false, fmt.Errorf("waiting work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	gas, refusal, ok := s.try(ctx, work, registry.CreateProjectGas(project))
	letter := DeadLetter{Lane: s.id, Seq: work.From.Seq, Project: project, Outcome: score.Unprocessable}
	switch {
	case !ok:
		return false, nil
	case refusal == nil && (!work.Halve || work.Tries < lostTries):
		return s.bind(ctx, binding{
			gas: gas, data: work.Data, project: &project.ID, entry: lane.Bind{Work: work, Requeued: work.ID},
		})
	case refusal != nil && registry.DecodeRevert(refusal.Data).Name == registry.RevertProjectExists:
		same, err := s.exists(ctx, project)
		if err != nil {
			s.retry = s.config.Now().Add(retryTransport)
			s.waits(lane.WaitNode, "err", err)
			return false, nil
		}
		if same {
			return true, s.dropCreated(ctx, work, project)
		}
		letter.Outcome, letter.Reason = score.ProjectExists, "the projectId is taken on the chain"
	case refusal != nil && s.global(ctx):
		return false, nil
	default:
		letter.Reason = refusalReason(refusal)
	}
	return true, s.dropCreation(ctx, work, letter)
}

// errNotFinal says that what was looked for is not in a final block yet.
var errNotFinal = errors.New("it is not in a final block yet")

// exists tells whether the contract has the project, in a final block, as the creation has it: then it is that creation's
// doing, by a transaction that the journal forgot. Names are not compared: nothing on the chain depends on them.
func (s *session) exists(ctx context.Context, p *score.Project) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	view := func(ctx context.Context, data []byte) ([]byte, error) {
		return s.Chain.Call(ctx, lane.Call{To: s.config.Contract, Data: data}, s.lane.Last().Final.Hash)
	}
	info, err := registry.ReadProject(p.ID).Do(ctx, view)
	if err == nil && !info.Exists() {
		err = errNotFinal
	}
	if err != nil {
		return false, err
	}
	if int(info.Actions) != len(p.Actions) || int(info.ScoreTypes) != len(p.ScoreTypes) || info.SignedOnly != p.SignedOnly {
		return false, nil
	}
	points, err := registry.ReadActions(p.ID).Do(ctx, view)
	if err != nil {
		return false, err
	}
	for i := range p.Actions {
		if i >= len(points) || points[i] != p.Actions[i].Delta() {
			return false, nil
		}
	}
	members := slices.Concat(p.Owners, p.Updaters)
	roles, err := registry.ReadRoles(p.ID, members).Do(ctx, view)
	if err != nil {
		return false, err
	}
	for i := range members {
		want := score.Updater
		if i < len(p.Owners) {
			want = score.Owner
		}
		if i >= len(roles) || roles[i]&want == 0 {
			return false, nil
		}
	}
	return true, nil
}

func refusalReason(refusal *lane.RevertError) string {
	switch {
	case refusal == nil:
		return "it is too much for one transaction of this chain"
	case refusal.OutOfGas:
		return "it needs more gas than a transaction may use"
	}
	return "the contract reverts on it even alone: " + registry.DecodeRevert(refusal.Data).Error()
}

// try runs waiting work on the head's state, with the gas its transaction would get: what the model says, or all there is
// if that was or is not enough. ok is false when no node could tell; it is asked again in a while.
func (s *session) try(ctx context.Context, work lane.Work, model uint64) (gas uint64, refusal *lane.RevertError, ok bool) {
	gas = s.gas(model)
	if work.Halve {
		gas = s.maxGas
	}
	refusal, ok = s.call(ctx, work.Data, gas)
	if ok && refusal != nil && len(refusal.Data) == 0 && gas < s.maxGas { // out of gas, most likely
		gas = s.maxGas
		refusal, ok = s.call(ctx, work.Data, gas)
	}
	if !ok {
		s.retry = s.config.Now().Add(retryTransport)
		s.waits(lane.WaitNode)
	}
	return gas, refusal, ok
}

// call runs calldata on the head's state, as the lane's signer. ok is false when no node could tell.
func (s *session) call(ctx context.Context, data []byte, gas uint64) (refusal *lane.RevertError, ok bool) {
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

// global tells whether a refusal has a cause that concerns everything this lane sends. The control is a batch of one
// update of a project that cannot exist: a contract in order skips it and does not revert. If it does, the lane waits.
func (s *session) global(ctx context.Context) bool {
	control := batch.Single(score.Update{})
	refused, ok := s.call(ctx, registry.EncodeBatch(control), s.maxGas)
	if ok && refused == nil {
		return false
	}
	if !ok {
		s.retry = s.config.Now().Add(retryTransport)
		s.waits(lane.WaitNode)
		return true
	}
	s.retry = s.config.Now().Add(retryContract)
	s.waits(lane.WaitContract)
	return true
}

// split replaces waiting work by its halves; a signed group stays whole.
func (s *session) split(ctx context.Context, work lane.Work, b batch.Batch) error {
	var parts []lane.Work
	for _, half := range b.Halves() {
		parts = append(parts, lane.Work{
			Kind: lane.Updates, Count: half.Len(), From: work.From, Data: registry.EncodeBatch(half),
		})
	}
	s.log.Warn("splitting work that the chain did not take as a whole", "updates", b.Len())
	effects, err := s.append(ctx, lane.Entry{Split: &lane.Split{ID: work.ID, Into: parts}})
	if err != nil {
		return err
	}
	return s.do(ctx, effects)
}

// dropUpdates buries waiting work that cannot be split further: one update, or all of a signed group.
func (s *session) dropUpdates(ctx context.Context, work lane.Work, b batch.Batch, reason string) error {
	updates, signed := b.Updates(), signedOf(b)
	outcomes := slices.Repeat([]score.Outcome{score.Unprocessable}, len(updates))
	letters := make([]DeadLetter, len(updates))
	for i := range updates {
		letters[i] = DeadLetter{
			Lane: s.id, Seq: work.From.Seq, Outcome: outcomes[i], Update: &updates[i], Signed: signed[i], Reason: reason,
		}
	}
	if err := s.bury(ctx, letters); err != nil {
		return err
	}
	s.tell(ctx, len(updates), func(ctx context.Context) error {
		return s.Statuses.Final(ctx, s.id, 0, common.Hash{}, 0, updates, outcomes)
	})
	if err := s.drop(ctx, work, reason); err != nil {
		return err
	}
	s.metrics.count(outcomes)
	return nil
}

// dropCreation buries a waiting creation.
func (s *session) dropCreation(ctx context.Context, work lane.Work, letter DeadLetter) error {
	if err := s.bury(ctx, []DeadLetter{letter}); err != nil {
		return err
	}
	s.tell(ctx, 0, func(ctx context.Context) error {
		return s.Statuses.ProjectFinal(ctx, s.id, 0, letter.Tx, 0, letter.Project.ID, letter.Outcome)
	})
	if err := s.drop(ctx, work, letter.Reason); err != nil {
		return err
	}
	s.metrics.creations.WithLabelValues(letter.Outcome.String()).Inc()
	return nil
}

// dropCreated ends a waiting creation that the contract has carried out already.
func (s *session) dropCreated(ctx context.Context, work lane.Work, p *score.Project) error {
	s.tell(ctx, 0, func(ctx context.Context) error {
		return s.Statuses.ProjectFinal(ctx, s.id, 0, common.Hash{}, 0, p.ID, score.Applied)
	})
	s.log.Warn("a creation was carried out by a transaction that the lane's journal does not know; nothing is left to do",
		"project", p.ID, "seq", work.From.Seq)
	s.noteTold(ctx)
	effects, err := s.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: work.Count, Reason: "it exists as accepted"}})
	if err != nil {
		return err
	}
	s.metrics.creations.WithLabelValues(score.Applied.String()).Inc()
	return s.do(ctx, effects)
}

// drop journals that waiting work is gone, whose dead letters are stored and whose statuses are told.
func (s *session) drop(ctx context.Context, work lane.Work, reason string) error {
	s.log.Error("what was accepted cannot be applied; its updates or its creation are dead letters now", "reason", reason,
		"seq", work.From.Seq, "updates", work.Count)
	s.noteTold(ctx)
	effects, err := s.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: work.Count, Reason: reason}})
	if err != nil {
		return err
	}
	return s.do(ctx, effects)
}
