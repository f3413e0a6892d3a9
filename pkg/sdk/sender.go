package sdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Stages of a Report.
const (
	Accepted = accepted // stored by the API, now or before
	Final    = "final"
	Refused  = "refused"
)

// Errors of Enqueue and TryEnqueue; nothing was queued.
var (
	ErrFull   = errors.New("the sender holds as many updates as it may")
	ErrClosed = errors.New("the sender is closed")
)

// ErrSpool reports a failed write. The spool may contain the updates: queue them again under the returned ids.
var ErrSpool = errors.New("the spool could not be written")

// SenderOptions configure a Sender. Project and Sign are required.
type SenderOptions struct {
	Project score.ProjectID
	Sign    Signer // of an owner or updater of the project
	Scheme  Scheme // of single updates: see UpdateScore
	// if set, updates are sent in groups, signed under this domain, from the backend's own configuration
	Groups wallet.Domain

	Linger   time.Duration // maximum wait until a group is full; 0: a second
	Capacity int           // most updates held, followed ones included; 0: 100,000 (40 MB with a spool)
	Requests int           // concurrent requests; 0: 8
	Spool    string        // file that preserves unsent updates across crashes; empty: memory only
	Follow   bool          // poll each update until it is final, which uses the key's quota of look-ups

	// Report, if set, receives each update's result: Accepted and, with Follow, Final; or Refused. Calls are
	// sequential. Each blocks one of the goroutines that send or poll. Report may call TryEnqueue, but no method that
	// waits. With a spool, a crash may repeat a report.
	Report func(Report)
}

type Report struct {
	Update NamedUpdate
	Status       // its Stage is Accepted, Final or Refused
	Err    error // why it was Refused, an *Error
}

// Sender sends updates in the background. It mints missing ids, and retries each update under the same id until the
// API accepts or refuses it. It keeps no order, since scores are sums. It is safe for concurrent use.
//
// A refusal is a 4xx response of the API that concerns the update. Problems of the sender (its API key, its clock, a
// proxy) are retried until fixed, since the update is valid. State returns them.
type Sender struct {
	client *Client
	o      SenderOptions
	minter *Minter
	spool  *spool // nil: memory only

	life   context.Context //nolint:containedctx // of the goroutines, until Close
	end    context.CancelFunc
	ended  sync.WaitGroup
	report sync.Mutex // held during calls of Report

	mu       sync.Mutex
	held     map[score.UpdateID]*held
	last     uint64        // number of the newest held update
	queue    []*held       // unsent, and waiting for a request
	unsent   int           // queued, in requests, or being reported as accepted or refused
	followed []*held       // accepted, waiting for a look-up; least recently polled first
	open     int           // followed, or being looked up or reported as final
	changed  chan struct{} // closed and replaced at each change of these fields
	flushes  int           // calls of Flush in progress, which disable Linger
	closed   bool
	pace     pace

	followErr   error
	project     *ProjectState // as last read, for the indexes of names; nil: unread
	projectSeen time.Time
}

type held struct {
	n        uint64 // its number in the spool
	update   NamedUpdate
	stored   bool // in the spool, if there is one
	accepted bool
	since    time.Time // of its queueing, acceptance or last look-up that found it
}

// NewSender starts a sender, which first sends the updates in the spool. Only one sender at a time can open a spool.
// Errors: invalid options, and the spool's. Close releases the sender's resources.
func NewSender(client *Client, o SenderOptions) (*Sender, error) {
	if o.Project == (score.ProjectID{}) || o.Sign == nil {
		return nil, errors.New("a sender needs a project and a signer")
	}
	o.Linger, o.Capacity, o.Requests = cmp.Or(o.Linger, time.Second), cmp.Or(o.Capacity, 100_000), cmp.Or(o.Requests, 8)
	if o.Linger < 0 || o.Capacity < 0 || o.Requests < 0 {
		return nil, errors.New("a sender's linger, capacity and requests cannot be negative")
	}
	s := &Sender{client: client, o: o, minter: NewMinter(), held: map[score.UpdateID]*held{}, changed: make(chan struct{})}
	if o.Groups != (wallet.Domain{}) {
		s.client = client.Expecting(o.Groups)
	}
	if o.Spool != "" {
		if err := s.restore(); err != nil {
			return nil, err
		}
	}
	s.life, s.end = context.WithCancel(context.Background())
	for range o.Requests {
		s.ended.Go(s.work)
	}
	if o.Follow {
		s.ended.Go(s.follow)
	}
	return s, nil
}

