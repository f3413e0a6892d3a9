package index_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	testPatience = 2 * time.Minute
	testPoll     = 10 * time.Millisecond
	stepPatience = 3 * time.Second
)

// memory is a status store of the test's own.
type memory struct {
	*status.Store

	client *redisdb.Client
}

func newMemory(t *testing.T) *memory {
	t.Helper()
	client, err := redisdb.Open(fresh.Redis(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout, client.Pause = time.Minute, time.Millisecond
	return &memory{status.New(client, status.Config{}), client}
}

func (m *memory) flush(t *testing.T) {
	t.Helper()
	require.NoError(t, m.client.FlushAll(t.Context()).Err())
}

func (m *memory) complete(t *testing.T) bool {
	t.Helper()
	_, complete, err := m.Folded(t.Context())
	require.NoError(t, err)
	return complete
}

// completes waits until it is complete.
func (m *memory) completes(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return m.complete(t) }, testPatience, testPoll)
}

// copied is what the store holds; recall has it hold that again, as a Redis that lost its newest writes.
func (m *memory) copied(t *testing.T) map[string]string {
	t.Helper()
	fields, err := m.client.HGetAll(t.Context(), "scorelay:{0}").Result()
	require.NoError(t, err)
	return fields
}

func (m *memory) recall(t *testing.T, fields map[string]string) {
	t.Helper()
	m.flush(t)
	require.NoError(t, m.client.HSet(t.Context(), "scorelay:{0}", fields).Err())
}

func (m *memory) require(t *testing.T, u score.Update, want score.Status) {
	t.Helper()
	m.requireRef(t, u.Ref(), want)
}

func (m *memory) requireProject(t *testing.T, id score.ProjectID, want score.Status) {
	t.Helper()
	m.requireRef(t, score.CreationRef(id), want)
}

func (m *memory) requireRef(t *testing.T, ref score.Ref, want score.Status) {
	t.Helper()
	got, _, err := m.Read(t.Context(), []score.Ref{ref})
	require.NoError(t, err)
	require.Equal(t, []score.Status{want}, got)
}

// onChain is the world as a ledger.Chain.
type onChain struct{ heads }

func (o onChain) Paid(ctx context.Context, logs []types.Log) (map[common.Hash]evidence.Paid, error) {
	return o.client.Paid(ctx, logs)
}

// folding is what a relayer with the lease runs: the ledger's writer and its fold into statuses.
type folding struct {
	*index.Statuses

	w      *world
	writer *ledger.Writer
	lost   bool
}

func (w *world) folding(store index.StatusStore) *folding {
	w.t.Helper()
	facts, err := w.stream.Ledger(w.t.Context(), nil)
	require.NoError(w.t, err)
	source := &ledger.Source{Ledger: facts, Chain: onChain{heads{w}}, Deployment: w.deployment, Log: discard()}
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	running.Go(func() { _ = source.Run(ctx) })
	w.t.Cleanup(func() { stop(); running.Wait() })
	return &folding{
		Statuses: &index.Statuses{
			Deployment: w.deployment, Ledger: source, Chain: w, Source: w.stream, Journals: w, Lanes: w.lanes, Store: store, Log: discard(),
		},
		writer: &ledger.Writer{
			Deployment: w.deployment, Heads: heads{w}, Chain: onChain{heads{w}}, Letters: w.stream, Ledger: facts, Log: discard(),
		}, w: w,
	}
}

