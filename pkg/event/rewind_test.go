package event_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/lent"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/ledger/rig"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// follower obeys docs/events.md.
type follower struct {
	at       event.Cursor
	held     []heldEvent // in the order in which they came
	seen     map[string]bool
	rewinds  int
	replaced int // times that it began again since its cursor was refused
}

func newFollower() follower { return follower{seen: map[string]bool{}} }

// saved is a copy of the follower.
func (f *follower) saved() follower {
	c := *f
	c.held, c.seen = slices.Clone(f.held), maps.Clone(f.seen)
	return c
}

type heldEvent struct {
	id    string
	block uint64
}

func (f *follower) take(t require.TestingT, events []event.Event) {
	for _, e := range events {
		if data, is := e.Data.(event.RewindData); is {
			f.rewinds++
			f.held = slices.DeleteFunc(f.held, func(h heldEvent) bool {
				if h.block > data.Block {
					delete(f.seen, h.id)
				}
				return h.block > data.Block
			})
		} else if change, is := e.Data.(event.ChangeData); is && !f.seen[e.ID] {
			f.seen[e.ID] = true
			f.held = append(f.held, heldEvent{e.ID, *change.Block})
		} else {
			require.True(t, is)
		}
		f.at = e.After
	}
}

// next reads once. It ends where nothing comes for a moment.
func (f *follower) next(ctx context.Context, t require.TestingT, r *event.Reader, limit int) error {
	text, err := event.ParseCursor(f.at.String())
	require.NoError(t, err)
	require.Equal(t, f.at, text)
	events, next, err := r.Next(ctx, theirs, f.at, limit)
	if errors.Is(err, event.ErrReplaced) {
		require.ErrorIs(t, r.Holds(ctx, f.at), event.ErrReplaced)
		again := newFollower()
		again.replaced, again.rewinds = f.replaced+1, f.rewinds
		*f = again
		return nil
	}
	if err != nil {
		return err
	}
	f.take(t, events)
	f.at = next
	return nil
}

// ids are those that the follower holds.
func (f *follower) ids() (ids []string) {
	for _, h := range f.held {
		ids = append(ids, h.id)
	}
	return ids
}

var theirs = score.ProjectID{9}

// created knows of any project where it was created: the model's events need no more.
type created struct{}

func (created) Project(score.ProjectID) (*score.Record, bool) {
	return &score.Record{Created: rig.DeployBlock}, true
}

// depth is a chain in memory, whose final blocks are replaced, with a ledger in NATS.
type depth struct {
	t      testing.TB
	chain  *rig.Chain
	js     jetstream.JetStream
	stream *stream.Stream
	ledger *stream.Ledger
	writer *ledger.Writer
}

func newDepth(t testing.TB) *depth {
	t.Helper()
	d := &depth{t: t, js: lent.JetStream(t), chain: rig.NewChain(score.Deployment{Lanes: 1, ChainID: 1337, Contract: common.Address{1}}, theirs)}
	require.NoError(t, stream.Setup(t.Context(), d.js, stream.Config{Deployment: d.chain.Deployment}))
	var err error
	d.stream, err = stream.Open(t.Context(), d.js)
	require.NoError(t, err)
	d.open()
	return d
}

// open is another relayer.
func (d *depth) open() {
	d.t.Helper()
	var err error
	d.ledger, err = d.stream.Ledger(d.t.Context(), nil)
	require.NoError(d.t, err)
	d.writer = &ledger.Writer{Deployment: d.chain.Deployment, Heads: d.chain, Chain: d.chain, Letters: rig.NoLetters{}, Ledger: d.ledger, Log: slog.New(slog.DiscardHandler)}
}

// write has everything be final, and in the ledger, with a block of events at the end.
func (d *depth) write() {
	d.t.Helper()
	d.chain.Mine(1)
	d.chain.Finalize()
	require.NoError(d.t, d.writer.CatchUp(d.t.Context()))
}

// replace replaces the newest blocks by one more, with events.
func (d *depth) replace(blocks int, events func() int) {
	d.chain.Cut(blocks)
	for range blocks {
		d.chain.Mine(events())
	}
	d.write()
}

