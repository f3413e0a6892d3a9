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
	restoreTries = 10 // per write; then the restore begins again
	restorePause = time.Second
	sweepEvery   = time.Second

	clocksDiffer = time.Hour   // most difference between the clocks of NATS and the chain
	toldLate     = time.Minute // most delay from storing a message to writing its status
	mostFolded   = 100_000     // references per call of Store.Fold, about
)

type place struct {
	token    string // of the restore that filled the store, or is filling it
	process  string // of the store, when the place was written
	position ledger.Position
}

func (p place) String() string { return p.token + " " + p.process + " " + p.position.String() }

// placeOf returns the tables' common place, with their lowest position. is is false if a table has none, or tokens or
// processes differ.
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

// errBehind reports that NATS lost the ledger's end, so outcomes of edits are unknown.
var errBehind = errors.New("statuses are not complete until the ledger is as far as the lanes are")

// errRejection reports that a rollback removed a rejection. An earlier outcome of the id may be valid again, but is
// unknown.
var errRejection = errors.New("a rejection was taken back")

// Statuses is the ledger.Fold of final outcomes into the status store.
//
// Each table of the store contains the fold's place, written with the facts. So one comparison detects every loss: a
// missing place, another process of the store, or a place before this fold's last write. A restore then reads the
// stream's updates and folds the ledger again. A Rewind takes back the outcomes of the removed blocks. If the ledger
// lacks those blocks, all statuses are rebuilt.
//
// No event shows that an edit was made. So the edit's lane writes its outcome from the journal, and a restore reads
// the contract's nonces. docs/crashes.md (Statuses) has the cases.
type Statuses struct {
	Deployment score.Deployment
	Ledger     *ledger.Source
	Chain      Chain
	Source     Source
	Journals   Journals
	Lanes      Lanes
	Store      StatusStore
	// Lost returns the token of the newest loss of updates that an operator accepted, or "". It may be nil.
	Lost func() string
	// Retention is how far back, by block time, a full restore reads outcomes (0: to the beginning). It reads further if
	// the stream has older updates. Updates before that lose their status, but the contract still rejects their ids.
	Retention time.Duration
	Log       *slog.Logger

	process string
	at      []string
	seen    place          // last written or read by this process
	restore *statusRestore // under way; nil while the store is complete
}

type statusRestore struct {
	began    time.Time
	target   uint64     // the ledger's newest block at the start; all lost facts are of blocks up to it
	lanes    lane.Lanes // read before the dead letters
	edits    editTally
	accepted int
}

// Run folds and sweeps the store until ctx ends, then returns nil. Several relayers may run it: the store accepts the
// writes of only one.
func (s *Statuses) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	defer sweeping.Wait()
	sweeping.Go(func() {
		for retry.Sleep(ctx, sweepEvery) == nil {
			_ = s.Store.Sweep(ctx) // other calls report a store that is down
		}
	})
	return ledger.RunFold(ctx, s.Ledger, s, "statuses", s.Log)
}

// Begin restores the store if data was lost.
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
			return is.position, err // after ErrAhead, the ledger will reach the position
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

// look reads the store's process and place. at is nil if the tables have no common place.
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

// storedAt returns a time before NATS stored any message that the status store, at this position, may lack; zero if
// unknown.
func (s *Statuses) storedAt(ctx context.Context, at ledger.Position) (time.Time, error) {
	stored, err := s.Ledger.StoredAt(ctx, at)
	if stored.IsZero() || err != nil || s.restore != nil {
		return time.Time{}, err
	}
	return stored.Add(-toldLate), nil
}

func before(p, q ledger.Position) bool {
	if p.Seq == 0 || q.Seq == 0 {
		return p.Block < q.Block
	}
	return p.Seq < q.Seq
}

// Check returns ErrFoldMoved if the store's place changed.
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
		return s.finish(ctx) // a previous try failed
	}
	return nil
}

// forget removes updates that NATS lost from a store with data from before that loss. Otherwise the API would reject
// their ids as duplicates forever.
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
		// The letters' sequences have a gap here, so the ledger may lack dead letters.
		if !all && (m.Kind != ledger.Letter && m.Letters > letters || m.Seq == 0 && m.Letters > letters+1) {
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

func (s *Statuses) moveTo(ctx context.Context, to ledger.Position, facts []score.Fact) error {
	is := place{s.seen.token, s.seen.process, to}
	if err := s.Store.Fold(ctx, s.at, is.String(), facts); err != nil {
		return err
	}
	s.at, s.seen = slices.Repeat([]string{is.String()}, len(s.at)), is
	return nil
}

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
			s.restore.edits.deadLetter(m.Letter) // may be newer than the restore
		}
		if f, is := factOfLetter(m.Letter); is {
			return fn(f)
		}
	}
	return nil
}

// factOf returns the fact of an event, without outcomes "unknown project": the lane assigns such an update again, or
// a dead letter follows.
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

// factOfLetter returns the fact of a dead letter. is is false if the letter is corrupt, or an event has its outcome.
// If the letter was replayed, the fact is Gone, since the replayed update gets its own outcome.
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

// bringBack begins a restore: it writes the stream's updates as accepted, and returns where folding restarts. Apply
// completes the restore at the ledger's present end. If since is zero, folding restarts Retention ago. Otherwise only
// writes after since are lost, and folding restarts at since. It restarts at folded if that is earlier, since a
// Rewind may follow it.
func (s *Statuses) bringBack(ctx context.Context, since time.Time, folded ledger.Position) (from ledger.Position, err error) {
	s.Log.Info("the status store is empty or has lost data; bringing it back from the stream and the ledger", "since", since)
	if !since.IsZero() {
		if from, err = s.Ledger.Since(ctx, since); err != nil {
			return from, err
		}
		if before(folded, from) {
			from = folded
		}
		if from.Seq == 0 { // folding reads the chain, which lacks replaced blocks
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
	// Writes after BeginRestore stay, so all lost writes are of messages up to this end, which is read after it.
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
		// The stream keeps all after its oldest pending update, perhaps with outcomes older than the retention.
		if oldest = oldest.Add(-clocksDiffer); oldest.Before(since) {
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

// accepted writes the stream's updates since a time as accepted. It returns the oldest message's time, or now.
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

// deadLetters writes the outcomes of dead letters since a time, since the ledger may lack them. It calls fn with all
// dead letters.
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

// finish writes the outcomes of made edits, then declares the store complete. An edit's status is accepted if the
// newest acceptance of its nonce is pending.
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

// again retries an idempotent write, so that a long restore survives a passing error. ErrFoldMoved ends it at once.
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
