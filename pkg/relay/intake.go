package relay

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// readAhead bounds the messages read and not yet looked at.
const readAhead = 256

// intake turns a lane's messages, in order, into the next thing to bind: a batch, or a creation. It keeps the two cursors
// around it: everything before from is bound, everything before to is bound or in the builder.
//
// An envelope of 5 updates at sequence 7, batches of 3: after take, from is 7/0, to 7/3 and two updates are remaining. The
// Bind of that batch journals the cursor 7/3; bound fills the builder with the others, and from is 7/3, to 8/0. A session killed in between
// starts at 7/3: its reader gives it the whole envelope of sequence 7 again, and take skips three of it.
//
// A signed group goes into the builder whole or not at all, so neither cursor ever stands inside one.
type intake struct {
	builder     *batch.Builder
	creation    *score.Project // bound alone, after the builder is empty
	creationSeq uint64         // the creation's sequence
	remaining   []score.Unit   // of the last envelope, not in the builder yet
	full        bool           // what comes next did not fit
	next        *batch.Builder // with other limits, for the next batch; nil for the same again
	config      Config

	from, to    score.Cursor
	remainingAt score.Cursor // of remaining[0]

	messages chan score.Message
	failed   chan error
	backlog  atomic.Int64 // updates read and not bound
}

func newIntake(config Config, at score.Cursor) (*intake, error) {
	config = config.withDefaults()
	builder, err := batch.NewBuilder(config.Model, config.Limits)
	if err != nil {
		return nil, err
	}
	return &intake{config: config, builder: builder, from: at, to: at, messages: make(chan score.Message, readAhead), failed: make(chan error, 1)}, nil
}

// startReading reads the partition in a goroutine of its own until the context ends; the result waits for that.
func (in *intake) startReading(ctx context.Context, reader Reader) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer reader.Close()
		for {
			message, err := reader.Next(ctx)
			if err != nil {
				in.failed <- err
				return
			}
			in.backlog.Add(int64(len(message.Updates)))
			select {
			case in.messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-done }
}

// wantsMessage tells whether another message can be taken: the last one is all in the builder, and nothing waits behind it.
func (in *intake) wantsMessage() bool {
	return len(in.remaining) == 0 && in.creation == nil && !in.full
}

// take accepts the next message, which must come when wantsMessage. The error is lane.ErrCorrupt: the journal's cursor stands
// inside a signed group. No program that knows signed groups binds a part of one, and none that does not reads the
// envelope, so what became of that part is not known; to continue before it could carry updates twice, to continue behind
// it or with the others of the group, which have no signature of their own, could lose some.
func (in *intake) take(m score.Message) error {
	if m.Project != nil {
		in.creation, in.creationSeq = m.Project, m.Seq
		return nil
	}
	in.remaining, in.remainingAt = slices.Collect(score.Units(m.Updates, m.Signed)), score.Cursor{Seq: m.Seq}
	if m.Seq == in.to.Seq { // the cursor may be inside this envelope
		for in.remainingAt.Index < in.to.Index && len(in.remaining) > 0 {
			n := uint32(len(in.remaining[0].Updates))
			if in.remainingAt.Index+n > in.to.Index {
				return fmt.Errorf("%w: the cursor %v stands inside the signed group of the updates from %d to %d",
					lane.ErrCorrupt, in.to, in.remainingAt.Index, in.remainingAt.Index+n-1)
			}
			in.remaining = in.remaining[1:]
			in.remainingAt.Index += n
		}
		in.backlog.Add(-int64(in.remainingAt.Index))
	}
	in.fill()
	return nil
}

// skip passes a message that holds nothing to bind.
func (in *intake) skip(seq uint64) {
	in.to = score.Cursor{Seq: seq + 1}
	if in.builder.Len() == 0 {
		in.from = in.to
	}
}

// fill moves updates and signed groups into the builder until one does not fit.
func (in *intake) fill() {
	now := in.config.Now()
	for len(in.remaining) > 0 {
		n := len(in.remaining[0].Updates)
		if !in.builder.AddUnit(in.remaining[0], now) {
			in.full = true
			return
		}
		if in.builder.Len() == n {
			in.from = in.remainingAt
		}
		in.remaining = in.remaining[1:]
		in.remainingAt.Index += uint32(n)
		in.to = in.remainingAt
		if len(in.remaining) == 0 {
			in.to = score.Cursor{Seq: in.remainingAt.Seq + 1}
		}
	}
}

// due tells whether the builder's batch should be bound now, and why.
func (in *intake) due(now time.Time) (why string, due bool) {
	at, waited, some := in.builder.Due()
	switch {
	case !some:
		return "", false
	case in.full:
		return "full", true
	case in.creation != nil:
		return "creation", true
	case now.Before(at):
		return "", false
	}
	return string(waited), true
}

// bound says that the builder's batch is journaled.
func (in *intake) bound() {
	in.backlog.Add(int64(-in.builder.Len()))
	in.builder.Reset()
	if in.next != nil {
		in.builder, in.next = in.next, nil
	}
	in.from, in.full = in.to, false
	in.fill()
}

// limitGas bounds the gas of the batches after the one being built. A bound below a single update's changes nothing.
func (in *intake) limitGas(maxGas uint64) {
	limits := in.config.Limits
	limits.MaxGas = maxGas
	builder, err := batch.NewBuilder(in.config.Model, limits)
	if err != nil {
		return
	}
	in.next = builder
	if in.builder.Len() == 0 {
		in.builder, in.next = in.next, nil
	}
}

// created says that the creation is journaled.
func (in *intake) created() {
	in.to = score.Cursor{Seq: in.creationSeq + 1}
	in.from, in.creation = in.to, nil
}
