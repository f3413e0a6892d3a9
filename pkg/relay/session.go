package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// What stops a lane until a human looks, besides a journal that contradicts itself or cannot be read.
var (
	// errIdentity says that the lane's journal was written for another stream, chain, contract or key.
	errIdentity = errors.New("the lane's journal belongs to something else")
	// errLost says that the stream ends before what the journal says was read of it.
	errLost = errors.New("the stream lost messages")
)

// session drives one lane from one opening of its journal to the next. Its goroutine owns every field.
type session struct {
	*Relayer
	id        score.Lane
	log       *slog.Logger
	signer    Signer
	lane      *lane.Lane
	last      uint64 // sequence of the lane's last journal entry
	since     int    // entries since the last snapshot
	bytes     int    // of transactions in them
	heads     *heads.Subscription
	intake    *intake
	untold    untold
	outbox    []lane.Effect // sends of what was bound in this round
	waiting   lane.Wait     // why nothing new is bound, as last logged
	lookAgain time.Time     // when a lane that halts looks at its journal again
	retry     time.Time     // when waiting work that could not be bound is tried again
	stuck     bool          // outcomes of a final transaction cannot be read; nothing new is bound until they can
	scale     uint64        // percent of the gas model that transactions get; only ever rises, see raise
	maxGas    uint64        // of a transaction, as the chain's blocks are now
	batchGas  uint64        // of a batch, likewise
}

func (r *Relayer) newSession(id score.Lane, log *slog.Logger) *session {
	return &session{
		Relayer: r, id: id, log: log, signer: r.Signers[id], scale: 100,
		maxGas: r.config.Rules.MaxGas, batchGas: r.config.Limits.MaxGas,
	}
}

// session opens the lane and drives it until its context ends, its journal continues without it, or something fails
// that reading the journal again may mend.
func (r *Relayer) session(ctx context.Context, id score.Lane, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := r.newSession(id, log)
	if err := s.open(ctx); err != nil {
		return err
	}
	defer s.heads.Close()
	reader, err := r.Source.Read(ctx, id, s.lane.State.Cursor)
	if err != nil {
		return fmt.Errorf("couldn't read the lane's partition: %w", err)
	}
	wait := s.intake.follow(ctx, reader)
	defer wait() // after cancel, which ends the reader
	defer cancel()
	return s.run(ctx)
}

// open folds the journal, fences every earlier session off, and has the chain followed from there.
func (s *session) open(ctx context.Context) error {
	state, err := s.load(ctx)
	if err != nil {
		return err
	}
	identity, err := s.identify(ctx, state)
	if err != nil {
		return err
	}
	if s.intake, err = newIntake(s.config, state.Cursor); err != nil {
		return err
	}
	s.lane = lane.New(state, s.config.Rules)
	s.heads = s.Heads.Subscribe(s.signer.Address(), state.Next)
	for i := range state.Past {
		s.heads.Settled(state.Past[i].Nonce, state.Past[i].Block, state.Past[0].Nonce)
	}
	for i := range state.Slots {
		s.watch(&state.Slots[i])
	}
	if _, err := s.append(ctx, lane.Entry{
		Epoch: state.Epoch + 1, Open: &lane.Open{Owner: s.config.Replica, Identity: identity},
	}); err != nil {
		s.heads.Close()
		return err
	}
	s.metrics.wait(s.id, lane.WaitNone) // what the last session waited for
	s.mend(ctx)
	s.retell(ctx)
	s.log.Info("the lane is open", "epoch", state.Epoch, "next_nonce", state.Next, "open_slots", len(state.Slots),
		"queued", len(state.Queue), "cursor", state.Cursor)
	return nil
}

// load folds the journal, however long it is.
func (s *session) load(ctx context.Context) (*lane.State, error) {
	var folder lane.Folder
	last, err := s.Journal.Load(ctx, s.id, func(e lane.Entry) {
		folder.Add(e)
		s.since++
		s.bytes += e.Size()
	})
	if err != nil {
		return nil, err
	}
	s.last = last
	return folder.State()
}

