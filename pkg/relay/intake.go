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

// readAhead bounds the records read and not yet looked at.
const readAhead = 256

// intake turns a lane's records, in order, into the next thing to bind: a batch, or a creation. It keeps the two cursors
// around it: everything before from is bound, everything before to is bound or in the builder.
//
// An envelope of 5 updates at sequence 7, batches of 3: after take, from is 7/0, to 7/3 and two updates are in rest. The
// Bind of that batch journals the cursor 7/3; bound pours the rest, and from is 7/3, to 8/0. A session killed in between
// starts at 7/3: its reader hands out the whole envelope of sequence 7 again, and take skips three of it.
//
// A signed group is poured whole or not at all, so neither cursor ever stands inside one.
type intake struct {
	builder  *batch.Builder
	creation *score.Project // bound alone, after the builder is empty
	born     uint64         // the creation's sequence
	rest     []score.Unit   // of the last envelope, not in the builder yet
	full     bool           // what comes next did not fit
	next     *batch.Builder // with other limits, for the next batch; nil for the same again
	config   Config

	from, to score.Cursor
	restAt   score.Cursor // of rest[0]

	records chan Record
	failed  chan error
	backlog atomic.Int64 // updates read and not bound
}

func newIntake(config Config, at score.Cursor) (*intake, error) {
	config = config.withDefaults()
	builder, err := batch.NewBuilder(config.Model, config.Limits)
	if err != nil {
		return nil, err
	}
	return &intake{config: config, builder: builder, from: at, to: at, records: make(chan Record, readAhead), failed: make(chan error, 1)}, nil
}

// follow reads in a goroutine of its own until the context ends; the result waits for that.
func (in *intake) follow(ctx context.Context, reader Reader) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer reader.Close()
		for {
			record, err := reader.Next(ctx)
			if err != nil {
				in.failed <- err
				return
			}
			in.backlog.Add(int64(len(record.Updates)))
			select {
			case in.records <- record:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-done }
}

// hungry tells whether another record can be taken: the last one is all in the builder, and nothing waits behind it.
func (in *intake) hungry() bool { return len(in.rest) == 0 && in.creation == nil && !in.full }

// take accepts the next record, which must come when hungry. The error is lane.ErrCorrupt: the journal's cursor stands
// inside a signed group. No program that knows signed groups binds a part of one, and none that does not reads the
// envelope, so what became of that part is not known; going on before it could carry updates twice, going on behind it
// or with the rest, which has no signature of its own, could lose some.
func (in *intake) take(r Record) error {
	if r.Project != nil {
		in.creation, in.born = r.Project, r.Seq
		return nil
	}
	in.rest, in.restAt = slices.Collect(score.Units(r.Updates, r.Signed)), score.Cursor{Seq: r.Seq}
	if r.Seq == in.to.Seq { // the cursor may be inside this envelope
		for in.restAt.Index < in.to.Index && len(in.rest) > 0 {
			n := uint32(len(in.rest[0].Updates))
			if in.restAt.Index+n > in.to.Index {
				return fmt.Errorf("%w: the cursor %v stands inside the signed group of the updates from %d to %d",
					lane.ErrCorrupt, in.to, in.restAt.Index, in.restAt.Index+n-1)
			}
			in.rest = in.rest[1:]
			in.restAt.Index += n
		}
		in.backlog.Add(-int64(in.restAt.Index))
	}
	in.pour()
	return nil
}

// skip passes a record that holds nothing to bind.
func (in *intake) skip(seq uint64) {
	in.to = score.Cursor{Seq: seq + 1}
	if in.builder.Len() == 0 {
		in.from = in.to
	}
}

// pour moves updates and signed groups into the builder until one does not fit.
func (in *intake) pour() {
	now := in.config.Now()
	for len(in.rest) > 0 {
		n := len(in.rest[0].Updates)
		if !in.builder.AddUnit(in.rest[0], now) {
			in.full = true
			return
		}
		if in.builder.Len() == n {
			in.from = in.restAt
		}
		in.rest = in.rest[1:]
		in.restAt.Index += uint32(n)
		in.to = in.restAt
		if len(in.rest) == 0 {
			in.to = score.Cursor{Seq: in.restAt.Seq + 1}
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
	in.pour()
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
	in.to = score.Cursor{Seq: in.born + 1}
	in.from, in.creation = in.to, nil
}
