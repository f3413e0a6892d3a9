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

// ErrReplaced says that the stream is not the one that was opened: it was deleted and made again, so sequences have
// another meaning. Nothing may be read on; the process must be started again after a human looked.
var ErrReplaced = errors.New("the stream was deleted and made again")

// ErrShorter says that the stream ends before what was read of it: it lost messages it had acknowledged, or went back to
// an older copy. What is accepted from then on has sequences that were used before, so nothing may be read on until a
// human looked.
var ErrShorter = errors.New("the stream ends before what was read of it")

// ErrLost says that the stream could not be read for a while: it is not there, or no server answers for it. Nothing is
// wrong with what was read before; another reader may be opened from there.
var ErrLost = errors.New("the stream cannot be read")

// ErrNotLeading says that an answer may be past, since it is not of a server that surely leads the stream; another may be, in a moment.
var ErrNotLeading = errors.New("the server that answered may not lead the stream")

const (
	reopenPause = 250 * time.Millisecond
	patience    = 10 * time.Second // without the stream, before a reader gives up
	checkEvery  = 10 * time.Second // without a message: whether the stream is still there, and the same
	lookAgain   = time.Second      // without a message that must be there: whether it still is

	patienceInAll = 3 * patience // of one that must come to an end, which tries other servers meanwhile

	// heartbeat of a server that has no message for a consumer. Two that are missing say that the consumer went with its server,
	// and another is made: it is in the memory of one server, also where the stream is on three.
	heartbeat = 3 * time.Second

	// everything is a subject that all messages of the package's streams match. Not ">": by that a server tells the message of the last
	// sequence alone, which may be gone.
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

// Reader reads the stream in order, forever. It is not safe for concurrent use.
type Reader struct {
	s    *Stream
	next uint64
	pump *pump     // nil when it must be opened again
	lost time.Time // since when the stream cannot be read; zero while it can
}

// pump moves messages of one consumer into a channel, so that a reader that waits for them can stop at once: the
// client's own Next does not return while it makes its consumer again.
type pump struct {
	consumer  string // its name; another one's messages may be of another stream
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

// Read starts at the first message whose sequence is at least from.
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
		MaxResetAttempts:  1, // then Next opens another, and looks whether it is the same stream
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

// check tells whether the stream is there and the one that was opened.
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

// Next waits for the next message. It survives short outages and restarts of the server. It returns the context's
// error, ErrReplaced, ErrShorter, score.ErrNewer, or ErrLost: when the stream is not there, or could not be read for ten seconds.
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
			r.Close() // never hand out a sequence twice, out of order, or of another stream
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

// wait waits for a delivery. Where none comes for a while it looks whether the stream is still there, and begins again where that
// holds more: the consumer is on a server whose copy is behind.
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

// backoffOrGiveUp sleeps after a failure that may pass, or returns why the reader ends.
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

// Close stops reading.
func (r *Reader) Close() {
	if r.pump != nil {
		r.pump.stop()
		r.pump = nil
	}
}

// ReadAll hands every message that the stream holds now to fn, in order, and returns. An error of fn ends it.
func (s *Stream) ReadAll(ctx context.Context, fn func(score.Message) error) error {
	if _, err := s.State(ctx); err != nil { // who answers leads
		return err
	}
	return readThrough(ctx, s.stream, fromStart, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return fn(messageOf(meta.Sequence.Stream, meta.Timestamp, msg.Data()))
	})
}

// ReadFrom hands the messages that the stream holds now, from a sequence on, to fn, in order, and returns. An error of fn ends it.
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

// FirstSince is the sequence of the first message stored at or after a time; one past the last if there is none.
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

// StoredAt is when the message with a sequence was stored. An error: it is not there any more, or the stream does not answer.
func (s *Stream) StoredAt(ctx context.Context, seq uint64) (time.Time, error) {
	msg, err := s.stream.GetMsg(ctx, seq)
	if err != nil {
		return time.Time{}, fmt.Errorf("couldn't read the message at sequence %d: %w", seq, err)
	}
	return msg.Time, nil
}

var fromStart = jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy}

// ErrStop, returned by a function that is called with messages, ends the reading without an error.
var ErrStop = errors.New("no more are wanted")

// forget removes a consumer that is not read any more. The server would keep it for minutes, and it keeps a thousand of a stream at
// most.
func forget(ctx context.Context, s jetstream.Stream, consumer jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = s.DeleteConsumer(ctx, consumer.CachedInfo().Name)
}

// newest is the newest message of some subjects, none meaning all, that the stream holds; the zero message if there is none. In a cluster the leader
// answers. A consumer cannot tell: it is on any of the servers, and what it calls the end is that of a copy that may be behind.
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

// readThrough hands the messages that a stream holds, from a place on, to fn. An error of fn ends it. A consumer that hears nothing of messages
// that there are is made again, since the server that it was on may have a copy that is behind for long.
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
		if last, err = newest(ctx, s, from.FilterSubjects...); err != nil { // the end may have been purged meanwhile
			return err
		}
	}
	return nil
}

// readUntilSilent is readThrough by one consumer, up to a sequence; errSilent: it hears nothing.
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
			continue // the consumer was made again, on a copy that is behind, and repeats
		}
		seq = meta.Sequence.Stream
		if err := fn(msg, meta); err != nil {
			return err
		}
	}
	return nil
}

var errSilent = errors.New("NATS sent nothing for a while")

// nextWithin waits for the next message, or for so long: errSilent.
func nextWithin(ctx context.Context, messages jetstream.MessagesContext, wait time.Duration) (jetstream.Msg, error) {
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	msg, err := messages.Next(jetstream.NextContext(limited))
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, errSilent
	}
	return msg, err
}
