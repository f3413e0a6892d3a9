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

// maxAtomic is the most messages in an atomic batch; the server's default limit is 1,000.
const maxAtomic = 500

// deadLetterStream is DEADLETTERS or REJECTED. Its subjects are prefix and the letter's id.
type deadLetterStream struct {
	jetstream.Stream
	bulk
	prefix string
}

type bulk struct {
	js   jetstream.JetStream
	name string
}

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
	d.ID = "" // contained in the subject
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

// put returns nil if all messages are stored. If the server refuses an atomic batch, put publishes singly.
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

// Headers of an atomic batch (NATS 2.12 and later).
const (
	headerBatch       = "Nats-Batch-Id"
	headerBatchSeq    = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

var errNotAtomic = errors.New("the server does not take the messages as an atomic batch")

// putAtomic stores 2 … maxAtomic messages: all or none. After an error other than errNotAtomic they may be stored.
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
		reply, err := conn.RequestMsgWithContext(ctx, msg) // the reply to the first one accepts the batch
		if err != nil {
			return err
		}
		if err := acked(reply.Data, last); err != nil {
			return err
		}
	}
	return nil
}

// acked checks a reply within a batch: the one to the first message must be empty, the one to the last must name the
// stream.
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

// all yields the dead letters held now, oldest first, until an error.
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
