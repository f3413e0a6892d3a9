package stream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"

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
	ID      string         `json:"id,omitzero"` // given by AddDeadLetters: what died, and Seq
	Lane    score.Lane     `json:"lane"`
	Seq     uint64         `json:"seq"`   // of the creation or corrupt message; of an update, where its batch began
	Until   uint64         `json:"until"` // given by AddDeadLetters: the stream's last message then; what died is not after it
	Time    time.Time      `json:"time"`
	Outcome score.Outcome  `json:"outcome"`
	Reason  string         `json:"reason"` // a sentence for an operator
	Update  *score.Update  `json:"update,omitzero"`
	Signed  bool           `json:"signed,omitzero"` // the update was one of a signed group, whose signature is not kept
	Project *score.Project `json:"project,omitzero"`
	Raw     []byte         `json:"raw,omitzero"` // a message that could not be read
	Tx      common.Hash    `json:"tx,omitzero"`  // the transaction that showed it, if one did

	Replayed time.Time `json:"replayed,omitzero"` // when it was accepted anew; zero if it was not

	subject string // where it was read
}

// id names what died and where its batch began. Two updates under one updateId are two things, so an update's id ends in
// a hash of what it says; letters of earlier versions end in Seq.
func (d *DeadLetter) id() string {
	lane, seq := strconv.Itoa(int(d.Lane)), strconv.FormatUint(d.Seq, 10)
	switch {
	case d.Update != nil:
		u := d.Update
		said := sha256.Sum256(slices.Concat(u.Signer[:], u.Target[:], []byte{u.Action, u.ScoreType}, strconv.AppendBool(nil, d.Signed)))
		return strings.Join([]string{
			lane, "update", hex.EncodeToString(u.Project[:]), hex.EncodeToString(u.ID[:]), seq, hex.EncodeToString(said[:8]),
		}, ".")
	case d.Project != nil:
		return lane + ".project." + hex.EncodeToString(d.Project.ID[:]) + "." + seq
	default:
		return lane + ".corrupt." + seq
	}
}

// only tells whether nothing else says what the letter says. That a project is unknown an event tells also of updates
// that merely came before their project and went again: that it was the end, only the letter says.
func (d *DeadLetter) only() bool {
	return d.Update == nil || d.Tx == (common.Hash{}) || d.Outcome == score.Unprocessable || d.Outcome == score.UnknownProject
}

// AddDeadLetters stores dead letters. Nil means that all are stored; after an error some may be. Adding one again
// replaces it, so a caller that does not know whether it succeeded may repeat all of them. A mark of a replay is lost
// then: better an update accepted once more than one out of sight.
func (s *Stream) AddDeadLetters(ctx context.Context, letters []DeadLetter) error {
	if len(letters) == 0 {
		return nil
	}
	state, err := s.State(ctx)
	if err != nil {
		return fmt.Errorf("couldn't store %d dead letters: %w", len(letters), err)
	}
	var dead, rejected []*nats.Msg
	for _, d := range letters {
		d.Until = state.LastSeq
		if s.rejected == nil || d.only() {
			dead, err = appendLetter(dead, deadPrefix+d.id(), d)
		} else {
			rejected, err = appendLetter(rejected, rejectedPrefix+d.id(), d)
		}
		if err != nil {
			return err
		}
	}
	if err := s.dead.put(ctx, dead); err != nil {
		return err
	}
	return s.rejected.put(ctx, rejected)
}

// MarkReplayed notes in a dead letter that was read that what it holds was accepted anew at a time.
func (s *Stream) MarkReplayed(ctx context.Context, d DeadLetter, at time.Time) error {
	d.Replayed = at
	msgs, err := appendLetter(nil, d.subject, d)
	if err != nil {
		return err
	}
	if strings.HasPrefix(d.subject, rejectedPrefix) {
		return s.rejected.put(ctx, msgs)
	}
	return s.dead.put(ctx, msgs)
}

// DeadLetters hands every dead letter there is now to fn, replayed ones too, oldest first (of a replayed one, its replay
// counts). An error of fn ends it.
func (s *Stream) DeadLetters(ctx context.Context, fn func(DeadLetter) error) error {
	dead, stopDead := iter.Pull2(s.dead.letters(ctx))
	defer stopDead()
	rejected, stopRejected := iter.Pull2(s.rejected.letters(ctx))
	defer stopRejected()
	a, errA, okA := dead()
	b, errB, okB := rejected()
	for okA || okB {
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		var err error
		if okA && (!okB || !b.at.Before(a.at)) {
			err = fn(a.DeadLetter)
			a, errA, okA = dead()
		} else {
			err = fn(b.DeadLetter)
			b, errB, okB = rejected()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// DeadLetter finds one by its id; ErrNoDeadLetter if there is none. The beginning of an id, with an update's or creation's
// own id in it, means the newest dead letter that begins so.
func (s *Stream) DeadLetter(ctx context.Context, id string) (DeadLetter, error) {
	patterns := []string{id}
	if names(id) {
		patterns = append(patterns, id+".>")
	}
	for _, pattern := range patterns {
		d, err := s.dead.last(ctx, pattern)
		if err != nil {
			return DeadLetter{}, err
		}
		other, err := s.rejected.last(ctx, pattern)
		if err != nil {
			return DeadLetter{}, err
		}
		if d == nil || other != nil && other.at.After(d.at) {
			d = other
		}
		if d != nil {
			return d.DeadLetter, nil
		}
	}
	return DeadLetter{}, fmt.Errorf("%w: %s", ErrNoDeadLetter, id)
}

// names tells whether the beginning of an id goes as far as what died.
func names(id string) bool {
	parts := strings.Split(id, ".")
	if len(parts) < 2 {
		return false
	}
	switch parts[1] {
	case "update":
		return len(parts) >= 4
	case "project":
		return len(parts) >= 3
	}
	return parts[1] == "corrupt"
}