// step has the ledger written, and folded from where the store has it, as ledger.RunFold does until something fails.
func (f *folding) step() error {
	ctx, cancel := context.WithTimeout(f.w.t.Context(), stepPatience)
	defer cancel()
	if err := f.writer.CatchUp(ctx); err != nil {
		return err
	}
	_, last, err := f.writer.Ledger.Bounds(ctx)
	if err != nil {
		return err
	}
	end, err := f.Ledger.End(ctx)
	for err == nil && end.Seq < last {
		end, err = f.Ledger.End(ctx)
	}
	at := ledger.Position{}
	if err == nil {
		at, err = f.Begin(ctx, f.lost)
	}
	f.lost = false
	for err == nil && (at.Seq > 0 && at.Seq < last || at.Seq == 0 && at.Block < end.Position.Block) {
		var messages []*ledger.Message
		if messages, err = f.Ledger.Next(ctx, at); err == nil {
			err = f.Apply(ctx, messages)
			at = messages[len(messages)-1].Position
		}
	}
	f.lost = errors.Is(err, ledger.ErrReplaced) || errors.Is(err, ledger.ErrAhead)
	return err
}

// fold is step until nothing fails.
func (f *folding) fold() {
	f.w.t.Helper()
	require.EventuallyWithT(f.w.t, func(t *assert.CollectT) {
		require.NoError(t, f.step())
		require.NoError(t, f.Check(f.w.t.Context()))
	}, testPatience, time.Millisecond)
}

func final(outcome score.Outcome, tx common.Hash, block uint64) score.Status {
	return score.Status{Stage: score.Final, Outcome: outcome, Tx: tx, Block: block}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p, dead, waiting := project(1), project(2), project(3)
	created := w.call(relayerKey, registry.EncodeCreateProject(p))
	for _, creation := range []*score.Project{p, dead, waiting} {
		w.publish(creation, 0)
	}
	u := w.fresh(p, 10)
	bad, direct, open, letter, newest := &u[1], u[2], u[3], u[4], u[5]
	bad.Action = 9
	early := w.fresh(project(9), 2)
	lost := early[1]
	w.accept(u[0], *bad, open, letter, newest, early[0], lost)
	batch := w.relay(u[0], *bad)
	again := w.relay(u[0])
	tooEarly := w.relay(early...)
	applied := w.direct(direct)
	w.deadLetter(score.DeadLetter{Project: dead, Seq: 2, Outcome: score.ProjectExists})
	w.deadLetter(score.DeadLetter{Update: &letter, Outcome: score.Unprocessable})
	w.deadLetter(score.DeadLetter{Update: &open, Outcome: score.Unprocessable})
	w.deadLetter(score.DeadLetter{Update: &lost, Outcome: score.UnknownProject, Tx: tooEarly.TxHash, Block: tooEarly.BlockNumber.Uint64()})
	w.replay(open) // so it is only accepted
	w.depth.Store(1)
	w.relay(newest) // not final
	w.node.Commit()
	w.depth.Store(2)

	check := func() {
		t.Helper()
		m.require(t, u[0], final(score.Applied, batch.TxHash, batch.BlockNumber.Uint64()))
		m.require(t, *bad, final(score.UnknownAction, batch.TxHash, batch.BlockNumber.Uint64()))
		m.require(t, direct, final(score.Applied, applied.TxHash, applied.BlockNumber.Uint64()))
		m.require(t, open, score.Status{Stage: score.Accepted})
		m.require(t, newest, score.Status{Stage: score.Accepted})
		m.require(t, letter, final(score.Unprocessable, common.Hash{}, 0))
		m.require(t, early[0], score.Status{Stage: score.Accepted}) // it may be bound again
		m.require(t, lost, final(score.UnknownProject, tooEarly.TxHash, tooEarly.BlockNumber.Uint64()))
		m.require(t, u[7], score.Status{})
		m.requireProject(t, p.ID, final(score.Applied, created.TxHash, created.BlockNumber.Uint64()))
		m.requireProject(t, dead.ID, final(score.ProjectExists, common.Hash{}, 0))
		m.requireProject(t, waiting.ID, score.Status{Stage: score.Accepted})
		for _, taken := range score.Refs([]score.Update{u[0], direct, open, newest}) {
			claims, err := m.Claim(t.Context(), []score.Ref{taken}, "token")
			require.NoError(t, err)
			require.Equal(t, []score.Claim{score.ClaimDuplicate}, claims)
		}
	}
	require.False(t, m.complete(t))
	f := w.folding(m)
	f.fold()
	require.True(t, m.complete(t))
	check()
	require.NotEqual(t, batch.TxHash, again.TxHash)

	// The loop notices each flush, also while the ledger has nothing new.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.folding(m).Run(ctx) }()
	for range 3 {
		m.flush(t)
		m.completes(t)
		check()
	}
	require.NoError(t, m.RequestRestore(t.Context()))
	m.completes(t)
	check()
	cancel()
	require.NoError(t, <-ended)
}

