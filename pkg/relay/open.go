package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// Errors that stop a lane until an operator fixes the cause.
var (
	// errIdentity means that the journal was written for another stream, chain, contract or key.
	errIdentity = errors.New("the lane's journal belongs to something else")
	// errLost means that the stream lacks messages that were read before.
	errLost = errors.New("the stream lost messages")
)

// open folds a lane's journal, fences off earlier sessions, and subscribes to the chain.
func (r *Relayer) open(ctx context.Context, id score.Lane, log *slog.Logger) (*session, error) {
	journal := &laneJournal{id: id, store: r.deps.Journal, config: &r.config, log: log}
	signer, err := r.signer(id)
	if err != nil {
		return nil, err
	}
	state, err := journal.load(ctx)
	if err != nil {
		return nil, err
	}
	identity, err := r.identify(ctx, signer.Address(), state)
	if err != nil {
		return nil, err
	}
	intake, err := newIntake(r.config, state)
	if err != nil {
		return nil, err
	}
	rules := r.config.Rules
	_, rules.Keyless = signer.(keyless)
	s := r.assemble(id, signer, log, journal, lane.New(state, rules), intake)
	s.heads = r.deps.Heads.Subscribe(signer.Address(), state.Next)
	s.settled(len(state.Past))
	for i := range state.Slots {
		s.watch(&state.Slots[i])
	}
	if err := journal.append(ctx, lane.Entry{
		Epoch: state.Epoch + 1, Open: &lane.Open{Replica: r.config.Replica, Identity: identity, Buckets: r.firstBuckets(id, state)},
	}); err != nil {
		s.heads.Close()
		return nil, err
	}
	intake.begin(s.teller.told(ctx))
	r.metrics.wait(id, lane.WaitNone) // replaces the last session's reason
	s.reporter.resume()
	log.Info("the lane is open", "signer", signer.Address(), "epoch", state.Epoch, "next_nonce", state.Next, "open_slots", len(state.Slots),
		"queued", len(state.Queue), "buckets", len(state.Buckets), "reads_from", state.ReadFrom())
	return s, nil
}

// identify returns the identity that the journal must have in this process, or errIdentity if the journal has
// another. The error is errLost if the stream ends below a sequence in the journal.
func (r *Relayer) identify(ctx context.Context, signer common.Address, state *lane.State) (lane.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, r.config.CallTimeout)
	defer cancel()
	source, err := r.deps.Source.State(ctx)
	if err != nil {
		return lane.Identity{}, err
	}
	identity := lane.Identity{
		Stream: source.Created, ChainID: r.config.ChainID, Contract: r.config.Contract, Signer: signer,
	}
	if state.Epoch > 0 {
		r.deps.Halt.Journaled(state.Identity.Stream, state.Seen())
	}
	switch {
	case state.Epoch > 0 && !state.Identity.Equal(identity):
		return identity, fmt.Errorf("%w: it was written for %+v, this process has %+v: give the lane its own key and deployment back, "+
			"or set up a new deployment", errIdentity, state.Identity, identity)
	case state.Seen() > source.LastSeq:
		return identity, fmt.Errorf("%w: the lane has bound what is at sequence %d and the stream ends at %d: "+
			"restore it from a backup", errLost, state.Seen(), source.LastSeq)
	}
	return identity, nil
}

// firstBuckets returns the buckets of a lane's first session; none for a lane added later.
func (r *Relayer) firstBuckets(id score.Lane, state *lane.State) (buckets []score.Bucket) {
	if state.Epoch > 0 || int(id) >= r.config.FirstLanes {
		return nil
	}
	for b := range score.Buckets {
		if score.FirstOwner(score.Bucket(b), r.config.FirstLanes) == id {
			buckets = append(buckets, score.Bucket(b))
		}
	}
	return buckets
}

