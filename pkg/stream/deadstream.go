package stream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// maxAtomic is how many messages an atomic batch holds at most. A server's own bound is 1,000 unless it is told otherwise.
const maxAtomic = 500

// deadLetterStream is a stream that holds dead letters, one per subject: its prefix and the dead letter's id.
type deadLetterStream struct {
	jetstream.Stream
	bulk
	prefix string
}

// bulk stores many messages of a stream at once.
type bulk struct {
	js   jetstream.JetStream
	name string // of the stream
}

// stored is a dead letter and when it was stored or marked.
type stored struct {
	score.DeadLetter
	at time.Time
}

func openDeadLetters(ctx context.Context, js jetstream.JetStream, name, prefix string) (*deadLetterStream, error) {
	s, err := js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", name, err)
	}
	return &deadLetterStream{Stream: s, bulk: bulk{js, name}, prefix: prefix}, nil
}

func appendDeadLetter(msgs []*nats.Msg, subject string, d score.DeadLetter) ([]*nats.Msg, error) {
	d.ID = "" // the subject says it
	data, err := json.Marshal(&d)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the dead letter %s: %w", subject, err)
	}
	msg := nats.NewMsg(subject)
	msg.Data = data
	return append(msgs, msg), nil
}

func (s *deadLetterStream) decode(subject string, data []byte) (score.DeadLetter, error) {
	var d score.DeadLetter
	if err := json.Unmarshal(data, &d); err != nil {
		return score.DeadLetter{}, fmt.Errorf("couldn't read the dead letter %s: %w", subject, err)
	}
	d.ID = strings.TrimPrefix(subject, s.prefix)
	return d, nil
}

// put stores messages; nil means that all are. A server syncs an
// atomic batch once and single messages each, which is what takes the time. What it does not take as a batch is published
// singly.
func (s bulk) put(ctx context.Context, msgs []*nats.Msg) error {
	for len(msgs) > 0 {
		n := min(len(msgs), maxAtomic)
		err := errNotAtomic
		if n > 1 {
			err = s.putAtomic(ctx, msgs[:n])
		}
		if errors.Is(err, errNotAtomic) {
			err = s.putSingly(ctx, msgs[:n])
		}
		if err != nil {
			return fmt.Errorf("couldn't store %d messages in the stream %s: %w", len(msgs), s.name, err)
		}
		msgs = msgs[n:]
	}
	return nil
}

func (s bulk) putSingly(ctx context.Context, msgs []*nats.Msg) error {
	for _, msg := range msgs {
		if _, err := s.js.Publish(ctx, msg.Subject, msg.Data, jetstream.WithExpectStream(s.name)); err != nil {
			return err
		}
	}
	return nil
}

// The headers of messages that are stored all at once or not at all (NATS 2.12 on).
const (
	headerBatch       = "Nats-Batch-Id"
	headerBatchSeq    = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

// errNotAtomic says that a batch was not stored, and its messages should be published singly.
var errNotAtomic = errors.New("the server does not take the messages as an atomic batch")

// putAtomic stores 2 … maxAtomic messages as a batch: all or none. Any other error than errNotAtomic leaves open whether they are stored.
func (s bulk) putAtomic(ctx context.Context, msgs []*nats.Msg) error {
	conn, id := s.js.Conn(), rand.Text()
	for i, msg := range msgs {
		if i == 0 {
			msg.Header.Set(jetstream.ExpectedStreamHeader, s.name)
		}
		msg.Header.Set(headerBatch, id)
		msg.Header.Set(headerBatchSeq, strconv.Itoa(i+1))
		last := i == len(msgs)-1
		if i > 0 && !last {
			if err := conn.PublishMsg(msg); err != nil {
				return err
			}
			continue
		}
		if last {
			msg.Header.Set(headerBatchCommit, "1")
		}
		reply, err := conn.RequestMsgWithContext(ctx, msg) // the first one's answer says that there is room for more
		if err != nil {
			return err
		}
		if err := acked(reply.Data, last); err != nil {
			return err
		}
	}
	return nil
}

// acked reads what the server answers to the first message of several, which is nothing, and to the last.
func acked(data []byte, last bool) error {
	if !last && len(data) == 0 {
		return nil
	}
	var answer struct {
		Stream string              `json:"stream"`
		Error  *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("couldn't read the server's answer: %w", err)
	}
	switch {
	case answer.Error != nil:
		return fmt.Errorf("%w: %w", errNotAtomic, answer.Error)
	case !last || answer.Stream == "":
		return fmt.Errorf("%w: it answered %q", errNotAtomic, data)
	}
	return nil
}

// all are those that are there when they are asked for, oldest first. An error is the last.
func (s *deadLetterStream) all(ctx context.Context) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		err := readThrough(ctx, s, fromStart, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
			d, err := s.decode(msg.Subject(), msg.Data())
			if err == nil && !yield(stored{d, meta.Timestamp}, nil) {
				return ErrStop
			}
			return err
		})
		if err != nil {
			yield(stored{}, fmt.Errorf("couldn't read the dead letters: %w", err))
		}
	}
}
