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

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// deadLetterID names what was rejected, and with which piece of its lane's work. Two updates under one updateId are two things, so an
// update's id ends in a hash of what it says. A message is one thing in every lane.
func deadLetterID(d *score.DeadLetter) string {
	seq := strconv.FormatUint(d.Seq, 10)
	switch {
	case d.Update != nil:
		u := d.Update
		said := sha256.Sum256(slices.Concat(u.Signer[:], u.Target[:], []byte{u.Action, u.ScoreType}, strconv.AppendBool(nil, d.Signed)))
		return strings.Join([]string{
			strconv.Itoa(int(d.Lane)), "update", hex.EncodeToString(u.Project[:]), hex.EncodeToString(u.ID[:]), strconv.FormatUint(d.Work, 10), hex.EncodeToString(said[:8]),
		}, ".")
	case d.Project != nil:
		return "project." + hex.EncodeToString(d.Project.ID[:]) + "." + seq
	case d.Edit != nil:
		return editName(d.Edit.Ref()) + "." + seq
	default:
		return "corrupt." + seq
	}
}

// AddDeadLetters stores dead letters. Nil means that all are stored; after an error some may be. Adding one again
// replaces it, so a caller that does not know whether it succeeded may repeat all of them. A mark of a replay is lost
// then: better an update accepted once more than one out of sight.
func (s *Stream) AddDeadLetters(ctx context.Context, letters []score.DeadLetter) error {
	if len(letters) == 0 {
		return nil
	}
	state, err := s.State(ctx)
	if err != nil {
		return fmt.Errorf("couldn't store %d dead letters: %w", len(letters), err)
	}
	var dead, rejected []*nats.Msg
	now := time.Now().UTC()
	for _, d := range letters {
		d.Until, d.Time = state.LastSeq, now
		if d.Sole() {
			dead, err = appendDeadLetter(dead, deadPrefix+deadLetterID(&d), d)
		} else {
			rejected, err = appendDeadLetter(rejected, rejectedPrefix+deadLetterID(&d), d)
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

// MarkReplayed notes in a dead letter that was read that what it holds was accepted again at a time.
func (s *Stream) MarkReplayed(ctx context.Context, d score.DeadLetter, at time.Time) error {
	d.Replayed = at
	of := s.rejected
	if d.Sole() {
		of = s.dead
	}
	msgs, err := appendDeadLetter(nil, of.prefix+d.ID, d)
	if err != nil {
		return err
	}
	return of.put(ctx, msgs)
}

// DeadLetters hands every dead letter there is now to fn, replayed ones too, oldest first (of a replayed one, its replay
// counts). An error of fn ends it.
func (s *Stream) DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error {
	dead, stopDead := iter.Pull2(s.dead.all(ctx))
	defer stopDead()
	rejected, stopRejected := iter.Pull2(s.rejected.all(ctx))
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

// LastDeadLetter is the sequence of the newest dead letter that no event of the contract tells of, in the stream that keeps these; 0 while there was none.
func (s *Stream) LastDeadLetter(ctx context.Context) (uint64, error) {
	info, err := infoOf(ctx, s.dead) // of an old end the ledger would conclude that dead letters are lost, and hold all again
	if err != nil {
		return 0, fmt.Errorf("couldn't find the end of the stream %s: %w", DeadLettersName, err)
	}
	return info.State.LastSeq, nil
}

// DeadLettersAfter hands the dead letters that no event of the contract tells of, and that are stored after a sequence now, to fn, in order: a project's or, of nil,
// all. One that was marked as replayed, or stored again, has its newest place only. An error of fn ends it.
func (s *Stream) DeadLettersAfter(ctx context.Context, after uint64, of *score.ProjectID, fn func(seq uint64, d score.DeadLetter) error) error {
	from := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1}
	if of != nil {
		project := hex.EncodeToString(of[:])
		from.FilterSubjects = []string{deadPrefix + "*.update." + project + ".>", deadPrefix + "project." + project + ".>", deadPrefix + "edit." + project + ".>"}
	}
	return readThrough(ctx, s.dead, from, func(msg jetstream.Msg, meta *jetstream.MsgMetadata) error {
		d, err := s.dead.decode(msg.Subject(), msg.Data())
		if err != nil {
			return err
		}
		return fn(meta.Sequence.Stream, d)
	})
}
