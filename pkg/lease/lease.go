package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bucket is the KV bucket of the leases; package stream creates it with everything else a deployment keeps.
const Bucket = "LEASES"

const (
	replicaPrefix = "replica."
	lanePrefix    = "lane."
	dropTimeout   = 2 * time.Second // of deleting a key
)

// Config of a replica's leases.
type Config struct {
	Replica string        // unique among replicas; letters, digits, dash and underscore
	TTL     time.Duration // after how long without renewal a key expires: whole seconds, at least 1 s. Default 5 s
}

// Leases is one replica's handle.
type Leases struct {
	config Config
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	log    *slog.Logger
}

// Open finds the bucket.
func Open(ctx context.Context, js jetstream.JetStream, config Config, log *slog.Logger) (*Leases, error) {
	if config.TTL == 0 {
		config.TTL = 5 * time.Second
	}
	if config.TTL < time.Second || config.TTL%time.Second != 0 {
		return nil, fmt.Errorf("a lease's lifetime is whole seconds, at least one; %s is not", config.TTL)
	}
	if config.Replica == "" || strings.ContainsFunc(config.Replica, notInKey) {
		return nil, fmt.Errorf("a replica's name is letters, digits, - and _; %q is not", config.Replica)
	}
	kv, err := js.KeyValue(ctx, Bucket)
	if err != nil {
		return nil, fmt.Errorf("couldn't find the bucket %s: %w", Bucket, err)
	}
	return &Leases{config: config, js: js, kv: kv, log: log}, nil
}

func notInKey(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// held is a key this replica keeps alive.
type held struct {
	key      string
	revision uint64
	until    time.Time          // when others may take it, by our clock
	stop     context.CancelFunc // of a lane's session
	expiry   *time.Timer        // calls stop at until, whatever the round is busy with
	done     chan struct{}      // closed when the session has ended
	ending   bool               // stop was called: no longer renewed
}

// share is the state of one Run, owned by its goroutine.
type share struct {
	*Leases
	lanes   int
	drive   func(context.Context, score.Lane)
	self    held
	held    map[score.Lane]*held
	running sync.WaitGroup
}

// Run keeps this replica's share of the lanes 0 … lanes-1 until the context ends, and calls drive in a goroutine of its
// own for each lane held. drive's context ends when the lease is lost or given back, or Run's does; the key is deleted
// when drive has returned. Run returns the context's error when all drives have.
func (l *Leases) Run(ctx context.Context, lanes int, drive func(ctx context.Context, lane score.Lane)) error {
	s := &share{
		Leases: l, lanes: lanes, drive: drive,
		self: held{key: replicaPrefix + l.config.Replica}, held: map[score.Lane]*held{},
	}
	failing := false
	for ctx.Err() == nil {
		err := s.round(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			l.log.Warn("couldn't renew leases; a lane that is not renewed in time is stopped", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-time.After(l.config.TTL / 3):
		}
	}
	s.giveUp()
	return ctx.Err()
}

// round renews what is held, then takes or gives back lanes.
func (s *share) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.TTL/3)
	defer cancel()
	s.reap()
	if err := s.renew(ctx); err != nil {
		return err
	}
	taken, replicas, err := s.look(ctx)
	if err != nil {
		return err
	}
	fair := (s.lanes + replicas - 1) / replicas
	if s.active() > fair {
		s.giveOneBack()
	}
	return s.take(ctx, taken, fair)
}

// look reads who holds what.
func (s *share) look(ctx context.Context) (taken map[score.Lane]bool, replicas int, err error) {
	lister, err := s.kv.ListKeys(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("couldn't list the leases: %w", err)
	}
	taken = map[score.Lane]bool{}
	for key := range lister.Keys() {
		if strings.HasPrefix(key, replicaPrefix) {
			replicas++
		}
		if number, ok := strings.CutPrefix(key, lanePrefix); ok {
			if lane, err := strconv.ParseUint(number, 10, 16); err == nil {
				taken[score.Lane(lane)] = true
			}
		}
	}
	return taken, max(replicas, 1), ctx.Err()
}

