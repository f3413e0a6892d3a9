package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// session drives one lane from one opening of its journal to the next. Its goroutine owns it and all of its parts. It is the
// loop: it hears of the chain and of new messages, has the lane decide, and its parts carry out what follows.
type session struct {
	id       score.Lane
	config   Config
	log      *slog.Logger
	lane     *lane.Lane          // decides; changes by views of the chain and by what is journaled
	heads    *heads.Subscription // of the lane's signer
	intake   *intake             // what to bind next
	journal  *laneJournal
	binder   *binder   // makes slots of work, and replaces their attempts
	settler  *settler  // ends slots, and opens them again
	requeue  *requeue  // binds, splits or drops work that lost its slot
	reporter *reporter // reports statuses
	tracer   *tracer
	waiting  *waiting  // why nothing new is bound
	teller   *teller   // tells how much waits
	handover *handover // gives buckets to other lanes, and takes theirs
	gas      *gas
	ages     *ages
	funds    *funds
	metrics  *metrics
	halt     Halt
	paused   func(score.Lane) bool // by an operator; nil: none is

	send       func(ctx context.Context, raw [][]byte) []txpool.Result // to all endpoints
	deadLetter func(context.Context, []score.DeadLetter) error

	pausedProjects func() map[score.ProjectID]bool // by an operator; nil: none is

	delegated bool                          // it was said that the signer is
	unsigned  bool                          // the key did not sign what the last view asked for
	more      bool                          // bindAll left off, so that the loop hears what came while a slow signer signed; it continues at once
	lookAgain time.Time                     // when a lane that halts looks at its journal again
	passed    time.Time                     // when floors were last moved without work
	looked    time.Time                     // when it was last looked which projects are paused
	passable  score.Position                // of the newest edit that waits for no other lane
	fenced    map[score.ProjectID]time.Time // whose edits wait for other lanes, and since when that was so last

	source Source
	main   *reading // of the stream
	unread *unread  // what it has not come to
	second *reading // of what parked projects left out; nil while there is none
}

// errReadAgain says that the lane's buckets, or the paused projects, are not what they were: reading begins again from what the journal says.
var errReadAgain = errors.New("the lane's buckets, or the paused projects, changed")

// run reads the stream and drives the lane until the context ends, its journal continues without it, or something
// fails that reading the journal again may cure.
func (s *session) run(ctx context.Context, source Source) error {
	defer s.heads.Close()
	defer s.tracer.close()
	s.source = source
	for {
		if err := s.follow(ctx); !errors.Is(err, errReadAgain) {
			return err
		}
		if err := s.intake.again(s.teller.told(ctx)); err != nil { // told by the lanes that had its buckets, too
			return err
		}
	}
}

// follow is run until errReadAgain.
func (s *session) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var telling sync.WaitGroup
	telling.Go(func() { s.teller.run(ctx) })
	defer telling.Wait()
	defer cancel()
	s.main, s.unread = &reading{}, &unread{} // of nothing
	if s.reads() {
		s.main, s.unread = read(ctx, s.source, s.intake.began), newUnread(s.intake)
		defer s.main.close()
		telling.Go(func() { s.unread.run(ctx, s.source, s.intake.began) })
	}
	defer func() { s.endSecond() }()
	return s.loop(ctx)
}

// reads tells whether there is anything in the stream for the lane to bind.
func (s *session) reads() bool { return len(s.lane.State.Buckets) > 0 && !s.lane.Keyless() }

// loop: hear of the chain and of new messages, then bind what may be bound.
func (s *session) loop(ctx context.Context) error {
	linger := time.NewTimer(time.Hour)
	defer linger.Stop()
	stale := time.NewTicker(s.config.StaleAfter)
	defer stale.Stop()
	_, lanes := s.handover.roster.Current()
	notices := s.handover.board.Changed()
	for {
		if err := s.work(ctx); err != nil {
			return err
		}
		if d, some := s.wakes(); some {
			linger.Reset(d)
		}
		if err := s.reread(ctx); err != nil {
			return err
		}
		main, second, failed := s.readings()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case view := <-s.heads.Views():
			if err := s.hear(ctx, view); err != nil {
				return err
			}
		case message := <-main:
			s.main.took(message)
			s.unread.take(message)
			if err := s.take(ctx, message); err != nil {
				return err
			}
		case message := <-second:
			s.second.took(message)
			if err := s.intake.takeSecond(message); err != nil {
				return err
			}
		case err := <-s.main.failed:
			return fmt.Errorf("couldn't read the stream: %w", err)
		case <-lanes:
			_, lanes = s.handover.roster.Current()
			s.handover.due = true
		case <-notices:
			notices = s.handover.board.Changed()
			s.handover.due = true
		case err := <-failed:
			return fmt.Errorf("couldn't read the stream a second time: %w", err)
		case <-linger.C:
		case <-stale.C: // where no head comes, bindAll says so
			if view := s.lane.View(); view != nil && view.Old {
				if err := s.turn(ctx); err != nil {
					return err
				}
			}
		}
	}
}