// identify checks that the journal belongs to what this process is configured for, and that the stream holds what it says
// was not read yet.
func (s *session) identify(ctx context.Context, state *lane.State) (lane.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	source, err := s.Source.State(ctx)
	if err != nil {
		return lane.Identity{}, err
	}
	identity := lane.Identity{
		Stream: source.Created, ChainID: s.config.ChainID, Contract: s.config.Contract, Signer: s.signer.Address(),
	}
	switch {
	case state.Epoch > 0 && !state.Identity.Equal(identity):
		return identity, fmt.Errorf("%w: it was written for %+v, this process has %+v: give the lane its own key and deployment back, "+
			"or set up a new deployment", errIdentity, state.Identity, identity)
	case state.Cursor.Seq > source.LastSeq+1:
		return identity, fmt.Errorf("%w: the lane's cursor is at sequence %d and the stream ends at %d: "+
			"restore it from a backup", errLost, state.Cursor.Seq, source.LastSeq)
	}
	return identity, nil
}

// watch has all attempts of an open slot looked for in blocks.
func (s *session) watch(slot *lane.Slot) {
	for i := range slot.Attempts {
		s.heads.Watch(slot.Nonce, slot.Attempts[i].Hash, slot.Since)
	}
}

// retell tells again in which slots the newest work is, in case the last session ended between journal and status.
func (s *session) retell(ctx context.Context) {
	slots := s.lane.State.Slots
	for i := 0; i < len(slots) && slots[i].Reopened; i++ {
		for k := range slots[i].Attempts {
			if err := s.reportReopened(ctx, &slots[i], slots[i].Attempts[k].Hash); err != nil {
				return
			}
		}
	}
	for _, slot := range slots[max(0, len(slots)-s.config.Rules.Window):] {
		data, err := slot.Data()
		if err != nil {
			return
		}
		if slot.Work.Kind == lane.Nothing {
			continue // what it may have carried once is elsewhere
		}
		if slot.Work.Kind == lane.Creation {
			s.tell(ctx, 0, func(ctx context.Context) error {
				return s.Statuses.ProjectBound(ctx, s.id, slot.Nonce, *slot.Work.Project)
			})
		} else if b, err := registry.DecodeBatch(data); err == nil {
			s.tell(ctx, b.Len(), func(ctx context.Context) error { return s.Statuses.Bound(ctx, s.id, slot.Nonce, b.Updates()) })
		}
	}
}

// append journals an entry and folds it: the only way the lane's state changes. An error ends the session, since
// whether the entry is stored is not known.
func (s *session) append(ctx context.Context, e lane.Entry) ([]lane.Effect, error) {
	e.Version, e.Time = lane.Version, s.config.Now().UTC()
	if e.Epoch == 0 {
		e.Epoch = s.lane.State.Epoch
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	seq, err := s.Journal.Append(ctx, s.id, s.last, e)
	if err != nil {
		return nil, err
	}
	s.last = seq
	s.since++
	s.bytes += e.Size()
	effects, err := s.lane.Step(lane.Appended{Entry: e})
	if err == nil {
		s.follow(e)
	}
	return effects, err
}

// follow has the chain watched for what an entry changed.
func (s *session) follow(e lane.Entry) {
	state := s.lane.State
	switch {
	case e.Bind != nil:
		s.watch(state.Slot(e.Bind.Nonce))
	case e.Attempt != nil:
		slot := state.Slot(e.Attempt.Nonce)
		s.heads.Watch(slot.Nonce, slot.Last().Hash, slot.Since)
	case e.Settle != nil, e.Skip != nil:
		s.heads.Skipped(state.Next)
		for _, p := range state.Past {
			if e.Skip != nil || p.Nonce == e.Settle.Nonce {
				s.heads.Settled(p.Nonce, p.Block, state.Past[0].Nonce)
			}
		}
	case e.Reopen != nil:
		s.heads.Reopened(e.Reopen.Nonce)
		s.watch(state.Slot(e.Reopen.Nonce))
	}
}

// run is the lane's loop: hear of the chain and of new updates, then bind what may be bound.
func (s *session) run(ctx context.Context) error {
	linger := time.NewTimer(time.Hour)
	defer linger.Stop()
	stale := time.NewTicker(s.config.StaleAfter)
	defer stale.Stop()
	for {
		if err := s.work(ctx); err != nil {
			return err
		}
		if due, _, ok := s.intake.builder.Due(); ok && time.Until(due) > 0 {
			linger.Reset(time.Until(due)) // one that is past due waits for what fill waits for: the next head
		}
		var records <-chan Record
		if s.intake.hungry() {
			records = s.intake.records
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case update := <-s.heads.Updates():
			if err := s.hear(ctx, update); err != nil {
				return err
			}
		case record := <-records:
			if err := s.take(ctx, record); err != nil {
				return err
			}
		case err := <-s.intake.failed:
			return fmt.Errorf("couldn't read the lane's partition: %w", err)
		case <-linger.C:
		case <-stale.C: // where no head comes, fill says so
		}
	}
}

// work binds what may be bound, and keeps the journal short.
func (s *session) work(ctx context.Context) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := s.compact(ctx); err != nil {
		return err
	}
	s.show()
	return nil
}

