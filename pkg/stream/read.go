package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrReplaced reports another stream of the same name, so known sequences have another meaning. Reading must stop
// until an operator restarts the process.
var ErrReplaced = errors.New("the stream was deleted and made again")

// ErrShorter reports that the stream lost acknowledged messages, or went back to an older copy. New messages reuse
// sequences, so reading must stop until an operator has looked.
var ErrShorter = errors.New("the stream ends before what was read of it")

// ErrLost reports that the stream was missing or unreachable. Another reader may continue from the last message.
var ErrLost = errors.New("the stream cannot be read")

// ErrNotLeading reports a reply that may be outdated. A retry may succeed.
var ErrNotLeading = errors.New("the server that answered may not lead the stream")

const (
	reopenPause = 250 * time.Millisecond
	patience    = 10 * time.Second // how long a reader waits for an unreadable stream
	checkEvery  = 10 * time.Second // of silence, until a reader checks the stream
	lookAgain   = time.Second      // how often WatchProjects checks an open goal

	patienceInAll = 3 * patience // for a read to a fixed end, on several servers

	// heartbeat is the interval at which an idle server reports to a consumer. After two missed heartbeats the
	// consumer is recreated, since it lives in one server's memory, even if the stream has three copies.
	heartbeat = 3 * time.Second

	// everything matches all messages of this package's streams. Rejected: ">", for which a server looks only at the
	// last sequence, which may be deleted.
	everything = "scorelay.>"
)

func messageOf(seq uint64, at time.Time, data []byte) score.Message {
	m, err := decode(data)
	if err != nil {
		m = score.Message{Corrupt: err, Raw: data}
	}
	m.Seq, m.Time = seq, at
	return m
}

// Reader reads the stream in order, endlessly. It is not safe for concurrent use.
type Reader struct {
	s    *Stream
	next uint64
	pump *pump     // nil if it must be opened again
	lost time.Time // since when unreadable; zero if readable
}

// pump moves one consumer's messages into a channel, so that a waiting reader can stop at once: the client's own Next
// blocks while it recreates its consumer.
type pump struct {
	consumer  string // its name; another consumer's messages may be of another stream
	delivered chan delivery
	stop      context.CancelFunc
}

type delivery struct {
	msg jetstream.Msg
	err error
}