// TestARestoreKeepsWhatIsNewer: what the running system writes meanwhile stays, and what lanes tell of their slots once they see that the store
// lost something.
func TestARestoreKeepsWhatIsNewer(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	p := project(1)
	w.create(p)
	u := w.fresh(p, 3)
	u[1].Action = 9
	w.accept(u...)
	w.relay(u[1])
	later := common.Hash{7}
	require.NoError(t, m.Bound(ctx, 1, 5, score.Refs(u[:2]), 1<<30, []common.Hash{later}))
	require.NoError(t, m.Final(ctx, later, 999, score.Refs(u[2:]), []score.Outcome{score.Applied}))
	w.folding(m).fold()
	m.require(t, u[0], score.Status{Stage: score.Batched})
	require.NoError(t, m.Bound(ctx, 1, 5, score.Refs(u[:2]), 1<<30, []common.Hash{later}))
	m.require(t, u[1], score.Status{Stage: score.Batched}) // accepted again after it was rejected
	m.require(t, u[2], final(score.Applied, later, 999))
}

// faulty is a status store whose writes follow a plan.
type faulty struct {
	*memory
	*fault.Plan
}

func (f faulty) Fold(ctx context.Context, from []string, to string, facts []score.Fact) error {
	what := "fold"
	if len(facts) == 0 {
		what = "move" // the checkpoint only
	}
	return f.Write(what, func() error { return f.memory.Fold(ctx, from, to, facts) })
}

func (f faulty) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	return f.Write("accepted", func() error { return f.memory.RestoreAccepted(ctx, refs) })
}

func (f faulty) BeginRestore(ctx context.Context) (token string, at []string, err error) {
	err = f.Write("begin", func() (err error) { token, at, err = f.memory.BeginRestore(ctx); return err })
	return token, at, err
}

func (f faulty) EndRestore(ctx context.Context, token string) error {
	return f.Write("end", func() error { return f.memory.EndRestore(ctx, token) })
}

// TestEachWriteOfAFoldMayFail, of one that restores too: it fails, or fails and is done; and Redis is flushed at it, or another process
// begins. The one that continues, the same or another, comes to the same statuses.
func TestEachWriteOfAFoldMayFail(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*testing.T, *memory){
		"alone":           func(*testing.T, *memory) {},
		"Redis is lost":   func(t *testing.T, m *memory) { m.flush(t) },
		"another restore": func(t *testing.T, m *memory) { _, _, err := m.BeginRestore(t.Context()); require.NoError(t, err) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a restore that a write fails of waits for a second
			w, m := newWorld(t), newMemory(t)
			p := project(1)
			w.create(p)
			u := w.fresh(p, 12)
			for i := range u {
				u[i].Action = []uint8{0, 9}[i%2]
			}
			w.accept(u...)
			want := map[int]score.Status{}
			relay := func(from, to int) {
				receipt := w.relay(u[from:to]...)
				for i := from; i < to; i++ {
					want[i] = final([]score.Outcome{score.Applied, score.UnknownAction}[i%2], receipt.TxHash, receipt.BlockNumber.Uint64())
				}
			}
			relay(0, 5)
			w.deadLetter(score.DeadLetter{Project: project(3), Seq: 7, Outcome: score.Unprocessable, Block: 3})
			fault.AtEachWrite(t, 5, func(crash fault.Crash) {
				m.flush(t)
				crash.After(func() { meanwhile(t, m) })
				f := w.folding(faulty{m, crash.Plan})
				for range 2 {
					_ = f.step()
					if len(want) == 5 {
						relay(5, 9)
					}
				}
				if crash.Another {
					f = w.folding(m)
				}
				if f.fold(); len(want) == 9 {
					relay(9, 12)
				}
				f.fold()
				require.True(t, m.complete(t), crash)
				for i, is := range want {
					m.require(t, u[i], is)
				}
			})
		})
	}
}

