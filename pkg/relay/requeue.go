package relay

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Pauses before queued work is probed again: when nodes did not answer, and when the contract refuses everything. In each the lane
// reads on, and tells of what it read before it asks again.
const (
	retryTransport = 2 * tellEvery
	retryContract  = 5 * time.Second
)

// What endpoints say that work would do ends none of it: a single update, signed group, creation or edit is given up on only after
// so many of its own transactions, alone with it, ended on the chain without carrying it.
const (
	refusedTries = 2 // while every endpoint that answers refuses it, too
	lostTries    = 3 // while only some refuse it, or where it ran out of gas or was cancelled; of an edit, also while none does
	takenTries   = 6 // of a creation, while its project is taken in a block that is not final
)

// requeue deals with the work that lost its slot, the first piece first: it is probed by eth_call before gas is spent on it,
// and then bound again, split, or dropped.
type requeue struct {
	id         score.Lane
	signer     common.Address
	config     *Config
	lane       *lane.Lane
	ask        func(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) // of each endpoint
	creations  func(context.Context) (projects map[score.ProjectID]bool, forgotten uint64, err error)
	logs       func(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error
	gas        *gas
	bind       func(context.Context, binding) (bool, error)
	append     func(context.Context, lane.Entry) error
	deadLetter func(context.Context, []score.DeadLetter) error
	reporter   *reporter
	tracer     *tracer
	ages       *ages
	waiting    *waiting
	metrics    *metrics
	log        *slog.Logger

	retry    time.Time                   // when work that could not be probed is probed again
	searched struct{ work, next uint64 } // for an event: of which work, and the next block
	rested   rest                        // the last that work was given, see rests
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
	switch {
	case p.splits() && (work.Halve || work.Tries >= lostTries || q.gas.tooMuch(p)):
		return true, q.split(ctx, work, *p.batch)
	case work.Halve && work.Tries >= lostTries:
		return true, q.drop(ctx, work, p, score.Unprocessable, "it is too much for one transaction of this chain")
	}
	gas, refusals, passes, ok := q.probe(ctx, work, p)
	if work.Tries > 0 { // it may have been too little
		gas = q.gas.limitAgain(p)
	}
	again := binding{gas: gas, data: work.Data, piece: p, entry: lane.Bind{Work: work, Requeued: work.ID}}
	switch {
	case !ok:
		return false, nil
	case p.edit != nil && len(refusals) == 0 && work.Tries >= lostTries: // direct edits may have it pass here and fail there, forever
		return true, q.drop(ctx, work, p, score.Unprocessable, "the chain reverted it each time, though endpoints say that it would not")
	case len(refusals) == 0, passes && work.Tries < lostTries:
		if q.rests(work) {
			return false, nil
		}
		return q.bind(ctx, again)
	}
	refusal, agreed, ok := q.own(ctx, refusals)
	switch {
	case !ok:
		return false, nil
	case p.splits():
		return true, q.split(ctx, work, *p.batch)
	case work.Tries < refusedTries: // the chain decides
		return q.bind(ctx, again)
	case !agreed: // the chain may have refused it as it refuses everything now
		q.pause(retryContract, lane.WaitContract)
		return false, nil
	}
	switch {
	case p.project != nil:
		return q.endCreation(ctx, again, p, refusal)
	case p.edit != nil:
		return q.endEdit(ctx, again, p, refusal)
	}
	return true, q.drop(ctx, work, p, score.Unprocessable, refusalText(refusal))
}

// decode reads queued work; the error is lane.ErrCorrupt.
func (q *requeue) decode(work lane.Work) (*piece, error) {
	p, err := pieceOf(work.Kind, work.Data)
	if err != nil {
		return nil, fmt.Errorf("queued work %d: %w: %w", work.ID, lane.ErrCorrupt, err)
	}
	return p, nil
}

func refusalText(refusal *evidence.RevertError) string {
	why := registry.DecodeRevert(refusal.Data).Error()
	if refusal.OutOfGas {
		why = "it needs more gas than a transaction may use"
	}
	return "the contract reverts on it even alone: " + why
}

// rest is one that work was given, after so many of its transactions.
type rest struct {
	work  uint64
	tries int
}

// rests tells whether work waits before it is bound again: the chain reverted it more than once, and endpoints say that it
// would not. Either they are wrong or the contract is, and each try costs gas.
func (q *requeue) rests(work lane.Work) bool {
	rest := rest{work.ID, work.Tries}
	if work.Halve || work.Tries < refusedTries || q.rested == rest {
		return false
	}
	q.rested = rest
	pause := retryContract << min(work.Tries-refusedTries, 3)
	q.log.Warn("the chain reverts work that endpoints say it would carry out; the lane binds it again in a while",
		"seq", work.From.Seq, "updates", work.Count, "transactions", work.Tries, "in", pause)
	q.pause(pause, lane.WaitContract)
	return true
}

// pause leaves the queue alone for a while.
func (q *requeue) pause(d time.Duration, why lane.Wait, numbers ...any) {
	q.retry = q.config.Now().Add(d)
	q.waiting.set(why, numbers...)
}

// probe has each endpoint run queued work on the head's state, with the gas its transaction would get: what the model says, or
// all there is if that was or is not enough. It returns who refuses it, and whether any does not. ok is false when no node
// could tell; it is asked again in a while.
func (q *requeue) probe(ctx context.Context, work lane.Work, p *piece) (gas uint64, refusals []evidence.Called, passes, ok bool) {
	gas, all := q.gas.limit(p), q.gas.limitAgain(p)
	if work.Halve {
		gas = all
	}
	said, ok := q.call(ctx, work.Data, gas)
	refusals = slices.DeleteFunc(slices.Clone(said), passed)
	starved := func(c evidence.Called) bool { return len(c.Refusal.Data) == 0 } // most likely
	if ok && gas < all && slices.ContainsFunc(refusals, starved) {
		gas = all
		said, ok = q.call(ctx, work.Data, gas)
		refusals = slices.DeleteFunc(slices.Clone(said), passed)
	}
	return gas, refusals, len(refusals) < len(said), ok
}

func passed(c evidence.Called) bool { return c.Refusal == nil }

// call runs calldata on the head's state, as the lane's signer, at each endpoint: it returns what those say that answer. ok is
// false when no node could tell; the queue is left alone for a while then.
func (q *requeue) call(ctx context.Context, data []byte, gas uint64) (said []evidence.Called, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, q.config.CallTimeout)
	defer cancel()
	said, err := q.ask(ctx, evidence.Call{From: q.signer, To: q.config.Contract, Gas: gas, Data: data}, q.lane.View().Head.Hash)
	if err != nil {
		q.log.Warn("the lane couldn't probe queued work on the chain's state; it probes it again in a while", "err", err, "in", retryTransport)
		q.pause(retryTransport, lane.WaitNode)
	}
	return said, err == nil
}

