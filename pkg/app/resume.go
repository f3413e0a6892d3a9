package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Halting is the state of a halt, which the operator can end by Resume.
type Halting struct {
	Marker    halt.Marker
	Stream    score.StreamState
	Journaled uint64 // highest sequence in the lanes' journals
	Noted     uint64 // highest sequence in Redis
	NoteErr   error  // why Noted is unknown

	stream   *stream.Stream
	marks    halt.Marks
	statuses *status.Store
	revision uint64
}

// LookAtHalt loads the marker of the last halt and the state of the stream.
func LookAtHalt(ctx context.Context, js jetstream.JetStream, s *stream.Stream, statuses *status.Store) (*Halting, error) {
	marks, err := halt.Open(ctx, js)
	if err != nil {
		return nil, err
	}
	journals, err := stream.OpenJournal(ctx, js)
	if err != nil {
		return nil, err
	}
	h := &Halting{stream: s, marks: marks, statuses: statuses}
	if h.Marker, h.revision, err = marks.Get(ctx); err != nil {
		return nil, err
	}
	if h.Journaled, err = journals.Seen(ctx); err != nil {
		return nil, err
	}
	h.Noted, h.NoteErr = statuses.NoteSequence(ctx, 0)
	if h.Stream, err = s.State(ctx); err != nil {
		return nil, err
	}
	if !halt.Believable(h.Noted, h.Stream) {
		h.Noted, h.NoteErr = 0, fmt.Errorf("it noted %d, which cannot be true: delete that key, the prefix followed by sequence", h.Noted)
	}
	return h, nil
}

// Known returns the highest sequence known to have been in the stream.
func (h *Halting) Known() uint64 {
	known := max(h.Journaled, h.Noted)
	if h.Marker.Halts() {
		known = max(known, h.Marker.Known)
	}
	return known
}

// Loss returns the loss that the operator must accept. Once a Resume with acceptLoss began, the loss comes from the
// marker, since the stream then grows past its end.
func (h *Halting) Loss() halt.Loss {
	if loss := h.Marker.Loss; h.Marker.Halts() && loss != nil && loss.Ends <= h.Stream.LastSeq {
		return *loss
	}
	return halt.Loss{Ends: h.Stream.LastSeq, Stored: h.Stream.LastTime.UTC()}
}

var (
	errNotHalted = errors.New("accepting does not halt: there is nothing to resume")
	errAccepting = errors.New("accepting the loss began and did not end: --accept-loss ends it; what is lost has to be sent again")
	errReplaced  = errors.New("the stream is not the one that the journals and processes know: bring that one back and resume with nothing lost, or set up a new deployment")
)

// maxExtend limits how far Resume moves the stream, in sequences: each temporarily costs a message.
const maxExtend = 100_000_000

// Resume ends the halt. With acceptLoss the stream continues after all known sequences, and after past. Statuses that
// lack an outcome are then forgotten, so that lost updates can be sent again; forgotten is their number. Without
// acceptLoss, it is an error if the stream lacks a known sequence. Resume can be repeated after an error.
func (h *Halting) Resume(ctx context.Context, acceptLoss bool, past uint64, progress func(left uint64)) (forgotten int, err error) {
	known := max(h.Known(), past)
	switch {
	case !h.Marker.Halts():
		return 0, errNotHalted
	case acceptLoss && (h.Marker.Code == halt.Replaced || !h.Marker.Stream.Equal(h.Stream.Created)):
		return 0, errReplaced
	case !acceptLoss && h.Marker.Loss != nil:
		return 0, errAccepting
	case !acceptLoss && h.Stream.LastSeq < known:
		return 0, fmt.Errorf("the stream ends at sequence %d, and had held sequence %d: something is lost", h.Stream.LastSeq, known)
	case known > h.Stream.LastSeq+maxExtend:
		return 0, fmt.Errorf("the stream ends at sequence %d, and %d is too far from that to be true; find out which of the numbers is wrong", h.Stream.LastSeq, known)
	}
	m := h.Marker
	m.Choice = "nothing is lost"
	if acceptLoss {
		loss := h.Loss()
		m.Choice = fmt.Sprintf("the loss of what was accepted after sequence %d, stored at %s, is accepted", loss.Ends, loss.Stored.Format(time.RFC3339))
		m.Loss = &loss
		if err := h.claim(ctx, &loss); err != nil {
			return 0, err
		}
		if err := h.stream.Extend(ctx, known, progress); err != nil {
			return 0, err
		}
		m.Forgotten = status.NewToken()
		if forgotten, err = h.forget(ctx, &loss, m.Forgotten); err != nil {
			return forgotten, err
		}
	}
	m.Resumed = time.Now().UTC()
	_, err = h.marks.Replace(ctx, m, h.revision)
	return forgotten, err
}

// forget forgets unfinished statuses. If several operators do so at once, none still forgets after another has
// resumed accepting. That other operator wrote the marker later, which claim detects, or began to forget later, which
// Redis detects.
func (h *Halting) forget(ctx context.Context, loss *halt.Loss, token string) (forgotten int, err error) {
	unanswered := func(err error) error {
		return fmt.Errorf("Redis must answer, or what is lost would be answered as a duplicate when it is sent again: %w", err)
	}
	if err := h.statuses.BeginForget(ctx, token); err != nil {
		return 0, unanswered(err)
	}
	if err := h.claim(ctx, loss); err != nil {
		return 0, err
	}
	if forgotten, err = h.statuses.ForgetUnfinished(ctx, token); err != nil {
		return forgotten, unanswered(err)
	}
	return forgotten, nil
}

// claim writes the loss to the marker before the stream moves past it, since nothing else records the loss. It also
// writes an unchanged loss, so that the decision of another operator who read the marker before fails.
func (h *Halting) claim(ctx context.Context, loss *halt.Loss) error {
	m := h.Marker
	m.Loss = loss
	if _, err := h.marks.Replace(ctx, m, h.revision); err != nil {
		return err
	}
	read, revision, err := h.marks.Get(ctx)
	if err != nil {
		return err
	}
	// the marker is another operator's now
	if !read.Halts() || read.Loss == nil || read.Loss.Ends != loss.Ends || !read.Loss.Stored.Equal(loss.Stored) {
		return fmt.Errorf("the marker of a halt: %w: look again with `scorelay halt show`", kv.ErrMoved)
	}
	h.Marker, h.revision = read, revision
	return nil
}
