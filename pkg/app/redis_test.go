package app

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/redisdb"
)

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count counts the lines that hold a text.
func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.text.Bytes(), []byte(text))
}

// TestWhatRedisRefusesIsTold, in its own words, by API and relayer, once and not at each request, and by `scorelay status`: scripts are
// forbidden to the user, so that nothing can be claimed or looked up, and all else answers.
func TestWhatRedisRefusesIsTold(t *testing.T) {
	t.Parallel()
	fresh.NeedsRedisServer(t)
	m := newTimeMachine(t)
	m.endAPI()
	m.endRelayer()
	var logs [2]lines
	m.log = slog.New(slog.NewJSONHandler(&logs[0], nil))
	m.endAPI = m.startAPI()
	m.log = slog.New(slog.NewJSONHandler(&logs[1], nil))
	m.endRelayer = m.startRelayer()
	m.send(m.project, 0, 1)

	redis, err := redisdb.Open(m.redis.URL)
	require.NoError(t, err)
	defer func() { _ = redis.Close() }()
	require.NoError(t, redis.Do(t.Context(), "ACL", "SETUSER", "default", "-@scripting").Err())
	const words = "has no permissions to run the 'evalsha' command"
	began, sent := time.Now(), 0
	require.Eventually(t, func() bool {
		if sent < 20 {
			_, err := m.post(m.project, 1+sent)
			require.NoError(t, err, "it is accepted without a claim")
			sent++
		}
		_, _ = m.client.Update(t.Context(), m.project.ID, updateID(0))
		return sent == 20 && logs[0].count(words) > 0 && logs[1].count(words) > 0
	}, 2*time.Minute, 20*time.Millisecond, "API and relayer have the words in their logs")
	for i := range logs {
		require.LessOrEqual(t, logs[i].count("Redis refused a call"), 1+int(time.Since(began)/time.Minute), "a line at first, and one a minute")
		require.Zero(t, logs[i].count("Redis is down"), "each line has the cause")
	}

	looks := &overview.Deployment{JS: m.js, Stream: m.stream, Chain: m.rpc, Redis: redis, Standings: NewStandings(redis, m.stream), Log: quiet}
	var refused []string
	require.Eventually(t, func() bool {
		doc, err := looks.Look(t.Context())
		if err == nil {
			refused = doc.Redis.Refused
		}
		return len(refused) == 2 && strings.HasPrefix(refused[0], "api ") && strings.Contains(refused[0], words) && strings.Contains(refused[1], words)
	}, 2*time.Minute, 50*time.Millisecond, "API and relayer say it: %s", &refused)
}
