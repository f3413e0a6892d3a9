package httpapi_test

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnOutageOfNATS: posts get a 503 while it is away, and everything gets through once it is back, once.
func TestAnOutageOfNATS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	require.NoError(t, err)
	b := startBench(t, func(s *setup) {
		s.config.AcceptTimeout = 2 * time.Second
		s.nats = server
	})
	b.accepted("/create-project", createBody(b.project))
	b.accepted("/update-score", b.update("before"))
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(address.Port())
	require.NoError(t, err)
	server.Close()

	require.Equal(t, "not_durable", b.post("/update-score", b.update("during")).code())
	require.Equal(t, "duplicate", b.post("/update-score", b.update("before")).body["status"], "what was accepted stays accepted")

	server, err = devnet.StartNATS(dir, devnet.NATSOptions{Port: port})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	b.accepted("/update-score", b.update("during"))
	seen := map[score.UpdateID]int{}
	for _, u := range slices.Concat(b.stored()...) {
		seen[u.ID]++
	}
	require.Equal(t, 1, seen[updateID("before")])
	require.GreaterOrEqual(t, seen[updateID("during")], 1) // twice at most if an unanswered one was stored
}

// TestAnOutageOfRedis: what is accepted meanwhile can be followed once Redis is back with what it had, although no lane
// has told of it yet.
func TestAnOutageOfRedis(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := devnet.StartRedis(dir, devnet.RedisOptions{})
	require.NoError(t, err)
	if server.Kind == "embedded" {
		server.Close()
		t.Skip("the embedded server forgets all when it stops; .ci/run requires redis-server")
	}
	b := startBench(t, func(s *setup) { s.redis = server.URL }).withProject()
	b.restored()
	require.Equal(t, "accepted", b.post("/update-score", b.update("before")).body["status"])
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(address.Port())
	require.NoError(t, err)
	server.Close()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.Equal(t, "accepted", b.post("/update-scores", b.free("two", "three")).body["status"])
	require.Equal(t, "status_unavailable", b.lookUp(updateID("one")).code())
	require.InDelta(t, 3, b.count("scorelay_api_unmarked_total"), 0)

	server, err = devnet.StartRedis(dir, devnet.RedisOptions{Port: port})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	for _, name := range []string{"before", "one", "two", "three"} {
		require.Eventually(t, func() bool { return b.stageOf(name) == "accepted" }, 2*time.Minute, 10*time.Millisecond, name)
	}
	// Connections of the pool that are older than the outage fail when they are used, and the API then does without Redis for a moment.
	require.Eventually(t, func() bool { return b.post("/update-score", b.update("one")).body["status"] == "duplicate" }, 2*time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return b.lookUpOne("none").code() == "update_not_found" }, 2*time.Minute, 10*time.Millisecond, "nothing is to be restored")
}

// TestAFullRedis answers, and takes nothing. What is accepted meanwhile is never told to be unknown.
func TestAFullRedis(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	server, err := devnet.StartRedis(t.TempDir(), devnet.RedisOptions{})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	client, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	b := startBench(t, func(s *setup) { s.redis = server.URL }).withProject()
	b.restored()
	require.NoError(t, client.ConfigSet(t.Context(), "maxmemory", "1").Err())
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.Eventually(t, func() bool { // until Redis is asked again, and answers
		_, complete, err := b.status.Read(t.Context(), b.refs("one"))
		return complete && err == nil
	}, 2*time.Minute, 10*time.Millisecond)
	for range 20 {
		require.Equal(t, "status_unavailable", b.lookUpOne("one").code())
	}
	require.NoError(t, client.ConfigSet(t.Context(), "maxmemory", "0").Err())
	require.Eventually(t, func() bool { return b.stageOf("one") == "accepted" }, 2*time.Minute, 10*time.Millisecond)
}

// lateStatuses takes no reports while it is away, and counts those it took since.
type lateStatuses struct {
	httpapi.Statuses
	away     atomic.Bool
	missed   atomic.Bool // a report, while it was away
	reported atomic.Int64
	late     chan struct{} // closed when it took a report after it was away
	once     sync.Once
}

func (s *lateStatuses) Accepted(ctx context.Context, refs []score.Ref, tokens []string) error {
	if s.away.Load() {
		s.missed.Store(true)
		return fault.Err
	}
	err := s.Statuses.Accepted(ctx, refs, tokens)
	s.reported.Add(1)
	if s.missed.Load() {
		s.once.Do(func() { close(s.late) })
	}
	return err
}

// TestALateReportSwallowsNoLaterPost: one replica cannot report an update it stored before the update was rejected and posted
// to the other, which cannot store it. The report comes while that one tries; sent again, the update is stored.
func TestALateReportSwallowsNoLaterPost(t *testing.T) {
	late := &lateStatuses{late: make(chan struct{})}
	a, b := replicas(t, func(s *setup) {
		s.config.AcceptTimeout, s.faults = time.Second, true
		s.deps = func(d *httpapi.Deps) {
			if late.Statuses == nil { // the first replica's
				late.Statuses, d.Statuses = d.Statuses, late
			}
		}
	})
	a.restored()
	late.away.Store(true)
	a.accepted("/update-score", a.update("one"))
	require.NoError(t, b.status.Bound(t.Context(), 0, 1, b.refs("one"), 1<<30, nil))
	require.NoError(t, b.status.Final(t.Context(), updateTx, 7, b.refs("one"), []score.Outcome{score.NotMember}))

	late.reported.Store(0)
	b.publisher.meet(func() error {
		late.away.Store(false)
		select {
		case <-late.late:
		case <-time.After(2 * time.Minute):
		}
		return fault.Err
	})
	b.unacked("/update-score", b.update("one"))
	require.EqualValues(t, 1, late.reported.Load())
	require.Equal(t, "final", b.stageOf("one"), "the rejection is all that is known")

	b.publisher.refuse(nil)
	b.accepted("/update-score", b.update("one"))
	require.Len(t, b.stored(), 2)
	require.Equal(t, "accepted", b.stageOf("one"))
}