func (d *depth) reader(budget int) *event.Reader { return d.readerOf(d.ledger, budget) }

func (d *depth) readerOf(store ledger.Store, budget int) *event.Reader {
	log := slog.New(slog.DiscardHandler)
	r := &event.Reader{
		Source:  &ledger.Source{Ledger: store, Chain: d.chain, Deployment: d.chain.Deployment, Budget: budget, Log: log},
		Letters: rig.NoLetters{}, Chain: d.chain, Deployment: d.chain.Deployment, Projects: created{}, Poll: time.Millisecond, Log: log,
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = r.Source.Run(ctx) })
	d.t.Cleanup(func() { cancel(); running.Wait() })
	return r
}

// restored has NATS hold an older copy of the ledger, which lacks the newest messages.
func (d *depth) restored(lost uint64) {
	d.t.Helper()
	ctx := d.t.Context()
	first, last, err := d.ledger.Bounds(ctx)
	require.NoError(d.t, err)
	var kept []stream.Entry
	require.NoError(d.t, d.ledger.Read(ctx, first, func(e stream.Entry) error {
		if e.Seq+lost > last {
			return stream.ErrStop
		}
		kept = append(kept, e)
		return nil
	}))
	require.NoError(d.t, d.js.DeleteStream(ctx, stream.LedgerName))
	d.open()
	if len(kept) > 0 && kept[0].Seq > 1 {
		of, err := d.js.Stream(ctx, stream.LedgerName)
		require.NoError(d.t, err)
		config := of.CachedInfo().Config
		config.FirstSeq = kept[0].Seq
		require.NoError(d.t, d.js.DeleteStream(ctx, stream.LedgerName))
		_, err = d.js.CreateStream(ctx, config)
		require.NoError(d.t, err)
		d.open()
	}
	for _, e := range kept {
		seq, err := d.ledger.Append(ctx, e.Seq-1, e.Data)
		require.NoError(d.t, err)
		require.Equal(d.t, e.Seq, seq)
	}
}

