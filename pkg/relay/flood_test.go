package relay_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// TestAFloodIsParkedAndToldOf has one project flood a lane of a small horizon, and another send a little behind it; the relayer
// is stopped and started again in the middle.
func TestAFloodIsParkedAndToldOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	store, err := kv.OpenBacklogs(t.Context(), w.js, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	config, deps := w.config(), w.deps()
	config.Horizon = batch.HorizonLimits{Updates: 300, Lateness: 5 * time.Second}
	deps.Backlogs = store
	w.create(1)
	w.create(2)
	flood := long.Size(3_000, 9_600) // more than a few blocks carry
	for first := 0; first < flood; first += 100 {
		w.accept(some(1, first, 100)...)
	}
	w.accept(some(2, 0, 3)...)
	parked := func() bool {
		state := w.states()[0]
		_, is := state.Buckets[score.BucketOf(score.ProjectID{1})].Parked[score.ProjectID{1}]
		return is
	}
	told := func() score.Backlog {
		all, err := store.Told(t.Context())
		require.NoError(t, err)
		return all[score.ProjectID{1}]
	}
	waits := func() int { return int(told().Waiting) }

	stop := w.start(config, deps)
	read := func() bool { // all of the flood, and what comes behind it is next
		bound := 0
		for _, slot := range w.states()[0].Slots {
			if slot.Work.Kind == lane.Updates {
				bound += slot.Work.Count
			}
		}
		return waits()+bound == flood
	}
	require.Eventually(t, func() bool { return parked() && waits() > flood/2 && read() }, 3*time.Minute, 20*time.Millisecond,
		"without blocks little is bound")
	second := score.ProjectID{2}
	last := score.Position{Seq: w.last(second), Index: 2}
	w.mineUntil(func() bool { return w.states()[0].Buckets[score.BucketOf(second)].Of(second).Has(last) })
	stop()
	waited := waits()

	deps = w.deps()
	deps.Backlogs = store
	w.start(config, deps)
	if waited > flood/2 {
		w.mineUntil(func() bool { return waits() < waited })
	}
	w.drain()
	w.mineUntil(func() bool { return !parked() && told() == score.Backlog{} })
	require.Equal(t, map[score.Outcome]int{score.Applied: flood + 3}, w.audit())
	require.Less(t, w.lastBlock(second), w.lastBlock(score.ProjectID{1}), "the other project does not wait for the flood's end")
}

// lastBlock is the newest block with updates of a project.
func (w *world) lastBlock(project score.ProjectID) (number uint64) {
	logs, err := w.geth.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{Addresses: []common.Address{w.contract}})
	require.NoError(w.t, err)
	for i := range logs {
		event, _ := registry.ParseLog(&logs[i]) // roles have events of their own
		b, is := event.(registry.BatchApplied)
		if is && slices.ContainsFunc(b.Batch.Updates(), func(u score.Update) bool { return u.Project == project }) {
			number = logs[i].BlockNumber
		}
	}
	return number
}

// noBacklogs is a store of backlogs that always fails.
type noBacklogs struct{}

var errNoBacklogs = errors.New("no backlogs")

func (noBacklogs) Tell(context.Context, score.Lane, map[score.ProjectID]score.Backlog) error {
	return errNoBacklogs
}

func (noBacklogs) Told(context.Context) (map[score.ProjectID]score.Backlog, error) {
	return nil, errNoBacklogs
}

func TestALaneDoesNotNeedWhatWasToldOfBacklogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	deps := w.deps()
	deps.Backlogs = noBacklogs{}
	w.create(1)
	w.accept(some(1, 0, 30)...)
	w.start(w.config(), deps)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit())
}

// mineUntil makes blocks until something is so.
func (w *world) mineUntil(so func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !so(); w.mine() {
		require.True(w.t, time.Now().Before(deadline), "not in time")
	}
}

// last is the sequence of the newest envelope with updates of a project.
func (w *world) last(project score.ProjectID) (seq uint64) {
	require.NoError(w.t, w.stream.ReadAll(w.t.Context(), func(m score.Message) error {
		if slices.ContainsFunc(m.Updates, func(u score.Update) bool { return u.Project == project }) {
			seq = m.Seq
		}
		return nil
	}))
	return seq
}

// hangs is a chain whose calls do not return before their time is over, but for the first, which does when it is released.
type hangs struct {
	relay.Chain
	release chan struct{}
	calls   atomic.Int32
}

func (h *hangs) CallEach(ctx context.Context, _ evidence.Call, _ common.Hash) ([]evidence.Called, error) {
	if h.calls.Add(1) == 1 {
		<-h.release
		return nil, context.DeadlineExceeded
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestWhatWaitsIsToldBetweenCallsThatHang: what came while one hung is told before the next does.
func TestWhatWaitsIsToldBetweenCallsThatHang(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	store, err := kv.OpenBacklogs(t.Context(), w.js, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	endpoint := &hangs{Chain: w.client, release: make(chan struct{})}
	config, deps := w.config(), w.deps()
	config.CallTimeout, deps.Backlogs, deps.Chain = 10*time.Minute, store, endpoint
	var hung atomic.Int64
	config.Now = func() time.Time { return time.Now().Add(time.Duration(hung.Load())) }
	w.create(1)
	w.start(config, deps)
	w.drain()
	w.takeNonces(1)
	w.accept(some(1, 0, 10)...)
	w.mineUntil(func() bool { return endpoint.calls.Load() > 0 })
	for first := 10; first < 2_000; first += 100 {
		w.accept(some(1, first, 100)...)
	}
	hung.Store(int64(2 * time.Second))
	close(endpoint.release)
	require.Eventually(t, func() bool {
		w.geth.Commit()
		told, err := store.Told(t.Context())
		return err == nil && told[score.ProjectID{1}].Waiting >= relay.TellFrom
	}, 3*time.Minute, 20*time.Millisecond, "the second call hangs, and it was not told before")
}
