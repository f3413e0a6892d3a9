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

// deadLetterID returns the same id for the same letter. An update's id contains its lane, and a hash of its content,
// since two different updates may share an updateId. Other ids are the same in every lane.
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

// AddDeadLetters may be repeated after an error. A letter stored again loses its replay mark, since accepting an
// update twice is better than hiding its letter.
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

// DeadLetters calls fn with each dead letter held now, oldest first. A replay mark makes a letter the newest. The
// first error of fn ends the reading.
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

// LastDeadLetter returns the newest sequence that DEADLETTERS has had; 0: none.
func (s *Stream) LastDeadLetter(ctx context.Context) (uint64, error) {
	// an outdated end would look like a loss of dead letters to the ledger, which would store all again
	info, err := infoOf(ctx, s.dead)
	if err != nil {
		return 0, fmt.Errorf("couldn't find the end of the stream %s: %w", DeadLettersName, err)
	}
	return info.State.LastSeq, nil
}

// DeadLettersAfter calls fn in order with the letters in DEADLETTERS above a sequence, of one project or of all
// (nil). A letter marked or stored again appears only at its newest sequence. It ends with the first error of fn.
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