// TestTwoThatFoldAtOnce come to the same, and neither writes where the other is.
func TestTwoThatFoldAtOnce(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p := project(1)
	w.create(p)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 2 {
		f := w.folding(m)
		running.Go(func() { _ = f.writer.Run(ctx) })
		running.Go(func() { _ = f.Run(ctx) })
	}
	t.Cleanup(func() { cancel(); running.Wait() })
	for range 8 {
		u := w.fresh(p, 3)
		w.accept(u...)
		receipt := w.relay(u...)
		require.Eventually(t, func() bool {
			got, _, err := m.Read(t.Context(), score.Refs(u))
			return err == nil && got[2] == final(score.Applied, receipt.TxHash, receipt.BlockNumber.Uint64())
		}, testPatience, testPoll)
	}
	m.completes(t)
}

// TestAStoreThatLostItsNewestWritesIsRestored: what was accepted, and told of, in them comes back, as does what was final.
func TestAStoreThatLostItsNewestWritesIsRestored(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	p := project(1)
	w.create(p)
	f := w.folding(m)
	f.fold()
	before := m.copied(t)
	generation, err := m.Generation(ctx)
	require.NoError(t, err)
	u := w.fresh(p, 3)
	u[1].Action = 9
	w.accept(u...)
	require.NoError(t, m.Accepted(ctx, score.Refs(u), make([]string, 3)))
	require.NoError(t, m.Bound(ctx, 0, 7, score.Refs(u[:2]), 1<<30, nil))
	batch := w.relay(u[:2]...)
	f.fold()
	m.recall(t, before)
	require.True(t, m.complete(t), "as far as it knows")
	require.ErrorIs(t, f.Check(ctx), ledger.ErrFoldMoved)
	f.fold()
	again, err := m.Generation(ctx)
	require.NoError(t, err)
	require.NotEqual(t, generation, again, "lanes tell of their slots again")
	m.require(t, u[0], final(score.Applied, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, u[1], final(score.UnknownAction, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, u[2], score.Status{Stage: score.Accepted})

	other := w.folding(m) // one that begins continues where the store is
	require.NoError(t, other.step())
	still, err := m.Generation(ctx)
	require.NoError(t, err)
	require.Equal(t, again, still)

	m.recall(t, before) // while no process folds; a Redis that was killed is another process
	other = w.folding(m)
	other.Store = &counting{StatusStore: m, process: "another"}
	other.fold()
	still, err = m.Generation(ctx)
	require.NoError(t, err)
	require.NotEqual(t, again, still)
	m.require(t, u[1], final(score.UnknownAction, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, u[2], score.Status{Stage: score.Accepted})
}

// TestOnlyWhatMayBeLostIsRestored: of a store that lost its newest writes, what is older stays as it is.
func TestOnlyWhatMayBeLostIsRestored(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 2)
	w.accept(u...)
	w.relay(u[0])
	f := w.folding(m)
	f.fold()
	store := &counting{StatusStore: m, process: "another"}
	f.Store = store
	f.Source = younger{w}
	f.fold()
	require.Zero(t, store.accepted)
	require.True(t, m.complete(t))
}

// younger is the stream, all of which was stored long ago.
type younger struct{ *world }

func (y younger) ReadAll(context.Context, func(score.Message) error) error { return fault.Err }

func (y younger) ReadFrom(ctx context.Context, from uint64, fn func(score.Message) error) error {
	return y.stream.ReadFrom(ctx, from, fn)
}

func (y younger) FirstSince(ctx context.Context, at time.Time) (uint64, error) {
	if time.Since(at) > 10*time.Minute {
		return 0, fault.Err
	}
	return y.lastSeq() + 1, nil
}

func (y younger) DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error {
	return y.stream.DeadLetters(ctx, fn)
}

// counting is a status store that may be another process, and counts what a restore accepts.
type counting struct {
	index.StatusStore

	process  string
	accepted int
}

func (c *counting) Process(ctx context.Context) (string, error) {
	if c.process != "" {
		return c.process, nil
	}
	return c.StatusStore.Process(ctx)
}

func (c *counting) RestoreAccepted(ctx context.Context, refs []score.Ref) error {
	c.accepted += len(refs)
	return c.StatusStore.RestoreAccepted(ctx, refs)
}

// TestStatusesAfterADeepReorg: what was final in blocks that are gone is taken back, unless the same transactions are in the new ones; also where
// the ledger does not hold these blocks any more.
func TestStatusesAfterADeepReorg(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testing.T, *world, *folding){
		"the ledger has them":   func(*testing.T, *world, *folding) {},
		"the ledger was purged": func(t *testing.T, w *world, _ *folding) { w.purgeLedger(t, 1) },
		"its end came with a purge": func(t *testing.T, w *world, f *folding) {
			require.NoError(t, f.writer.CatchUp(t.Context()))
			w.purgeLedger(t, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, ctx := newWorld(t), newMemory(t), t.Context()
			p := project(1)
			w.create(p)
			u := w.fresh(p, 5)
			w.accept(u[:4]...)
			kept := w.relay(u[0])
			above := w.top().Number
			w.relay(u[1])
			w.direct(u[2])
			w.relay(u[3])
			w.direct(u[4]) // by itself
			f := w.folding(m)
			f.fold()
			require.NoError(t, m.Bound(ctx, 0, 7, score.Refs(u[1:2]), 1<<30, nil))
			generation, err := m.Generation(ctx)
			require.NoError(t, err)

			var back *types.Receipt
			w.reorg(above, func() { back = w.relay(u[3]) })
			lose(t, w, f)
			f.fold()
			m.require(t, u[0], final(score.Applied, kept.TxHash, kept.BlockNumber.Uint64()))
			m.require(t, u[1], score.Status{Stage: score.Accepted})
			m.require(t, u[2], score.Status{Stage: score.Accepted})
			m.require(t, u[3], final(score.Applied, back.TxHash, back.BlockNumber.Uint64()))
			m.require(t, u[4], score.Status{}) // a claim of it is won
			again, err := m.Generation(ctx)
			require.NoError(t, err)
			require.Equal(t, name == "the ledger has them", generation == again)
		})
	}
}

// purgeLedger has the ledger hold so many messages only.
func (w *world) purgeLedger(t *testing.T, keep uint64) {
	t.Helper()
	s, err := w.js.Stream(t.Context(), stream.LedgerName)
	require.NoError(t, err)
	info, err := s.Info(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Purge(t.Context(), jetstream.WithPurgeSequence(info.State.LastSeq+1-keep)))
}

// oldBlocks is the chain with blocks made a day apart.
type oldBlocks struct{ onChain }

func (o oldBlocks) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	b, err := o.world.BlockByNumber(ctx, number)
	if err != nil {
		return b, err
	}
	head, err := o.Head(ctx)
	b.Time = uint64(time.Now().Unix()) - (head.Number-number)*24*3600
	return b, err
}

