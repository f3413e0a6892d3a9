package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// hooked is a webhook's receiver.
type hooked struct {
	mu     sync.Mutex
	secret string
	status int
	taken  map[score.UpdateID]int
	types  map[string]int
	ids    map[string]int // of events, how often each came
	newest string         // of them
	errs   []error
}

func (h *hooked) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		err = sdk.VerifyWebhook(req.Header, body, h.secret)
	}
	var e struct {
		ID, Type string
		Data     struct {
			ID      score.UpdateID `json:"updateId"`
			Outcome string         `json:"outcome"`
		}
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		h.errs = append(h.errs, err)
	}
	h.types[e.Type]++
	if e.ID != "" { // none is a test's
		h.ids[e.ID]++
		h.newest = e.ID
	}
	if e.Type == string(event.UpdateApplied) && h.status/100 == 2 {
		h.taken[e.Data.ID]++
	}
	w.WriteHeader(h.status)
}

// webhooks has updates be told of, in a stack that runs.
func webhooks(t *testing.T, s *stack, scorelay func(args ...string) (string, string, error)) {
	t.Helper()
	h := &hooked{status: http.StatusNoContent, taken: map[score.UpdateID]int{}, types: map[string]int{}, ids: map[string]int{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	does := func(args ...string) (string, string) {
		t.Helper()
		out, told, err := scorelay(append([]string{"webhooks"}, args...)...)
		require.NoError(t, err, "%s %s", out, told)
		return out, told
	}
	c := newCaller(t, s.info(t))
	out, _ := does("add", "--project", c.project.String(), "--types", "update.applied,project.created", "--from", "start", "--json", server.URL)
	var added struct{ ID, Secret string }
	require.NoError(t, json.Unmarshal([]byte(out), &added))
	h.mu.Lock()
	h.secret = added.Secret
	h.mu.Unlock()
	has := func(ids []score.UpdateID, times int) {
		t.Helper()
		require.Eventually(t, func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			for _, id := range ids {
				if h.taken[id] < times {
					return false
				}
			}
			return h.types["project.created"] > 0
		}, 2*time.Minute, 10*time.Millisecond)
	}
	has(c.send(t, 3), 1)

	h.mu.Lock()
	h.status = http.StatusServiceUnavailable
	h.mu.Unlock()
	waiting := c.send(t, 2)
	require.Eventually(t, func() bool {
		out, _ := does("list")
		return out != "" && shows(out, added.ID+` +0x.* update\.applied,project\.created +1 .* failing since `)
	}, 2*time.Minute, 50*time.Millisecond)
	_, _, err := scorelay("webhooks", "test", added.ID)
	require.Error(t, err, "it answers 503")
	out, _ = does("deliveries", added.ID)
	require.Regexp(t, `503 +\d+ +1 +0x[0-9a-f]{64}-\d+-\d+ +- +\d+-[0-9a-f]{64}-`, out)
	does("disable", added.ID, "--reason", "a drill")
	out, _ = does("list")
	require.Contains(t, out, ": a drill")
	h.mu.Lock()
	h.status = http.StatusOK
	h.mu.Unlock()
	out, _ = does("test", added.ID)
	require.Regexp(t, `200 +\d+ +0 +test-`+added.ID+`-2 `, out)
	does("enable", added.ID)
	has(waiting, 1)

	secret, told := does("rotate", added.ID)
	require.Contains(t, told, "signs until")
	h.mu.Lock()
	h.secret = secret
	h.mu.Unlock()
	_, told = does("redeliver", added.ID, "--from", "1h")
	require.Contains(t, told, "is sent events from 1h on")
	has(waiting, 2)
	h.mu.Lock()
	id, before := h.newest, h.ids[h.newest]
	h.mu.Unlock()
	out, _ = does("redeliver", added.ID, id)
	require.Regexp(t, `200 +\d+ +1 +`+id+` `, out)
	h.mu.Lock()
	require.Equal(t, before+1, h.ids[id])
	h.mu.Unlock()
	_, _, err = scorelay("webhooks", "redeliver", added.ID, "test-"+added.ID+"-1")
	require.Error(t, err, "it is no event's")
	_, _, err = scorelay("webhooks", "redeliver", added.ID)
	require.Error(t, err, "neither an event nor a time")
	out, _ = does("show", added.ID)
	require.NotContains(t, out, secret)
	require.NotContains(t, out, added.Secret)
	require.Empty(t, h.errs)
	does("remove", added.ID)
	_, told, err = scorelay("webhooks", "show", added.ID)
	require.Error(t, err)
	require.Contains(t, told, webhook.ErrNotFound.Error())
}

func shows(out, pattern string) bool { return regexp.MustCompile(pattern).MatchString(out) }

// TestFromWhenOn reads what --from takes.
func TestFromWhenOn(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]webhook.Move{
		"now": {Time: now}, "start": {From: &event.Cursor{}}, "2h": {Time: now.Add(-2 * time.Hour)}, "2026-11-23T09:00:00+01:00": {Time: now.Add(-time.Hour)},
	} {
		got, err := parseFrom(text, now)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "soon", "-2h", "12-34"} {
		_, err := parseFrom(text, now)
		require.ErrorContains(t, err, "--from is")
	}
}
