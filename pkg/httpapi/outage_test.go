package httpapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnOutageOfNATS: posts get a 503 while it is away, and everything gets through once it is back, once.
func TestAnOutageOfNATS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	require.NoError(t, err)
	b := newBench(t, func(s *setup) {
		s.config.AcceptTimeout = 300 * time.Millisecond
		s.nats = server
	}).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("before")).body["status"])
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(address.Port())
	require.NoError(t, err)
	server.Close()

	r := b.post("/update-score", b.update("during"))
	require.Equal(t, http.StatusServiceUnavailable, r.status)
	require.Equal(t, "not_durable", r.code())
	require.Equal(t, "duplicate", b.post("/update-score", b.update("before")).body["status"], "what was accepted stays accepted")

	server, err = devnet.StartNATS(dir, devnet.NATSOptions{Port: port})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.Eventually(t, func() bool {
		return b.post("/update-score", b.update("during")).body["status"] == "accepted"
	}, 20*time.Second, 10*time.Millisecond)
	seen := map[score.UpdateID]int{}
	for _, envelope := range b.stored() {
		for _, u := range envelope {
			seen[u.ID]++
		}
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
		t.Skip("the embedded server forgets all when it stops")
	}
	b := newBench(t, func(s *setup) { s.redis = server.URL }).withProject()
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
	require.Contains(t, b.counted("scorelay_api_unmarked_total"), "value:3")

	server, err = devnet.StartRedis(dir, devnet.RedisOptions{Port: port})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	for _, name := range []string{"before", "one", "two", "three"} {
		require.Eventually(t, func() bool { return b.stageOf(name) == "accepted" }, 20*time.Second, 10*time.Millisecond, name)
	}
	require.Equal(t, "duplicate", b.post("/update-score", b.update("one")).body["status"])
	require.Equal(t, "update_not_found", b.get("/projects/%s/updates/%s", b.project.ID, updateID("none")).code(), "nothing is to be restored")
}
