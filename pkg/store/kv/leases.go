package kv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	replicaPrefix = "replica."
	lanePrefix    = "lane."
	dropTimeout   = 2 * time.Second // for deleting a key
	renewals      = 4               // per lifetime
)

type LeaseConfig struct {
	Replica string        // unique; letters, digits, dash and underscore
	TTL     time.Duration // lifetime of a key without renewal: whole seconds, ≥ 1 s
}

// Leases distributes the lanes evenly among the live relayer replicas.
//
// Every replica keeps a key in the bucket with the lanes that it can drive, and one key for each lane that
// it holds. All replicas watch the bucket and compute the same plan: which replica should drive which lane. A replica
// takes the free lanes that the plan assigns to it, and releases those of others, one a round.
//
//	free ──Create──► held ──renewed every quarter of the lifetime──► held
//	  ▲                │ released (share, shutdown): deleted when its session has ended
//	  └────────────────┴ not renewed within the lifetime: the session ends, and another replica writes over the key
//
// # How fast a lane is taken over
//
// A replica overwrites the last revision of a key that was not renewed for its lifetime (4 s by default). So a killed
// holder's lane opens again one lifetime and two round trips to NATS after its last renewal. This is independent of
// rounds and of the server, which removes expired keys up to a second later. The watch shows a released lane at once.
//
// A slow holder keeps its lanes if one renewal per lifetime is stored. Renewals are sent in parallel, and each may
// take half of the lifetime. A renewal with a lost reply is recognized by the process's unique value.
//
// # Moves come to an end
//
// With stable replicas, lanes soon settle: TestMovesComeToAnEnd. A replica that stops deletes its own key first, so
// that plans exclude it, and each lane's key when its session has ended.
//
// # Guarantee
//
// A lease makes it rare that two replicas drive a lane. The fence is the compare-and-set of the lane's journal, since
// a replica that slept past its lease finds out late. The holder counts the lifetime from before the renewing
// request, others from when they saw the renewal, each by its own monotonic clock. So a running holder stops before
// others may start. A replica that slept, or has a late watch, may take a live holder for dead. The server then
// refuses its write, since the key has a newer revision.
//
// # Rejected
//
//   - Waiting for the server to expire keys: it does so in steps of a second.
//   - A shorter lifetime: on a busy machine with two cores, or with slow syncs, replicas would lose their lanes.
type Leases struct {
	bucket
	config LeaseConfig
	log    *slog.Logger
}

// OpenLeases rejects an invalid config, and has the errors of OpenMap.
func OpenLeases(ctx context.Context, js jetstream.JetStream, config LeaseConfig, log *slog.Logger) (*Leases, error) {
	if config.TTL < time.Second || config.TTL%time.Second != 0 {
		return nil, fmt.Errorf("a lease's lifetime is whole seconds, at least one; %s is not", config.TTL)
	}
	if config.Replica == "" || strings.ContainsFunc(config.Replica, notInKey) {
		return nil, fmt.Errorf("a replica's name is letters, digits, - and _; %q is not", config.Replica)
	}
	b, err := open(ctx, js, leasesBucket)
	if err != nil {
		return nil, err
	}
	return &Leases{b, config, log}, nil
}

// Drivers returns the name of the replica that holds each lane's lease; a killed holder's until the lease expires.
func Drivers(ctx context.Context, js jetstream.JetStream) (map[score.Lane]string, error) {
	b, err := open(ctx, js, leasesBucket)
	if err != nil {
		return nil, err
	}
	drivers := map[score.Lane]string{}
	err = b.each(ctx, lanePrefix+"*", func(e jetstream.KeyValueEntry) error {
		if id, err := strconv.ParseUint(strings.TrimPrefix(e.Key(), lanePrefix), 10, 16); err == nil {
			drivers[score.Lane(id)] = holderOf(string(e.Value()))
		}
		return nil
	})
	return drivers, err
}

// Holder returns the replica that holds a lease of Lead, as Drivers; "" if there is none.
func Holder(ctx context.Context, js jetstream.JetStream, name string) (string, error) {
	b, err := open(ctx, js, leasesBucket)
	if err != nil {
		return "", err
	}
	e, err := b.get(ctx, name)
	if err != nil {
		return "", fmt.Errorf("couldn't read the lease %s: %w", name, err)
	}
	if e == nil {
		return "", nil
	}
	return holderOf(string(e.Value())), nil
}

