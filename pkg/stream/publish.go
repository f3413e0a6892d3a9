package stream

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ErrFull says that the stream is at its byte bound: the message was not stored. Final updates must be purged, or the
// bound raised, before anything more is accepted.
var ErrFull = errors.New("the stream is full")

// ErrUnknown says that the server did not answer: the message may or may not be stored. The same message id may be
// published again.
var ErrUnknown = errors.New("the stream did not answer")

// TakenError says that a creation of this projectId was accepted before.
type TakenError struct {
	Seq     uint64         // where in the stream
	Project *score.Project // what was accepted
}

// Error names the projectId and the sequence of its accepted creation.
func (e *TakenError) Error() string {
	return fmt.Sprintf("project %s was accepted before, at sequence %d", e.Project.ID, e.Seq)
}

// Error codes of the server that say: nothing was stored, there is no room.
const (
	codeStoreFailed          jetstream.ErrorCode = 10077 // maximum bytes or messages exceeded
	codeInsufficientStorage  jetstream.ErrorCode = 10047
	codeInsufficientResource jetstream.ErrorCode = 10023
)

// PublishEnvelope stores 1 … MaxEnvelope updates of one lane as one message. Nil means stored and synced. ErrFull
// means not stored. ErrUnknown means perhaps stored: publishing the same updates under the same msgID again is safe.
func (s *Stream) PublishEnvelope(ctx context.Context, lane score.Lane, msgID string, updates []score.Update) error {
	data, err := EncodeEnvelope(updates)
	if err != nil {
		return err
	}
	_, err = s.js.Publish(ctx, laneSubject(lane, "updates"), data, jetstream.WithMsgID(msgID), jetstream.WithExpectStream(Name))
	return classify(err)
}

// PublishProject stores an accepted creation, once per projectId; the same creation again is nil too. A TakenError
// says that a different one is there; replaces is the sequence of an earlier creation that became a dead letter and
// may be accepted anew, or 0. ErrFull and ErrUnknown as for PublishEnvelope; the same call may be repeated.
func (s *Stream) PublishProject(ctx context.Context, p *score.Project, replaces uint64) error {
	data, err := encodeProject(p)
	if err != nil {
		return err
	}
	subject := s.projectSubject(p.ID)
	_, err = s.js.Publish(ctx, subject, data, jetstream.WithExpectStream(Name), jetstream.WithExpectLastSequencePerSubject(replaces))
	if !isWrongSequence(err) {
		return classify(err)
	}
	msg, err := s.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) && replaces != 0 {
		return s.PublishProject(ctx, p, 0) // the dead-lettered creation was purged meanwhile
	}
	if err != nil {
		return fmt.Errorf("couldn't read the accepted creation of %s: %w: %w", p.ID, ErrUnknown, err)
	}
	if bytes.Equal(msg.Data, data) && msg.Sequence != replaces {
		return nil // stored before: by an attempt of this call whose answer was lost, or by the same request
	}
	_, accepted, err := decode(msg.Data)
	if err != nil || accepted == nil {
		return fmt.Errorf("couldn't read the accepted creation of %s at sequence %d: %w", p.ID, msg.Sequence, errors.Join(err, errMalformed))
	}
	return &TakenError{Seq: msg.Sequence, Project: accepted}
}

func (s *Stream) projectSubject(id score.ProjectID) string {
	return laneSubject(score.LaneOf(id, s.deployment.Lanes), "project."+hex.EncodeToString(id[:]))
}

func isWrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// classify sorts a publish error: the server said no and why, or nobody knows.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	switch api.ErrorCode {
	case codeStoreFailed, codeInsufficientStorage, codeInsufficientResource:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return fmt.Errorf("couldn't store a message: %w", err)
	default: // among them 10158, "the same id is in process": asking again tells
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
}