// TestRetentionOfStatuses: a restore reads as far back as the retention, from the chain what is older than the ledger.
func TestRetentionOfStatuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 6)
	var txs []common.Hash
	for i := range u {
		txs = append(txs, w.relay(u[i]).TxHash)
	}
	first := w.folding(newMemory(t))
	first.fold()
	w.purgeLedger(t, 1)
	head, err := w.Head(t.Context())
	require.NoError(t, err)
	for _, days := range []int{1, 3, 100} {
		m := newMemory(t)
		f := w.folding(m)
		f.Ledger.Chain, f.Retention = oldBlocks{onChain{heads{w}}}, time.Duration(days)*24*time.Hour-time.Hour
		f.fold()
		for i := range u {
			want := score.Status{}
			if age := len(u) - 1 - i; age < days {
				want = final(score.Applied, txs[i], head.Number-uint64(age))
			}
			m.require(t, u[i], want)
		}
	}
}

// TestARestoreGoesBackAsFarAsTheStream, which keeps more than the retention behind what waits for long, such as a paused project's updates:
// none that is final is said to wait.
func TestARestoreGoesBackAsFarAsTheStream(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 3)
	applied, bad, paused := u[0], u[1], u[2]
	bad.Action = 9
	w.accept(paused, applied, bad)
	batch := w.relay(applied, bad)
	w.node.Commit()
	first := w.folding(newMemory(t))
	first.fold()
	w.purgeLedger(t, 1)
	f := w.folding(m)
	f.Ledger.Chain, f.Source, f.Retention = longAgo{onChain{heads{w}}}, longAgo{onChain{heads{w}}}, time.Hour
	f.fold()
	m.require(t, applied, final(score.Applied, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, bad, final(score.UnknownAction, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, paused, score.Status{Stage: score.Accepted})
}

// longAgo is a deployment of which everything happened ten days ago.
type longAgo struct{ onChain }

const tenDays = 10 * 24 * time.Hour

func (l longAgo) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	b, err := l.world.BlockByNumber(ctx, number)
	b.Time = uint64(time.Now().Add(-tenDays).Unix())
	return b, err
}

