package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/ledger/rig"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func TestMain(m *testing.M) {
	long.Beside(4)
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).StartMonitoring"))
}

const patient = 2 * time.Minute

var deployment = score.Deployment{Lanes: 1, ChainID: 1337, Contract: common.HexToAddress("0xc0"), DeployBlock: rig.DeployBlock}

// model is a chain, and the dead letters beside it.
type model struct {
	*rig.Chain
	letters
}

func newModel() *model {
	m := &model{Chain: rig.NewChain(deployment, score.ProjectID{9})}
	m.Keep = 64
	return m
}

// newest is the newest final block.
func (m *model) newest(t require.TestingT) evidence.Block {
	final, some := m.Final()
	require.True(t, some)
	return final
}

// letters is a ledger.Letters.
type letters struct {
	fails error // of reading

	mu  sync.Mutex
	all []score.DeadLetter
}

// die adds a dead letter.
func (l *letters) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := fmt.Sprint(len(l.all) + 1)
	l.all = append(l.all, score.DeadLetter{ID: id, Reason: "r", Outcome: score.Unprocessable, Update: &score.Update{Project: score.ProjectID{9}}})
}

func (l *letters) LastDeadLetter(context.Context) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.all)), l.fails
}

func (l *letters) DeadLettersAfter(_ context.Context, after uint64, _ *score.ProjectID, fn func(uint64, score.DeadLetter) error) error {
	l.mu.Lock()
	all := l.all
	l.mu.Unlock()
	for i := after; i < uint64(len(all)); i++ {
		if err := fn(i+1, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// faulty is a store whose appends follow a plan.
type faulty struct {
	*stream.Ledger
	*fault.Plan
}

func (f faulty) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	return fault.Value(f.Plan, "append", func() (uint64, error) { return f.Ledger.Append(ctx, last, data) })
}

func open(t *testing.T) (*stream.Ledger, jetstream.JetStream) {
	t.Helper()
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: deployment}))
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	l, err := s.Ledger(t.Context(), nil)
	require.NoError(t, err)
	return l, js
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func writer(m *model, store ledger.Store) *ledger.Writer {
	return &ledger.Writer{Deployment: deployment, Heads: m, Chain: m, Letters: m, Ledger: store, Log: discard(), Metrics: prometheus.NewRegistry()}
}

func source(t *testing.T, m *model, store ledger.Store, budget int) *ledger.Source {
	t.Helper()
	s := &ledger.Source{Ledger: store, Chain: m, Deployment: deployment, Budget: budget, Log: discard()}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

// reader folds what it reads into the events that hold.
type reader struct {
	at      ledger.Position
	held    []rig.Event
	told    map[rig.Event]uint64 // in which block, of those that hold
	rewinds int
	letters []string
}

// take folds messages.
func (r *reader) take(t require.TestingT, messages []*ledger.Message) {
	if r.told == nil {
		r.told = map[rig.Event]uint64{}
	}
	for _, m := range messages {
		switch m.Kind {
		case ledger.Rewind:
			r.rewinds++
			r.held = slices.DeleteFunc(r.held, func(e rig.Event) bool { return r.told[e] > m.Block.Number })
			maps.DeleteFunc(r.told, func(_ rig.Event, block uint64) bool { return block > m.Block.Number })
		case ledger.Letter:
			r.letters = append(r.letters, m.Letter.ID)
		case ledger.Block:
			for _, e := range m.Events {
				one := rig.Event{Block: m.Block.Hash, Log: e.Log}
				_, twice := r.told[one]
				require.False(t, twice, "an event comes once")
				r.told[one], r.held = m.Block.Number, append(r.held, one)
			}
		}
		r.at = m.Position
	}
}

// through reads until the newest final block is covered, and the dead letters up to one.
func (r *reader) through(t require.TestingT, m *model, s *ledger.Source, letters ...uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	for final := m.newest(t); !is(r.at, final) || len(letters) > 0 && r.at.Letters < letters[0]; {
		some, err := s.Next(ctx, r.at)
		require.NoError(t, err)
		require.NotEmpty(t, some)
		r.take(t, some)
	}
}

// is reports whether a position is at a block.
func is(at ledger.Position, b evidence.Block) bool {
	return at.Block == b.Number && at.Hash == [8]byte(b.Hash[:8])
}

// holdsAll requires that a reader that begins comes to the chain's events, and returns it.
func holdsAll(t *testing.T, m *model, s *ledger.Source) (r reader) {
	t.Helper()
	r.through(t, m, s)
	require.Equal(t, m.Held(), r.held)
	return r
}

// elsewhere is a chain whose logs are those of blocks that were replaced, all at once.
type elsewhere struct {
	*model
	through evidence.Block
	logs    []types.Log
}

func (e *elsewhere) Logs(_ context.Context, _ common.Address, _ []common.Hash, _, _ uint64, fn func(evidence.Block, []types.Log) error) error {
	return fn(e.through, e.logs)
}

// TestNothingIsAppendedThatDoesNotLeadToTheFinalBlock, of blocks that the process does not remember.
func TestNothingIsAppendedThatDoesNotLeadToTheFinalBlock(t *testing.T) {
	t.Parallel()
	store, _ := open(t)
	m := newModel()
	m.Keep = 0
	m.Finalize()
	w := writer(m, store)
	until(t, m, w, store)
	_, last, err := store.Bounds(t.Context())
	require.NoError(t, err)
	const blocks = 40
	grow := func() {
		for range blocks {
			m.Mine(1)
		}
	}
	from, other := uint64(m.Length()), &elsewhere{model: m}
	grow()
	require.NoError(t, m.Logs(t.Context(), deployment.Contract, nil, from, from+blocks-1, func(b evidence.Block, logs []types.Log) error {
		other.through, other.logs = b, append(other.logs, logs...)
		return nil
	}))
	m.Cut(blocks)
	grow()
	m.FinalizeBut(1)
	w.Chain = other
	require.Error(t, w.CatchUp(t.Context()))
	_, now, err := store.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, last, now)
	w.Chain = m
	until(t, m, w, store)
	holdsAll(t, m, source(t, m, store, 0))
}

