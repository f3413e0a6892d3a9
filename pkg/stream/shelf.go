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
)

// maxAtomic is how many messages are stored at once. A server's own bound is 1,000 unless it is told otherwise.
const maxAtomic = 500

// shelf is a stream that holds dead letters, one per subject: its prefix and the letter's id. A nil shelf is one that is
// not there, and empty.
type shelf struct {
	jetstream.Stream
	js     jetstream.JetStream
	name   string
	prefix string
	atomic bool // it takes many messages at once
}

// letter is a dead letter as stored.
type letter struct {
	DeadLetter
	at time.Time
}

func openShelf(ctx context.Context, js jetstream.JetStream, name, prefix string) (*shelf, error) {
	s, err := js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("couldn't find the stream %s: %w", name, err)
	}
	return &shelf{Stream: s, js: js, name: name, prefix: prefix, atomic: s.CachedInfo().Config.AllowAtomicPublish}, nil
}

func appendLetter(msgs []*nats.Msg, subject string, d DeadLetter) ([]*nats.Msg, error) {
	d.ID = "" // the subject says it
	data, err := json.Marshal(&d)
	if err != nil {
		return nil, fmt.Errorf("couldn't encode the dead letter %s: %w", subject, err)
	}
	msg := nats.NewMsg(subject)
	msg.Data = data
	return append(msgs, msg), nil
}

func (s *shelf) decode(subject string, data []byte) (DeadLetter, error) {
	var d DeadLetter
	if err := json.Unmarshal(data, &d); err != nil {
		return DeadLetter{}, fmt.Errorf("couldn't read the dead letter %s: %w", subject, err)
	}
	d.ID, d.subject = strings.TrimPrefix(subject, s.prefix), subject
	return d, nil
}

// put stores messages; nil means that all are. A server that syncs each message it is given alone syncs those it is given
// at once together, which is what takes the time. What it does not take at once it is given one by one.
func (s *shelf) put(ctx context.Context, msgs []*nats.Msg) error {
	for len(msgs) > 0 {
		n := min(len(msgs), maxAtomic)
		err := errAlone
		if s.atomic && n > 1 {
			err = s.putAtomic(ctx, msgs[:n])
		}
		if errors.Is(err, errAlone) {
			err = s.putAlone(ctx, msgs[:n])
		}
		if err != nil {
			return fmt.Errorf("couldn't store %d dead letters in the stream %s: %w", len(msgs), s.name, err)
		}
		msgs = msgs[n:]
	}
	return nil
}

func (s *shelf) putAlone(ctx context.Context, msgs []*nats.Msg) error {
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

// errAlone says that messages were not stored at once and should be given one by one.
var errAlone = errors.New("the server does not take the messages at once")

// putAtomic stores 2 … maxAtomic messages at once. Any other error than errAlone leaves open whether they are stored.
func (s *shelf) putAtomic(ctx context.Context, msgs []*nats.Msg) error {
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
		return fmt.Errorf("%w: %w", errAlone, answer.Error)
	case !last || answer.Stream == "":
		return fmt.Errorf("%w: it answered %q", errAlone, data)
	}
	return nil
}

var errStop = errors.New("no more are wanted")

// letters are those that are there when they are asked for, oldest first. An error is the last.
func (s *shelf) letters(ctx context.Context) iter.Seq2[letter, error] {
	return func(yield func(letter, error) bool) {
		if s == nil {
			return
		}
		info, err := s.Info(ctx)
		if err == nil {
			err = readThrough(ctx, s, nil, info.State.LastSeq, info.State.Msgs, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
				d, err := s.decode(msg.Subject(), msg.Data())
				if err == nil && !yield(letter{d, meta.Timestamp}, nil) {
					return errStop
				}
				return err
			})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(letter{}, fmt.Errorf("couldn't read the dead letters: %w", err))
		}
	}
}

// last is the newest letter whose id matches a pattern, nil if there is none.
func (s *shelf) last(ctx context.Context, pattern string) (*letter, error) {
	if s == nil {
		return nil, nil
	}
	msg, err := s.GetLastMsgForSubject(ctx, s.prefix+pattern)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't read the dead letter %s: %w", pattern, err)
	}
	d, err := s.decode(msg.Subject, msg.Data)
	return &letter{d, msg.Time}, err
}
