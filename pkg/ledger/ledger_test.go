package ledger_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func TestMain(m *testing.M) {
	long.Beside(4)
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).StartMonitoring"))
}

const patient = 2 * time.Minute

var deployment = score.Deployment{Lanes: 1, ChainID: 1337, Contract: common.HexToAddress("0xc0"), DeployBlock: 3}

// model is a chain whose blocks hold MemberChanged events, and the dead letters beside it. It is a ledger.Heads, Chain and Letters.
type model struct {
	mu      sync.Mutex
	blocks  []evidence.Block // by number
	logs    map[common.Hash][]types.Log
	final   uint64
	keep    uint64 // blocks below the head that Block remembers
	salt    uint64
	changed chan struct{}
	letters []score.DeadLetter
	lost    uint64 // letters up to this sequence are gone
	single  bool   // no endpoint gives all receipts of a block
	asked   int    // how often Paid was
}

func newModel() *model {
	m := &model{logs: map[common.Hash][]types.Log{}, keep: 64, changed: make(chan struct{})}
	m.mine(0)
	for range 5 {
		m.mine(0)
	}
	return m
}

// mine adds a block with so many events, two of each transaction.
func (m *model) mine(events int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.salt++
	b := evidence.Block{Number: uint64(len(m.blocks)), Time: 1_700_000_000 + uint64(len(m.blocks)), Checked: true}
	if b.Number > 0 {
		b.Parent = m.blocks[b.Number-1].Hash
	}
	b.Hash = crypto.Keccak256Hash(binary.BigEndian.AppendUint64(b.Parent[:], m.salt))
	for i := range events {
		tx := crypto.Keccak256Hash(b.Hash[:], []byte{byte(i / 2)})
		m.logs[b.Hash] = append(m.logs[b.Hash], types.Log{
			Address: deployment.Contract, BlockNumber: b.Number, BlockHash: b.Hash, TxHash: tx, Index: uint(3 * i),
			Topics: []common.Hash{registry.ProjectTopics()[3], {31: 9}, common.BigToHash(big.NewInt(int64(i))), {31: 1}},
			Data:   common.BigToHash(big.NewInt(1)).Bytes(),
		})
	}
	m.blocks = append(m.blocks, b)
}

// cut drops the newest blocks down to a height.
func (m *model) cut(to uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocks = m.blocks[:to+1]
}

// finalize makes blocks final, but for the newest ones.
func (m *model) finalize(but uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.final = m.head() - min(but, m.head())
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *model) head() uint64 { return uint64(len(m.blocks) - 1) }

func (m *model) Final() (evidence.Block, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.final == 0 || m.final > m.head() {
		return evidence.Block{}, false
	}
	return m.blocks[m.final], true
}

func (m *model) Block(number uint64) (evidence.Block, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if number > m.head() || number+m.keep < m.head() {
		return evidence.Block{}, false
	}
	return m.blocks[number], true
}

func (m *model) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

func (m *model) BlockByNumber(_ context.Context, number uint64) (evidence.Block, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if number > m.head() {
		return evidence.Block{}, errors.New("no such block")
	}
	return m.blocks[number], nil
}

func (m *model) Events(_ context.Context, blocks []evidence.Block, _ common.Address, _ []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range blocks {
		logs = append(logs, m.logs[b.Hash]...)
	}
	if m.single {
		return logs, nil, nil
	}
	return logs, costs(logs), nil
}

func (m *model) Logs(_ context.Context, _ common.Address, _ []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	for from <= to {
		last := min(to, from+6)
		m.mu.Lock()
		if last > m.head() {
			m.mu.Unlock()
			return errors.New("no such block")
		}
		var logs []types.Log
		for _, b := range m.blocks[from : last+1] {
			logs = append(logs, m.logs[b.Hash]...)
		}
		through := m.blocks[last]
		m.mu.Unlock()
		if err := fn(through, logs); err != nil {
			return err
		}
		from = last + 1
	}
	return nil
}

func (m *model) Paid(_ context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	return costs(logs), nil
}

func costs(logs []types.Log) map[common.Hash]evidence.Paid {
	paid := map[common.Hash]evidence.Paid{}
	for i := range logs {
		paid[logs[i].TxHash] = evidence.Paid{Time: 1_700_000_000 + logs[i].BlockNumber, Gas: 50_000, Fee: big.NewInt(7)}
	}
	return paid
}