func notInKey(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

type held struct {
	key      string
	revision uint64
	until    time.Time // expiry, by our clock
	stop     context.CancelFunc
	expiry   *time.Timer   // calls stop at until, even during a slow round
	done     chan struct{} // closed at the session's end
	ending   bool          // stop was called
	err      error         // of the last renewal
}

// share is the state of one Run, owned by its goroutine.
type share struct {
	*Leases
	lanes   func() (driven, able []score.Lane)
	drive   func(context.Context, score.Lane)
	token   string // value of our lanes' keys; the value of self's key adds the lanes that we can drive
	self    held
	held    map[score.Lane]*held
	board   board
	unseen  time.Time // since when the watch has lacked our own key's newest revision; zero: it has it
	failing bool
	seen    situation // of the last plan
	planned map[score.Lane]string
	idle    bool      // standby was logged
	orphans string    // lanes without an able replica, as last logged
	patient time.Time // when to try again to take a lane, after a failure
	ended   chan struct{}
	running sync.WaitGroup
}

// Run keeps this replica's share of the lanes until ctx ends, and calls drive in a goroutine for each lane held.
// lanes returns the lanes to drive, and those of them that this replica can drive. drive's context ends when ctx
// does, or when the lease is lost or released; the lane's key is deleted when drive has returned. Run returns ctx's
// error after the last drive.
func (l *Leases) Run(ctx context.Context, lanes func() (driven, able []score.Lane), drive func(ctx context.Context, lane score.Lane)) error {
	s := &share{
		Leases: l, lanes: lanes, drive: drive, token: l.config.Replica + " " + rand.Text(),
		self: held{key: replicaPrefix + l.config.Replica}, held: map[score.Lane]*held{},
		board: board{ttl: l.config.TTL, keys: map[string]*leaseKey{}}, ended: make(chan struct{}, 1),
	}
	events, again := make(chan event), make(chan struct{}, 1)
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = l.watch(ctx, ">", l.log, again, func(e event) {
			select {
			case <-ctx.Done():
			case events <- e:
			}
		})
	})
	renew := time.NewTicker(l.config.TTL / renewals)
	defer renew.Stop()
	due := time.NewTimer(0)
	defer due.Stop()
	s.round(ctx, again)
	for ctx.Err() == nil {
		due.Reset(s.board.next(time.Now()))
		select {
		case <-ctx.Done():
		case <-renew.C:
			s.round(ctx, again)
		case n := <-events:
			s.see(n)
		case <-s.ended:
			s.reap()
		case <-due.C: // another replica's key expired
		}
		s.take(ctx)
	}
	watching.Wait()
	s.giveUp()
	return ctx.Err()
}

func (s *share) round(ctx context.Context, again chan<- struct{}) {
	s.reap()
	err := s.renew(ctx)
	if err != nil && ctx.Err() == nil && !s.failing {
		s.log.Warn("couldn't renew leases; a lane that is not renewed in time is stopped", "err", err)
	}
	s.failing = err != nil
	s.giveOneBack()
	s.say()
	if !s.unseen.IsZero() && time.Since(s.unseen) > s.config.TTL {
		s.unseen = time.Time{}
		select {
		case again <- struct{}{}:
		default:
		}
	}
}

func (s *share) see(n event) {
	s.board.see(n, time.Now())
	if own := s.board.keys[s.self.key]; own != nil && own.revision >= s.self.revision {
		s.unseen = time.Time{}
	}
}

func (s *share) reap() {
	for lane, h := range s.held {
		select {
		case <-h.done:
			s.drop(h)
			delete(s.held, lane)
		default:
		}
	}
}

// renew renews our keys. It ends the session of a lane if the lane's lease expired or has another holder.
func (s *share) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.TTL/2)
	defer cancel()
	var writing sync.WaitGroup
	_, able := s.lanes()
	// unconditional: the name is ours
	writing.Go(func() { s.self.err = s.write(ctx, &s.self, valueOf(s.token, able)) })
	for _, h := range s.held {
		if !h.ending {
			seen := s.board.keys[h.key]
			writing.Go(func() { h.err = s.keep(ctx, h, seen) })
		}
	}
	writing.Wait()
	if s.self.err == nil && s.unseen.IsZero() {
		s.unseen = time.Now()
	}
	errs := []error{s.self.err}
	for lane, h := range s.held {
		switch {
		case h.ending:
		case h.err != nil && (moved(h.err) || !time.Now().Before(h.until)):
			s.log.Warn("the replica lost the lease of a lane; its session ends", "lane", lane, "err", h.err)
			s.end(h)
		default:
			errs = append(errs, h.err)
		}
	}
	return errors.Join(errs...)
}

