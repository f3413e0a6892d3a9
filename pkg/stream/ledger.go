package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// LedgerName is the stream of final facts (package ledger).
const LedgerName = "LEDGER"

const ledgerSubject = "scorelay.ledger"

var (
	ErrMoved = errors.New("another writer appended to the ledger")
	// ErrGone reports a sequence that is older than the retention, was purged, or never existed.
	ErrGone = errors.New("the ledger does not hold that message")
)

type Entry struct {
	Seq uint64
	// Stored is when NATS stored the message, by its clock. After a restore of an older copy, NATS reuses sequences;
	// Seq and Stored together still identify the message.
	Stored time.Time
	Data   []byte
}

// Ledger is safe for concurrent use.
type Ledger struct {
	js     jetstream.JetStream
	stream jetstream.Stream
}

// Retention bounds the ledger. Dropped messages are read from the chain.
type Retention struct {
	Age   time.Duration
	Bytes int64
}

var ErrNoLedger = errors.New("there is no ledger of final blocks: an API or a relayer makes it, and a relayer writes it")

func (s *Stream) FindLedger(ctx context.Context) (*Ledger, error) {
	found, err := s.js.Stream(ctx, LedgerName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, ErrNoLedger
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", LedgerName, err)
	}
	return &Ledger{s.js, found}, nil
}

// Ledger opens or creates the ledger, also after a restore, since backups leave it out. keep, if not nil, replaces
// its retention. A ledger created without it is unbounded and has no reserved space; relayers, its only writers, set
// a retention before they write.
func (s *Stream) Ledger(ctx context.Context, keep *Retention) (*Ledger, error) {
	config := jetstream.StreamConfig{
		Name:        LedgerName,
		Description: "what became final: the contract's events by block, blocks that were replaced, dead letters",
		Subjects:    []string{ledgerSubject},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardOld,
		Replicas:    s.stream.CachedInfo().Config.Replicas,
		Compression: jetstream.S2Compression,
	}
	if keep != nil {
		config.MaxAge, config.MaxBytes = keep.Age, keep.Bytes
	}
	opened, err := s.js.Stream(ctx, LedgerName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		opened, err = s.js.CreateStream(ctx, config)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was first
		opened, err = s.js.Stream(ctx, LedgerName)
	}
	if err == nil && keep != nil {
		if has := opened.CachedInfo().Config; has.MaxAge != keep.Age || has.MaxBytes != keep.Bytes {
			opened, err = s.js.UpdateStream(ctx, config)
		}
	}
	if err != nil {
		return nil, notCreated(config, err)
	}
	return &Ledger{s.js, opened}, nil
}

// Append stores data right after sequence last, which must be the newest, and returns the new sequence. ErrMoved:
// another writer was first. After other errors the message may be stored; check with Bounds and At.
func (l *Ledger) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	ack, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: ledgerSubject, Data: data},
		jetstream.WithExpectLastSequence(last), jetstream.WithExpectStream(LedgerName), jetstream.WithRetryAttempts(0))
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return 0, ErrMoved
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't append to the stream %s: %w", LedgerName, err)
	}
	return ack.Sequence, nil
}

// Bounds returns the sequences of the oldest and newest messages. If first > last, the ledger is empty; a purge keeps
// last, which is 0 before the first append.
func (l *Ledger) Bounds(ctx context.Context) (first, last uint64, err error) {
	info, err := infoOf(ctx, l.stream)
	if err != nil {
		return 0, 0, fmt.Errorf("couldn't read the state of the stream %s: %w", LedgerName, err)
	}
	return max(info.State.FirstSeq, 1), info.State.LastSeq, nil
}

// Config returns the maximum age and bytes, 0 for unbounded, and the current bytes.
func (l *Ledger) Config(ctx context.Context) (age time.Duration, most int64, bytes uint64, err error) {
	info, err := infoOf(ctx, l.stream)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("couldn't read the state of the stream %s: %w", LedgerName, err)
	}
	return info.Config.MaxAge, max(info.Config.MaxBytes, 0), info.State.Bytes, nil
}

// At returns the message at a sequence, or ErrGone.
func (l *Ledger) At(ctx context.Context, seq uint64) (Entry, error) {
	msg, err := l.stream.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) || seq == 0 {
		return Entry{}, fmt.Errorf("sequence %d: %w", seq, ErrGone)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("couldn't read the message %d of the stream %s: %w", seq, LedgerName, err)
	}
	return Entry{msg.Sequence, msg.Time, msg.Data}, nil
}

// Read calls fn in order with the messages from a sequence up to the newest now. An error of fn ends it, and is
// returned unless it is ErrStop.
func (l *Ledger) Read(ctx context.Context, from uint64, fn func(Entry) error) error {
	start := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1)}
	return readThrough(ctx, l.stream, start, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		return fn(Entry{meta.Sequence.Stream, meta.Timestamp, msg.Data()})
	}, jetstream.PullMaxMessages(64))
}

// Since returns the first sequence stored at or after a time; one past the newest if there is none.
func (l *Ledger) Since(ctx context.Context, at time.Time) (uint64, error) {
	_, last, err := l.Bounds(ctx)
	if err != nil {
		return 0, err
	}
	first := last + 1
	since := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &at}
	err = readThrough(ctx, l.stream, since, func(_ jetstream.Msg, meta *jetstream.MsgMetadata) error {
		first = meta.Sequence.Stream
		return ErrStop
	}, jetstream.PullMaxMessages(1))
	return first, err
}

// Follow calls fn in order with the messages from a sequence on, and waits for new ones, until ctx ends or something
// fails. Then the caller repeats it. It fails if the consumer's server has an outdated copy, since the next call may
// use another.
func (l *Ledger) Follow(ctx context.Context, from uint64, fn func(Entry) error) error {
	consumer, err := l.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1), MaxResetAttempts: 1,
	})
	if err != nil {
		return fmt.Errorf("couldn't follow the stream %s: %w", LedgerName, err)
	}
	defer forget(ctx, l.stream, consumer)
	messages, err := consumer.Messages(jetstream.PullMaxMessages(64), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return fmt.Errorf("couldn't follow the stream %s: %w", LedgerName, err)
	}
	defer messages.Stop()
	for next := max(from, 1); ; {
		msg, err := nextWithin(ctx, messages, checkEvery)
		if errors.Is(err, errSilent) {
			_, last, stateErr := l.Bounds(ctx)
			if stateErr == nil && last+1 == next {
				continue
			}
			err = errors.Join(stateErr, errSilent)
		}
		if err != nil {
			return fmt.Errorf("couldn't follow the stream %s: %w", LedgerName, err)
		}
		meta, err := msg.Metadata()
		if err != nil || meta.Sequence.Stream < next {
			return fmt.Errorf("couldn't follow the stream %s in order: %w", LedgerName, errors.Join(err, errSilent))
		}
		if err := fn(Entry{meta.Sequence.Stream, meta.Timestamp, msg.Data()}); err != nil {
			return err
		}
		next = meta.Sequence.Stream + 1
	}
}
