package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	restoreTries = 10 // of one write, before the restore begins again
	restorePause = time.Second
	sweepEvery   = time.Second

	clocksDiffer = time.Hour   // NATS's, which times what is accepted, and the chain's, at most
	toldLate     = time.Minute // after a message of a stream was stored, what is told of it, at most
	mostFolded   = 100_000     // references of facts that one call of the store gets, about
)

// place is where a fold is, as the store has it.
type place struct {
	token    string // of the restore that made the store, or is under way
	process  string // the store's, when it was written: another one may have lost its newest writes
	position ledger.Position
}

func (p place) String() string { return p.token + " " + p.process + " " + p.position.String() }

// placeOf is the place of all tables: the lowest of their positions. False: one has none, or they are of different restores or processes.
func placeOf(at []string) (p place, is bool) {
	for i, text := range at {
		parts := strings.Split(text, " ")
		if len(parts) != 3 {
			return p, false
		}
		position, err := ledger.ParsePosition(parts[2])
		if err != nil || i > 0 && (parts[0] != p.token || parts[1] != p.process) {
			return p, false
		}
		if p.token, p.process = parts[0], parts[1]; i == 0 || before(position, p.position) {
			p.position = position
		}
	}
	return p, len(at) > 0
}

// errBehind reports that the ledger, of which NATS lost the end, does not tell yet what became of edits.
var errBehind = errors.New("statuses are not complete until the ledger is as far as the lanes are")

// errRejection reports that an outcome other than applied is gone, beneath which there may have been another one, which is not.
var errRejection = errors.New("a rejection was taken back")

// Statuses folds the ledger into the status store: what became final, and what did not. What the store has as the fold's place is the one
// detector of lost data: the restore that it is of, the store's process then, and the position. Where it is missing, of another process than
// answers now, or behind what this one wrote, the store is restored: it is not complete until what the stream holds is accepted in it, and
// the ledger is folded again. docs/crashes.md (Statuses) has the cases.
type Statuses struct {
	Deployment score.Deployment
	Ledger     *ledger.Source
	Chain      Chain
	Source     Source
	Journals   Journals
	Lanes      Lanes
	Store      StatusStore
	// Lost names the newest loss of accepted updates that an operator accepted; empty where there is none, or it is not known. May be nil.
	Lost func() string
	// Retention is how far back final statuses are brought back, by the time of their block: the store's retention, or further, where the
	// stream holds what is older. 0 means all there ever were. What is older the chain still knows: it refuses the id.
	Retention time.Duration
	Log       *slog.Logger

	process string         // the store's
	at      []string       // where the fold of each of the store's tables is
	seen    place          // what this process wrote or read in at last
	restore *statusRestore // under way; nil while the store is complete
}

// statusRestore is a restore once the stream is read.
type statusRestore struct {
	began    time.Time
	target   uint64     // the ledger's newest block when it began: what is lost is before its end
	lanes    lane.Lanes // as they were before dead letters were read
	edits    editTally
	accepted int
}

// Run folds until ctx ends, whose end is no error, and sweeps the store. Several may run: the store refuses all but one of them.
func (s *Statuses) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() {
		for retry.Sleep(ctx, sweepEvery) == nil {
			_ = s.Store.Sweep(ctx) // an error: the store is down, which those who need it tell
		}
	})
	return ledger.RunFold(ctx, s.Ledger, s, "statuses", s.Log)
}

// Begin is ledger.Fold's: it restores the store if it lost data.
func (s *Statuses) Begin(ctx context.Context, lost bool) (ledger.Position, error) {
	if err := s.forget(ctx); err != nil {
		return ledger.Position{}, err
	}
	is, at, complete, err := s.look(ctx)
	if err != nil {
		return ledger.Position{}, err
	}
	if lost && at != nil {
		err := s.Ledger.Holds(ctx, is.position)
		if gone := errors.Is(err, ledger.ErrReplaced) || err == nil && is.position.Seq == 0; gone {
			s.Log.Error("the statuses are of final blocks that were replaced, and the ledger does not tell which; they are made again")
			at, err = nil, s.Store.Flush(ctx)
		}
		if err != nil {
			return is.position, err // a ledger that is behind comes to the position
		}
	}
	switch own := is.token == s.seen.token; {
	case at == nil || !complete && (!own || s.restore == nil):
		return s.bringBack(ctx, time.Time{}, is.position)
	case is.process != s.process || own && before(is.position, s.seen.position):
		s.Log.Warn("the status store may have lost its newest writes", "its_position", is.position, "written", s.seen.position)
		since, err := s.storedAt(ctx, is.position)
		if err != nil {
			return is.position, err
		}
		return s.bringBack(ctx, since, is.position)
	case complete:
		s.restore = nil
	}
	s.at, s.seen = at, is
	return is.position, nil
}