func (s *Sender) restore() error {
	opened, entries, err := openSpool(s.o.Spool)
	if err != nil {
		return err
	}
	s.spool, s.last = opened, opened.last
	for _, e := range entries {
		if e.update.ProjectID != s.o.Project {
			opened.close()
			return fmt.Errorf("the spool %s holds updates of the project %s", s.o.Spool, e.update.ProjectID)
		}
		h := &held{n: e.n, update: e.update, stored: true, accepted: e.accepted, since: time.Now()}
		switch {
		case !e.accepted:
			s.queue, s.unsent = append(s.queue, h), s.unsent+1
		case s.o.Follow:
			s.followed, s.open = append(s.followed, h), s.open+1
		default:
			opened.mark(h.n, true)
			continue
		}
		s.held[h.update.UpdateID] = h
	}
	return nil
}

// Enqueue queues all of the updates or none, and returns their ids in order. It waits for room until ctx ends. With a
// spool, queued updates survive a crash. Enqueue mints missing UpdateIDs, sets missing ProjectIDs, and skips updates
// that the sender already holds. Errors: ErrFull for more updates than Capacity, ErrClosed, ErrSpool, ctx's, an
// invalid update, and an id that another update has.
//
// After a crash during Enqueue, the spool may contain the updates. To queue them again, a backend must choose the ids
// itself and store them with its own data: under the same id an update applies once.
func (s *Sender) Enqueue(ctx context.Context, updates ...NamedUpdate) ([]score.UpdateID, error) {
	return s.enqueue(ctx, updates, true)
}

// TryEnqueue is Enqueue, with ErrFull instead of waiting.
func (s *Sender) TryEnqueue(updates ...NamedUpdate) ([]score.UpdateID, error) {
	return s.enqueue(context.Background(), updates, false)
}

