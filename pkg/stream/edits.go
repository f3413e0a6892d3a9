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

// PublishEdit stores an accepted edit, once per project and nonce. A *score.EditTakenError says that one is there that is no dead
// letter, maybe this very one; one that is, is replaced. Else nil, score.ErrFull and ErrUnknown mean what they do of PublishEnvelope.
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
		return nil // stored by an attempt whose answer was lost
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
	if isWrongSequence(err) { // another one came first: what it is, the next attempt says
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return err
}

// Edit finds the newest accepted edit of a nonce that the stream holds, nil where it holds none, and its dead letter, nil where it has
// none.
func (s *Stream) Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error) {
	seq, stored, _, err := s.edit(ctx, ref)
	if err != nil || stored == nil {
		return nil, nil, err
	}
	dead, err := s.edited(ctx, stored, seq)
	return stored, dead, err
}

// edit reads the newest message of a nonce; stored is nil where it cannot be read.
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

// edited is the dead letter of the edit at a sequence; nil where there is none.
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

// editName names an edit in ids of dead letters.
func editName(ref score.Ref) string {
	return "edit." + hex.EncodeToString(ref.Project[:]) + "." + strconv.FormatUint(ref.Nonce, 10)
}
