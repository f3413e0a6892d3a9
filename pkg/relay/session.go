package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

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
	id      score.Lane
	log     *slog.Logger
	signer  Signer
	lane    *lane.Lane
	last    uint64 // sequence of the lane's last journal entry
	since   int    // entries since the last snapshot
	heads   *subscriber
	intake  *intake
	untold  untold
	outbox  []lane.Effect // sends of what was bound in this round
	waiting lane.Wait     // why nothing new is bound, as last logged
	retry   time.Time     // when waiting work that could not be bound is tried again
	stuck   bool          // outcomes of a final transaction cannot be read; nothing new is bound until they can
	scale   uint64        // percent of the gas model that transactions get; only ever rises, see raise
}

// session opens the lane and drives it until its context ends, its journal moves on without it, or something fails
// that reading the journal anew may mend.
func (r *Relayer) session(ctx context.Context, id score.Lane, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{Relayer: r, id: id, log: log, signer: r.Signers[id], scale: 100}
	if err := s.open(ctx); err != nil {
		return err
	}
	s.heads = r.feed.subscribe(s.signer.Address())
	defer r.feed.unsubscribe(s.heads)
	reader, err := r.Source.Read(ctx, id, s.lane.State.Cursor)
	if err != nil {
		return fmt.Errorf("couldn't read the lane's partition: %w", err)
	}
	s.intake, err = newIntake(r.config, s.lane.State.Cursor)
	if err != nil {
		return err
	}
	wait := s.intake.follow(ctx, reader)
	defer wait() // after cancel, which ends the reader
	defer cancel()
	return s.run(ctx)
}

// open folds the journal and fences every earlier session off.
func (s *session) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	entries, last, err := s.Journal.Load(ctx, s.id)
	if err != nil {
		return err
	}
	state, err := lane.Fold(entries)
	if err != nil {
		return err
	}
	source, err := s.Source.State(ctx)
	if err != nil {
		return err
	}
	identity := lane.Identity{
		Stream: source.Created, ChainID: s.config.ChainID, Contract: s.config.Contract, Signer: s.signer.Address(),
	}
	switch {
	case state.Epoch > 0 && !state.Identity.Equal(identity):
		return fmt.Errorf("%w: it was written for %+v, this process has %+v: give the lane its own key and deployment back, "+
			"or set up a new deployment", errIdentity, state.Identity, identity)
	case state.Cursor.Seq > source.LastSeq+1:
		return fmt.Errorf("%w: the lane's cursor is at sequence %d and the stream ends at %d: "+
			"restore it from a backup", errLost, state.Cursor.Seq, source.LastSeq)
	}
	s.lane, s.last, s.since = lane.New(state, s.config.Rules), last, len(entries)
	if _, err := s.append(ctx, lane.Entry{
		Epoch: state.Epoch + 1, Open: &lane.Open{Owner: s.config.Replica, Identity: identity},
	}); err != nil {
		return err
	}
	s.metrics.wait(s.id, lane.WaitNone) // what the last session waited for
	s.mend(ctx)
	s.retell(ctx)
	s.log.Info("the lane is open", "epoch", state.Epoch, "next_nonce", state.Next, "open_slots", len(state.Slots),
		"queued", len(state.Queue), "cursor", state.Cursor)
	return nil
}

// retell tells again in which slots the newest work is, in case the last session ended between journal and status.
func (s *session) retell(ctx context.Context) {
	slots := s.lane.State.Slots
	for _, slot := range slots[max(0, len(slots)-s.config.Rules.Window):] {
		data, err := slot.Data()
		if err != nil {
			return
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
	e.Version, e.Time = lane.Version, time.Now().UTC()
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
	return s.lane.Step(lane.Appended{Entry: e})
}

// run is the lane's loop: hear of the chain and of new updates, then bind what may be bound.
func (s *session) run(ctx context.Context) error {
	linger := time.NewTimer(time.Hour)
	defer linger.Stop()
	stale := time.NewTicker(s.config.staleAfter())
	defer stale.Stop()
	for {
		if err := s.fill(ctx); err != nil {
			return err
		}
		if err := s.compact(ctx); err != nil {
			return err
		}
		s.show()
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
		case head := <-s.heads.heads:
			s.untold.again(ctx, s.Statuses, s.metrics)
			effects, err := s.lane.Step(head)
			if err == nil {
				err = s.do(ctx, effects)
			}
			if err != nil {
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

// take puts a record into the intake. What nobody can read is dead-lettered as it stands; the cursor passes it with the
// next batch.
func (s *session) take(ctx context.Context, record Record) error {
	if record.Corrupt == nil {
		return s.intake.take(record)
	}
	s.log.Error("a message of the stream cannot be read; it becomes a dead letter and the lane goes on",
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

// maxLetters is how many dead letters are stored in one call. The lane waits for them, and storing them one by one takes
// about a millisecond each; on the other hand a call has a deadline, which a slow disk must meet too.
const maxLetters = 500

// bury stores dead letters; repeating it is harmless.
func (s *session) bury(ctx context.Context, letters []DeadLetter) error {
	for some := range slices.Chunk(letters, maxLetters) {
		if err := s.addDeadLetters(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) addDeadLetters(ctx context.Context, letters []DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.CallTimeout)
	defer cancel()
	if err := s.Source.AddDeadLetters(ctx, letters); err != nil {
		return err
	}
	for i := range letters {
		s.metrics.deadLetters.WithLabelValues(letters[i].Outcome.String()).Inc()
	}
	return nil
}

// compact writes a snapshot now and then and removes what it covers.
func (s *session) compact(ctx context.Context) error {
	if s.since < max(s.config.SnapshotEvery, 4*len(s.lane.State.Slots)) {
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
	s.since = 0
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
	if head := s.lane.Last(); head != nil && head.Account.Balance != nil {
		s.metrics.balance.WithLabelValues(id).Set(gwei(head.Account.Balance))
	}
}
