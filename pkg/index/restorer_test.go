package index_test

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

const (
	testPatience = 2 * time.Minute
	testPoll     = 10 * time.Millisecond
)

// memory is a status store of the test's own.
type memory struct {
	*status.Store

	client *redisdb.Client
}

func newMemory(t *testing.T) *memory {
	t.Helper()
	client, err := redisdb.Open(devnet.Redis(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout, client.Pause = 5*time.Second, time.Millisecond
	return &memory{status.New(client, status.Config{}), client}
}

func (m *memory) flush(t *testing.T) {
	t.Helper()
	require.NoError(t, m.client.FlushAll(t.Context()).Err())
}

func (m *memory) complete(t *testing.T) bool {
	t.Helper()
	complete, err := m.Complete(t.Context())
	require.NoError(t, err)
	return complete
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

func (w *world) restorer(statuses index.Statuses) *index.Restorer {
	return &index.Restorer{Deployment: w.deployment, Heads: heads{w}, Chain: w, Source: w.stream, Journals: w, Lanes: w.lanes, Statuses: statuses, Poll: testPoll, Log: discard()}
}

func final(outcome score.Outcome, tx common.Hash, block uint64) score.Status {
	return score.Status{Stage: score.Final, Outcome: outcome, Tx: tx, Block: block}
}

func TestRestorer(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p, dead, waiting := project(1), project(2), project(3)
	created := w.call(relayerKey, registry.EncodeCreateProject(p))
	for _, creation := range []*score.Project{p, dead, waiting} {
		w.publish(creation, 0)
	}
	w.deadLetter(score.DeadLetter{Project: dead, Seq: 2, Outcome: score.ProjectExists})
	u := w.fresh(p, 8)
	bad, direct, open, letter, newest := &u[1], u[2], u[3], u[4], u[5]
	bad.Action = 9
	w.accept(u[0], *bad, open, letter, newest)
	w.deadLetter(score.DeadLetter{Update: &letter, Outcome: score.Unprocessable})
	w.deadLetter(score.DeadLetter{Update: &open, Outcome: score.Unprocessable})
	w.replay(open) // so it is only accepted
	batch := w.relay(u[0], *bad)
	again := w.relay(u[0])
	applied := w.direct(direct)
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
	behind := w.restorer(m)
	behind.Journals = ahead{}
	require.ErrorContains(t, behind.Restore(t.Context()), "it lags")
	require.False(t, m.complete(t), "a relayer that lags does not tell all")
	require.NoError(t, w.restorer(m).Restore(t.Context()))
	require.True(t, m.complete(t))
	check()
	require.NotEqual(t, batch.TxHash, again.TxHash)

	// The loop notices each flush.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.restorer(m).Run(ctx) }()
	for range 3 {
		m.flush(t)
		require.Eventually(t, func() bool { return m.complete(t) }, testPatience, testPoll)
		check()
	}
	cancel()
	require.NoError(t, <-ended)
}

// TestRestorerKeepsWhatIsNewer: what the running system writes meanwhile stays.
func TestRestorerKeepsWhatIsNewer(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	p := project(1)
	w.create(p)
	u := w.fresh(p, 3)
	u[1].Action = 9
	w.accept(u...)
	w.relay(u[1])
	later := common.Hash{7}
	require.NoError(t, m.Bound(ctx, 1, 5, score.Refs(u[:2])))
	require.NoError(t, m.Final(ctx, later, 999, score.Refs(u[2:]), []score.Outcome{score.Applied}))
	require.NoError(t, w.restorer(m).Restore(ctx))
	m.require(t, u[0], score.Status{Stage: score.Batched})
	m.require(t, u[1], score.Status{Stage: score.Batched}) // accepted again after it was rejected
	m.require(t, u[2], final(score.Applied, later, 999))
}

// forgetful is a status store that is flushed in the middle of the first restore, and fails now and then.
type forgetful struct {
	*memory

	t      *testing.T
	writes int
}

func (f *forgetful) RestoreFinal(ctx context.Context, tx common.Hash, block uint64, refs []score.Ref, outcomes []score.Outcome) error {
	f.writes++
	switch f.writes {
	case 3: // the first is the creation
		f.flush(f.t)
	case 4:
		return errFault
	}
	return f.memory.RestoreFinal(ctx, tx, block, refs, outcomes)
}

func TestRestorerIsFlushed(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 3)
	var blocks []uint64
	var txs []common.Hash
	for i := range u {
		receipt := w.relay(u[i])
		blocks, txs = append(blocks, receipt.BlockNumber.Uint64()), append(txs, receipt.TxHash)
	}
	r := w.restorer(&forgetful{memory: m, t: t})
	require.ErrorIs(t, r.Restore(t.Context()), status.ErrFlushed)
	require.False(t, m.complete(t))
	require.NoError(t, r.Restore(t.Context()))
	for i := range u {
		m.require(t, u[i], final(score.Applied, txs[i], blocks[i]))
	}
}

// ahead are journals of lanes whose relayers have seen more of the chain.
type ahead struct{}

func (ahead) State(_ context.Context, id score.Lane) (*lane.State, uint64, error) {
	state := &lane.State{}
	if id == lanes-1 {
		state.Past = []lane.Past{{Block: evidence.Ref{Number: 1}}, {Block: evidence.Ref{Number: 1 << 40}}}
	}
	return state, 1, nil
}

// oldBlocks is the chain with blocks made a day apart.
type oldBlocks struct{ *world }

func (o oldBlocks) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	b, err := o.world.BlockByNumber(ctx, number)
	if err != nil {
		return b, err
	}
	head, err := o.Head(ctx)
	b.Time = uint64(time.Now().Unix()) - (head.Number-number)*24*3600
	return b, err
}

func TestRestorerRetention(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 6)
	var txs []common.Hash
	for i := range u {
		txs = append(txs, w.relay(u[i]).TxHash)
	}
	head, err := w.Head(t.Context())
	require.NoError(t, err)
	for _, days := range []int{1, 3, 100} {
		m := newMemory(t)
		r := w.restorer(m)
		r.Chain, r.Retention = oldBlocks{w}, time.Duration(days)*24*time.Hour-time.Hour
		require.NoError(t, r.Restore(t.Context()))
		for i := range u {
			want := score.Status{}
			if age := len(u) - 1 - i; age < days {
				want = final(score.Applied, txs[i], head.Number-uint64(age))
			}
			m.require(t, u[i], want)
		}
	}
}

