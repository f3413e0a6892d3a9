package dev

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// metered is a process whose metrics a test sets.
type metered struct {
	url  string
	text atomic.Value
}

func meteredProcess(t *testing.T) *metered {
	t.Helper()
	m := &metered{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, m.text.Load().(string))
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *metered) set(accepted, applied, gas, read, sent int) {
	m.text.Store(fmt.Sprintf(`# TYPE scorelay_api_updates_total counter
scorelay_api_updates_total{result="accepted"} %d
scorelay_api_updates_total{result="duplicate"} 5
# TYPE scorelay_relay_outcomes_total counter
scorelay_relay_outcomes_total{outcome="applied"} %d
scorelay_relay_outcomes_total{outcome="duplicate"} 1
# TYPE scorelay_relay_gas_used_total counter
scorelay_relay_gas_used_total %d
# TYPE scorelay_relay_backlog_updates gauge
scorelay_relay_backlog_updates{lane="0"} %d
scorelay_relay_backlog_updates{lane="1"} 1
# TYPE scorelay_relay_open_slots gauge
scorelay_relay_open_slots{lane="0"} %d
`, accepted, applied, gas, read, sent))
}

func TestMeterAddsUpProcessesAndSurvivesRestarts(t *testing.T) {
	t.Parallel()
	process := meteredProcess(t)
	meter := NewMeter([]string{process.url, "http://127.0.0.1:1"}, 7) // the second is down
	process.set(0, 0, 1000, 0, 0)
	require.Zero(t, meter.Read(t.Context()).Gas, "that was for the demo project's creation")
	process.set(100, 80, 9000, 4, 2)
	first := meter.Read(t.Context())
	first.At = time.Time{}
	require.Equal(t, Reading{Accepted: 100, Final: 81, Applied: 80, Gas: 8000, Waiting: 26, Sent: 2}, first,
		"what waits is what is accepted and not final, seven of an earlier run included: not only what was read")
	process.set(10, 0, 0, 0, 0) // started again
	second := meter.Read(t.Context())
	require.Equal(t, 110.0, second.Accepted)
	require.Equal(t, 82.0, second.Final, "all that it counted since then, its duplicate included")
	first.At = second.At.Add(-2 * time.Second)
	require.Equal(t, "35 updates waiting, 0 transactions in flight · 5/s accepted, 1/s final", second.Line(first))
}

func TestMeterIsSetRightWhenNothingMoves(t *testing.T) {
	t.Parallel()
	process := meteredProcess(t)
	text := func(accepted int) {
		process.text.Store(fmt.Sprintf("# TYPE scorelay_api_updates_total counter\nscorelay_api_updates_total{result=\"accepted\"} %d\n", accepted))
	}
	meter := NewMeter([]string{process.url}, 0)
	text(5) // five that were final in a process that was killed before it was read
	for range idleAfter {
		require.EqualValues(t, 5, meter.Read(t.Context()).Waiting)
	}
	require.Zero(t, meter.Read(t.Context()).Waiting)
	text(8)
	require.EqualValues(t, 3, meter.Read(t.Context()).Waiting)
}

func TestNumbersFitTheirLine(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{
		0: "0", 0.4: "0", 1: "1", 999: "999", 1000: "1,000", 1001: "1,001", 99_999: "99,999", 100_000: "100k", 999_499: "999k", 999_500: "1.0M", 12_345_678: "12.3M",
	} {
		require.Equal(t, want, short(n))
	}
	require.Equal(t, "1,234,567", Thousands(1_234_567))
	require.Equal(t, "1 update", units(1, "update"))
	require.Equal(t, "2 updates", units(2, "update"))
	most := Reading{At: time.Now(), Accepted: 9e8, Final: 9e8, Waiting: 99_999, Sent: 99_999}
	require.LessOrEqual(t, len([]rune(most.Line(Reading{}))), 79)
	for _, n := range []int{0, 1, 50, 99_999, 999_999, 99_999_999} {
		line := (&Summary{planned: n, accepted: n, applied: n}).progress()
		require.LessOrEqual(t, len([]rune(line)), 79, line)
	}
	require.Equal(t, "[##########----------]  50 %  1,000 of 1,000 updates answered, 0 final", (&Summary{planned: 1000, accepted: 1000}).progress())
	require.Equal(t, "[####################] 100 %  500 of 500 updates answered, 490 final", (&Summary{planned: 500, accepted: 490, refused: 10, applied: 490}).progress())
}
