package httpapi_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// logged keeps what is logged.
type logged struct{ fresh.Log }

// of is the lines with a message.
func (l *logged) of(t *testing.T, message string) (lines []object) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var o object
		require.NoError(t, json.Unmarshal([]byte(line), &o))
		if o["msg"] == message {
			lines = append(lines, o)
		}
	}
	return lines
}

const toldUpdates = "updates came by this key within a second"

// TestTheLogTellsWhichKeySentWhat: every update that was, or may have been, stored is told, by the end of a drain at the latest.
func TestTheLogTellsWhichKeySentWhat(t *testing.T) {
	var log logged
	b := newBench(t, func(s *setup) {
		s.log = slog.NewJSONHandler(&log, nil)
		s.config.AcceptTimeout, s.faults = 50*time.Millisecond, true
	}).withProject()
	creator := strings.Split(b.secret.Reveal(), "_")[1]
	creations := log.of(t, "a creation came by this key")
	require.Len(t, creations, 1)
	require.Equal(t, creator, creations[0]["key"])
	require.Equal(t, "test", creations[0]["name"])
	require.Equal(t, b.project.ID.String(), creations[0]["project"])
	require.NotEmpty(t, creations[0]["request"])

	b.withTerms(apikey.Terms{})
	key := strings.Split(b.secret.Reveal(), "_")[1]
	asked := b.post("/update-score", b.update("one")).header.Get("X-Request-Id")
	b.accepted("/update-scores", b.free("two", "three"))
	require.Equal(t, "duplicate", b.post("/update-score", b.update("one")).body["status"])
	require.Equal(t, "invalid_body", b.post("/update-score", set(b.update("four"), "updateId", "0x1")).code())
	b.publisher.Set(fault.Always(fault.Failed))
	require.Equal(t, "not_durable", b.post("/update-score", b.update("five")).code())
	b.stop()
	require.NoError(t, <-b.stopped)

	sum, requests := map[string]float64{}, map[any]bool{}
	for _, line := range log.of(t, toldUpdates) {
		require.Equal(t, key, line["key"])
		require.Equal(t, "another", line["name"])
		require.Equal(t, b.project.ID.String(), line["project"])
		require.NotEmpty(t, line["signer"])
		require.NotEmpty(t, line["first"])
		require.NotEmpty(t, line["lastRequest"])
		requests[line["firstRequest"]] = true
		for _, field := range []string{"accepted", "duplicates", "uncertain"} {
			sum[field] += line[field].(float64)
		}
	}
	require.Contains(t, requests, asked)
	require.InDelta(t, 3, sum["accepted"], 0)
	require.GreaterOrEqual(t, sum["duplicates"], 1.0)
	require.GreaterOrEqual(t, sum["uncertain"], 1.0)
	require.NotContains(t, log.String(), b.secret.Reveal())
}

// TestOneKeyFillsNoLog: of a second there are so many lines, and no update is missing in them.
func TestOneKeyFillsNoLog(t *testing.T) {
	t.Parallel()
	var log logged
	updates := make([]score.Update, 3000)
	for i := range updates {
		binary.BigEndian.PutUint32(updates[i].Project[:], uint32(i+1))
	}
	httpapi.TellOf(slog.New(slog.NewJSONHandler(&log, nil)), &score.Grant{Key: "a"}, updates)
	lines := log.of(t, toldUpdates)
	require.Len(t, lines, 1001)
	sum := 0.0
	for _, line := range lines {
		sum += line["accepted"].(float64)
	}
	require.InDelta(t, 3000, sum, 0)
}

// TestKeysAreCounted by name, the first hundred of them.
func TestKeysAreCounted(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.AcceptTimeout = 5 * time.Second }).withProject()
	b.withTerms(apikey.Terms{LookUps: 1, Rights: []string{"read", "update"}})
	b.get("/projects/%s", b.project.ID).ok()
	for b.get("/projects/%s", b.project.ID).status == http.StatusOK {
	}
	b.post("/update-scores", b.free("one", "two")).ok()
	b.post("/update-score", b.update("one")).ok()
	require.Equal(t, http.StatusForbidden, b.post("/create-project", createBody(b.project)).status)
	require.InDelta(t, 2, b.count("scorelay_api_key_updates_total", "another", "accepted"), 0)
	require.InDelta(t, 1, b.count("scorelay_api_key_updates_total", "another", "duplicate"), 0)
	require.InDelta(t, 1, b.count("scorelay_api_key_requests_total", "another", "limited"), 0)
	require.InDelta(t, 1, b.count("scorelay_api_key_requests_total", "another", "refused"), 0)
	require.GreaterOrEqual(t, b.count("scorelay_api_key_requests_total", "another", "answered"), 3.0)
	require.Greater(t, b.count("scorelay_api_key_gas_total", "another"), 40_000.0)
	require.Greater(t, b.count("scorelay_api_key_gas_total", "test"), 200_000.0, "the project's creation")

	for i := range 100 {
		b.secret, _ = b.key(fmt.Sprint("key ", i), apikey.Terms{})
		b.get("/projects/%s", b.project.ID).ok()
	}
	require.InDelta(t, 1, b.count("scorelay_api_key_requests_total", "key 97", "answered"), 0)
	require.InDelta(t, 2, b.count("scorelay_api_key_requests_total", "other", "answered"), 0)
}
