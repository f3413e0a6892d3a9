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
	Accepted = accepted // stored by the API, which now carries it to the chain; of an id that was sent before, too
	Final    = "final"  // its outcome stands
	Refused  = "refused"
)

// Errors of Enqueue and TryEnqueue, after which nothing was queued.
var (
	ErrFull   = errors.New("the sender holds as many updates as it may")
	ErrClosed = errors.New("the sender is closed")
)

// ErrSpool says that an update may be in the spool or not. Queue it again under the id that came with the error.
var ErrSpool = errors.New("the spool could not be written")

// SenderOptions say how a Sender sends. Project and Sign are required.
type SenderOptions struct {
	Project score.ProjectID
	Sign    Signer        // of an owner or updater of the project
	Scheme  Scheme        // what single updates have signed: see UpdateScore
	Groups  wallet.Domain // if given, of the backend's own configuration: updates go in signed groups under it

	Linger   time.Duration // how long an update waits until a group is full; 0: a second
	Capacity int           // how many updates it holds at most, those that it follows among them; 0: 100,000 (40 MB with a spool)
	Requests int           // how many requests are in progress at once; 0: 8
	Spool    string        // file that keeps what is not sent over a crash; empty: it is in memory only
	Follow   bool          // look until each update is final, which counts against the key's quota of look-ups

	// Report, if given, is told what became of each update: Accepted and, with Follow, Final; or Refused. It is called by one
	// goroutine at a time, which sends nothing meanwhile; it may call TryEnqueue, but no method that waits. With a spool a
	// report may come again after a crash.
	Report func(Report)
}

// Report is what became of an update.
type Report struct {
	Update NamedUpdate
	Status       // its Stage is Accepted, Final or Refused
	Err    error // of Refused: why, an *Error
}

// Sender takes updates at any time and sends them when it can: it queues them, mints their ids, and sends each under its
// one id until the API accepts or refuses it, for as long as that takes. No order is kept: scores are sums, which come out
// the same. Its methods may be called from many goroutines.
//
// A refusal is an answer of the API itself, of a status 4xx, that concerns the update. What concerns the sender (its API
// key, its clock, a page of a proxy) is tried again until it is right, since the update is good; State tells of it.
type Sender struct {
	client *Client
	o      SenderOptions
	minter *Minter
	spool  *spool // nil: none

	life   context.Context //nolint:containedctx // of the goroutines, until Close
	end    context.CancelFunc
	ended  sync.WaitGroup
	report sync.Mutex // held while Report is called

	mu       sync.Mutex
	held     map[score.UpdateID]*held
	last     uint64        // the number of the newest held
	queue    []*held       // unsent, and in no request
	unsent   int           // the queue's, those in requests, and those whose acceptance or refusal is being reported
	followed []*held       // accepted, not final, and in no look-up; those that were looked up longest ago first
	open     int           // the followed, those in look-ups, and those whose end is being reported
	changed  chan struct{} // closed and replaced when any of this changes
	flushes  int           // in progress: nothing lingers
	closed   bool
	pace     pace

	followErr   error
	project     *ProjectState // as last seen, for the indexes of names; nil before
	projectSeen time.Time
}

// held is an update that the sender has to do something about.
type held struct {
	n        uint64 // its number in the spool
	update   NamedUpdate
	stored   bool      // Enqueue returned, or is about to
	accepted bool      // by the API
	since    time.Time // when it was queued or accepted
}

// NewSender starts a sender. What an earlier process left in the spool is sent first; an error is one of the options or of
// the spool, which one sender at a time can have. Close it, or it leaks.
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

// restore takes over what the spool holds.
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

// Enqueue takes updates, all or none of them, and waits for room until ctx ends. With a spool they survive a crash once it
// returns. An update without an UpdateID gets the next of the sender's minter, one without a ProjectID the sender's. The ids
// are answered in order; an update whose id is in the queue already is not queued twice.
//
// A crash before it returns leaves open whether the spool has the updates. A backend that would then queue them again gives
// them ids of its own, which it keeps with what they are for: under the same id they apply once.
func (s *Sender) Enqueue(ctx context.Context, updates ...NamedUpdate) ([]score.UpdateID, error) {
	return s.enqueue(ctx, updates, true)
}

// TryEnqueue is Enqueue, but answers ErrFull instead of waiting for room.
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

// errStoring says that another call is storing an update of the same id.
var errStoring = errors.New("is being stored")

// admit holds those of the updates that are not held yet, once there is room for all.
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

// Flush waits until each update that was queued was accepted or refused, and reported so; nothing lingers meanwhile. When
// ctx ends before, it returns ctx's error with the updates that are still unsent, the oldest first; ErrClosed with them when the sender ends.
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

// Close takes no more updates, flushes, and ends the sender; it does not wait for those that are followed. What is unsent when ctx ends is returned as by Flush: it is in
// the spool, or can be queued in another sender under its ids; requests that are cut off may have reached the API.
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
	s.change() // another Flush waits no longer
	if s.spool != nil {
		s.spool.close()
	}
	if unsent = s.unsentUpdates(); len(unsent) == 0 {
		err = nil // what was missing came while the sender ended
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

// SenderState is what a sender has to do, for metrics and alerts.
type SenderState struct {
	Unsent    int   // updates queued that were neither accepted nor refused yet
	Followed  int   // updates accepted that are not final yet, with Follow
	Err       error // why the last update could not be sent, or signed; nil when one was sent since
	FollowErr error // the same of look-ups
	Damaged   int   // lines of the spool that could not be read when it was opened; they are in a copy beside it, .damaged, .damaged-2 … .damaged-9
}

// State is how much the sender has to do, and what keeps it from that.
func (s *Sender) State() SenderState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := SenderState{Unsent: s.unsent, Followed: s.open, Err: s.pace.err, FollowErr: s.followErr}
	if s.spool != nil {
		state.Damaged = s.spool.damaged
	}
	return state
}

// change wakes all that wait for a change; s.mu is held.
func (s *Sender) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}