// until appends until the ledger has the newest final block as its newest.
func until(t require.TestingT, m *model, w *ledger.Writer, store ledger.Store) {
	for n := 0; ; n++ {
		require.NoError(t, w.CatchUp(context.Background()))
		_, last, err := store.Bounds(context.Background())
		require.NoError(t, err)
		entry, err := store.At(context.Background(), last)
		require.NoError(t, err)
		p, _, err := ledger.Peek(entry.Data)
		require.NoError(t, err)
		if is(p, m.newest(t)) && p.Letters == uint64(len(m.all)) {
			return
		}
		m.Mine(2) // an empty end is appended only after a while, and nothing before the chain is as long as it was
		m.Finalize()
		require.Less(t, n, 50)
	}
}

// TestReadersHoldTheChainsEvents: two writers and a chain that changes: who reads the ledger from anywhere and obeys Rewinds holds exactly the chain's events at
// the end, each once: appends that fail before or after they are stored, reorgs deeper than finality, readers in memory and behind.
func TestReadersHoldTheChainsEvents(t *testing.T) {
	t.Parallel()
	seed, failures, rewinds := testrand.Seed(t), 0, 0
	for round := range long.Size(2, 6) {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		m := newModel()
		store, _ := open(t)
		f := faulty{store, fault.NewPlan(fault.Random(rng, 12, -1))}
		writers := []*ledger.Writer{writer(m, f), writer(m, f)}
		s := source(t, m, store, 4096) // small, so that readers are behind
		var early reader
		m.Finalize()
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		some, err := s.Next(t.Context(), early.at)
		require.NoError(t, err)
		early.take(t, some)
		for range 60 {
			switch rng.IntN(8) {
			case 0:
				m.die()
			case 1: // deeper than finality
				m.Cut(min(m.Length()-1-rig.DeployBlock, 1+rng.IntN(20)))
				for range 1 + rng.IntN(25) {
					m.Mine(rng.IntN(3))
				}
			case 2:
				m.Keep = uint64(rng.IntN(64))
			case 3:
				writers[rng.IntN(2)] = writer(m, f) // killed, another begins
			default:
				for range 1 + rng.IntN(4) {
					m.Mine(rng.IntN(4))
				}
			}
			m.FinalizeBut(uint64(rng.IntN(3)))
			if rng.IntN(3) > 0 {
				if err := writers[rng.IntN(2)].CatchUp(t.Context()); err != nil {
					require.ErrorIs(t, err, fault.Err, "seed %d", seed)
				}
			}
			if rng.IntN(4) == 0 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				if some, err := s.Next(ctx, early.at); err == nil {
					early.take(t, some)
				}
				cancel()
			}
		}
		m.Finalize()
		failed := f.Failures()
		f.Set(nil)
		until(t, m, writers[0], store)
		early.through(t, m, s, uint64(len(m.all)))
		require.Equal(t, m.Held(), early.held, "seed %d, round %d", seed, round)
		require.GreaterOrEqual(t, len(early.letters), len(m.all))
		holdsAll(t, m, source(t, m, store, 0))
		t.Logf("round %d: %d events, %d rewinds, %d appends that failed, %d letters", round, len(early.held), early.rewinds, failed, len(m.all))
		failures, rewinds = failures+failed, rewinds+early.rewinds
	}
	require.Positive(t, failures, "seed %d", seed)
	require.Positive(t, rewinds, "seed %d", seed)
}

// halfTold has a writer die within a block of several messages, and returns the store.
func halfTold(t *testing.T, m *model, kind fault.Kind) *stream.Ledger {
	t.Helper()
	store, _ := open(t)
	m.Mine(9000) // some 2.5 MB
	m.Finalize()
	require.ErrorIs(t, writer(m, faulty{store, fault.NewPlan(fault.Nth(4, kind))}).CatchUp(t.Context()), fault.Err)
	return store
}

// TestABlockIsCompletedByTheNextWriter, once.
func TestABlockIsCompletedByTheNextWriter(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		m := newModel()
		store := halfTold(t, m, kind)
		m.die() // comes behind the block
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		holdsAll(t, m, source(t, m, store, 0))
	})
}

