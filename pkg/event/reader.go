package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Errors of a Reader.
var (
	// ErrReplaced reports that the ledger does not know a cursor any more, and the chain has replaced its block: nothing tells what still holds.
	ErrReplaced = ledger.ErrReplaced
	// ErrAhead reports that the ledger does not reach a cursor yet, as this process reads it.
	ErrAhead = ledger.ErrAhead
)

// Chain asks the chain's endpoints.
type Chain interface {
	// BlockByHash is a block, of any branch; ethereum.NotFound where no endpoint has it.
	BlockByHash(ctx context.Context, hash common.Hash) (evidence.Block, error)
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

// Projects knows the records of final projects. A directory's view does.
type Projects interface {
	// Project is a project's record, which may not be changed; ok is false of one that it does not know (yet).
	Project(id score.ProjectID) (rec *score.Record, ok bool)
}

// DefaultPoll is Reader.Poll unless it is set.
const DefaultPoll = time.Second

const (
	olderAtOnce   = 2           // readers that read what the Source does not have in memory: a page may take some seconds and 100 MB
	olderKept     = 4           // such pages that are kept, since each is told in several parts, and maybe to several readers
	projectsKnown = 1024        // whose lists are kept
	tellPause     = time.Minute // between two lines of the log about readers that wait
	longPolls     = 10          // Polls that a reader may be held up before that is a stall
	stallPolls    = 60          // Polls that a stall is shown for: longer than until a reader that waits fails again
)

// Reader reads projects' events from the ledger. It is safe for concurrent use.
type Reader struct {
	Source     *ledger.Source // running
	Letters    ledger.Letters
	Chain      Chain
	Deployment score.Deployment
	Projects   Projects
	Poll       time.Duration // how often to look whether a directory that was behind has caught up; 0 means DefaultPoll
	Stalled    *Stalled      // nil: none
	Log        *slog.Logger

	init      sync.Once
	reading   chan struct{}                      // one for each reader of what is older
	perReader sync.Map                           // by a name of AsReader: holds one while a call of that reader reads what is older
	asking    chan struct{}                      // holds one while the contract is asked for lists
	lists     *lru.Cache[score.ProjectID, lists] // of projects whose records lacked something

	mu      sync.Mutex
	older   []page    // the newest that were read, the oldest first
	told    time.Time // when the log was told of a reader that waits
	awaited time.Time // when one waited for the directory
	awaits  time.Time // since when some do, one after the other or all the time
}

// page is what the ledger has behind a position.
type page struct {
	after    ledger.Position
	messages []*ledger.Message
}

// Stalled shows whether a process's readers of events wait for what cannot be read.
type Stalled struct{ until atomic.Int64 } // unix nanoseconds

// NewStalled registers the gauge.
func NewStalled(reg prometheus.Registerer) *Stalled {
	s := &Stalled{}
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "scorelay_events_stalled", Help: "1 while readers of events (streams of the API, webhooks of the relayer) wait for what cannot be read of the ledger or the chain, or for a directory that stays behind; for a minute after one did.",
	}, func() float64 {
		if time.Now().UnixNano() < s.until.Load() {
			return 1
		}
		return 0
	})
	return s
}

func (r *Reader) prepare() {
	r.init.Do(func() {
		r.Poll = cmp.Or(r.Poll, DefaultPoll)
		r.reading, r.asking = make(chan struct{}, olderAtOnce), make(chan struct{}, 1)
		r.lists = lru.NewCache[score.ProjectID, lists](projectsKnown)
	})
}

// End is the cursor after all that is final now.
func (r *Reader) End(ctx context.Context) (Cursor, error) {
	end, err := r.Source.End(ctx)
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{Position: end.Position}, nil
}

// Holds is nil if Next can continue from a cursor. At once it is ErrReplaced if the ledger does not know it and its block is not in the chain,
// ErrAhead if that is yet to come. Any other error may pass.
func (r *Reader) Holds(ctx context.Context, at Cursor) error { return r.Source.Holds(ctx, at.Position) }

// Since is a cursor near a time: the events of blocks from then on come after it, and those of dead letters in the ledger that were stored from
// then on. Where there is nothing such it is the end.
func (r *Reader) Since(ctx context.Context, at time.Time) (Cursor, error) {
	p, err := r.Source.Since(ctx, at)
	return Cursor{Position: p}, err
}

// Next waits until the ledger was read further than a cursor, and returns at most about limit events (at least 1) and the cursor after them. Often there
// are no events: the cursor says that nothing is before it. A reader that stores cursors stores such a one now and then, so that it has little to read again.
// With an error come no events and the cursor that was given. Of the calls of one AsReader, one at a time reads what is older.
// ErrReplaced: see Holds. The context's error: it ended while there was nothing. Any other error may pass: try again after a pause.
func (r *Reader) Next(ctx context.Context, project score.ProjectID, after Cursor, limit int) ([]Event, Cursor, error) {
	r.prepare()
	t := &turn{Reader: r, project: project, at: after, limit: max(limit, 1)}
	for {
		began := time.Now()
		err := t.read(ctx)
		switch {
		case len(t.found) > 0, err == nil && t.at != after:
			return t.found, t.at, nil
		case err == nil: // the directory is behind
			if err = retry.Sleep(ctx, r.Poll); err == nil {
				continue
			}
		case errors.Is(err, ErrReplaced):
		case ctx.Err() == nil || time.Since(began) > longPolls*r.Poll && !r.quiet(ctx, t.at):
			r.stall(project, err)
		}
		return nil, after, err
	}
}