// own finds, among refusals of work, one that the work itself is the cause of: by an endpoint that lets the control pass, a
// batch of one update of a project that cannot exist, which a contract in order skips; unless it refuses the work for want of the role,
// which the control takes, too. agreed tells whether all who refused the work
// let it pass, and none that answers refuses it. ok is false when there is none: then the contract refuses everything that
// this lane sends, and the lane waits.
func (q *requeue) own(ctx context.Context, refusals []evidence.Called) (refusal *evidence.RevertError, agreed, ok bool) {
	control := batch.Single(score.Update{})
	said, ok := q.call(ctx, registry.EncodeBatch(control), q.gas.most)
	if !ok {
		return nil, false, false
	}
	agreed = !slices.ContainsFunc(said, func(c evidence.Called) bool { return !passed(c) })
	for _, c := range refusals {
		lets := slices.ContainsFunc(said, func(s evidence.Called) bool { return s.Endpoint == c.Endpoint && passed(s) })
		if lets && registry.DecodeRevert(c.Refusal.Data).Name != registry.RevertNotRelayer {
			refusal = cmp.Or(refusal, c.Refusal)
		} else {
			agreed = false
		}
	}
	if refusal == nil {
		q.pause(retryContract, lane.WaitContract)
	}
	return refusal, agreed, refusal != nil
}

// split replaces queued work by its halves; a signed group stays whole.
func (q *requeue) split(ctx context.Context, work lane.Work, b batch.Batch) error {
	var parts []lane.Work
	for _, half := range b.Halves() {
		parts = append(parts, lane.Work{
			Kind: lane.Updates, Count: half.Len(), Whole: half.Units() == 1, From: work.From, Data: registry.EncodeBatch(half),
		})
	}
	q.log.Warn("the lane splits work that the chain did not take as a whole", "updates", b.Len())
	return q.append(ctx, lane.Entry{Split: &lane.Split{ID: work.ID, Into: parts}})
}

// drop ends queued work that is never bound again, since it cannot be carried out, or a transaction that the journal does not
// know has: dead letters, and the journal last, so that a crash anywhere before repeats all of it. Of updates it
// is one, or all of a signed group.
func (q *requeue) drop(ctx context.Context, work lane.Work, p *piece, outcome score.Outcome, reason string) error {
	began := time.Now()
	if err := q.reporter.fenced(ctx); err != nil { // a dead letter of what its successor has applied would stay
		return err
	}
	if outcome == score.Applied {
		q.log.Warn("a creation was carried out by a transaction that the lane's journal does not know; the lane has nothing left to do with it",
			"project", p.project.ID, "seq", work.From.Seq)
	} else {
		if err := q.deadLetter(ctx, q.letters(work, p, outcome, reason)); err != nil {
			return err
		}
		level := slog.LevelError
		if p.edit != nil && (outcome == score.WrongEditNonce || outcome == score.NotOwner || outcome == score.Unprocessable) { // owners came first
			level = slog.LevelWarn
		}
		q.log.Log(ctx, level, "the lane dead-letters accepted work, which can never be applied", "reason", reason,
			"seq", work.From.Seq, "updates", work.Count)
	}
	if err := q.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: work.Count, Reason: reason}}); err != nil { // the commit point
		return err
	}
	refs := p.refs()
	outcomes := slices.Repeat([]score.Outcome{outcome}, len(refs))
	q.tracer.dropped(&work, began, refs, outcomes, reason)
	q.metrics.ended(refs, outcomes)
	if p.batch != nil {
		q.ages.final(ctx, &work, uint64(len(refs)))
	}
	return nil
}

// letters are the dead letters of work.
func (q *requeue) letters(work lane.Work, p *piece, outcome score.Outcome, reason string) []score.DeadLetter {
	name := work.Name(q.id)
	letter := score.DeadLetter{
		Lane: name.Lane, Seq: work.From.Seq, Work: name.ID, Reason: reason, Outcome: outcome, Project: p.project, Edit: p.edit, Block: q.lane.View().Final.Number,
	}
	if p.batch == nil {
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