func (p *pump) run(ctx context.Context, messages jetstream.MessagesContext) {
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		select {
		case p.delivered <- delivery{msg, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns a reader that starts at the first sequence ≥ from.
func (s *Stream) Read(ctx context.Context, from uint64) (*Reader, error) {
	r := &Reader{s: s, next: max(from, 1)}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Reader) open(ctx context.Context) error {
	if _, err := r.check(ctx); err != nil {
		return err
	}
	consumer, err := r.s.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.next,
		InactiveThreshold: 30 * time.Second,
		MaxResetAttempts:  1, // then Next opens another, and checks the stream's identity
	})
	if err != nil {
		return fmt.Errorf("couldn't read the stream %s from sequence %d: %w", Name, r.next, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return fmt.Errorf("couldn't read the stream %s from sequence %d: %w", Name, r.next, err)
	}
	pumping, stop := context.WithCancel(context.Background())
	r.pump = &pump{consumer: consumer.CachedInfo().Name, delivered: make(chan delivery), stop: stop}
	go r.pump.run(pumping, messages)
	r.lost = time.Time{}
	return nil
}

func (r *Reader) check(ctx context.Context) (score.StreamState, error) {
	state, err := r.s.State(ctx)
	if err != nil {
		return state, err
	}
	if !state.Created.Equal(r.s.created) {
		return state, fmt.Errorf("stream %s: %w", Name, ErrReplaced)
	}
	if state.LastSeq+1 < r.next {
		return state, fmt.Errorf("stream %s ends at sequence %d, read up to %d: %w", Name, state.LastSeq, r.next-1, ErrShorter)
	}
	return state, nil
}

// Next waits for the next message, through short outages and restarts of the server. Errors: ctx's, ErrReplaced,
// ErrShorter, score.ErrNewer, and ErrLost: the stream is missing, or was unreadable for ten seconds.
func (r *Reader) Next(ctx context.Context) (score.Message, error) {
	for {
		if r.pump == nil {
			if err := r.open(ctx); err != nil {
				if err := r.backoffOrGiveUp(ctx, err); err != nil {
					return score.Message{}, err
				}
				continue
			}
		}
		d, ok, err := r.wait(ctx)
		if err != nil {
			return score.Message{}, err
		}
		if !ok {
			continue
		}
		if d.err != nil {
			r.Close()
			if err := r.backoffOrGiveUp(ctx, d.err); err != nil {
				return score.Message{}, err
			}
			continue
		}
		meta, err := d.msg.Metadata()
		if err != nil || meta.Consumer != r.pump.consumer || meta.Sequence.Stream < r.next {
			r.Close() // never return a sequence twice, out of order, or of another stream
			continue
		}
		message := messageOf(meta.Sequence.Stream, meta.Timestamp, d.msg.Data())
		if errors.Is(message.Corrupt, score.ErrNewer) {
			return score.Message{}, fmt.Errorf("sequence %d: %w", message.Seq, score.ErrNewer)
		}
		r.next = message.Seq + 1
		r.s.Saw(message.Seq)
		return message, nil
	}
}

// wait returns the next delivery. If none comes within checkEvery, ok is false, and wait checks the stream: if that
// holds more, the consumer's server has a lagging copy, so wait closes the consumer.
func (r *Reader) wait(ctx context.Context) (d delivery, ok bool, err error) {
	timer := time.NewTimer(checkEvery)
	defer timer.Stop()
	select {
	case d = <-r.pump.delivered:
		return d, true, nil
	case <-ctx.Done():
		return d, false, ctx.Err()
	case <-timer.C:
	}
	state, err := r.check(ctx)
	if err != nil {
		return d, false, r.backoffOrGiveUp(ctx, err)
	}
	if state.LastSeq >= r.next {
		r.Close()
	}
	r.lost = time.Time{}
	return d, false, nil
}

func (r *Reader) backoffOrGiveUp(ctx context.Context, err error) error {
	if r.lost.IsZero() {
		r.lost = time.Now()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrReplaced), errors.Is(err, ErrShorter):
		return err
	case errors.Is(err, jetstream.ErrStreamNotFound), time.Since(r.lost) >= patience:
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return retry.Sleep(ctx, reopenPause)
}

func (r *Reader) Close() {
	if r.pump != nil {
		r.pump.stop()
		r.pump = nil
	}
}

// ReadAll calls fn in order with every message held at the call. It ends with the first error of fn.
func (s *Stream) ReadAll(ctx context.Context, fn func(score.Message) error) error {
	if _, err := s.State(ctx); err != nil { // the end must be the leader's
		return err
	}
	return readThrough(ctx, s.stream, fromStart, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return fn(messageOf(meta.Sequence.Stream, meta.Timestamp, msg.Data()))
	})
}

// ReadFrom is ReadAll, starting at the first sequence ≥ from.
func (s *Stream) ReadFrom(ctx context.Context, from uint64, fn func(score.Message) error) error {
	state, err := s.State(ctx)
	if err != nil || from > state.LastSeq {
		return err
	}
	start := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1)}
	return readThrough(ctx, s.stream, start, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return fn(messageOf(meta.Sequence.Stream, meta.Timestamp, msg.Data()))
	})
}

// FirstSince returns the first sequence stored at or after a time; one past the last if there is none.
func (s *Stream) FirstSince(ctx context.Context, at time.Time) (uint64, error) {
	state, err := s.State(ctx)
	if err != nil {
		return 0, err
	}
	first := state.LastSeq + 1
	since := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &at}
	err = readThrough(ctx, s.stream, since, func(_ jetstream.Msg, meta *jetstream.MsgMetadata) error {
		first = meta.Sequence.Stream
		return ErrStop
	}, jetstream.PullMaxMessages(1))
	if err != nil {
		return 0, fmt.Errorf("couldn't look for the first message since %s: %w", at.UTC(), err)
	}
	return first, nil
}

// StoredAt returns an error if the message is gone.
func (s *Stream) StoredAt(ctx context.Context, seq uint64) (time.Time, error) {
	msg, err := s.stream.GetMsg(ctx, seq)
	if err != nil {
		return time.Time{}, fmt.Errorf("couldn't read the message at sequence %d: %w", seq, err)
	}
	return msg.Time, nil
}

