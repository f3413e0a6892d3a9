package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Pauses before queued work is probed again: when nodes did not answer, and when the contract refuses everything.
const (
	retryTransport = time.Second
	retryContract  = 5 * time.Second
)

// tooMuchTries is after how many transactions a single update, signed group or creation is given up on that is too much for
// one.
const tooMuchTries = 3

// requeue deals with the work that lost its slot, the first piece first: it is probed by eth_call before gas is spent on it,
// and then bound again, split, or dropped.
type requeue struct {
	id         score.Lane
	signer     common.Address
	config     *Config
	lane       *lane.Lane
	ask        func(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) // of the chain
	gas        *gas
	bind       func(context.Context, binding) (bool, error)
	append     func(context.Context, lane.Entry) error
	deadLetter func(context.Context, []score.DeadLetter) error
	reporter   *reporter
	waiting    *waiting
	metrics    *metrics
	log        *slog.Logger

	retry time.Time // when work that could not be probed is probed again
}

// next deals with the first piece of work. False means that nothing could be done now.
func (q *requeue) next(ctx context.Context) (bool, error) {
	if q.config.Now().Before(q.retry) {
		return false, nil
	}
	work := q.lane.State.Queue[0]
	p, err := q.decode(work)
	if err != nil {
		return false, err
	}
	if work.Halve && p.splits() {
		return true, q.split(ctx, work, *p.batch)
	}
	gas, refusal, ok := q.probe(ctx, work, p.gas)
	switch {
	case !ok:
		return false, nil
	case refusal == nil && (!work.Halve || work.Tries < tooMuchTries):
		return q.bind(ctx, binding{gas: gas, data: work.Data, batch: p.batch, entry: lane.Bind{Work: work, Requeued: work.ID}})
	case refusal != nil && p.project != nil && registry.DecodeRevert(refusal.Data).Name == registry.RevertProjectExists:
		return q.taken(ctx, work, p)
	case refusal != nil && q.refusedForAll(ctx):
		return false, nil
	case p.splits():
		return true, q.split(ctx, work, *p.batch)
	}
	return true, q.drop(ctx, work, p, score.Unprocessable, refusalReason(refusal))
}

// piece is queued work as its calldata has it: a batch, or a creation.
type piece struct {
	batch   *batch.Batch
	project *score.Project
	gas     uint64 // by the model
}

// splits tells whether it has halves.
func (p *piece) splits() bool { return p.batch != nil && p.batch.Units() > 1 }

