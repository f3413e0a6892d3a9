package lease

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

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket; package stream creates it.
const Bucket = "LEASES"

const (
	replicaPrefix = "replica."
	lanePrefix    = "lane."
	dropTimeout   = 2 * time.Second // for deleting a key
	renewals      = 4               // per lifetime
)

type Config struct {
	Replica string        // unique; letters, digits, dash and underscore
	TTL     time.Duration // lifetime of a key without renewal: whole seconds, ≥ 1 s
}

type Leases struct {
	config Config
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	log    *slog.Logger
}

func Open(ctx context.Context, js jetstream.JetStream, config Config, log *slog.Logger) (*Leases, error) {
	if config.TTL < time.Second || config.TTL%time.Second != 0 {
		return nil, fmt.Errorf("a lease's lifetime is whole seconds, at least one; %s is not", config.TTL)
	}
	if config.Replica == "" || strings.ContainsFunc(config.Replica, notInKey) {
		return nil, fmt.Errorf("a replica's name is letters, digits, - and _; %q is not", config.Replica)
	}
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Leases{config: config, js: js, kv: kv, log: log}, nil
}

// Drivers returns the name of the replica that holds each lane's lease; a killed holder's until the lease expires.
func Drivers(ctx context.Context, js jetstream.JetStream) (map[score.Lane]string, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	drivers := map[score.Lane]string{}
	err = watched.All(ctx, js.Conn(), kv, func(e jetstream.KeyValueEntry) error {
		if text, is := strings.CutPrefix(e.Key(), lanePrefix); is {
			if id, err := strconv.ParseUint(text, 10, 16); err == nil {
				drivers[score.Lane(id)], _, _ = strings.Cut(string(e.Value()), " ")
			}
		}
		return nil
	})
	return drivers, err
}

// Holder returns the replica that holds a lease of Lead, as Drivers; "" if there is none.
func Holder(ctx context.Context, js jetstream.JetStream, name string) (string, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return "", err
	}
	entry, err := kv.Get(ctx, name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("couldn't read the lease %s: %w", name, err)
	}
	holder, _, _ := strings.Cut(string(entry.Value()), " ")
	return holder, nil
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
		board: board{ttl: l.config.TTL, keys: map[string]*entry{}}, ended: make(chan struct{}, 1),
	}
	events, again := make(chan watched.Event), make(chan struct{}, 1)
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = watched.Watch(ctx, l.js.Conn(), l.kv, l.log, again, func(e watched.Event) {
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

func (s *share) see(n watched.Event) {
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
		case h.err != nil && (watched.Moved(h.err) || !time.Now().Before(h.until)):
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
func (s *share) keep(ctx context.Context, h *held, seen *entry) error {
	if seen != nil && seen.value == s.token {
		h.revision = max(h.revision, seen.revision)
	}
	err := s.write(ctx, h, s.token, jetstream.WithExpectLastSequencePerSubject(h.revision))
	if err == nil || !watched.Moved(err) {
		return err
	}
	stored, missing := s.kv.Get(ctx, h.key)
	if missing != nil || string(stored.Value()) != s.token {
		return err
	}
	h.revision = stored.Revision()
	err = s.write(ctx, h, s.token, jetstream.WithExpectLastSequencePerSubject(h.revision))
	if watched.Moved(err) { // in a cluster, also while our earlier renewal is in flight
		return errors.New("the lease " + h.key + " is ours, and its renewal is refused for now")
	}
	return err
}

func (s *share) write(ctx context.Context, h *held, value string, opts ...jetstream.PublishOpt) error {
	until := time.Now().Add(s.config.TTL)
	opts = append(opts, jetstream.WithMsgTTL(s.config.TTL), jetstream.WithRetryAttempts(0))
	ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: "$KV." + Bucket + "." + h.key, Data: []byte(value)}, opts...)
	if err != nil {
		return fmt.Errorf("couldn't renew the lease %s: %w", h.key, err)
	}
	h.revision, h.until = ack.Sequence, until
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
		key := keyOf(lane)
		if plan[lane] != s.config.Replica || s.held[lane] != nil || s.board.alive(key, time.Now()) {
			continue
		}
		h := &held{key: key}
		err := s.acquire(ctx, h)
		switch {
		case err == nil:
			s.start(lane, h)
		case watched.Moved(err):
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
		if err == nil || !watched.Moved(err) {
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

func keyOf(lane score.Lane) string { return lanePrefix + strconv.Itoa(int(lane)) }