// quiet reports whether a reader whose context ended waited for what was yet to come.
func (r *Reader) quiet(ctx context.Context, at Cursor) bool {
	_, err := r.Source.End(ctx)
	return r.Source.Recent(at.Position) || errors.Is(err, ctx.Err()) // the ledger may hold nothing yet
}

// stall notes that a reader waits for what cannot be read.
func (r *Reader) stall(project score.ProjectID, err error) {
	now := time.Now()
	if r.Stalled != nil {
		r.Stalled.until.Store(now.Add(stallPolls * r.Poll).UnixNano())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.told) > tellPause {
		r.told = now
		r.Log.Warn("couldn't read what comes next of a project's events; their reader waits, and reads again", "project", project, "err", err)
	}
}

// turn is one call of Next.
type turn struct {
	*Reader

	project score.ProjectID
	at      Cursor // everything before it is in found, or nothing
	limit   int
	found   []Event
}

// read reads what is after the cursor once. What was found stays found where a later message fails.
func (t *turn) read(ctx context.Context) error {
	if t.at == (Cursor{}) {
		if begun, err := t.begin(ctx); err != nil || !begun {
			return err
		}
	}
	messages, err := t.messages(ctx, t.at.Position)
	if errors.Is(err, ErrReplaced) {
		t.forget()
	}
	if err != nil {
		return err
	}
	for _, m := range messages {
		if more, err := t.take(ctx, m); err != nil || !more {
			return err
		}
	}
	return nil
}

// begin goes to the project's creation or, where there is none, to where the ledger begins. The block of the creation is
// the directory's: the contract's own number may be of another chain. ok is false while the directory lacks it. If that
// lasts it goes to the contract's beginning: the directory may never get a record, as of one that is too big.
func (t *turn) begin(ctx context.Context) (ok bool, err error) {
	end, err := t.Source.End(ctx)
	if err != nil {
		return false, err
	}
	if rec, known := t.Projects.Project(t.project); known && rec.Created <= end.Position.Block {
		t.at.Position, err = t.Source.Start(ctx, rec.Created)
		return err == nil, err
	}
	if end.Block.Number >= t.Deployment.DeployBlock {
		info, err := t.readProject(ctx, end.Block)
		if err != nil {
			return false, fmt.Errorf("couldn't read whether project %s was created: %w", t.project, err)
		}
		if info.Exists() {
			if t.waitForDirectory("its creation") {
				t.at.Position, err = t.Source.Start(ctx, 0)
				return err == nil, err
			}
			return false, nil
		}
	}
	t.at.Position, err = t.Source.Begin(ctx)
	return err == nil, err
}

// readProject asks the contract for the project at the end of a block.
func (t *turn) readProject(ctx context.Context, at evidence.Ref) (registry.ProjectInfo, error) {
	return registry.ReadProject(t.project).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return t.Chain.Call(ctx, evidence.Call{To: t.Deployment.Contract, Data: data}, at.Hash)
	})
}

// messages returns what the ledger has after a position.
func (r *Reader) messages(ctx context.Context, after ledger.Position) ([]*ledger.Message, error) {
	if r.Source.Recent(after) {
		return r.Source.Next(ctx, after)
	}
	if some := r.kept(after); some != nil {
		return some, nil
	}
	leave, err := r.enterOlder(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the events after block %d, since other readers read old ones: %w", after.Block, err)
	}
	defer leave()
	if some := r.kept(after); some != nil { // another reader's, meanwhile
		return some, nil
	}
	some, err := r.Source.Next(ctx, after)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.older = append(r.older, page{after, some}); len(r.older) > olderKept {
		r.older = append([]page(nil), r.older[1:]...)
	}
	return some, nil
}

// kept returns what an older page has after a position.
func (r *Reader) kept(after ledger.Position) []*ledger.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.older {
		if p.after == after {
			return p.messages
		}
		for i, m := range p.messages[:len(p.messages)-1] {
			if m.Position == after && (m.Seq > 0 || m.Whole || m.Kind == ledger.Letter) {
				return p.messages[i+1:]
			}
		}
	}
	return nil
}

// forget drops the pages of what is older, since a reader was told of blocks that the chain replaced.
func (r *Reader) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.older = nil
}

type readerKey struct{}

// AsReader counts the calls under a context as those of one reader.
func AsReader(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readerKey{}, name)
}

// enterOlder waits for a place among those that read what is older; leave gives it back. Who has one waits for it.
func (r *Reader) enterOlder(ctx context.Context) (leave func(), err error) {
	own := make(chan struct{}, 1)
	if name := ctx.Value(readerKey{}); name != nil {
		of, _ := r.perReader.LoadOrStore(name, own)
		own = of.(chan struct{})
	}
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r.reading <- struct{}{}:
		return func() { <-r.reading; <-own }, nil
	case <-ctx.Done():
		<-own
		return nil, ctx.Err()
	}
}
