package event_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/stream"
)

func (d *depth) purgeAll(opts ...jetstream.StreamPurgeOpt) {
	d.t.Helper()
	of, err := d.js.Stream(d.t.Context(), stream.LedgerName)
	require.NoError(d.t, err)
	require.NoError(d.t, of.Purge(d.t.Context(), opts...))
}

// atEnd reports whether the follower is at the newest final block.
func (f *follower) atEnd(d *depth) bool {
	return f.at.Position.Block+1 == uint64(d.chain.Length()) && f.at.Seq > 0
}

// toEnd reads until the follower is at the newest final block; a source may have to notice first that its ledger is another one.
func (f *follower) toEnd(t *testing.T, d *depth, r *event.Reader, limit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		for !f.atEnd(d) {
			require.NoError(t, f.next(ctx, t, r, limit), "stuck at %s", f.at)
		}
	}, soon, time.Millisecond)
}

// TestAPurgeWhileTheWriterIsFarBehind: relayers were down, or the disk full, for more than 1,024 blocks, and an operator purges LEDGER. A
// reader of a process that runs gets the blocks between.
func TestAPurgeWhileTheWriterIsFarBehind(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	r := d.reader(0)
	f := newFollower()
	f.toEnd(t, d, r, 100)
	for range 5 {
		d.chain.Mine(2)
	}
	for range 1100 {
		d.chain.Mine(0)
	}
	d.purgeAll()
	d.open()
	d.write()
	f.toEnd(t, d, r, 100)
	require.Equal(t, d.chain.EventIDs(), f.ids())
}

// writeEmpty has the ledger hold the message that a block has nothing.
func (d *depth) writeEmpty() {
	d.t.Helper()
	d.chain.Mine(0)
	d.chain.Finalize()
	d.writer.Now = func() time.Time { return time.Now().Add(time.Hour) }
	require.NoError(d.t, d.writer.CatchUp(d.t.Context()))
}

// last is the sequence of the ledger's newest message.
func (d *depth) last() uint64 {
	d.t.Helper()
	_, last, err := d.ledger.Bounds(d.t.Context())
	require.NoError(d.t, err)
	return last
}

// passed is a ledger whose oldest messages make room between two questions of a reader.
type passed struct {
	ledger.Store

	once sync.Once
	do   func()
}

func (p *passed) Read(ctx context.Context, from uint64, fn func(stream.Entry) error) error {
	p.once.Do(p.do)
	return p.Store.Read(ctx, from, fn)
}

// TestTheRetentionPassesAReader between its look at its own message and its reading of what follows.
func TestTheRetentionPassesAReader(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	f := newFollower()
	f.toEnd(t, d, d.reader(0), 100)
	at := f.at
	for range 20 {
		d.write()
	}
	f.toEnd(t, d, d.readerOf(&passed{Store: d.ledger, do: func() { d.purgeAll(jetstream.WithPurgeSequence(at.Seq + 10)) }}, 1), 100)
	require.Equal(t, d.chain.EventIDs(), f.ids())
}

// TestPartsOfABlockHavePositionsOfTheirOwn: NATS has an older copy, and the writer appends a large block one sequence earlier, since a message
// without events is not appended again. The cursor inside the block is not one behind its next part.
func TestPartsOfABlockHavePositionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	keep := d.last()
	d.writeEmpty()
	d.chain.Mine(1)
	d.chain.Mine(2000) // three parts
	d.write()
	f := newFollower()
	r := d.reader(1)
	for len(f.held) < 840 {
		require.NoError(t, f.next(t.Context(), t, r, 10))
	}
	d.restored(d.last() - keep)
	d.write()
	f.toEnd(t, d, d.reader(1), 100)
	require.Len(t, f.ids(), len(d.chain.EventIDs()))
	require.Equal(t, d.chain.EventIDs(), f.ids())
}

// TestALargeBlockOlderThanTheLedgerIsReadInPieces: readers that begin again inside its second part come to its end.
func TestALargeBlockOlderThanTheLedgerIsReadInPieces(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.chain.Mine(1200)
	d.write()
	d.write()
	d.purgeAll(jetstream.WithPurgeSequence(d.last()))
	for _, limit := range []int{1, 100, 187, 819, 820, 821} {
		f, calls := newFollower(), 0
		for r := d.reader(1); !f.atEnd(d); calls++ {
			require.LessOrEqual(t, calls, 2*(1+1202/limit), "stuck at %s with %d events", f.at, len(f.held))
			require.NoError(t, f.next(t.Context(), t, r, limit))
		}
		require.Equal(t, d.chain.EventIDs(), f.ids())
	}
}

// TestTheBlockBeforeALargeOne is as above, of a reader that had read everything when NATS went back.
func TestTheBlockBeforeALargeOne(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	keep := d.last()
	d.writeEmpty()
	d.write()
	f := newFollower()
	f.toEnd(t, d, d.reader(1), 10)
	d.restored(d.last() - keep)
	d.chain.Mine(2000)
	d.write()
	f.toEnd(t, d, d.reader(1), 100)
	require.Len(t, f.ids(), len(d.chain.EventIDs()))
}

// TestAHalfReadBlockIsReplacedAndForgotten: NATS loses it, too, and the reader is between two of its parts.
func TestAHalfReadBlockIsReplacedAndForgotten(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	keep := d.last()
	d.chain.Mine(2000)
	d.write()
	f := newFollower()
	r := d.reader(1)
	for len(f.held) < 1 {
		require.NoError(t, f.next(t.Context(), t, r, 1))
	}
	for len(f.held) < 820 { // all of the first part
		require.NoError(t, f.next(t.Context(), t, r, 819))
	}
	d.restored(d.last() - keep)
	d.chain.Cut(2)
	d.chain.Mine(3)
	d.chain.Mine(1)
	d.write()
	f.toEnd(t, d, d.reader(1), 100)
	require.Equal(t, d.chain.EventIDs(), f.ids())
}