// keep renews a lane's key. If an earlier renewal with a lost reply was stored, the key is ours, under a newer
// revision.
func (s *share) keep(ctx context.Context, h *held, seen *leaseKey) error {
	if seen != nil && seen.value == s.token {
		h.revision = max(h.revision, seen.revision)
	}
	err := s.write(ctx, h, s.token, jetstream.WithExpectLastSequencePerSubject(h.revision))
	if err == nil || !moved(err) {
		return err
	}
	stored, missing := s.kv.Get(ctx, h.key)
	if missing != nil || string(stored.Value()) != s.token {
		return err
	}
	h.revision = stored.Revision()
	err = s.write(ctx, h, s.token, jetstream.WithExpectLastSequencePerSubject(h.revision))
	if moved(err) { // in a cluster, also while our earlier renewal is in flight
		return errors.New("the lease " + h.key + " is ours, and its renewal is refused for now")
	}
	return err
}

func (s *share) write(ctx context.Context, h *held, value string, opts ...jetstream.PublishOpt) error {
	until := time.Now().Add(s.config.TTL)
	revision, err := s.put(ctx, h.key, []byte(value), append(opts, jetstream.WithMsgTTL(s.config.TTL), jetstream.WithRetryAttempts(0))...)
	if err != nil {
		return fmt.Errorf("couldn't renew the lease %s: %w", h.key, err)
	}
	h.revision, h.until = revision, until
	if h.expiry != nil {
		h.expiry.Reset(time.Until(until))
	}
	return nil
}

func (s *share) take(ctx context.Context) {
	if !s.board.whole || time.Now().Before(s.patient) {
		return
	}
	plan := s.plan()
	for _, lane := range slices.Sorted(maps.Keys(plan)) {
		if ctx.Err() != nil {
			return
		}
		key := laneKey(lane)
		if plan[lane] != s.config.Replica || s.held[lane] != nil || s.board.alive(key, time.Now()) {
			continue
		}
		h := &held{key: key}
		err := s.acquire(ctx, h)
		switch {
		case err == nil:
			s.start(lane, h)
		case moved(err):
			s.board.taken(key, time.Now())
		case ctx.Err() == nil:
			if !s.failing {
				s.log.Warn("couldn't take the lease of a lane; trying again", "lane", lane, "err", err)
			}
			s.patient, s.failing = time.Now().Add(s.config.TTL/renewals), true
			return
		}
	}
}

// acquire takes a lane's key. It overwrites a dead holder's last seen revision, which the server refuses if there was
// a renewal, or it creates the key.
func (s *share) acquire(ctx context.Context, h *held) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.TTL/2)
	defer cancel()
	if seen := s.board.keys[h.key]; seen != nil && seen.revision > 0 {
		err := s.write(ctx, h, s.token, jetstream.WithExpectLastSequencePerSubject(seen.revision))
		if err == nil {
			s.log.Info("took a lane over from a replica that showed no sign of life", "key", h.key, "replica", seen.value)
		}
		if err == nil || !moved(err) {
			return err
		}
	}
	until := time.Now().Add(s.config.TTL)
	revision, err := s.kv.Create(ctx, h.key, []byte(s.token), jetstream.KeyTTL(s.config.TTL))
	if err != nil {
		return err
	}
	h.revision, h.until = revision, until
	return nil
}

// start drives a lane with a context that only h.stop ends.
func (s *share) start(lane score.Lane, h *held) {
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.done = stop, make(chan struct{})
	h.expiry = time.AfterFunc(time.Until(h.until), stop)
	s.held[lane] = h
	s.running.Go(func() {
		s.drive(ctx, lane)
		close(h.done)
		select {
		case s.ended <- struct{}{}:
		default: // reaped together with the pending one
		}
	})
}

func (s *share) end(h *held) {
	h.ending = true
	h.expiry.Stop()
	h.stop()
}

func (s *share) drop(h *held) {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := s.kv.Delete(ctx, h.key, jetstream.LastRevision(h.revision)); err != nil {
		s.log.Debug("couldn't free a lease; it expires by itself", "key", h.key, "err", err)
	}
}

func (s *share) giveUp() {
	s.drop(&s.self)
	for _, h := range s.held {
		s.end(h)
	}
	for len(s.held) > 0 {
		<-s.ended
		s.reap()
	}
	s.running.Wait()
}

func laneKey(lane score.Lane) string { return lanePrefix + strconv.Itoa(int(lane)) }