var fromStart = jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy}

// ErrStop, returned by a callback, ends the reading without an error.
var ErrStop = errors.New("no more are wanted")

// forget deletes a consumer, since the server would keep it for minutes, and allows a thousand per stream.
func forget(ctx context.Context, s jetstream.Stream, consumer jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.DeleteConsumer(ctx, consumer.CachedInfo().Name)
}

// newest returns the newest message on the subjects (default: all), or the zero message. The leader answers, since a
// consumer may be on a server with an outdated copy.
func newest(ctx context.Context, s jetstream.Stream, subjects ...string) (last jetstream.RawStreamMsg, err error) {
	if len(subjects) == 0 {
		subjects = []string{everything}
	}
	for _, subject := range subjects {
		msg, err := s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return last, fmt.Errorf("couldn't find the end of a stream: %w", err)
		}
		if msg.Sequence > last.Sequence {
			last = *msg
		}
	}
	return last, nil
}

// readThrough calls fn with the messages that a stream holds at the call, from a place on, until fn returns an error.
// If a consumer stays silent before the end, it creates another, since the copy on that server may lag behind.
func readThrough(ctx context.Context, s jetstream.Stream, from jetstream.OrderedConsumerConfig,
	fn func(jetstream.Msg, *jetstream.MsgMetadata) error, pull ...jetstream.PullMessagesOpt,
) error {
	last, err := newest(ctx, s, from.FilterSubjects...)
	if err != nil || last.Sequence == 0 || last.Sequence < from.OptStartSeq || from.OptStartTime != nil && last.Time.Before(*from.OptStartTime) {
		return err
	}
	seq, heard := uint64(0), time.Now()
	for seq < last.Sequence {
		if seq > 0 {
			from = jetstream.OrderedConsumerConfig{
				DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: seq + 1, FilterSubjects: from.FilterSubjects,
			}
		}
		before := seq
		err := readUntilSilent(ctx, s, from, last.Sequence, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
			seq = meta.Sequence.Stream
			return fn(msg, meta)
		}, pull...)
		if seq > before {
			heard = time.Now()
		}
		switch {
		case err == nil, errors.Is(err, ErrStop):
			return nil
		case !errors.Is(err, errSilent):
			return err
		case time.Since(heard) >= patienceInAll:
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
		// the end may have been purged meanwhile
		if last, err = newest(ctx, s, from.FilterSubjects...); err != nil {
			return err
		}
	}
	return nil
}

// readUntilSilent reads up to sequence last through one consumer; errSilent if that stops delivering.
func readUntilSilent(ctx context.Context, s jetstream.Stream, from jetstream.OrderedConsumerConfig, last uint64,
	fn func(jetstream.Msg, *jetstream.MsgMetadata) error, pull ...jetstream.PullMessagesOpt,
) error {
	consumer, err := s.OrderedConsumer(ctx, from)
	if err != nil {
		return fmt.Errorf("couldn't read a stream: %w", err)
	}
	defer forget(ctx, s, consumer)
	messages, err := consumer.Messages(append(pull, jetstream.PullHeartbeat(heartbeat))...)
	if err != nil {
		return fmt.Errorf("couldn't read a stream: %w", err)
	}
	defer messages.Stop()
	for seq := uint64(0); seq < last; {
		msg, err := nextWithin(ctx, messages, heartbeat)
		if errors.Is(err, errSilent) {
			return err
		}
		if err != nil {
			return fmt.Errorf("couldn't read a stream: %w", err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return fmt.Errorf("couldn't read a stream: %w", err)
		}
		if meta.Sequence.Stream <= seq {
			continue // a recreated consumer on a lagging copy repeats messages
		}
		seq = meta.Sequence.Stream
		if err := fn(msg, meta); err != nil {
			return err
		}
	}
	return nil
}

var errSilent = errors.New("NATS sent nothing for a while")

func nextWithin(ctx context.Context, messages jetstream.MessagesContext, wait time.Duration) (jetstream.Msg, error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	msg, err := messages.Next(jetstream.NextContext(limited))
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, errSilent
	}
	return msg, err
}