// look reads which process the store is, and its place. at is nil where it has none.
func (s *Statuses) look(ctx context.Context) (is place, at []string, complete bool, err error) {
	if s.process, err = s.Store.Process(ctx); err != nil {
		return is, nil, false, err
	}
	if at, complete, err = s.Store.Folded(ctx); err != nil {
		return is, nil, false, err
	}
	is, has := placeOf(at)
	if !has {
		at = nil
	}
	return is, at, complete, nil
}

// storedAt is a time before everything that a store may lack which was told of that position last; the zero time if that is not known.
func (s *Statuses) storedAt(ctx context.Context, at ledger.Position) (time.Time, error) {
	stored, err := s.Ledger.StoredAt(ctx, at)
	if stored.IsZero() || err != nil || s.restore != nil {
		return time.Time{}, err
	}
	return stored.Add(-toldLate), nil
}

// before reports whether a position is before another.
func before(p, q ledger.Position) bool {
	if p.Seq == 0 || q.Seq == 0 {
		return p.Block < q.Block
	}
	return p.Seq < q.Seq
}

// Check is ledger.Checker's.
func (s *Statuses) Check(ctx context.Context) error {
	if err := s.forget(ctx); err != nil {
		return err
	}
	is, at, complete, err := s.look(ctx)
	switch {
	case err != nil:
		return err
	case at == nil || is != s.seen || is.process != s.process || !complete && s.restore == nil:
		return ledger.ErrFoldMoved
	case s.restore != nil && is.position.Block >= s.restore.target:
		return s.finish(ctx) // which failed before
	}
	return nil
}

// forget has a store that is of before a loss forget what was lost: it would be answered as a duplicate forever.
func (s *Statuses) forget(ctx context.Context) error {
	if s.Lost == nil {
		return nil
	}
	token := s.Lost()
	if token == "" {
		return nil
	}
	did, err := s.Store.ForgetOnce(ctx, token)
	if did {
		s.Log.Warn("the status store did not know of a loss that an operator accepted: it was flushed or is an older copy; what had no outcome in it is forgotten")
	}
	return err
}

// Apply is ledger.Fold's.
func (s *Statuses) Apply(ctx context.Context, messages []*ledger.Message) error {
	var facts []score.Fact
	refs := 0
	add := func(f score.Fact) error {
		if facts, refs = append(facts, f), refs+len(f.Refs); refs < mostFolded {
			return nil
		}
		err := s.Store.Fold(ctx, s.at, "", facts)
		facts, refs = nil, 0
		return err
	}
	letters, all := s.seen.position.Letters, false
	for _, m := range messages {
		if !all && (m.Kind != ledger.Letter && m.Letters > letters || m.Seq == 0 && m.Letters > letters+1) { // the ledger does not hold those between
			if err := s.deadLetters(ctx, time.Time{}, func(*score.DeadLetter) {}); err != nil {
				return err
			}
			all = true
		}
		letters = m.Letters
		err := s.facts(ctx, m, add)
		if errors.Is(err, ledger.ErrReplaced) || errors.Is(err, errRejection) {
			s.Log.Error("final blocks were replaced, and what statuses were before is not known; the statuses are made again", "err", err)
			return errors.Join(s.Store.Flush(ctx), ledger.ErrFoldMoved)
		}
		if err != nil {
			return err
		}
	}
	last := messages[len(messages)-1].Position
	if err := s.moveTo(ctx, last, facts); err != nil {
		return err
	}
	if s.restore != nil && last.Block >= s.restore.target {
		return s.finish(ctx)
	}
	return nil
}