// work hands buckets over, binds what may be bound, sends that in one request, and keeps the journal short. After errReadAgain
// reading is to begin again.
func (s *session) work(ctx context.Context) error {
	s.teller.tell(s.config.Now()) // before what may take long: questions to the chain
	if moved, err := s.handover.step(ctx); err != nil || moved {
		return cmp.Or(err, errReadAgain)
	}
	if err := s.bindAll(ctx); err != nil {
		return err
	}
	if err := s.do(ctx, s.journal.due()); err != nil {
		return err
	}
	if err := s.journal.compact(ctx); err != nil {
		return err
	}
	s.show()
	s.ages.show(ctx, s.intake, s.lane.State.Queue)
	return nil
}

// hear has the lane look at the chain as it is now.
func (s *session) hear(ctx context.Context, v evidence.View) error {
	if err := s.turn(ctx); err != nil {
		return err
	}
	s.gas.head(&v.Head)
	if fee := v.Head.BaseFee; fee != nil && fee.IsUint64() && !v.Price.Legacy && v.Price.BaseFee > 0 {
		v.Price.BaseFee = max(v.Price.BaseFee, fee.Uint64()) // prices are read less often than heads
	}
	effects, err := s.lane.Step(lane.View(v))
	if err == nil && slices.ContainsFunc(effects, settles) {
		// Dead letters are stored before the end of a slot is journaled: one that lost the lane could store some of what its successor binds again.
		err = s.journal.fenced(ctx)
	}
	if err == nil {
		err = s.do(ctx, effects)
	}
	if s.unsigned = errors.Is(err, errSigner); s.unsigned {
		s.waiting.set(lane.WaitSigner, "err", err)
		err = nil // the next head asks for the same
	}
	if err != nil {
		return err
	}
	if s.lane.Blocked() == lane.WaitUnjournaled {
		if err := s.checkFence(ctx); err != nil {
			return err
		}
	}
	account, final := s.lane.TakeNeeds()
	if account {
		s.heads.NeedAccount()
	}
	if final {
		s.heads.NeedFinal()
	}
	return s.reporter.replay(ctx) // with what the view says of slots
}

// turn is what the lane does now and then, with or without a new head.
func (s *session) turn(ctx context.Context) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	s.handover.due = true
	return s.unpark(ctx)
}

// busy reports whether the lane binds, or would if it could.
func (s *session) busy() bool {
	return s.lane.InFlight()+len(s.lane.State.Queue) > 0 || s.intake.horizon.Len() > 0 || s.intake.alone != nil
}

// works reports whether the lane needs to hear of the chain although it may not be busy.
func (s *session) works() bool {
	waits := s.waiting.reason != lane.WaitNone && s.waiting.reason != lane.WaitPaused
	return waits || len(s.lane.State.Slots)+len(s.intake.parked) > 0 || s.reporter.pending() || s.handover.pending()
}

func settles(e lane.Effect) bool {
	_, is := e.(lane.SettleSlot)
	return is
}

// fenceEvery is how often a lane that halts looks whether an operator wrote to its journal. It appends nothing by itself
// then, so that nothing else would tell.
const fenceEvery = 2 * time.Second

// checkFence ends the session, so that the journal is read again, when another wrote to it. If none did, accepting halts, too: NATS
// may have lost what was accepted.
func (s *session) checkFence(ctx context.Context) error {
	now := s.config.Now()
	if now.Before(s.lookAgain) {
		return nil
	}
	s.lookAgain = now.Add(fenceEvery)
	if err := s.journal.fenced(ctx); err != nil {
		return err
	}
	if !s.lane.Keyless() { // of a key that is lost, it is the thief
		s.halt.Unjournaled(s.id)
	}
	return nil
}

