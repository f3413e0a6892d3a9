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

// DeadLetter is one accepted update or creation that was rejected, with its reason: it did not apply as things stood, and
// its id is unused. One of Update, Project and Raw is set.
//
// A letter is the outcome of an acceptance, so it stays when its update is accepted anew: Replayed marks it then. What
// dies again after that was in another batch, or is another creation, so it has a letter of its own.
type DeadLetter struct {
	ID      string         `json:"id"` // given by AddDeadLetter: what died, and Seq
	Lane    score.Lane     `json:"lane"`
	Seq     uint64         `json:"seq"`   // of the creation or corrupt message; of an update, where its batch began
	Until   uint64         `json:"until"` // given by AddDeadLetter: the stream's last message then; what died is not after it
	Time    time.Time      `json:"time"`
	Outcome score.Outcome  `json:"outcome"`
	Reason  string         `json:"reason"` // a sentence for an operator
	Update  *score.Update  `json:"update,omitzero"`
	Signed  bool           `json:"signed,omitzero"` // the update was one of a signed group, whose signature is not kept
	Project *score.Project `json:"project,omitzero"`
	Raw     []byte         `json:"raw,omitzero"` // a message that could not be read
	Tx      common.Hash    `json:"tx,omitzero"`  // the transaction that showed it, if one did

	Replayed time.Time `json:"replayed,omitzero"` // when it was accepted anew; zero if it was not
}

func (d *DeadLetter) id() string {
	lane, seq := strconv.Itoa(int(d.Lane)), strconv.FormatUint(d.Seq, 10)
	switch {
	case d.Update != nil:
		return lane + ".update." + hex.EncodeToString(d.Update.Project[:]) + "." + hex.EncodeToString(d.Update.ID[:]) + "." + seq
	case d.Project != nil:
		return lane + ".project." + hex.EncodeToString(d.Project.ID[:]) + "." + seq
	default:
		return lane + ".corrupt." + seq
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
// succeeded may repeat it. A mark of a replay is lost then: better an update accepted once more than one out of sight.
func (s *Stream) AddDeadLetter(ctx context.Context, d DeadLetter) error {
	state, err := s.State(ctx)
	if err != nil {
		return fmt.Errorf("couldn't store a dead letter: %w", err)
	}
	d.ID, d.Until = d.id(), state.LastSeq
	return s.putDeadLetter(ctx, d)
}

// MarkReplayed notes in a dead letter that what it holds was accepted anew at a time.
func (s *Stream) MarkReplayed(ctx context.Context, d DeadLetter, at time.Time) error {
	d.Replayed = at
	return s.putDeadLetter(ctx, d)
}

func (s *Stream) putDeadLetter(ctx context.Context, d DeadLetter) error {
	data, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("couldn't encode the dead letter %s: %w", d.ID, err)
	}
	if _, err := s.js.Publish(ctx, deadPrefix+d.ID, data, jetstream.WithExpectStream(DeadLettersName)); err != nil {
		return fmt.Errorf("couldn't store the dead letter %s: %w", d.ID, err)
	}
	return nil
}

// DeadLetters hands every dead letter there is now to fn, replayed ones too, oldest first (of a replayed one, its replay
// counts). An error of fn ends it.
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

// DeadLetter finds one by its id; ErrNoDeadLetter if there is none. An id without the sequence at its end means the
// newest dead letter of that update or creation.
func (s *Stream) DeadLetter(ctx context.Context, id string) (DeadLetter, error) {
	msg, err := s.dead.GetLastMsgForSubject(ctx, deadPrefix+id)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		msg, err = s.dead.GetLastMsgForSubject(ctx, deadPrefix+id+".*")
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return DeadLetter{}, fmt.Errorf("%w: %s", ErrNoDeadLetter, id)
	}
	if err != nil {
		return DeadLetter{}, fmt.Errorf("couldn't read the dead letter %s: %w", id, err)
	}
	return decodeDeadLetter(msg.Subject, msg.Data)
}