// TestWhoObeysTheDocsHoldsTheContractsEvents: exactly, each once, over reorgs of final blocks, losses of the ledger, and crashes of the follower, which reads
// any number of events at once, anywhere.
func TestWhoObeysTheDocsHoldsTheContractsEvents(t *testing.T) {
	t.Parallel()
	seed := testrand.Seed(t)
	for round := range long.Size(2, 6) {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		d := newDepth(t)
		lossy := round%2 == 1 // NATS or operators lose some of the ledger
		d.write()
		readers := []*event.Reader{d.reader(1), d.reader(0)}
		followers, saved := make([]follower, 6), make([]follower, 6)
		for i := range followers {
			followers[i], saved[i] = newFollower(), newFollower()
		}
		events := func() int { return rng.IntN(3) * rng.IntN(4) }
		for range 80 {
			switch rng.IntN(9) {
			case 0:
				d.replace(1+rng.IntN(min(30, d.chain.Length()-rig.DeployBlock-1)), events)
			case 1:
				if lossy && rng.IntN(3) == 0 {
					d.purgeAll()
					d.open()
					d.writer.Deployment.DeployBlock = uint64(d.chain.Length() - 1) // it begins there
					d.write()
					d.open()
				}
			case 2:
				if lossy && rng.IntN(3) == 0 {
					d.restored(uint64(rng.IntN(10)))
					if rng.IntN(2) == 0 {
						d.chain.Cut(rng.IntN(min(10, d.chain.Length()-rig.DeployBlock-1)))
						for range 12 {
							d.chain.Mine(events())
						}
					}
					d.write()
					readers[rng.IntN(2)] = d.reader(1 << rng.IntN(16))
				}
			case 3:
				readers[rng.IntN(2)] = d.reader(1 << rng.IntN(16))
			case 4:
				d.open() // another relayer
				if rng.IntN(4) == 0 {
					d.chain.Mine(1200) // more than a message holds
				}
				d.write()
			default:
				for range rng.IntN(5) {
					d.chain.Mine(events())
				}
				d.write()
			}
			i := rng.IntN(len(followers))
			f := &followers[i]
			wait := soon
			if lossy {
				wait = 20 * time.Millisecond // a source takes ten seconds to notice that its ledger is another one
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			for range rng.IntN(6) {
				if f.atEnd(d) || f.next(ctx, t, readers[rng.IntN(2)], 1+rng.IntN(20)) != nil {
					break
				}
			}
			cancel()
			switch rng.IntN(4) {
			case 0: // it stores what it holds with its cursor
				saved[i] = f.saved()
			case 1: // it crashes
				*f = saved[i].saved()
			}
		}
		d.write()
		if lossy && round > 1 { // one that was running takes ten seconds to notice that the ledger is another
			readers = []*event.Reader{d.reader(1), d.reader(0)}
		}
		want, rewinds, replaced := d.chain.EventIDs(), 0, 0
		for i := range followers {
			f := &followers[i]
			f.toEnd(t, d, readers[i%2], 1000+rng.IntN(500)) // more than a part of a block has
			require.Equal(t, want, f.ids(), "seed %d, round %d, follower %d at %s", seed, round, i, f.at)
			rewinds, replaced = rewinds+f.rewinds, replaced+f.replaced
			if !lossy {
				require.Zero(t, f.replaced, "seed %d", seed)
			}
		}
		if !lossy {
			require.Positive(t, rewinds, "seed %d, round %d", seed, round)
		}
		t.Logf("round %d: %d events, %d rewinds were told, %d cursors refused", round, len(want), rewinds, replaced)
	}
}

// TestAReaderOfOldBlocksIsRewound: it reads what is older than the ledger when that is replaced.
func TestAReaderOfOldBlocksIsRewound(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	for range 60 {
		d.chain.Mine(10)
	}
	for range 1100 {
		d.chain.Mine(0)
	}
	d.write() // begins 1,024 blocks below
	r := d.reader(0)
	f := newFollower()
	for len(f.held) < 400 {
		require.NoError(t, f.next(t.Context(), t, r, 100))
	}
	before := f
	n := 0
	d.replace(1150, func() int { n++; return max(0, 3-n%100) })
	require.NoError(t, r.Holds(t.Context(), f.at), "a reader that comes back is told, too")
	want := d.chain.EventIDs()
	for len(f.held) != len(want) || f.at.Seq == 0 {
		require.NoError(t, f.next(t.Context(), t, r, 100))
	}
	require.Equal(t, want, f.ids())
	require.Equal(t, 1, f.rewinds)
	some, _, err := r.Next(t.Context(), theirs, before.at, 100)
	require.NoError(t, err)
	require.Equal(t, event.ChainRewound, some[0].Type)
	again, _, err := d.reader(0).Next(t.Context(), theirs, before.at, 100)
	require.NoError(t, err)
	require.Equal(t, some, again, "the same event under the same id")
	require.Equal(t, event.RewindData{Block: rig.DeployBlock - 1}, some[0].Data)
	require.Equal(t, event.Cursor{}, some[0].After)
	require.Regexp(t, `^rewound-[0-9]+-[0-9a-f]{16}$`, some[0].ID)
}

// TestACursorThatTheLedgerForgotIsRefused where its block is gone, too: nothing tells what of it still holds. From the start all comes.
func TestACursorThatTheLedgerForgotIsRefused(t *testing.T) {
	t.Parallel()
	d := newDepth(t)
	for range 20 {
		d.chain.Mine(1)
	}
	d.write()
	r := d.reader(0)
	f := newFollower()
	for f.at.Position.Block+1 < uint64(d.chain.Length()) {
		require.NoError(t, f.next(t.Context(), t, r, 100))
	}
	d.purgeAll()
	d.open()
	d.replace(5, func() int { return 2 })
	r = d.reader(0) // a new process: one that has it in memory still leads on
	require.ErrorIs(t, r.Holds(t.Context(), f.at), event.ErrReplaced)
	_, at, err := r.Next(t.Context(), theirs, f.at, 1)
	require.ErrorIs(t, err, event.ErrReplaced)
	require.Equal(t, f.at, at)
	for f.replaced == 0 || f.at.Position.Block+1 < uint64(d.chain.Length()) {
		require.NoError(t, f.next(t.Context(), t, r, 100))
	}
	require.Equal(t, d.chain.EventIDs(), f.ids())
}
