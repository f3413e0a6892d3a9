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

// Pauses of the queue. Meanwhile the lane reads on, and publishes its backlog.
const (
	retryTransport = 2 * tellEvery
	retryContract  = 5 * time.Second
)

// Endpoints' predictions end no work. A single update, signed group, creation or edit is given up only after so many
// of its own transactions ended on the chain without carrying it. Larger work is halved after lostTries.
const (
	refusedTries = 2 // while all endpoints that answer refuse the work
	// while only some refuse it, or if it ran out of gas or was cancelled; for an edit, also while none does
	lostTries  = 3
	takenTries = 6 // for a creation, while only newer blocks than the final one have the projectId
)

// requeue probes work that lost its slot by eth_call, oldest first, before spending gas on it.
type requeue struct {
	id     score.Lane
	signer common.Address
	config *Config
	lane   *lane.Lane
	// ask asks each endpoint
	ask        func(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error)
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

	retry    time.Time                   // when probing resumes
	searched struct{ work, next uint64 } // last search for a creation's event: work ID and next block
	rested   rest
}

// next handles the first piece of queued work; false if it must wait. If the piece's call (probe) succeeds, it is
// assigned like new work. If all work would fail, as without the relayer role, the lane waits (own).
//
// If the piece itself fails, it is split until the failing unit is alone. That unit is assigned all the same, and
// dropped only if the chain reverts it, too. A want of gas that a transaction could have is no reason to drop work.
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
	if work.Tries > 0 { // the last gas may have been too little
		gas = q.gas.limitAgain(p)
	}
	again := binding{gas: gas, data: work.Data, piece: p, entry: lane.Bind{Work: work, Requeued: work.ID}}
	switch {
	case !ok:
		return false, nil
	// Owners' direct edits may make calls pass and transactions fail, forever.
	case p.edit != nil && len(refusals) == 0 && work.Tries >= lostTries:
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

type rest struct {
	work  uint64
	tries int
}

// rests reports whether work must pause, once for each number of tries. The chain reverted such work more than once
// although endpoints predict success, and each try costs gas.
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

func (q *requeue) pause(d time.Duration, why lane.Wait, numbers ...any) {
	q.retry = q.config.Now().Add(d)
	q.waiting.set(why, numbers...)
}

// probe calls queued work at each endpoint with its transaction's gas: the model's, or the most allowed if the
// model's was or is too little. passes reports whether one accepts it; ok is false if all fail to answer.
func (q *requeue) probe(ctx context.Context, work lane.Work, p *piece) (gas uint64, refusals []evidence.Called, passes, ok bool) {
	gas, all := q.gas.limit(p), q.gas.limitAgain(p)
	if work.Halve {
		gas = all
	}
	said, ok := q.call(ctx, work.Data, gas)
	refusals = slices.DeleteFunc(slices.Clone(said), passed)
	starved := func(c evidence.Called) bool { return len(c.Refusal.Data) == 0 } // out of gas, most likely
	if ok && gas < all && slices.ContainsFunc(refusals, starved) {
		gas = all
		said, ok = q.call(ctx, work.Data, gas)
		refusals = slices.DeleteFunc(slices.Clone(said), passed)
	}
	return gas, refusals, len(refusals) < len(said), ok
}

func passed(c evidence.Called) bool { return c.Refusal == nil }

// call runs calldata on the head's state at each endpoint, as the lane's signer. If all fail to answer, ok is false
// and the queue pauses.
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

// own finds a refusal that the work itself causes. It runs a control at each endpoint: a batch of one update of a
// project that cannot exist, which a working contract skips. A refusal is the work's own if its endpoint passes the
// control, unless the relayer role is missing, which the control also needs.
//
// agreed reports whether all endpoints that answer pass the control, and all refusals are the work's own. If no
// refusal is, ok is false: the contract refuses everything from this lane, which waits.
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

// drop ends queued work for good, since it cannot be carried out, or an unjournaled transaction carried it out.
// Dropped updates are a single one, or a signed group. Dead letters come first and the journal last, so that a crash
// in between repeats all.
func (q *requeue) drop(ctx context.Context, work lane.Work, p *piece, outcome score.Outcome, reason string) error {
	began := time.Now()
	if err := q.reporter.fenced(ctx); err != nil { // else dead letters of work that a successor applied would stay
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
		// owners' own transactions came first
		if p.edit != nil && (outcome == score.WrongEditNonce || outcome == score.NotOwner || outcome == score.Unprocessable) {
			level = slog.LevelWarn
		}
		q.log.Log(ctx, level, "the lane dead-letters accepted work, which can never be applied", "reason", reason,
			"seq", work.From.Seq, "updates", work.Count)
	}
	// the commit point
	if err := q.append(ctx, lane.Entry{Drop: &lane.Drop{ID: work.ID, Count: work.Count, Reason: reason}}); err != nil {
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