// do carries effects out, in order, and those that follow from their results. An error ends the session; what a node or
// the status store fails to do does not, the next head brings it up again.
//
//	hear: view ─► Step ─► effects ─► do ─┬─► Send ─► broadcast ─► answers ─► Step ─► effects, done next
//	                                 ▲   ├─► Report ─► reporter
//	                                 │   └─► the others ─► append ─┐
//	bindAll: bind, split, drop ──────┼───────────────────► append ─┴─► Step ─► effects ─► outbox ─┐
//	                                 └──────────────────── due ◄──────────────────────────────────┘
//
// So only append changes the lane's State, and what must be sent after it waits in the outbox. It is emptied at three places:
// here behind each effect, in work when all is bound, so that one request sends it all, and in bindAll before queued work is
// probed, which takes time.
func (s *session) do(ctx context.Context, effects []lane.Effect) error {
	signed := s.binder.signing
	for len(effects) > 0 {
		effect := effects[0]
		effects = effects[1:]
		var more []lane.Effect
		var err error
		switch e := effect.(type) {
		case lane.Send:
			nonces := e.Nonces
			for len(effects) > 0 { // one request for all that follow
				next, ok := effects[0].(lane.Send)
				if !ok {
					break
				}
				nonces, effects = append(nonces, next.Nonces...), effects[1:]
			}
			more, err = s.broadcast(ctx, nonces)
		case lane.Replace:
			if s.binder.signing-signed < longSigning { // the next head asks for the others again
				err = s.binder.replace(ctx, e)
			}
		case lane.SettleSlot:
			err = s.settler.settle(ctx, e)
		case lane.SkipNonces:
			err = s.settler.skip(ctx, e.Skip)
		case lane.ReopenSlot:
			err = s.settler.reopen(ctx, e)
		case lane.Report:
			s.reporter.stage(ctx, e)
			s.gas.staged(s.lane, e.Nonce)
			s.tracer.staged(e.Nonce, e.Stage, e.Tx, e.Block)
		}
		if err != nil {
			return err
		}
		effects = append(append(more, s.journal.due()...), effects...)
	}
	return nil
}

// broadcast sends the newest attempts of open slots, in one request. What nodes answer decides what is sent next and nothing
// else.
func (s *session) broadcast(ctx context.Context, nonces []uint64) (more []lane.Effect, err error) {
	var raw [][]byte
	var slots []*lane.Slot
	for _, nonce := range nonces {
		if slot := s.lane.State.Slot(nonce); slot != nil {
			slots = append(slots, slot)
			raw = append(raw, slot.Last().Raw)
		}
	}
	if len(raw) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	for i, result := range s.send(ctx, raw) {
		tx := slots[i].Last().Hash
		s.metrics.sends.WithLabelValues(result.Class.String()).Inc()
		s.tracer.sent(slots[i], result.Class)
		if lowest := s.lane.Lowest(); lowest != nil && lowest.Nonce == slots[i].Nonce {
			s.waiting.words = result.Err
		}
		if !result.Class.Taken() {
			s.log.Info("no endpoint took a transaction of the lane; the lane rebroadcasts or replaces it", "nonce", slots[i].Nonce,
				"tx", tx, "class", result.Class.String(), "err", result.Err)
		}
		if result.Class == txpool.Delegated && !s.delegated {
			s.delegated = true
			s.log.Error("the lane's signer is delegated (EIP-7702): nodes take one transaction of it at a time, so the lane sends one a block; take the delegation back, or replace the signer",
				"signer", s.waiting.signer, "err", result.Err)
		}
		sent := lane.Sent{Nonce: slots[i].Nonce, Tx: tx, Class: result.Class, Refused: result.Refused, MinTip: result.MinTip}
		if sent.Class == txpool.BadGas || sent.Refused == txpool.BadGas {
			sent.Gas = s.gas.refused(ctx, slots[i])
		}
		sent.Now = s.config.Now()
		effects, err := s.lane.Step(sent)
		if err != nil {
			return nil, err
		}
		more = append(more, effects...)
	}
	return more, nil
}

// take puts a message into the intake. What cannot be read is dead-lettered as it stands, and passed.
func (s *session) take(ctx context.Context, message score.Message) error {
	if err := s.park(ctx); err != nil {
		return err
	}
	if id, heavy := s.intake.heavy(message); heavy {
		if err := s.parkOne(ctx, id); err != nil {
			return err
		}
		s.log.Info("an edit comes behind many updates of its project; the lane parks it, and the others pass it", "project", id)
	}
	unreadable, err := s.intake.take(message)
	if err != nil || unreadable == nil {
		return err
	}
	s.log.Error("a message of the stream cannot be read; it becomes a dead letter and the lane continues",
		"seq", message.Seq, "err", message.Corrupt)
	err = s.deadLetter(ctx, []score.DeadLetter{{
		Lane: s.id, Seq: message.Seq, Reason: message.Corrupt.Error(), Outcome: score.Unprocessable, Raw: message.Raw,
	}})
	if err != nil {
		return err
	}
	moves, err := s.intake.moves(unreadable)
	if err != nil {
		return fmt.Errorf("%w: %w", lane.ErrCorrupt, err)
	}
	if err := s.journal.append(ctx, lane.Entry{Pass: &lane.Pass{Moves: moves}}); err != nil {
		return err
	}
	s.intake.journaled(moves, unreadable)
	return nil
}