// hear has the lane look at the chain as it is now.
func (s *session) hear(ctx context.Context, u heads.Update) error {
	if err := s.tellAgain(ctx); err != nil {
		return err
	}
	s.fitBlocks(u.Head.GasLimit)
	if fee := u.Head.BaseFee; fee != nil && fee.IsUint64() && !u.Price.Legacy && u.Price.BaseFee > 0 {
		u.Price.BaseFee = max(u.Price.BaseFee, fee.Uint64()) // prices are read less often than heads
	}
	effects, err := s.lane.Step(lane.Head{
		Block: u.Head, Final: u.Final, Account: u.Account, FinalAccount: u.FinalAccount, Price: u.Price,
		Included: u.Included, Foreign: u.Foreign, Gone: u.Gone, Now: u.Now,
	})
	if err == nil {
		err = s.do(ctx, effects)
	}
	if errors.Is(err, errSigner) {
		s.waits(lane.WaitSigner, "err", err)
		err = nil // the next head asks for the same
	}
	if err != nil {
		return err
	}
	if s.lane.Blocked() == lane.WaitUnjournaled {
		if err := s.decided(ctx); err != nil {
			return err
		}
	}
	account, final := s.lane.Doubtful()
	if account {
		s.heads.NeedAccount()
	}
	if final {
		s.heads.NeedFinal()
	}
	return nil
}

// take puts a record into the intake. What nobody can read is dead-lettered as it stands; the cursor passes it with the
// next batch.
func (s *session) take(ctx context.Context, record Record) error {
	if record.Corrupt == nil {
		return s.intake.take(record)
	}
	s.log.Error("a message of the stream cannot be read; it becomes a dead letter and the lane continues",
		"seq", record.Seq, "err", record.Corrupt)
	err := s.bury(ctx, []DeadLetter{{
		Lane: s.id, Seq: record.Seq, Reason: record.Corrupt.Error(), Outcome: score.Unprocessable, Raw: record.Raw,
	}})
	if err != nil {
		return err
	}
	s.intake.skip(record.Seq)
	return nil
}

// smallState is the size of a state, in bytes, that is cheap to write at any time.
const smallState = 256 << 10

// compact writes a snapshot now and then and removes what it covers.
func (s *session) compact(ctx context.Context) error {
	if s.since < s.config.SnapshotEvery {
		return nil
	}
	if size := s.lane.State.Size(); size > smallState && s.bytes < 2*size {
		return nil // so that snapshots stay a fraction of what is journaled anyway
	}
	parts, err := s.lane.State.Snapshots()
	if err != nil {
		return err
	}
	var first uint64
	for _, part := range parts {
		if _, err := s.append(ctx, part); err != nil {
			return err
		}
		if first == 0 {
			first = s.last
		}
	}
	s.since, s.bytes = 0, 0
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	if err := s.Journal.Purge(ctx, s.id, first); err != nil {
		s.log.Warn("couldn't purge the lane's journal; the next snapshot tries again", "err", err)
	}
	return nil
}

// show sets the lane's gauges.
func (s *session) show() {
	state, id := s.lane.State, label(s.id)
	s.metrics.inflight.WithLabelValues(id).Set(float64(s.lane.Waiting()))
	s.metrics.open.WithLabelValues(id).Set(float64(len(state.Slots)))
	s.metrics.backlog.WithLabelValues(id).Set(float64(s.intake.backlog.Load()))
	s.metrics.queued.WithLabelValues(id).Set(float64(len(state.Queue)))
	s.metrics.nonce.WithLabelValues(id).Set(float64(state.Next))
	s.metrics.epoch.WithLabelValues(id).Set(float64(state.Epoch))
	s.heads.Busy(s.lane.Waiting()+len(state.Queue) > 0 || s.intake.builder.Len() > 0 || s.intake.creation != nil)
	if head := s.lane.Last(); head != nil && head.Account.Balance != nil {
		s.metrics.balance.WithLabelValues(id).Set(gwei(head.Account.Balance))
	}
}