// TestRestorerGoesBackAsFarAsTheStream, which keeps more than the retention behind what waits for long, such as a paused project's updates:
// none that is final is said to wait.
func TestRestorerGoesBackAsFarAsTheStream(t *testing.T) {
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
	r := w.restorer(m)
	r.Chain, r.Source, r.Retention = longAgo{w}, longAgo{w}, time.Hour
	require.NoError(t, r.Restore(t.Context()))
	m.require(t, applied, final(score.Applied, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, bad, final(score.UnknownAction, batch.TxHash, batch.BlockNumber.Uint64()))
	m.require(t, paused, score.Status{Stage: score.Accepted})
}

// longAgo is a deployment of which everything happened ten days ago.
type longAgo struct{ *world }

const tenDays = 10 * 24 * time.Hour

func (l longAgo) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	b, err := l.world.BlockByNumber(ctx, number)
	b.Time = uint64(time.Now().Add(-tenDays).Unix())
	return b, err
}

func (l longAgo) ReadAll(ctx context.Context, fn func(score.Message) error) error {
	return l.stream.ReadAll(ctx, func(m score.Message) error {
		m.Time = m.Time.Add(-tenDays)
		return fn(m)
	})
}

func (l longAgo) DeadLetters(ctx context.Context, fn func(score.DeadLetter) error) error {
	return l.stream.DeadLetters(ctx, fn)
}