// moveTo folds facts and says up to where the ledger is folded.
func (s *Statuses) moveTo(ctx context.Context, to ledger.Position, facts []score.Fact) error {
	is := place{s.seen.token, s.seen.process, to}
	if err := s.Store.Fold(ctx, s.at, is.String(), facts); err != nil {
		return err
	}
	s.at, s.seen = slices.Repeat([]string{is.String()}, len(s.at)), is
	return nil
}

// facts calls fn with what a message tells of statuses.
func (s *Statuses) facts(ctx context.Context, m *ledger.Message, fn func(score.Fact) error) error {
	switch m.Kind {
	case ledger.Block:
		for i := range m.Events {
			if f := factOf(m, &m.Events[i]); len(f.Refs) > 0 {
				if err := fn(f); err != nil {
					return err
				}
			}
		}
	case ledger.Rewind:
		return s.Ledger.Undone(ctx, m, func(m *ledger.Message) error {
			for i := range m.Events {
				f := factOf(m, &m.Events[i])
				if slices.ContainsFunc(f.Outcomes, func(o score.Outcome) bool { return o != score.Applied }) {
					return errRejection
				}
				if len(f.Refs) > 0 {
					if err := fn(score.Fact{Refs: f.Refs, Tx: f.Tx, Gone: true}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	case ledger.Letter:
		if s.restore != nil {
			s.restore.edits.deadLetter(m.Letter) // which may be newer than those that were read at its beginning
		}
		if f, is := factOfLetter(m.Letter); is {
			return fn(f)
		}
	}
	return nil
}

// factOf is what an event of a block tells. A lane may bind an update again that came before its project: its dead letter tells if that was
// the end.
func factOf(m *ledger.Message, e *ledger.Event) score.Fact {
	f := score.Fact{Tx: e.Tx.Hash, Block: m.Block.Number}
	if created, is := e.Event.(registry.ProjectCreated); is {
		f.Refs, f.Outcomes = []score.Ref{score.CreationRef(created.Project.ID)}, []score.Outcome{score.Applied}
	}
	for u, outcome := range registry.Executed(e.Event) {
		if outcome != score.UnknownProject {
			f.Refs, f.Outcomes = append(f.Refs, u.Ref()), append(f.Outcomes, outcome)
		}
	}
	return f
}

// factOfLetter is what a dead letter tells that no event does. That of a replayed one is over: what was accepted again waits, or has
// its outcome elsewhere.
func factOfLetter(d *score.DeadLetter) (f score.Fact, is bool) {
	ref, readable := d.Ref()
	if !readable || !d.Sole() {
		return f, false
	}
	f = score.Fact{Refs: []score.Ref{ref}, Tx: d.Tx, Block: d.Block, Letter: true}
	if f.Gone = !d.Replayed.IsZero(); !f.Gone {
		f.Outcomes = []score.Outcome{d.Outcome}
	}
	return f, true
}

// bringBack begins a restore: what the stream holds is accepted, and the ledger is folded from the retention on. It is done when Apply has
// come to where the ledger ended. Where the store lost only what it was told since a time, only what is younger is read, and what it has
// not folded: a Rewind may be in it.
func (s *Statuses) bringBack(ctx context.Context, since time.Time, folded ledger.Position) (from ledger.Position, err error) {
	s.Log.Info("the status store is empty or has lost data; bringing it back from the stream and the ledger", "since", since)
	if !since.IsZero() {
		if from, err = s.Ledger.Since(ctx, since); err != nil {
			return from, err
		}
		if before(folded, from) {
			from = folded
		}
		if from.Seq == 0 { // it is read from the chain, which does not tell of blocks that were replaced
			since = time.Time{}
		}
	}
	if since.IsZero() && folded != (ledger.Position{}) {
		if err := s.Store.Flush(ctx); err != nil {
			return from, err
		}
		from = ledger.Position{}
	}
	r := &statusRestore{began: time.Now(), edits: newEditTally()}
	s.restore, s.seen = nil, place{process: s.process}
	if s.seen.token, s.at, err = s.Store.BeginRestore(ctx); err != nil {
		return from, err
	}
	// The ledger's end is read after the beginning: what the store was told before, and lost, is before it. What it is told from now on
	// stays.
	end, err := s.Ledger.End(ctx)
	if err != nil {
		return from, err
	}
	r.target = end.Position.Block
	if r.lanes, _, _, err = settledBy(ctx, s.Journals, s.Lanes); err != nil {
		return from, fmt.Errorf("couldn't tell what lanes are done with: %w", err)
	}
	oldest, err := s.accepted(ctx, r, since)
	if err != nil {
		return from, err
	}
	if err := s.deadLetters(ctx, since, r.edits.deadLetter); err != nil {
		return from, err
	}
	if since.IsZero() && s.Retention > 0 {
		since = time.Now().Add(-s.Retention)
		if oldest = oldest.Add(-clocksDiffer); oldest.Before(since) { // it may be final for longer than the retention, behind what waits
			since = oldest
		}
		if from, err = s.Ledger.Since(ctx, since); err != nil {
			return from, err
		}
	}
	if err := s.moveTo(ctx, from, nil); err != nil {
		return from, err
	}
	if s.restore = r; from.Block >= r.target {
		err = s.finish(ctx)
	}
	return from, err
}

// accepted writes what the stream holds since a time, and tells since when that is; now, if it holds nothing.
func (s *Statuses) accepted(ctx context.Context, r *statusRestore, since time.Time) (oldest time.Time, err error) {
	from := uint64(1)
	if !since.IsZero() {
		if from, err = s.Source.FirstSince(ctx, since); err != nil {
			return oldest, err
		}
	}
	oldest = time.Now()
	err = s.Source.ReadFrom(ctx, from, func(m score.Message) error {
		if m.Time.Before(oldest) {
			oldest = m.Time
		}
		refs := score.Refs(m.Updates)
		if ref, alone := m.Alone(); alone {
			refs = append(refs, ref)
		}
		r.edits.message(&m)
		r.accepted += len(refs)
		return again(ctx, func() error { return s.Store.RestoreAccepted(ctx, refs) })
	})
	return oldest, err
}

// deadLetters writes the outcomes of those since a time, which the ledger may not hold; fn is called with all.
func (s *Statuses) deadLetters(ctx context.Context, since time.Time, fn func(*score.DeadLetter)) error {
	return s.Source.DeadLetters(ctx, func(d score.DeadLetter) error {
		fn(&d)
		f, is := factOfLetter(&d)
		if !is || f.Gone || d.Time.Before(since) {
			return nil
		}
		return again(ctx, func() error { return s.Store.Fold(ctx, s.at, "", []score.Fact{f}) })
	})
}

// finish declares the store complete, once it has the outcomes that the ledger does not tell: of edits that were made, which no event tells. A
// nonce whose newest acceptance waits is that one's.
func (s *Statuses) finish(ctx context.Context) error {
	r := s.restore
	end, err := s.Ledger.End(ctx)
	if err != nil {
		return err
	}
	for id, state := range r.lanes {
		if n := len(state.Past); n > 0 && state.Past[n-1].Block.Number > end.Block.Number {
			return fmt.Errorf("%w: lane %d settled a transaction of block %d, and the ledger ends at %d", errBehind, id, state.Past[n-1].Block.Number, end.Block.Number)
		}
	}
	view := viewAt(s.Chain, s.Deployment.Contract, end.Block.Hash)
	err = r.edits.judge(ctx, view, r.lanes, func(e editAt, is editEnd) error {
		refs := []score.Ref{e.ref}
		return again(ctx, func() error {
			switch {
			case is == made:
				return s.Store.Final(ctx, common.Hash{}, 0, refs, []score.Outcome{score.Applied})
			case is == pending && r.edits.newest[e.ref] == e.seq:
				return s.Store.Accepted(ctx, refs, []string{""})
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	if err := s.Store.EndRestore(ctx, s.seen.token); err != nil {
		return err
	}
	s.restore = nil
	s.Log.Info("the status store is complete again", "accepted", r.accepted, "block", end.Block.Number, "took", time.Since(r.began).Round(time.Millisecond))
	return nil
}

// again repeats a write that may repeat, since a restore is too long to begin again because of one missed answer.
func again(ctx context.Context, write func() error) error {
	refused := error(nil)
	err := retry.Do(ctx, restoreTries, restorePause, func() error {
		err := write()
		if errors.Is(err, ledger.ErrFoldMoved) {
			refused, err = err, nil
		}
		return err
	})
	return errors.Join(err, refused)
}
