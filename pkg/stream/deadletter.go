package stream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ErrNoDeadLetter says that there is no dead letter of that id.
var ErrNoDeadLetter = errors.New("no such dead letter")

// DeadLetter is an accepted update or creation that cannot ever apply, with its reason. One of Update, Project and
// Raw is set.
type DeadLetter struct {
	ID      string         `json:"id"` // given by AddDeadLetter: the same thing dying again has the same id
	Lane    score.Lane     `json:"lane"`
	Seq     uint64         `json:"seq"` // the creation's or corrupt message's place in the stream, or 0 if not known
	Time    time.Time      `json:"time"`
	Outcome score.Outcome  `json:"outcome"`
	Reason  string         `json:"reason"` // a sentence for an operator
	Update  *score.Update  `json:"update,omitzero"`
	Project *score.Project `json:"project,omitzero"`
	Raw     []byte         `json:"raw,omitzero"` // a message that could not be read
	Tx      common.Hash    `json:"tx,omitzero"`  // the transaction that showed it, if one did
}

func (d *DeadLetter) id() string {
	lane := strconv.Itoa(int(d.Lane))
	switch {
	case d.Update != nil:
		return lane + ".update." + hex.EncodeToString(d.Update.Project[:]) + "." + hex.EncodeToString(d.Update.ID[:])
	case d.Project != nil:
		return lane + ".project." + hex.EncodeToString(d.Project.ID[:])
	default:
		return lane + ".corrupt." + strconv.FormatUint(d.Seq, 10)
	}
}

func decodeDeadLetter(subject string, data []byte) (DeadLetter, error) {
	var d DeadLetter
	if err := json.Unmarshal(data, &d); err != nil {
		return DeadLetter{}, fmt.Errorf("couldn't read the dead letter %s: %w", subject, err)
	}
	d.ID = strings.TrimPrefix(subject, deadPrefix)
	return d, nil
}

// AddDeadLetter stores a dead letter. Adding it again replaces it, so a caller that does not know whether it
// succeeded may repeat it.
func (s *Stream) AddDeadLetter(ctx context.Context, d DeadLetter) error {
	d.ID = d.id()
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("couldn't encode the dead letter %s: %w", d.ID, err)
	}
	if _, err := s.js.Publish(ctx, deadPrefix+d.ID, data, jetstream.WithExpectStream(DeadLettersName)); err != nil {
		return fmt.Errorf("couldn't store the dead letter %s: %w", d.ID, err)
	}
	return nil
}

// DeadLetters hands every dead letter there is now to fn, oldest first. An error of fn ends it.
func (s *Stream) DeadLetters(ctx context.Context, fn func(DeadLetter) error) error {
	info, err := s.dead.Info(ctx)
	if err != nil {
		return fmt.Errorf("couldn't read the dead letters: %w", err)
	}
	return readThrough(ctx, s.dead, nil, info.State.LastSeq, info.State.Msgs, func(msg jetstream.Msg, _ *jetstream.MsgMetadata) error {
		d, err := decodeDeadLetter(msg.Subject(), msg.Data())
		if err != nil {
			return err
		}
		return fn(d)
	})
}

// DeadLetter finds one by its id; ErrNoDeadLetter if there is none.
func (s *Stream) DeadLetter(ctx context.Context, id string) (DeadLetter, error) {
	msg, err := s.dead.GetLastMsgForSubject(ctx, deadPrefix+id)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return DeadLetter{}, fmt.Errorf("%w: %s", ErrNoDeadLetter, id)
	}
	if err != nil {
		return DeadLetter{}, fmt.Errorf("couldn't read the dead letter %s: %w", id, err)
	}
	return decodeDeadLetter(deadPrefix+id, msg.Data)
}

// RemoveDeadLetter deletes a dead letter, after it was accepted anew; ErrNoDeadLetter if there is none.
func (s *Stream) RemoveDeadLetter(ctx context.Context, id string) error {
	if _, err := s.DeadLetter(ctx, id); err != nil {
		return err
	}
	if err := s.dead.Purge(ctx, jetstream.WithPurgeSubject(deadPrefix+id)); err != nil {
		return fmt.Errorf("couldn't remove the dead letter %s: %w", id, err)
	}
	return nil
}
