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