func (m *model) LastDeadLetter(context.Context) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(len(m.letters)), nil
}

func (m *model) DeadLettersAfter(_ context.Context, after uint64, _ *score.ProjectID, fn func(uint64, score.DeadLetter) error) error {
	m.mu.Lock()
	letters := slices.Clone(m.letters)
	m.mu.Unlock()
	for i := max(after, m.lost); i < uint64(len(letters)); i++ {
		if err := fn(i+1, letters[i]); err != nil {
			return err
		}
	}
	return nil
}

// die adds a dead letter.
func (m *model) die() {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := fmt.Sprint(len(m.letters) + 1)
	m.letters = append(m.letters, score.DeadLetter{ID: id, Reason: "r", Outcome: score.Unprocessable, Update: &score.Update{Project: score.ProjectID{9}}})
}

// event names one of the contract's events.
type event struct {
	block common.Hash
	log   uint
}

// events are those of the blocks from…to, in order.
func (m *model) events(from, to uint64) (all []event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.blocks[from : to+1] {
		for _, l := range m.logs[b.Hash] {
			all = append(all, event{b.Hash, l.Index})
		}
	}
	return all
}

// flaky is a store whose appends fail as a test wants: without having stored, or having stored.
type flaky struct {
	*stream.Ledger
	fails func() (fails, stored bool)
}

var errFlaky = errors.New("no answer came")

func (f *flaky) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	fails, stored := f.fails()
	if fails && !stored {
		return 0, errFlaky
	}
	seq, err := f.Ledger.Append(ctx, last, data)
	if fails && err == nil {
		return 0, errFlaky
	}
	return seq, err
}

func open(t *testing.T) (*stream.Ledger, jetstream.JetStream) {
	t.Helper()
	js := devnet.JetStream(t)
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
	held    []event
	blocks  map[common.Hash]uint64
	rewinds int
	letters []string
	told    map[event]int // how often each event came since it was last void
}

// take folds messages.
func (r *reader) take(t require.TestingT, messages []*ledger.Message) {
	if r.blocks == nil {
		r.blocks, r.told = map[common.Hash]uint64{}, map[event]int{}
	}
	for _, m := range messages {
		switch m.Kind {
		case ledger.Rewind:
			r.rewinds++
			r.held = slices.DeleteFunc(r.held, func(e event) bool { return r.blocks[e.block] > m.Block.Number })
			for e := range r.told {
				if r.blocks[e.block] > m.Block.Number {
					delete(r.told, e)
				}
			}
		case ledger.Letter:
			r.letters = append(r.letters, m.Letter.ID)
		case ledger.Block:
			for _, e := range m.Events {
				one := event{m.Block.Hash, e.Log}
				r.blocks[m.Block.Hash] = m.Block.Number
				r.held = append(r.held, one)
				r.told[one]++
				require.Equal(t, 1, r.told[one], "an event comes once")
			}
		}
		r.at = m.Position
	}
}

// through reads until a block is covered, and the dead letters up to one.
func (r *reader) through(t require.TestingT, s *ledger.Source, block uint64, hash common.Hash, letters ...uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	for r.at.Block != block || r.at.Hash != [8]byte(hash[:8]) || len(letters) > 0 && r.at.Letters < letters[0] {
		some, err := s.Next(ctx, r.at)
		require.NoError(t, err)
		require.NotEmpty(t, some)
		r.take(t, some)
	}
}

// elsewhere is a chain whose logs are those of another one.
type elsewhere struct {
	*model
	logs *model
}

func (e elsewhere) Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	return e.logs.Logs(ctx, contract, topics, from, to, fn)
}

// TestNothingIsAppendedThatDoesNotLeadToTheFinalBlock, of blocks that the process does not remember.
func TestNothingIsAppendedThatDoesNotLeadToTheFinalBlock(t *testing.T) {
	t.Parallel()
	store, _ := open(t)
	m := newModel()
	m.keep = 0
	m.finalize(0)
	w := writer(m, store)
	until(t, m, w, store)
	_, last, err := store.Bounds(t.Context())
	require.NoError(t, err)
	other := &model{blocks: slices.Clone(m.blocks), logs: maps.Clone(m.logs), salt: 1000, changed: make(chan struct{})}
	for range 40 {
		m.mine(1)
		other.mine(1)
	}
	m.finalize(1)
	w.Chain = elsewhere{m, other}
	require.Error(t, w.CatchUp(t.Context()))
	_, now, err := store.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, last, now)
	w.Chain = m
	until(t, m, w, store)
	r, final := reader{}, m.blocks[m.final]
	r.through(t, source(t, m, store, 0), final.Number, final.Hash)
	require.Equal(t, m.events(0, final.Number), r.held)
}

