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

var (
	// ErrReplaced: the ledger no longer contains the cursor, and the chain replaced its block, so the still valid
	// events are unknown.
	ErrReplaced = ledger.ErrReplaced
	// ErrAhead: the ledger, as this process reads it, has yet to reach the cursor.
	ErrAhead = ledger.ErrAhead
)

type Chain interface {
	// BlockByHash returns a block of any branch, or ethereum.NotFound if every endpoint lacks it.
	BlockByHash(ctx context.Context, hash common.Hash) (evidence.Block, error)
	// Call runs a message on the state of block at.
	Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error)
}

type Projects interface {
	// Project returns a read-only record; ok is false for an unknown project.
	Project(id score.ProjectID) (rec *score.Record, ok bool)
}

const DefaultPoll = time.Second

const (
	// Concurrent reads of messages older than the Source's memory: a page may take some seconds and 100 MB.
	olderAtOnce = 2
	// Cached pages of older messages: each is delivered in several parts, maybe to several readers.
	olderKept     = 4
	projectsKnown = 1024        // projects with cached lists
	tellPause     = time.Minute // between two log lines about waiting readers
	longPolls     = 10          // Polls that a reader may wait before it is stalled
	stallPolls    = 60          // Polls for which Stalled shows a stall: longer than a waiting reader takes to fail again
)

// Reader is safe for concurrent use.
type Reader struct {
	Source     *ledger.Source // running
	Letters    ledger.Letters
	Chain      Chain
	Deployment score.Deployment
	Projects   Projects
	Poll       time.Duration // interval of checking a directory that was behind; 0 means DefaultPoll
	Stalled    *Stalled      // may be nil
	Log        *slog.Logger

	init      sync.Once
	reading   chan struct{}                      // holds one element for each running read of older messages
	perReader sync.Map                           // by AsReader's name: full while that reader reads older messages
	asking    chan struct{}                      // full while contractLists reads
	lists     *lru.Cache[score.ProjectID, lists] // of projects with incomplete records

	mu      sync.Mutex
	older   []page    // the newest pages read, oldest first
	told    time.Time // last log line about a waiting reader
	awaited time.Time // last wait for the directory
	awaits  time.Time // start of consecutive waits
}

type page struct {
	after    ledger.Position
	messages []*ledger.Message
}

type Stalled struct{ until atomic.Int64 } // unix nanoseconds

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

func (r *Reader) End(ctx context.Context) (Cursor, error) {
	end, err := r.Source.End(ctx)
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{Position: end.Position}, nil
}

// Holds returns nil if Next can continue at the cursor, else ErrReplaced, ErrAhead or an error that may pass.
func (r *Reader) Holds(ctx context.Context, at Cursor) error { return r.Source.Holds(ctx, at.Position) }

// Since returns a cursor before all events of blocks from a time on, and of the ledger's dead letters stored from
// then on. If there are none, it is the end.
func (r *Reader) Since(ctx context.Context, at time.Time) (Cursor, error) {
	p, err := r.Source.Since(ctx, at)
	return Cursor{Position: p}, err
}

// Next waits until the ledger was read beyond a cursor. It returns at most about limit events (a limit below 1 counts
// as 1) and the cursor after them. Often the result is only a newer cursor, which a reader should store now and then
// to reread less.
//
// If Next fails, it returns only the given cursor and ErrReplaced, ctx's error, or an error that may pass: retry
// after a pause.
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

// quiet reports whether a reader's context ended while it waited for new messages.
func (r *Reader) quiet(ctx context.Context, at Cursor) bool {
	_, err := r.Source.End(ctx)
	return r.Source.Recent(at.Position) || errors.Is(err, ctx.Err()) // the ledger may be empty
}

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
	at      Cursor // everything before it is in found, or irrelevant
	limit   int
	found   []Event
}

// read takes the next messages. Events found before an error stay in found.
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

// begin moves to the project's creation or, for an unknown project, to the ledger's beginning. The creation's block
// comes from the directory, since the contract's number may be of another chain. ok is false while the directory
// lacks the project. If that lasts (the record may be too big), begin moves to the contract's beginning.
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

func (t *turn) readProject(ctx context.Context, at evidence.Ref) (registry.ProjectInfo, error) {
	return registry.ReadProject(t.project).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return t.Chain.Call(ctx, evidence.Call{To: t.Deployment.Contract, Data: data}, at.Hash)
	})
}

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
	if some := r.kept(after); some != nil { // read by another reader meanwhile
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

// kept returns the cached messages after a position; nil if unknown.
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

// forget drops the cached pages after the chain replaced blocks.
func (r *Reader) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.older = nil
}

type readerKey struct{}

// AsReader marks calls under the context as those of one reader. A reader's calls read older messages one at a time.
func AsReader(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readerKey{}, name)
}

// enterOlder waits for a place to read older messages; leave releases it.
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