// TestAReorgReplacesAHalfToldBlock.
func TestAReorgReplacesAHalfToldBlock(t *testing.T) {
	t.Parallel()
	m := newModel()
	store := halfTold(t, m, fault.Persisted)
	m.Cut(1)
	m.Mine(3)
	m.Finalize()
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	r := holdsAll(t, m, source(t, m, store, 0))
	require.Zero(t, r.rewinds, "who begins reads the chain up to the newest Rewind, and the ledger behind it")
}

// TestALongReorg: 1, 100 and 5,000 blocks, with many readers in the middle.
func TestALongReorg(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 100, 5000} {
		m := newModel()
		m.Keep = 4096
		store, _ := open(t)
		grow := func(blocks int) {
			for n := range blocks { // a message of each block with an event is synced to disk
				events := 0
				if depth <= 100 || n%long.Size(10, 1) == 0 || n+1 == blocks {
					events = 1
				}
				m.Mine(events)
			}
			m.Finalize()
			require.NoError(t, writer(m, store).CatchUp(t.Context()))
		}
		grow(depth + 20)
		s := source(t, m, store, 0)
		readers := make([]reader, 200)
		for i := range readers {
			some, err := s.Next(t.Context(), readers[i].at)
			require.NoError(t, err)
			readers[i].take(t, some)
		}
		m.Cut(depth)
		grow(depth + 1)
		want := m.Held()
		var reading sync.WaitGroup
		for i := range readers {
			reading.Go(func() { readers[i].through(t, m, s) })
		}
		reading.Wait()
		for i := range readers {
			require.True(t, slices.Equal(want, readers[i].held))
		}
	}
}

// TestAWriterThatLagsAppendsNothing: its endpoints are behind those of the writer before it.
func TestAWriterThatLagsAppendsNothing(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, _ := open(t)
	m.Mine(2)
	m.Mine(2)
	m.Finalize()
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	_, before, err := store.Bounds(t.Context())
	require.NoError(t, err)
	m.FinalizeBut(3)
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	_, after, err := store.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestUnreadDeadLettersAreReported, and delay no block.
func TestUnreadDeadLettersAreReported(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, _ := open(t)
	m.Mine(2)
	m.Finalize()
	m.die()
	broken := errors.New("broken")
	m.fails = broken
	w := writer(m, store)
	require.ErrorIs(t, w.CatchUp(t.Context()), broken)
	s := source(t, m, store, 0)
	r := &reader{}
	r.through(t, m, s)
	require.Equal(t, m.Held(), r.held)
	require.Empty(t, r.letters)
	m.fails = nil
	require.NoError(t, w.CatchUp(t.Context()))
	r.through(t, m, s, 1)
	require.Len(t, r.letters, 1)
}

// TestAPurgedLedgerBeginsAgain: what was purged is read from the chain, and readers in the middle continue from their block.
func TestAPurgedLedgerBeginsAgain(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, js := open(t)
	for range 30 {
		m.Mine(1)
	}
	m.Finalize()
	w := writer(m, store)
	require.NoError(t, w.CatchUp(t.Context()))
	r := holdsAll(t, m, source(t, m, store, 0))

	purged, err := js.Stream(t.Context(), stream.LedgerName)
	require.NoError(t, err)
	require.NoError(t, purged.Purge(t.Context()))
	for range 10 {
		m.Mine(1)
	}
	m.Finalize()
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	s := source(t, m, store, 0)
	r.through(t, m, s)
	require.Equal(t, m.Held(), r.held)
	holdsAll(t, m, s)
}

// TestPositionsOfAnotherLedger: a position of blocks that are gone is refused, one that is not there yet too.
func TestPositionsOfAnotherLedger(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, _ := open(t)
	m.Mine(1)
	m.Finalize()
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	s := source(t, m, store, 0)
	end, err := s.End(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Holds(t.Context(), end.Position))
	gone := end.Position
	gone.Hash[0]++
	require.ErrorIs(t, s.Holds(t.Context(), gone), ledger.ErrReplaced)
	_, err = s.Next(t.Context(), gone)
	require.ErrorIs(t, err, ledger.ErrReplaced)
	ahead := end.Position
	ahead.Seq, ahead.Block = ahead.Seq+100, ahead.Block+100
	require.ErrorIs(t, s.Holds(t.Context(), ahead), ledger.ErrAhead)
	for _, p := range []ledger.Position{{}, end.Position, gone, ahead} {
		again, err := ledger.ParsePosition(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("41-1200-4f0c0c0c0c0c0ce1-3")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ledger.ParsePosition(text); err == nil {
			require.Equal(t, text, p.String())
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{1, 0xc0})
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = ledger.Peek(data) })
}

// TestReceiptsAreReadOnce: what transactions paid is in the receipts that were read for their events, unless no endpoint gave those.
func TestReceiptsAreReadOnce(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{false, true} {
		m := newModel()
		m.Single = single
		store, _ := open(t)
		m.Mine(4)
		m.Mine(2)
		m.Mine(0)
		m.Finalize()
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		require.Equal(t, map[bool]int{false: 0, true: 2}[single], m.Asked())
	}
}