func (r *Relayer) assemble(id score.Lane, signer Signer, log *slog.Logger, journal *laneJournal, l *lane.Lane, in *intake) *session {
	config := &r.config
	s := &session{
		id: id, config: r.config, log: log, lane: l, intake: in, journal: journal, metrics: r.metrics, halt: r.deps.Halt, paused: r.deps.Paused, pausedProjects: r.deps.PausedProjects, unread: &unread{}, fenced: map[score.ProjectID]time.Time{},
		send: r.deps.Chain.Send, deadLetter: r.deadLetter, funds: r.fundsOf(id),
	}
	journal.lane, journal.appended = l, s.appended
	s.ages = newAges(id, config, r.deps.Source.StoredAt, r.metrics, log)
	s.gas = newGas(id, signer.Address(), config, r.deps.Chain, in.reprice, &r.bytesGas, r.metrics, log)
	s.waiting = &waiting{id: id, signer: signer.Address(), config: config, lane: l, metrics: r.metrics, log: log}
	s.reporter = newReporter(id, config, r.deps.Statuses, l, journal.fenced, r.metrics.statusFails)
	s.tracer = newTracer(r.deps.Tracer, id)
	s.binder = &binder{
		config: config, lane: l, signer: signer, intake: in, gas: s.gas, append: journal.append,
		reporter: s.reporter, tracer: s.tracer, waiting: s.waiting, ages: s.ages, metrics: r.metrics, log: log,
	}
	s.settler = &settler{
		id: id, signer: signer.Address(), config: config, lane: l, append: journal.append, deadLetter: r.deadLetter, reporter: s.reporter, tracer: s.tracer,
		ask: r.deps.Chain.CallEach, gas: s.gas, ages: s.ages, reread: func(tx common.Hash) { s.heads.Reread(tx) }, cancel: s.binder.cancel, metrics: r.metrics, log: log,
	}
	s.teller = r.teller(id, in, log)
	s.requeue = &requeue{
		id: id, signer: signer.Address(), config: config, lane: l, ask: r.deps.Chain.CallEach, logs: r.deps.Chain.Logs, gas: s.gas, bind: s.binder.bind,
		append: journal.append, deadLetter: r.deadLetter, reporter: s.reporter, tracer: s.tracer, waiting: s.waiting, ages: s.ages, metrics: r.metrics, log: log,
	}
	s.handover = &handover{
		id: id, config: config, lane: l, intake: in, roster: r.deps.Roster, board: r.deps.Board, journal: r.deps.Journal, append: journal.append,
		reporter: s.reporter, moved: r.metrics.moved, log: log, due: true, opened: map[score.Lane]bool{},
	}
	s.settler.creations, s.requeue.creations = s.handover.creations, s.handover.creations
	return s
}

func (s *session) watch(slot *lane.Slot) {
	for i := range slot.Attempts {
		s.heads.Watch(slot.Nonce, slot.Attempts[i].Hash, slot.Since)
	}
}

// settled makes the tracker watch the blocks of the newest settled nonces in State.Past.
func (s *session) settled(newest int) {
	past := s.lane.State.Past
	for _, p := range past[max(0, len(past)-newest):] {
		s.heads.Settled(p.Nonce, p.Tx, p.Block, past[0].Nonce)
	}
}

func (s *session) appended(e lane.Entry) {
	state := s.lane.State
	switch {
	case e.Bind != nil:
		s.watch(state.Slot(e.Bind.Nonce))
	case e.Replacement != nil:
		slot := state.Slot(e.Replacement.Nonce)
		s.heads.Watch(slot.Nonce, slot.Last().Hash, slot.Since)
	case e.Settle != nil:
		delete(s.gas.trusted, e.Settle.Nonce)
		s.settled(1)
	case e.Skip != nil:
		s.heads.Skipped(state.Next)
		s.settled(len(e.Skip.Used))
	case e.Reopen != nil:
		s.heads.Reopened(e.Reopen.Nonce)
		s.watch(state.Slot(e.Reopen.Nonce))
	}
}
