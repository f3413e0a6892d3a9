package event_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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

// toEnd reads until the follower is at the newest final block.
func (f *follower) toEnd(t *testing.T, d *depth, r *event.Reader, limit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	for f.at.Position.Block+1 < uint64(d.chain.Length()) || f.at.Seq == 0 {
		if err := f.next(ctx, t, r, limit); err != nil {
			require.NoError(t, ctx.Err(), "stuck at %s: %v", f.at, err)
			time.Sleep(time.Millisecond)
		}
	}
}

// TestAPurgeWhileTheWriterIsFarBehind: relayers were down, or the disk full, for more than 1,024 blocks, and an operator purges LEDGER. A
// reader of a process that runs gets the blocks between.
func TestAPurgeWhileTheWriterIsFarBehind(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	r := d.reader(0)
	f := follower{seen: map[string]bool{}}
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
	slow := d.reader(0)
	f := follower{seen: map[string]bool{}}
	f.toEnd(t, d, slow, 100)
	at := f.at
	for range 20 {
		d.write()
	}
	r := &event.Reader{
		Source:  &ledger.Source{Ledger: &passed{Store: d.ledger, do: func() { d.purgeAll(jetstream.WithPurgeSequence(at.Seq + 10)) }}, Chain: d.chain, Deployment: d.chain.Deployment, Budget: 1, Log: slow.Log},
		Letters: slow.Letters, Chain: d.chain, Deployment: d.chain.Deployment, Projects: created{}, Poll: time.Millisecond, Log: slow.Log,
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = r.Source.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	f.toEnd(t, d, r, 100)
	require.Equal(t, d.chain.EventIDs(), f.ids())
}

// TestPartsOfABlockHavePositionsOfTheirOwn: NATS has an older copy, and the writer appends a large block one sequence earlier, since a message
// without events is not appended again. The cursor inside the block is not one behind its next part.
func TestPartsOfABlockHavePositionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	_, keep, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.chain.Mine(0)
	d.chain.Finalize()
	d.writer.Now = func() time.Time { return time.Now().Add(time.Hour) }
	require.NoError(t, d.writer.CatchUp(t.Context())) // the message that there was nothing
	d.chain.Mine(1)
	d.chain.Mine(2000) // three parts
	d.write()
	f := follower{seen: map[string]bool{}}
	r := d.reader(1)
	for len(f.held) < 840 {
		require.NoError(t, f.next(t.Context(), t, r, 10))
	}
	_, last, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.restored(last - keep)
	d.write()
	f.toEnd(t, d, d.reader(1), 100)
	require.Len(t, f.ids(), len(d.chain.EventIDs()))
	require.Equal(t, d.chain.EventIDs(), f.ids())
}

// TestTheBlockBeforeALargeOne is as above, of a reader that had read everything when NATS went back.
func TestTheBlockBeforeALargeOne(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	d.write()
	_, keep, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.chain.Mine(0)
	d.chain.Finalize()
	d.writer.Now = func() time.Time { return time.Now().Add(time.Hour) }
	require.NoError(t, d.writer.CatchUp(t.Context())) // the message that there was nothing
	d.write()
	f := follower{seen: map[string]bool{}}
	f.toEnd(t, d, d.reader(1), 10)
	_, last, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.restored(last - keep)
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
	_, keep, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.chain.Mine(2000)
	d.write()
	f := follower{seen: map[string]bool{}}
	r := d.reader(1)
	for len(f.held) < 1 {
		require.NoError(t, f.next(t.Context(), t, r, 1))
	}
	for len(f.held) < 820 { // all of the first part
		require.NoError(t, f.next(t.Context(), t, r, 819))
	}
	_, last, err := d.ledger.Bounds(t.Context())
	require.NoError(t, err)
	d.restored(last - keep)
	d.chain.Cut(2)
	d.chain.Mine(3)
	d.chain.Mine(1)
	d.write()
	f.toEnd(t, d, d.reader(1), 100)
	require.Equal(t, d.chain.EventIDs(), f.ids())
}
