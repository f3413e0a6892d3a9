package stream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ErrUnknown reports that the message may be stored; publishing again under its id is safe.
var ErrUnknown = errors.New("the stream did not answer")

// Server error codes for lack of space.
const (
	codeStoreFailed          jetstream.ErrorCode = 10077 // maximum bytes or messages exceeded
	codeInsufficientStorage  jetstream.ErrorCode = 10047
	codeInsufficientResource jetstream.ErrorCode = 10023
)

// PublishEnvelope stores 1 … MaxEnvelope updates as one message; signed must be ascending. A nil error means stored
// and synced. The errors: score.ErrFull (refused), ErrUnknown (perhaps stored), *BackError (perhaps lost).
func (s *Stream) PublishEnvelope(
	ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced,
) error {
	data, err := EncodeEnvelope(updates, signed, traces...)
	if err != nil {
		return err
	}
	return s.publish(ctx, updatesSubject, data, msgID)
}

func (s *Stream) publish(ctx context.Context, subject string, data []byte, msgID string, opts ...jetstream.PublishOpt) error {
	before := s.Seen()
	// the commit point of accepting
	ack, err := s.js.Publish(ctx, subject, data, append(opts, jetstream.WithMsgID(msgID), jetstream.WithExpectStream(Name))...)
	if err != nil {
		return classify(err)
	}
	if ack.Sequence <= before && !ack.Duplicate { // a duplicate was stored by an earlier attempt
		return &BackError{Known: before, Ends: ack.Sequence}
	}
	s.Saw(ack.Sequence)
	return nil
}

// PublishProject stores an accepted creation, once per projectId. replaces is the sequence of the dead-lettered one
// that it replaces, or 0. *score.TakenError: a creation is stored, maybe an equal one. score.ErrOtherMeaning: this
// one may not replace the other. Other errors are as for PublishEnvelope. Nil, too, if the message was stored before
// under msgID.
func (s *Stream) PublishProject(ctx context.Context, msgID string, p *score.Project, replaces uint64, traces ...score.Traced) error {
	data, err := encodeProject(p, traces...)
	if err != nil {
		return err
	}
	subject := projectSubject(p.ID)
	if replaces != 0 {
		if err := s.extends(ctx, subject, p, replaces); err != nil {
			return err
		}
	}
	err = s.publish(ctx, subject, data, msgID, jetstream.WithExpectLastSequencePerSubject(replaces))
	if !isWrongSequence(err) {
		return err
	}
	return s.conflict(ctx, subject, msgID, p, replaces, traces...)
}

// extends checks a creation against the dead-lettered one that it replaces. Pending updates may have been accepted
// for that one, so their indexes of actions and score types must keep their meaning.
func (s *Stream) extends(ctx context.Context, subject string, p *score.Project, replaces uint64) error {
	msg, err := s.stream.GetMsg(ctx, replaces)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil // purged, with every update that came after it
	}
	if err != nil {
		return fmt.Errorf("couldn't read the creation at sequence %d: %w: %w", replaces, ErrUnknown, err)
	}
	m, _ := decode(msg.Data)
	dead := m.Project
	if dead == nil || msg.Subject != subject {
		return nil // no process ever read it as a project
	}
	if len(p.Actions) < len(dead.Actions) || !slices.Equal(p.Actions[:len(dead.Actions)], dead.Actions) ||
		len(p.ScoreTypes) < len(dead.ScoreTypes) || !slices.Equal(p.ScoreTypes[:len(dead.ScoreTypes)], dead.ScoreTypes) {
		return fmt.Errorf("project %s, accepted before at sequence %d: %w", p.ID, replaces, score.ErrOtherMeaning)
	}
	return nil
}

func (s *Stream) conflict(ctx context.Context, subject, msgID string, p *score.Project, replaces uint64, traces ...score.Traced) error {
	msg, err := s.stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) && replaces != 0 {
		return s.PublishProject(ctx, msgID, p, 0, traces...) // the dead-lettered creation was purged meanwhile
	}
	if err != nil {
		return fmt.Errorf("couldn't read the accepted creation of %s: %w: %w", p.ID, ErrUnknown, err)
	}
	if msg.Header.Get(jetstream.MsgIDHeader) == msgID {
		return nil // stored by an attempt with a lost reply
	}
	accepted, err := decode(msg.Data)
	if err != nil || accepted.Project == nil {
		return fmt.Errorf("couldn't read the accepted creation of %s at sequence %d: %w", p.ID, msg.Sequence, errors.Join(err, errMalformed))
	}
	return &score.TakenError{Seq: msg.Sequence, Project: accepted.Project}
}

func projectSubject(id score.ProjectID) string { return projectPrefix + hex.EncodeToString(id[:]) }

func isWrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func classify(err error) error {
	if err == nil {
		return nil
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	switch {
	case noRoom(api):
		return fmt.Errorf("%w: %w", score.ErrFull, err)
	case api.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return fmt.Errorf("couldn't store a message: %w", err)
	default: // such as 10158, "the same id is in process": a retry finds out
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
}

func noRoom(refused *jetstream.APIError) bool {
	switch refused.ErrorCode {
	case codeStoreFailed, codeInsufficientStorage, codeInsufficientResource:
		return true
	}
	return false
}

func notCreated(s jetstream.StreamConfig, err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && noRoom(api) {
		setting := "SCORELAY_STREAM_MAX_BYTES"
		if s.Name == LedgerName {
			setting = "SCORELAY_LEDGER_MAX_BYTES"
		}
		return fmt.Errorf("couldn't create the stream %s: NATS has less room than its bound of %d bytes: raise max_file_store of NATS "+
			"(by default three quarters of what the disk has free), or set a lower %s: %w", s.Name, s.MaxBytes, setting, err)
	}
	return fmt.Errorf("couldn't create the stream %s: %w", s.Name, err)
}