func (s *Sender) enqueue(ctx context.Context, given []NamedUpdate, wait bool) ([]score.UpdateID, error) {
	updates, ids := slices.Clone(given), make([]score.UpdateID, len(given))
	for i := range updates {
		u := &updates[i]
		u.ProjectID = cmp.Or(u.ProjectID, s.o.Project)
		if u.ProjectID != s.o.Project {
			return nil, fmt.Errorf("update %d is of the project %s; the sender's is %s", i, u.ProjectID, s.o.Project)
		}
		if u.TargetWallet == (common.Address{}) {
			return nil, fmt.Errorf("update %d has the zero address as its target", i)
		}
		if u.UpdateID == (score.UpdateID{}) {
			u.UpdateID = s.minter.Next()
		}
		ids[i] = u.UpdateID
	}
	fresh, err := s.admit(ctx, updates, wait)
	if err != nil {
		return nil, err
	}
	if s.spool != nil {
		err = s.spool.put(fresh)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range fresh {
		if h.stored = err == nil; !h.stored {
			delete(s.held, h.update.UpdateID)
			s.unsent--
		}
	}
	if err == nil {
		s.queue = append(s.queue, fresh...)
	}
	s.change()
	return ids, err
}

// errStoring reports that another call is writing the id to the spool.
var errStoring = errors.New("is being stored")

func (s *Sender) admit(ctx context.Context, updates []NamedUpdate, wait bool) ([]*held, error) {
	if len(updates) > s.o.Capacity {
		return nil, fmt.Errorf("%w: these are %d, it holds up to %d", ErrFull, len(updates), s.o.Capacity)
	}
	for {
		s.mu.Lock()
		fresh, err := s.tryAdmit(updates)
		changed := s.changed
		s.mu.Unlock()
		if !errors.Is(err, errStoring) && (!wait || !errors.Is(err, ErrFull)) {
			return fresh, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("nothing was queued: %w", context.Cause(ctx))
		case <-changed:
		}
	}
}

func (s *Sender) tryAdmit(updates []NamedUpdate) (fresh []*held, err error) {
	if s.closed {
		return nil, ErrClosed
	}
	batch := map[score.UpdateID]*held{}
	for i := range updates {
		id := updates[i].UpdateID
		known := cmp.Or(s.held[id], batch[id])
		switch {
		case known == nil:
			h := &held{n: s.last + uint64(len(fresh)) + 1, update: updates[i], since: time.Now()}
			fresh, batch[id] = append(fresh, h), h
		case known.update != updates[i]:
			return nil, fmt.Errorf("another update has the id %s", id)
		case !known.stored && s.held[id] != nil:
			return nil, errStoring
		}
	}
	if len(s.held)+len(fresh) > s.o.Capacity {
		return nil, ErrFull
	}
	maps.Copy(s.held, batch)
	s.last, s.unsent = s.last+uint64(len(fresh)), s.unsent+len(fresh)
	return fresh, nil
}

// Flush turns Linger off, and waits until each queued update is accepted or refused, and reported. If ctx or the
// sender ends first, it returns the unsent updates, oldest first, and ctx's error or ErrClosed.
func (s *Sender) Flush(ctx context.Context) (unsent []NamedUpdate, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushes++
	defer func() { s.flushes-- }()
	s.change()
	for s.unsent > 0 {
		if ctx.Err() != nil {
			return s.unsentUpdates(), fmt.Errorf("not all updates are sent: %w", context.Cause(ctx))
		}
		if s.life.Err() != nil {
			return s.unsentUpdates(), ErrClosed
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		}
		s.mu.Lock()
	}
	return nil, nil
}

// Close stops accepting updates, flushes, and ends the sender. If ctx ends first, it cancels requests, which may have
// reached the API, and returns the unsent updates as Flush does. These are in the spool. Without one, queue them in
// another sender under their ids. A second call returns ErrClosed.
func (s *Sender) Close(ctx context.Context) (unsent []NamedUpdate, err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	s.closed = true
	s.change()
	s.mu.Unlock()
	_, err = s.Flush(ctx)
	s.end()
	s.ended.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	// Ends a concurrent Flush.
	s.change()
	if s.spool != nil {
		s.spool.close()
	}
	if unsent = s.unsentUpdates(); len(unsent) == 0 {
		err = nil // the missing responses arrived while the sender ended
	}
	return unsent, err
}

func (s *Sender) unsentUpdates() []NamedUpdate {
	var unsent []*held
	for _, h := range s.held {
		if !h.accepted {
			unsent = append(unsent, h)
		}
	}
	slices.SortFunc(unsent, func(a, b *held) int { return cmp.Compare(a.n, b.n) })
	updates := make([]NamedUpdate, len(unsent))
	for i, h := range unsent {
		updates[i] = h.update
	}
	return updates
}

// SenderState is for metrics and alerts.
type SenderState struct {
	Unsent    int   // waiting for acceptance or refusal
	Followed  int   // accepted, waiting for the outcome, with Follow
	Err       error // of the last attempt to send or sign; nil after a success
	FollowErr error // of the last look-up; nil after a success
	// unreadable lines in the spool when it was opened; kept in a copy: .damaged, .damaged-2 … .damaged-9
	Damaged int
}

func (s *Sender) State() SenderState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := SenderState{Unsent: s.unsent, Followed: s.open, Err: s.pace.err, FollowErr: s.followErr}
	if s.spool != nil {
		state.Damaged = s.spool.damaged
	}
	return state
}

// change wakes all waiters; s.mu is held.
func (s *Sender) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}
