package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// simSource is the stream of accepted updates, as package stream keeps it in JetStream: a log that is read from a message
// on, and dead letters, of which a repeated one replaces the first.
type simSource struct {
	now func() time.Time
	// fault, if it is there, is told of each call: an error before it is one that does nothing, after it one whose answer is
	// lost.
	fault func(what string) (before, after error)

	onPurge func(below uint64)
	created time.Time
	last    uint64
	log     []simMessage // not purged
	all     []simMessage
	letters map[string]score.DeadLetter
	order   []string // of letters

	letterSeq uint64    // of the newest of those that no event tells of
	sole      []simSole // these, in order
}

// simSole is a dead letter that no event tells of, at its newest place.
type simSole struct {
	seq uint64
	id  string
}

type simMessage struct {
	at     time.Time
	record score.Message
}

func newSimSource(now func() time.Time) *simSource {
	return &simSource{now: now, created: now(), letters: map[string]score.DeadLetter{}}
}

// errNoMore says that there is no further message now; a real reader would wait.
var errNoMore = errors.New("there is no further message")

func (s *simSource) call(what string, do func()) error { return simCall(s.fault, what, do) }

// errSimCrash, as an error after a call, ends the process that made it.
var errSimCrash = errors.New("the process was killed")

// simCrash is what a process that is killed panics with.
type simCrash struct{}

// simCall makes a call with the faults of the moment.
func simCall(fault func(what string) (before, after error), what string, do func()) error {
	if fault == nil {
		do()
		return nil
	}
	before, after := fault(what)
	if before != nil {
		return before
	}
	do()
	if errors.Is(after, errSimCrash) {
		panic(simCrash{})
	}
	return after
}

// publish stores a message.
func (s *simSource) publish(r score.Message) uint64 {
	s.last++
	r.Seq = s.last
	s.log, s.all = append(s.log, simMessage{s.now(), r}), append(s.all, simMessage{s.now(), r})
	return s.last
}

func (s *simSource) Read(_ context.Context, from uint64) (reader Reader, err error) {
	err = s.call("read", func() { reader = &simReader{s, max(from, 1)} })
	return reader, err
}

type simReader struct {
	source *simSource
	next   uint64
}

func (r *simReader) Close() {}

func (r *simReader) Next(context.Context) (record score.Message, err error) {
	more := errNoMore
	err = r.source.call("next", func() {
		if record, more = r.source.first(r.next); more == nil {
			r.next = record.Seq + 1
		}
	})
	return record, errors.Join(err, more)
}

// first is the first message from a sequence on.
func (s *simSource) first(from uint64) (score.Message, error) {
	for i := range s.log {
		if s.log[i].record.Seq >= from {
			return s.log[i].record, nil
		}
	}
	return score.Message{}, errNoMore
}

func (s *simSource) State(context.Context) (state score.StreamState, err error) {
	err = s.call("state", func() {
		state = score.StreamState{Created: s.created, FirstSeq: s.last + 1, LastSeq: s.last}
		if len(s.log) > 0 {
			state.FirstSeq = s.log[0].record.Seq
		}
	})
	return state, err
}

func (s *simSource) FirstSince(_ context.Context, at time.Time) (seq uint64, err error) {
	err = s.call("first_since", func() {
		seq = s.last + 1
		if i := slices.IndexFunc(s.log, func(m simMessage) bool { return !m.at.Before(at) }); i >= 0 {
			seq = s.log[i].record.Seq
		}
	})
	return seq, err
}

func (s *simSource) StoredAt(_ context.Context, seq uint64) (time.Time, error) {
	for i := range s.log {
		if s.log[i].record.Seq == seq {
			return s.log[i].at, nil
		}
	}
	return time.Time{}, errNoMore
}

func (s *simSource) Purge(_ context.Context, below uint64) error {
	return s.call("purge", func() {
		if s.onPurge != nil {
			s.onPurge(below)
		}
		s.log = slices.DeleteFunc(s.log, func(m simMessage) bool { return m.record.Seq < below })
	})
}

func (s *simSource) LastDeadLetter(context.Context) (seq uint64, err error) {
	err = s.call("last_dead_letter", func() { seq = s.letterSeq })
	return seq, err
}

func (s *simSource) DeadLettersAfter(_ context.Context, after uint64, _ *score.ProjectID, fn func(seq uint64, d score.DeadLetter) error) error {
	for _, x := range slices.Clone(s.sole) {
		if x.seq <= after {
			continue
		}
		if err := fn(x.seq, s.letters[x.id]); err != nil {
			return err
		}
	}
	return nil
}

func (s *simSource) DeadLetters(_ context.Context, fn func(score.DeadLetter) error) error {
	for _, id := range s.order {
		if err := fn(s.letters[id]); err != nil {
			return err
		}
	}
	return nil
}

func (s *simSource) ReadAll(ctx context.Context, fn func(score.Message) error) error {
	return s.ReadFrom(ctx, 1, fn)
}

// ReadFrom also has what was purged: a restore goes back less far than the audit horizon, which is short here.
func (s *simSource) ReadFrom(_ context.Context, from uint64, fn func(score.Message) error) error {
	for _, m := range slices.Clone(s.all) {
		if m.record.Time = m.at; m.record.Seq < from {
			continue
		}
		if err := fn(m.record); err != nil {
			return err
		}
	}
	return nil
}

func (s *simSource) AddDeadLetters(_ context.Context, letters []score.DeadLetter) error {
	return s.call("dead_letters", func() {
		for _, d := range letters {
			id := letterID(&d)
			if _, again := s.letters[id]; !again {
				s.order = append(s.order, id)
			}
			s.letters[id] = d
			if d.Sole() {
				s.letterSeq++
				s.sole = append(slices.DeleteFunc(s.sole, func(x simSole) bool { return x.id == id }), simSole{s.letterSeq, id})
			}
		}
	})
}

// letterID names what died, and with which piece of work, as package stream does.
func letterID(d *score.DeadLetter) string {
	switch {
	case d.Update != nil:
		u := d.Update
		return fmt.Sprintf("%d.update.%x.%x.%d.%x.%x.%d.%d.%t", d.Lane, u.Project, u.ID, d.Work, u.Signer, u.Target, u.Action, u.ScoreType, d.Signed)
	case d.Project != nil:
		return fmt.Sprintf("project.%x.%d", d.Project.ID, d.Seq)
	}
	if d.Edit != nil {
		return fmt.Sprintf("edit.%x.%d.%d", d.Edit.Project, d.Edit.Nonce, d.Seq)
	}
	return fmt.Sprintf("corrupt.%d", d.Seq)
}