// decode reads queued work; the error is lane.ErrCorrupt.
func (q *requeue) decode(work lane.Work) (piece, error) {
	if work.Kind == lane.Creation {
		project, err := registry.DecodeCreateProject(work.Data)
		if err != nil {
			return piece{}, fmt.Errorf("queued work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
		}
		return piece{project: project, gas: registry.CreateProjectGas(project)}, nil
	}
	b, err := registry.DecodeBatch(work.Data)
	if err != nil {
		return piece{}, fmt.Errorf("queued work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	return piece{batch: &b, gas: q.config.Model.Gas(b)}, nil
}

// taken ends a creation whose projectId the contract has.
func (q *requeue) taken(ctx context.Context, work lane.Work, p piece) (bool, error) {
	same, err := q.exists(ctx, p.project)
	switch {
	case err != nil:
		q.pause(retryTransport, lane.WaitNode, "err", err)
		return false, nil
	case same:
		return true, q.drop(ctx, work, p, score.Applied, "it exists as accepted")
	}
	return true, q.drop(ctx, work, p, score.ProjectExists, "the projectId is taken on the chain")
}

func refusalReason(refusal *evidence.RevertError) string {
	switch {
	case refusal == nil:
		return "it is too much for one transaction of this chain"
	case refusal.OutOfGas:
		return "it needs more gas than a transaction may use"
	}
	return "the contract reverts on it even alone: " + registry.DecodeRevert(refusal.Data).Error()
}

// pause leaves the queue alone for a while.
func (q *requeue) pause(d time.Duration, why lane.Wait, numbers ...any) {
	q.retry = q.config.Now().Add(d)
	q.waiting.set(why, numbers...)
}

// probe runs queued work on the head's state, with the gas its transaction would get: what the model says, or all there is
// if that was or is not enough. ok is false when no node could tell; it is asked again in a while.
func (q *requeue) probe(ctx context.Context, work lane.Work, model uint64) (gas uint64, refusal *evidence.RevertError, ok bool) {
	gas = q.gas.limit(model)
	if work.Halve {
		gas = q.gas.most
	}
	refusal, ok = q.call(ctx, work.Data, gas)
	if ok && refusal != nil && len(refusal.Data) == 0 && gas < q.gas.most { // out of gas, most likely
		gas = q.gas.most
		refusal, ok = q.call(ctx, work.Data, gas)
	}
	if !ok {
		q.pause(retryTransport, lane.WaitNode)
	}
	return gas, refusal, ok
}

// call runs calldata on the head's state, as the lane's signer. ok is false when no node could tell.
func (q *requeue) call(ctx context.Context, data []byte, gas uint64) (refusal *evidence.RevertError, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, q.config.CallTimeout)
	defer cancel()
	_, err := q.ask(ctx, evidence.Call{From: q.signer, To: q.config.Contract, Gas: gas, Data: data}, q.lane.View().Head.Hash)
	switch {
	case err == nil:
		return nil, true
	case errors.As(err, &refusal):
		return refusal, true
	}
	q.log.Warn("the lane couldn't probe queued work on the chain's state; it tries again in a while", "err", err, "again_in", retryTransport)
	return nil, false
}

// refusedForAll tells whether a refusal has a cause that concerns everything this lane sends. The control is a batch of one
// update of a project that cannot exist: a contract in order skips it and does not revert. If it does, the lane waits.
func (q *requeue) refusedForAll(ctx context.Context) bool {
	control := batch.Single(score.Update{})
	switch refused, ok := q.call(ctx, registry.EncodeBatch(control), q.gas.most); {
	case !ok:
		q.pause(retryTransport, lane.WaitNode)
	case refused != nil:
		q.pause(retryContract, lane.WaitContract)
	default:
		return false
	}
	return true
}

// split replaces queued work by its halves; a signed group stays whole.
func (q *requeue) split(ctx context.Context, work lane.Work, b batch.Batch) error {
	var parts []lane.Work
	for _, half := range b.Halves() {
		parts = append(parts, lane.Work{
			Kind: lane.Updates, Count: half.Len(), From: work.From, Data: registry.EncodeBatch(half),
		})
	}
	q.log.Warn("the lane splits work that the chain did not take as a whole", "updates", b.Len())
	return q.append(ctx, lane.Entry{Split: &lane.Split{ID: work.ID, Into: parts}})
}

// drop ends queued work that is never bound again, since it cannot be carried out, or a transaction that the journal does not
// know has: dead letters, reports, and the journal last, so that a crash anywhere before repeats all of it. Of updates it
// is one, or all of a signed group.
func (q *requeue) drop(ctx context.Context, work lane.Work, p piece, outcome score.Outcome, reason string) error {
	if outcome == score.Applied {
		q.log.Warn("a creation was carried out by a transaction that the lane's journal does not know; the lane has nothing left to do with it",
			"project", p.project.ID, "seq", work.From.Seq)
	} else {
		if err := q.deadLetter(ctx, q.letters(work, p, outcome, reason)); err != nil {
			return err
		}
		q.log.Error("the lane dead-letters accepted work, which can never be applied", "reason", reason,
			"seq", work.From.Seq, "updates", work.Count)
	}
	refs := refsOf(work, p.batch)
	outcomes := slices.Repeat([]score.Outcome{outcome}, len(refs))
	q.reporter.final(ctx, common.Hash{}, 0, refs, outcomes)
	q.reporter.ended(ctx)

	if err := q.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: work.Count, Reason: reason}}); err != nil { // the commit point
		return err
	}
	q.metrics.ended(refs, outcomes)
	return nil
}

// letters are the dead letters of work.
func (q *requeue) letters(work lane.Work, p piece, outcome score.Outcome, reason string) []score.DeadLetter {
	letter := score.DeadLetter{Lane: q.id, Seq: work.From.Seq, Reason: reason, Outcome: outcome, Project: p.project}
	if p.project != nil {
		return []score.DeadLetter{letter}
	}
	var letters []score.DeadLetter
	signed := signedOf(*p.batch)
	for i, u := range p.batch.Updates() {
		letter.Update, letter.Signed = &u, signed[i]
		letters = append(letters, letter)
	}
	return letters
}

// errNotFinal says that the project is not in a final block yet.
var errNotFinal = errors.New("it is not in a final block yet")

// exists tells whether the contract has the project, in a final block, as the creation has it: then it is that creation's
// doing, by a transaction that the journal forgot. Names are not compared: nothing on the chain depends on them.
func (q *requeue) exists(ctx context.Context, p *score.Project) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, q.config.CallTimeout)
	defer cancel()
	view := func(ctx context.Context, data []byte) ([]byte, error) {
		return q.ask(ctx, evidence.Call{To: q.config.Contract, Data: data}, q.lane.View().Final.Hash)
	}
	info, err := registry.ReadProject(p.ID).Do(ctx, view)
	switch {
	case err != nil:
		return false, err
	case !info.Exists():
		return false, errNotFinal
	case int(info.ScoreTypes) != len(p.ScoreTypes) || info.SignedOnly != p.SignedOnly:
		return false, nil
	}
	points, err := registry.ReadActions(p.ID).Do(ctx, view)
	if err != nil || !slices.EqualFunc(points, p.Actions, func(points int64, a score.Action) bool { return points == a.Delta() }) {
		return false, err
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