// until appends until the ledger has the newest final block as its newest.
func until(t require.TestingT, m *model, w *ledger.Writer, store ledger.Store) {
	final, _ := m.Final()
	for n := 0; ; n++ {
		require.NoError(t, w.CatchUp(context.Background()))
		_, last, err := store.Bounds(context.Background())
		require.NoError(t, err)
		entry, err := store.At(context.Background(), last)
		require.NoError(t, err)
		p, _, err := ledger.Peek(entry.Data)
		require.NoError(t, err)
		if p.Block == final.Number && p.Hash == [8]byte(final.Hash[:8]) && p.Letters == uint64(len(m.letters)) {
			return
		}
		m.mine(2) // an empty end is appended only after a while, and nothing before the chain is as long as it was
		m.finalize(0)
		final, _ = m.Final()
		require.Less(t, n, 50)
	}
}

// TestReadersHoldTheChainsEvents: two writers and a chain that changes: who reads the ledger from anywhere and obeys Rewinds holds exactly the chain's events at
// the end, each once: appends that fail before or after they are stored, reorgs deeper than finality, readers in memory and behind.
func TestReadersHoldTheChainsEvents(t *testing.T) {
	t.Parallel()
	seed := testrand.Seed(t)
	for round := range long.Size(2, 6) {
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		m := newModel()
		store, _ := open(t)
		faults := 0
		f := &flaky{store, func() (bool, bool) {
			fails := rng.IntN(12) == 0
			if fails {
				faults++
			}
			return fails, rng.IntN(2) == 0
		}}
		writers := []*ledger.Writer{writer(m, f), writer(m, f)}
		s := source(t, m, store, 4096) // small, so that readers are behind
		var early reader
		m.finalize(0)
		require.NoError(t, (&ledger.Writer{Deployment: deployment, Heads: m, Chain: m, Letters: m, Ledger: store, Log: discard()}).CatchUp(t.Context()))
		some, err := s.Next(t.Context(), early.at)
		require.NoError(t, err)
		early.take(t, some)
		for range 60 {
			switch rng.IntN(8) {
			case 0:
				m.die()
			case 1: // deeper than finality
				m.cut(m.head() - min(m.head()-deployment.DeployBlock, uint64(1+rng.IntN(20))))
				for range 1 + rng.IntN(25) {
					m.mine(rng.IntN(3))
				}
			case 2:
				m.keep = uint64(rng.IntN(64))
			case 3:
				writers[rng.IntN(2)] = writer(m, f) // killed, another begins
			default:
				for range 1 + rng.IntN(4) {
					m.mine(rng.IntN(4))
				}
			}
			m.finalize(uint64(rng.IntN(3)))
			if rng.IntN(3) > 0 {
				if err := writers[rng.IntN(2)].CatchUp(t.Context()); err != nil {
					require.ErrorIs(t, err, errFlaky, "seed %d", seed)
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
		m.finalize(0)
		f.fails = func() (bool, bool) { return false, false }
		until(t, m, writers[0], store)
		final, _ := m.Final()
		want := m.events(deployment.DeployBlock, final.Number)
		early.through(t, s, final.Number, final.Hash, uint64(len(m.letters)))
		require.Equal(t, want, early.held, "seed %d, round %d", seed, round)
		require.GreaterOrEqual(t, len(early.letters), len(m.letters))
		late := reader{}
		late.through(t, source(t, m, store, 0), final.Number, final.Hash)
		require.Equal(t, want, late.held, "seed %d, round %d", seed, round)
		t.Logf("round %d: %d events, %d rewinds, %d appends that failed, %d letters", round, len(want), early.rewinds, faults, len(m.letters))
	}
}

// TestABlockIsCompletedByTheNextWriter: a writer dies within a block of several messages; the next one appends the rest, once.
func TestABlockIsCompletedByTheNextWriter(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		m := newModel()
		store, _ := open(t)
		m.mine(9000) // some 2.5 MB
		m.finalize(0)
		n := 0
		dying := &flaky{store, func() (bool, bool) {
			n++
			return n == 4, stored
		}}
		require.ErrorIs(t, writer(m, dying).CatchUp(t.Context()), errFlaky)
		m.die() // comes behind the block
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		final, _ := m.Final()
		r := reader{}
		r.through(t, source(t, m, store, 0), final.Number, final.Hash)
		require.Equal(t, m.events(0, final.Number), r.held)
	}
}

// TestAReorgReplacesAHalfToldBlock.
func TestAReorgReplacesAHalfToldBlock(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, _ := open(t)
	m.mine(9000)
	m.finalize(0)
	n := 0
	dying := &flaky{store, func() (bool, bool) {
		n++
		return n == 4, true
	}}
	require.ErrorIs(t, writer(m, dying).CatchUp(t.Context()), errFlaky)
	m.cut(m.head() - 1)
	m.mine(3)
	m.finalize(0)
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	final, _ := m.Final()
	r := reader{}
	r.through(t, source(t, m, store, 0), final.Number, final.Hash)
	require.Equal(t, m.events(0, final.Number), r.held)
	require.Zero(t, r.rewinds, "who begins reads the chain up to the newest Rewind, and the ledger behind it")
}

// TestALongReorg: 1, 100 and 5,000 blocks, with 200 readers in the middle.
func TestALongReorg(t *testing.T) {
	t.Parallel()
	for _, depth := range []uint64{1, 100, 5000} {
		m := newModel()
		m.keep = 4096
		store, _ := open(t)
		for range depth + 20 {
			m.mine(1)
		}
		m.finalize(0)
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		s := source(t, m, store, 0)
		readers := make([]reader, 200)
		for i := range readers {
			some, err := s.Next(t.Context(), readers[i].at)
			require.NoError(t, err)
			readers[i].take(t, some)
		}
		m.cut(m.head() - depth)
		for range depth + 1 {
			m.mine(1)
		}
		m.finalize(0)
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		final, _ := m.Final()
		want := m.events(deployment.DeployBlock, final.Number)
		var reading sync.WaitGroup
		for i := range readers {
			reading.Go(func() { readers[i].through(t, s, final.Number, final.Hash) })
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
	m.mine(2)
	m.mine(2)
	m.finalize(0)
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	_, before, err := store.Bounds(t.Context())
	require.NoError(t, err)
	m.finalize(3)
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	_, after, err := store.Bounds(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestAPurgedLedgerBeginsAgain: what was purged is read from the chain, and readers in the middle continue from their block.
func TestAPurgedLedgerBeginsAgain(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, js := open(t)
	for range 30 {
		m.mine(1)
	}
	m.finalize(0)
	w := writer(m, store)
	require.NoError(t, w.CatchUp(t.Context()))
	r := reader{}
	final, _ := m.Final()
	r.through(t, source(t, m, store, 0), final.Number, final.Hash)

	purged, err := js.Stream(t.Context(), stream.LedgerName)
	require.NoError(t, err)
	require.NoError(t, purged.Purge(t.Context()))
	for range 10 {
		m.mine(1)
	}
	m.finalize(0)
	require.NoError(t, writer(m, store).CatchUp(t.Context()))
	final, _ = m.Final()
	s := source(t, m, store, 0)
	r.through(t, s, final.Number, final.Hash)
	require.Equal(t, m.events(deployment.DeployBlock, final.Number), r.held)
	fresh := reader{}
	fresh.through(t, s, final.Number, final.Hash)
	require.Equal(t, m.events(deployment.DeployBlock, final.Number), fresh.held)
}

// TestPositionsOfAnotherLedger: a position of blocks that are gone is refused, one that is not there yet too.
func TestPositionsOfAnotherLedger(t *testing.T) {
	t.Parallel()
	m := newModel()
	store, _ := open(t)
	m.mine(1)
	m.finalize(0)
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
		m.single = single
		store, _ := open(t)
		m.mine(4)
		m.mine(2)
		m.mine(0)
		m.finalize(0)
		require.NoError(t, writer(m, store).CatchUp(t.Context()))
		require.Equal(t, map[bool]int{false: 0, true: 2}[single], m.asked)
	}
}
