package relay

import (
	"context"
	"fmt"
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
	rest     []score.Update // of the last envelope, not in the builder yet
	signed   []score.Signed // the signed groups in rest, by their places in the envelope
	full     bool           // what comes next did not fit
	lingered time.Time      // when the builder's first update has waited for company long enough
	forWord  bool           // the batch waits, or waited, longer than that for a word to become complete
	next     *batch.Builder // with other limits, for the next batch; nil for the same again
	config   Config

	from, to score.Cursor
	restAt   score.Cursor // of rest[0]

	records chan Record
	failed  chan error
	backlog atomic.Int64 // updates read and not bound
}

func newIntake(config Config, at score.Cursor) (*intake, error) {
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
	in.rest, in.signed, in.restAt = r.Updates, r.Signed, score.Cursor{Seq: r.Seq}
	if r.Seq == in.to.Seq && in.to.Index > 0 { // the cursor is inside this envelope
		skip := min(int(in.to.Index), len(in.rest))
		in.rest, in.restAt.Index = in.rest[skip:], uint32(skip)
		in.backlog.Add(int64(-skip))
		for len(in.signed) > 0 && in.signed[0].First < skip {
			if g := in.signed[0]; g.First+g.Count > skip {
				return fmt.Errorf("%w: the cursor %v stands inside the signed group of the updates from %d to %d",
					lane.ErrCorrupt, in.to, g.First, g.First+g.Count-1)
			}
			in.signed = in.signed[1:]
		}
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
	now := time.Now()
	for len(in.rest) > 0 {
		n := in.add(now)
		if n == 0 {
			in.full = true
			return
		}
		if in.builder.Len() == n {
			in.from, in.lingered = in.restAt, now.Add(in.config.Limits.Linger)
		}
		in.rest = in.rest[n:]
		in.restAt.Index += uint32(n)
		in.to = in.restAt
		if len(in.rest) == 0 {
			in.to = score.Cursor{Seq: in.restAt.Seq + 1}
		}
	}
}

// add puts what comes next into the builder, an update or a signed group, and tells how many updates that were; 0 if it
// does not fit.
func (in *intake) add(now time.Time) int {
	if len(in.signed) == 0 || in.signed[0].First > int(in.restAt.Index) {
		if !in.builder.Add(in.rest[0], now) {
			return 0
		}
		return 1
	}
	g := in.signed[0]
	if !in.builder.AddSigned(in.rest[:g.Count:g.Count], g.Kind, g.Signature, now) {
		return 0
	}
	in.signed = in.signed[1:]
	return g.Count
}

// flush tells whether the builder's batch should be bound now, and why.
func (in *intake) flush(now time.Time) (why string, due bool) {
	if in.builder.Len() == 0 {
		return "", false
	}
	at, _ := in.builder.Due()
	if at.After(in.lingered) && !now.Before(in.lingered) {
		in.forWord = true
	}
	switch {
	case in.full:
		return "full", true
	case in.creation != nil:
		return "creation", true
	case now.Before(at):
		return "", false
	case in.forWord:
		return "word", true
	}
	return "linger", true
}

// bound says that the builder's batch is journaled.
func (in *intake) bound() {
	in.backlog.Add(int64(-in.builder.Len()))
	in.builder.Reset()
	if in.next != nil {
		in.builder, in.next = in.next, nil
	}
	in.from, in.full, in.forWord = in.to, false, false
	in.pour()
}

// shrink bounds the gas of the batches after the one being built. A bound below a single update's changes nothing.
func (in *intake) shrink(maxGas uint64) {
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