func (l longAgo) FirstSince(context.Context, time.Time) (uint64, error) { return 1, nil }

func (l longAgo) ReadAll(context.Context, func(score.Message) error) error { return fault.Err }

func (l longAgo) ReadFrom(ctx context.Context, from uint64, fn func(score.Message) error) error {
	return l.stream.ReadFrom(ctx, from, func(m score.Message) error {
		m.Time = m.Time.Add(-tenDays)
		return fn(m)
	})
}

func (l longAgo) DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error {
	return l.stream.DeadLetters(ctx, fn)
}

// TestALossThatAnOperatorAcceptedIsForgotten by a store that does not know of it.
func TestALossThatAnOperatorAcceptedIsForgotten(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	u := w.fresh(project(1), 2)
	w.accept(u[0])
	require.NoError(t, m.Accepted(ctx, score.Refs(u), make([]string, 2))) // the second one NATS lost
	f, loss := w.folding(m), ""
	f.Lost = func() string { return loss }
	f.fold()
	m.require(t, u[1], score.Status{Stage: score.Accepted})
	loss = "a loss"
	require.ErrorIs(t, f.Check(ctx), ledger.ErrFoldMoved)
	f.fold()
	require.True(t, m.complete(t))
	m.require(t, u[0], score.Status{Stage: score.Accepted})
	m.require(t, u[1], score.Status{})
}

// TestStatusesAreFinalBehindEachFinalBlock, while a writer and a fold run. The log says how soon.
func TestStatusesAreFinalBehindEachFinalBlock(t *testing.T) {
	t.Parallel()
	long.Test(t)
	const blocks = 60
	w, m := newWorld(t), newMemory(t)
	p := project(1)
	w.create(p)
	f := w.folding(m)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = f.writer.Run(ctx) })
	running.Go(func() { _ = f.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	m.completes(t)
	var took []time.Duration
	for range blocks {
		u := w.fresh(p, 3)
		receipt := w.relay(u...) // the tracker calls its block final
		began := time.Now()
		require.Eventually(t, func() bool {
			got, _, err := m.Read(ctx, score.Refs(u))
			return err == nil && got[2] == final(score.Applied, receipt.TxHash, receipt.BlockNumber.Uint64())
		}, testPatience, time.Millisecond)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("from the final block to the final status, of %d: p50 %s, p99 %s", blocks, took[blocks/2], took[blocks*99/100])
}