func (s *share) active() (n int) {
	for _, h := range s.held {
		if !h.ending {
			n++
		}
	}
	return n
}

// reap frees the leases of sessions that have ended.
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

// renew keeps the keys alive. A lane that somebody else has now, or that could not be renewed in time, is stopped.
func (s *share) renew(ctx context.Context) error {
	errs := []error{s.write(ctx, &s.self)} // whoever wrote it: the name is ours
	for lane, h := range s.held {
		if h.ending {
			continue
		}
		err := s.write(ctx, h, jetstream.WithExpectLastSequencePerSubject(h.revision))
		if err != nil && (isTaken(err) || time.Now().After(h.until)) {
			s.log.Warn("lost the lease of a lane; its session ends", "lane", lane, "err", err)
			s.end(h)
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// write renews a key and counts its lifetime from before the request.
func (s *share) write(ctx context.Context, h *held, opts ...jetstream.PublishOpt) error {
	until := time.Now().Add(s.config.TTL)
	opts = append(opts, jetstream.WithMsgTTL(s.config.TTL), jetstream.WithRetryAttempts(0))
	ack, err := s.js.PublishMsg(ctx, &nats.Msg{Subject: "$KV." + Bucket + "." + h.key, Data: []byte(s.config.Replica)}, opts...)
	if err != nil {
		return fmt.Errorf("couldn't renew the lease %s: %w", h.key, err)
	}
	h.revision, h.until = ack.Sequence, until
	if h.expiry != nil {
		h.expiry.Reset(time.Until(until))
	}
	return nil
}

// isTaken tells whether a write was refused because the key is not as we left it.
func isTaken(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// take creates the keys of free lanes, up to the share, and drives them.
func (s *share) take(ctx context.Context, taken map[score.Lane]bool, fair int) error {
	for lane := range score.Lane(s.lanes) {
		if s.active() >= fair {
			return nil
		}
		if taken[lane] || s.held[lane] != nil {
			continue
		}
		h := &held{key: lanePrefix + strconv.Itoa(int(lane)), until: time.Now().Add(s.config.TTL)}
		revision, err := s.kv.Create(ctx, h.key, []byte(s.config.Replica), jetstream.KeyTTL(s.config.TTL))
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue
		}
		if err != nil {
			return fmt.Errorf("couldn't take the lease of lane %d: %w", lane, err)
		}
		h.revision = revision
		s.start(lane, h)
	}
	return nil
}

// start drives a lane in a goroutine of its own. Its context is ended by end alone, never by a round's.
func (s *share) start(lane score.Lane, h *held) {
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.done = stop, make(chan struct{})
	h.expiry = time.AfterFunc(time.Until(h.until), stop)
	s.held[lane] = h
	s.running.Go(func() {
		defer close(h.done)
		s.drive(ctx, lane)
	})
}

// end tells a lane's session to end; reap frees the key afterwards.
func (s *share) end(h *held) {
	h.ending = true
	h.expiry.Stop()
	h.stop()
}

func (s *share) giveOneBack() {
	for lane, h := range s.held {
		if !h.ending {
			s.log.Info("giving a lane to another replica", "lane", lane)
			s.end(h)
			return
		}
	}
}

// drop deletes a key if it is still ours.
func (s *share) drop(h *held) {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := s.kv.Delete(ctx, h.key, jetstream.LastRevision(h.revision)); err != nil {
		s.log.Debug("couldn't free a lease; it expires by itself", "key", h.key, "err", err)
	}
}

// giveUp ends all sessions, then frees all keys.
func (s *share) giveUp() {
	for _, h := range s.held {
		s.end(h)
	}
	s.running.Wait()
	s.reap()
	s.drop(&s.self)
}
