package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
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
	if h.secret == "" { // the command that prints it has not ended yet
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
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
func webhooks(t *testing.T, s *stack) {
	t.Helper()
	h := &hooked{status: http.StatusNoContent, taken: map[score.UpdateID]int{}, types: map[string]int{}, ids: map[string]int{}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	does := func(args ...string) (string, string) {
		t.Helper()
		out, told, err := s.scorelay(append([]string{"webhooks"}, args...)...)
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
	s.fails(t, "", "webhooks", "test", added.ID) // it answers 503
	out, _ = does("deliveries", added.ID)
	require.Regexp(t, `503 +\d+ +1 +0x[0-9a-f]{64}-\d+-\d+ +- +\d+-\d+-[0-9a-f]{16}-\d+`, out)
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
	s.fails(t, "", "webhooks", "redeliver", added.ID, "test-"+added.ID+"-1") // which is no event's
	s.fails(t, "", "webhooks", "redeliver", added.ID)                        // neither an event nor a time
	out, _ = does("show", added.ID)
	require.NotContains(t, out, secret)
	require.NotContains(t, out, added.Secret)
	require.Empty(t, h.errs)
	does("remove", added.ID)
	s.fails(t, webhook.ErrNotFound.Error(), "webhooks", "show", added.ID)
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

// forgetful is a ledger that knows no cursor but the beginning, and tells one event from there.
type forgetful struct{}

func (forgetful) Next(ctx context.Context, project score.ProjectID, after event.Cursor, _ int) ([]event.Event, event.Cursor, error) {
	told, err := event.ParseCursor("1-7-00000000000000aa-0")
	switch {
	case err != nil || after == told:
		<-ctx.Done()
		return nil, after, cmp.Or(err, ctx.Err())
	case after != event.Cursor{}:
		return nil, after, event.ErrReplaced
	}
	return []event.Event{{ID: "again", Type: event.UpdateApplied, Project: project, After: told}}, told, nil
}

func (forgetful) Since(context.Context, time.Time) (event.Cursor, error) {
	return event.ParseCursor("1-7-00000000000000bb-0")
}

func (forgetful) Find(context.Context, score.ProjectID, string) (event.Event, error) {
	return event.Event{}, event.ErrNoEvent
}

// TestWhatIsAdvisedWhereACursorIsUnknown works: the commands of the endpoint's reason and of the log line have it be sent events again.
func TestWhatIsAdvisedWhereACursorIsUnknown(t *testing.T) {
	t.Parallel()
	server := fresh.NATS(t)
	js := fresh.JetStreamAt(t, server.URL)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}}))
	store, err := webhook.Open(t.Context(), js)
	require.NoError(t, err)
	taken := make(chan struct{}, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { taken <- struct{}{} }))
	t.Cleanup(receiver.Close)
	var said fresh.Log
	d := webhook.New(webhook.Config{Store: store, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Log: slog.New(slog.NewTextHandler(&said, nil))})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = d.Watch(ctx) })
	running.Go(func() { d.Run(ctx, forgetful{}) })
	t.Cleanup(func() { cancel(); running.Wait() })
	for _, from := range []string{"the reason", "the log"} {
		e, _, err := store.Add(t.Context(), webhook.Endpoint{Project: score.ProjectID{1}, URL: receiver.URL, Batch: 1}, webhook.Move{Time: time.Now()})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			e, _, err = store.Get(t.Context(), e.ID)
			return err == nil && e.Disabled != nil
		}, 2*time.Minute, 10*time.Millisecond)
		var commands []string
		if from == "the reason" {
			for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(e.Disabled.Why, -1) {
				commands = append(commands, match[1])
			}
		} else {
			require.Eventually(t, func() bool { return strings.Contains(said.String(), "enable "+e.ID+`"`) }, time.Minute, time.Millisecond)
			all := regexp.MustCompile(`command="([^"]+)"`).FindAllStringSubmatch(said.String(), -1)
			commands = strings.Split(all[len(all)-1][1], " && ")
		}
		require.Len(t, commands, 2)
		for _, line := range commands {
			args := strings.Fields(line)
			require.Equal(t, "scorelay", args[0])
			out, err := command(append(args[1:], "--nats-url", server.URL)...).CombinedOutput()
			require.NoError(t, err, "%s: %s", line, out)
		}
		select {
		case <-taken:
		case <-time.After(2 * time.Minute):
			require.Fail(t, "it is sent nothing", from)
		}
		e, _, err = store.Get(t.Context(), e.ID)
		require.NoError(t, err)
		require.Nil(t, e.Disabled, from)
	}
}
