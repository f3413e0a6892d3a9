package stream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// PublishEdit stores an accepted edit, once per project and nonce, and replaces a dead-lettered one. It returns
// *score.EditTakenError if an edit with that nonce, maybe this one, is stored. Other errors are as for
// PublishEnvelope.
func (s *Stream) PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error {
	data, err := encodeEdit(e, traces...)
	if err != nil {
		return err
	}
	subject := editSubject(e.Ref())
	err = s.publish(ctx, subject, data, msgID, jetstream.WithExpectLastSequencePerSubject(0))
	if !isWrongSequence(err) {
		return err
	}
	seq, stored, id, err := s.edit(ctx, e.Ref())
	switch {
	case err != nil:
		return err
	case id == msgID:
		return nil // stored by an attempt with a lost reply
	case stored != nil:
		dead, err := s.edited(ctx, stored, seq)
		if err != nil {
			return err
		}
		if dead == nil {
			return &score.EditTakenError{Seq: seq, Edit: stored}
		}
	}
	err = s.publish(ctx, subject, data, msgID, jetstream.WithExpectLastSequencePerSubject(seq))
	if isWrongSequence(err) { // another edit was first: the next attempt finds it
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return err
}

// Edit returns the newest accepted edit of a nonce, and its dead letter; nil for each that is missing.
func (s *Stream) Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error) {
	seq, stored, _, err := s.edit(ctx, ref)
	if err != nil || stored == nil {
		return nil, nil, err
	}
	dead, err := s.edited(ctx, stored, seq)
	return stored, dead, err
}

// edit reads the newest message of a nonce; stored is nil if missing or corrupt.
func (s *Stream) edit(ctx context.Context, ref score.Ref) (seq uint64, stored *score.SignedEdit, msgID string, err error) {
	msg, err := s.stream.GetLastMsgForSubject(ctx, editSubject(ref))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil, "", nil
	}
	if err != nil {
		return 0, nil, "", fmt.Errorf("couldn't read the accepted edit of project %s with nonce %d: %w: %w", ref.Project, ref.Nonce, ErrUnknown, err)
	}
	m, err := decode(msg.Data)
	if errors.Is(err, score.ErrNewer) {
		return 0, nil, "", fmt.Errorf("couldn't read the accepted edit of project %s with nonce %d: %w", ref.Project, ref.Nonce, err)
	}
	return msg.Sequence, m.Edit, msg.Header.Get(jetstream.MsgIDHeader), nil
}

// edited returns an edit's dead letter, or nil.
func (s *Stream) edited(ctx context.Context, e *score.SignedEdit, seq uint64) (*score.DeadLetter, error) {
	subject := deadPrefix + deadLetterID(&score.DeadLetter{Edit: e, Seq: seq})
	msg, err := s.dead.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err != nil {
		return nil, fmt.Errorf("couldn't look for the dead letter %s: %w: %w", subject, ErrUnknown, err)
	}
	d, err := s.dead.decode(msg.Subject, msg.Data)
	return &d, err
}

func editSubject(ref score.Ref) string {
	return projectPrefix + hex.EncodeToString(ref.Project[:]) + "-edit-" + strconv.FormatUint(ref.Nonce, 10)
}

func editName(ref score.Ref) string {
	return "edit." + hex.EncodeToString(ref.Project[:]) + "." + strconv.FormatUint(ref.Nonce, 10)
}
