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

// session drives one lane from one opening of its journal to the next.
type session struct {
	id       score.Lane
	config   Config
	log      *slog.Logger
	lane     *lane.Lane
	heads    *heads.Subscription
	intake   *intake
	journal  *laneJournal
	binder   *binder
	settler  *settler
	requeue  *requeue
	reporter *reporter
	tracer   *tracer
	waiting  *waiting
	teller   *teller
	handover *handover
	gas      *gas
	ages     *ages
	funds    *funds
	metrics  *metrics
	halt     Halt
	paused   func(score.Lane) bool // see Deps

	send       func(ctx context.Context, raw [][]byte) []txpool.Result
	deadLetter func(context.Context, []score.DeadLetter) error

	pausedProjects func() map[score.ProjectID]bool // see Deps

	delegated bool // was logged
	unsigned  bool // the key failed to sign for the last view
	// after slow signing, bindAll stopped for other inputs; it continues at once
	more      bool
	lookAgain time.Time // see checkFence
	passed    time.Time
	looked    time.Time      // when parkPaused last looked
	passable  score.Position // of the newest edit found independent of other lanes (fence)
	// by project with an edit that waits for other lanes: when last checked
	fenced map[score.ProjectID]time.Time

	source Source
	main   *reading
	unread *unread
	second *reading // catch-up for throttled projects; or nil
}

var errReadAgain = errors.New("the lane's buckets, or the paused projects, changed")

// run drives the lane until the context ends, another session takes over, or an error occurs that a new session may
// cure.
func (s *session) run(ctx context.Context, source Source) error {
	defer s.heads.Close()
	defer s.tracer.close()
	s.source = source
	for {
		if err := s.follow(ctx); !errors.Is(err, errReadAgain) {
			return err
		}
		if err := s.intake.again(s.teller.told(ctx)); err != nil { // also those of lanes that had its buckets
			return err
		}
	}
}

func (s *session) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var telling sync.WaitGroup
	telling.Go(func() { s.teller.run(ctx) })
	defer telling.Wait()
	defer cancel()
	s.main, s.unread = &reading{}, &unread{}
	if s.reads() {
		s.main, s.unread = read(ctx, s.source, s.intake.began), newUnread(s.intake)
		defer s.main.close()
		telling.Go(func() { s.unread.run(ctx, s.source, s.intake.began) })
	}
	defer func() { s.endSecond() }()
	return s.loop(ctx)
}

// reads reports whether the stream may contain work for the lane.
func (s *session) reads() bool { return len(s.lane.State.Buckets) > 0 && !s.lane.Keyless() }

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
		case <-stale.C: // if heads are missing, bindAll records that
			if view := s.lane.View(); view != nil && view.Old {
				if err := s.turn(ctx); err != nil {
					return err
				}
			}
		}
	}
}

func (s *session) work(ctx context.Context) error {
	s.teller.tell(s.config.Now()) // first, since calls to the chain may take long
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
		// Dead letters are stored before a slot's end is journaled. A session that lost the lane must notice first,
		// since its letters could be for work that its successor assigns again.
		err = s.journal.fenced(ctx)
	}
	if err == nil {
		err = s.do(ctx, effects)
	}
	if s.unsigned = errors.Is(err, errSigner); s.unsigned {
		s.waiting.set(lane.WaitSigner, "err", err)
		err = nil // the next head retries
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
	return s.reporter.replay(ctx) // here, since reports then contain the view's stages
}

// turn does periodic work, with or without a new head.
func (s *session) turn(ctx context.Context) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	s.handover.due = true
	return s.unpark(ctx)
}

// busy reports whether the lane assigns work, or would if it could.
func (s *session) busy() bool {
	return s.lane.InFlight()+len(s.lane.State.Queue) > 0 || s.intake.horizon.Len() > 0 || s.intake.alone != nil
}

// works reports whether the lane needs views of the chain, even if not busy.
func (s *session) works() bool {
	waits := s.waiting.reason != lane.WaitNone && s.waiting.reason != lane.WaitPaused
	return waits || len(s.lane.State.Slots)+len(s.intake.parked) > 0 || s.reporter.pending() || s.handover.pending()
}

func settles(e lane.Effect) bool {
	_, is := e.(lane.SettleSlot)
	return is
}

// fenceEvery is how often a halted lane, which appends nothing itself, looks for an operator's entry in its journal.
const fenceEvery = 2 * time.Second

// checkFence returns lane.ErrFenced if an operator or another session wrote to the journal, another error if unknown.
// Otherwise it halts accepting, too, since NATS may have lost accepted updates.
func (s *session) checkFence(ctx context.Context) error {
	now := s.config.Now()
	if now.Before(s.lookAgain) {
		return nil
	}
	s.lookAgain = now.Add(fenceEvery)
	if err := s.journal.fenced(ctx); err != nil {
		return err
	}
	if !s.lane.Keyless() { // with a lost key, the transaction is the thief's
		s.halt.Unjournaled(s.id)
	}
	return nil
}

// do carries out effects in order, and those that follow from their results. An error ends the session. Failures of
// nodes and the status store do not; the next head retries.
//
//	hear: view ─► Step ─► effects ─► do ─┬─► Send ─► broadcast ─► answers ─► Step ─► effects, done next
//	                                 ▲   ├─► Report ─► reporter
//	                                 │   └─► the others ─► append ─┐
//	bindAll: bind, split, drop ──────┼───────────────────► append ─┴─► Step ─► effects ─► outbox ─┐
//	                                 └──────────────────── due ◄──────────────────────────────────┘
//
// Effects of an append wait in the outbox, so that one request sends all. do empties it after each effect, work once,
// and bindAll before queued work is probed and after slow signing.
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
			if s.binder.signing-signed < longSigning { // else the next head requests it again
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

// broadcast sends the slots' newest attempts and steps the lane with the answers. more contains at most reports that
// slots are submitted.
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

// take puts a message into the intake, or dead-letters and passes an unreadable one.
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
