package webhook_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// status answers the first POSTs so, and those after them 200.
func status(first int, status int) func(n int, w http.ResponseWriter, req *http.Request) {
	return func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < first {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("not\x1b[2Jnow"))
		}
	}
}

func TestEventsComeInOrderAndOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(200)
	single := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	batches := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Batch: 100})
	some := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Types: []event.Type{event.UpdateRejected}, Batch: 3})
	stop := r.deliver(nil)
	single.has(200)
	r.log.write(7)
	single.has(207)
	batches.has(207)
	some.until("the last of its type", func() bool { return some.times["event-205"] > 0 })
	stop()
	for i, want := range []*receiver{single, batches, some} {
		want.once()
		require.True(t, slices.IsSortedFunc(want.ids, func(a, b string) int { return number(a) - number(b) }), "endpoint %d", i)
	}
	require.Len(t, some.ids, 41)
	require.LessOrEqual(t, batches.posts, 6)
	stop = r.deliver(nil) // a relayer that ended by itself repeats nothing
	r.log.write(3)
	single.has(210)
	batches.has(210)
	stop()
	single.once()
	batches.once()
	some.once()
}

func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "event-"))
	return n
}

// TestADeadEndpointDelaysNoOther, nor does one that is slow, one that answers without an end, or one that would rather speak another protocol.
func TestADeadEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	release := make(chan struct{})
	dead := r.endpoint(newReceiver(t, nil), webhook.Endpoint{URL: "http://127.0.0.1:1"})
	slow := r.endpoint(newReceiver(t, func(_ int, _ http.ResponseWriter, req *http.Request) {
		select {
		case <-release:
		case <-req.Context().Done():
		}
	}), webhook.Endpoint{})
	endless := r.endpoint(newReceiver(t, func(_ int, w http.ResponseWriter, req *http.Request) {
		w.WriteHeader(http.StatusOK)
		for req.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}), webhook.Endpoint{})
	ended := make(chan struct{})
	switches := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n > 0 {
			return
		}
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "test")
		w.WriteHeader(http.StatusSwitchingProtocols)
		w.(*recorded).ResponseWriter.(http.Flusher).Flush()
		<-ended
		panic(http.ErrAbortHandler)
	})
	t.Cleanup(func() { close(ended) }) // before its server closes, which waits for it
	upgrades := r.endpoint(switches, webhook.Endpoint{})
	live := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	r.log.write(20)
	stop := r.deliver(nil)
	live.has(20)
	live.once()
	endless.has(20)
	upgrades.has(20)
	_, s := r.state(dead, func(_ webhook.Endpoint, s webhook.State) bool { return len(s.Attempts) > 2 })
	require.NotNil(t, s.Failing)
	require.Zero(t, s.Cursor)
	require.Contains(t, s.Attempts[0].Answer, "connection refused")
	close(release)
	slow.has(20)
	stop()
}

// TestAPanicOfTheDelivererIsContained: it is logged with its stack, and the endpoint is sent everything once it ends.
func TestAPanicOfTheDelivererIsContained(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	live := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	r.log.write(20)
	r.log.panics.Store(3)
	stop := r.deliver(func(c *webhook.Config) { c.TryAgain = time.Millisecond })
	live.has(20)
	r.log.write(1)
	live.has(21)
	live.once()
	stop()
	require.Equal(t, 3, strings.Count(r.said.String(), "err=\"a bug, it panicked: planted\" stack=\"goroutine"))
	require.Contains(t, r.said.String(), "rig_test.go", "the stack is told")
	require.Contains(t, r.said.String(), "the deliverer of a webhook's endpoint continues")
}

func TestWhatIsRefusedComesAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(10)
	broken := r.endpoint(newReceiver(t, status(3, http.StatusInternalServerError)), webhook.Endpoint{})
	moved := r.endpoint(newReceiver(t, func(n int, w http.ResponseWriter, req *http.Request) {
		if n < 2 {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		} else if req.URL.Path != "/" {
			t.Error("a redirect was followed")
		}
	}), webhook.Endpoint{})
	stop := r.deliver(nil)
	broken.has(10)
	broken.once()
	moved.has(10)
	_, s := r.state(broken, func(_ webhook.Endpoint, s webhook.State) bool { return s.Failing == nil && s.Cursor == cursor(10) })
	require.Len(t, s.Attempts, 13)
	require.Equal(t, http.StatusInternalServerError, s.Attempts[0].Status)
	require.Equal(t, "not [2Jnow", s.Attempts[0].Answer, "nothing of it moves the operator's cursor")
	require.Equal(t, "event-1", s.Attempts[0].Message)
	_, s = r.state(moved, func(_ webhook.Endpoint, s webhook.State) bool { return s.Cursor == cursor(10) })
	require.Equal(t, "redirects are not followed: to /elsewhere", s.Attempts[1].Answer)
	stop()
}

// TestAnEndpointThatFailsIsDisabledAndSkipsNothing: enabled again, it continues where it was.
func TestAnEndpointThatFailsIsDisabledAndSkipsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(10)
	gone := r.endpoint(newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 4 {
			w.WriteHeader(http.StatusGone)
		}
	}), webhook.Endpoint{})
	broken := r.endpoint(newReceiver(t, status(1<<30, http.StatusTeapot)), webhook.Endpoint{})
	stop := r.deliver(func(c *webhook.Config) { c.GiveUp = 50 * time.Millisecond })
	e, s := r.state(gone, func(e webhook.Endpoint, _ webhook.State) bool { return e.Disabled != nil })
	require.Equal(t, "it answered 410: it wants no more events", e.Disabled.Why)
	require.Equal(t, cursor(4), s.Cursor)
	e, s = r.state(broken, func(e webhook.Endpoint, _ webhook.State) bool { return e.Disabled != nil })
	require.True(t, e.Disabled.Fails)
	require.Contains(t, e.Disabled.Why, "418 not [2Jnow")
	require.Zero(t, s.Cursor)

	n, err := r.store.Test(t.Context(), broken.id) // a test goes to one that is disabled, too
	require.NoError(t, err)
	_, s = r.state(broken, func(_ webhook.Endpoint, s webhook.State) bool { return s.Tested >= n })
	require.Equal(t, n, s.Attempts[len(s.Attempts)-1].Test)
	require.Equal(t, http.StatusTeapot, s.Attempts[len(s.Attempts)-1].Status)
	for _, endpoint := range []*receiver{gone, broken} {
		endpoint.mu.Lock()
		endpoint.answer = nil
		endpoint.mu.Unlock()
		require.NoError(t, r.store.Enable(t.Context(), endpoint.id))
		endpoint.has(10)
	}
	stop()
	gone.once()
	broken.once()
	require.Contains(t, r.said.String(), "is disabled")
	require.NotContains(t, r.said.String(), "http://", "who knows the URL of a chat's webhook can post there")
}

// TestAnEndpointThatIsEnabledHasItsTimeAgain: it may fail at first, as it did when it was disabled, also where that is longer ago.
func TestAnEndpointThatIsEnabledHasItsTimeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(3)
	to := r.endpoint(newReceiver(t, status(1<<30, http.StatusBadGateway)), webhook.Endpoint{})
	giveUp := func(c *webhook.Config) { c.GiveUp = time.Second }
	stop := r.deliver(giveUp)
	r.state(to, func(e webhook.Endpoint, _ webhook.State) bool { return e.Disabled != nil })
	to.mu.Lock()
	to.posts, to.answer = 0, status(1, http.StatusBadGateway) // a second failure may come after GiveUp on a slow machine
	to.mu.Unlock()
	require.NoError(t, r.store.Enable(t.Context(), to.id))
	to.has(3)
	stop()
	to.once()
}

// TestRetryAfterIsHonoured, up to a bound.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(1)
	var refused time.Time
	busy := r.endpoint(newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 0 {
			refused = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}), webhook.Endpoint{})
	stop := r.deliver(nil)
	busy.has(1)
	require.GreaterOrEqual(t, time.Since(refused), time.Second)
	stop()
}

// TestARotationSignsWithBoth for a while: receivers that have either secret verify.
func TestARotationSignsWithBoth(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	old := to.secret
	deliver := func(n, signatures int, verify ...webhook.Secret) {
		to.mu.Lock()
		to.verify, to.answer = verify, func(_ int, _ http.ResponseWriter, req *http.Request) {
			if got := strings.Fields(req.Header.Get("webhook-signature")); len(got) != signatures {
				t.Errorf("event %d is signed by %v", n, got)
			}
		}
		to.mu.Unlock()
		r.log.write(1)
		stop := r.deliver(nil)
		to.has(n)
		stop()
	}
	deliver(1, 1, old)
	secret, err := r.store.Rotate(t.Context(), to.id, time.Hour)
	require.NoError(t, err)
	require.NotEqual(t, old, secret)
	deliver(2, 2, old, secret)
	third, err := r.store.Rotate(t.Context(), to.id, time.Hour) // since what the one before printed was lost, say
	require.NoError(t, err)
	deliver(3, 3, old, secret, third)
	for range 5 {
		_, err = r.store.Rotate(t.Context(), to.id, time.Hour)
		require.NoError(t, err)
	}
	deliver(4, 4)
	last, err := r.store.Rotate(t.Context(), to.id, 0)
	require.NoError(t, err)
	deliver(5, 1, last)
	to.once()
	require.NotContains(t, r.said.String(), last.Reveal()[10:])
	require.NotContains(t, fmt.Sprintf("%v %s %q", last, last, last), last.Reveal()[10:])
}

// TestWhatVoidsEventsIsSentToAll, in the order of the events.
func TestWhatVoidsEventsIsSentToAll(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.rewound = 7
	r.log.write(10)
	to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Types: []event.Type{event.UpdateRejected}})
	stop := r.deliver(nil)
	to.until("the last of its type", func() bool { return to.times["event-10"] > 0 })
	stop()
	require.Equal(t, []string{"event-5", "event-7", "event-10"}, to.ids)
}

// TestACursorThatTheLedgerForgot: an operator says where to continue, as the endpoint's reason has it.
func TestACursorThatTheLedgerForgot(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(3)
	to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	stop := r.deliver(nil)
	to.has(3)
	stop()
	r.log.unread.Store(true)
	stop = r.deliver(func(c *webhook.Config) { c.TryAgain = 5 * time.Millisecond })
	r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting != nil })
	r.log.replaced.Store(true)
	e, _ := r.state(to, func(e webhook.Endpoint, _ webhook.State) bool { return e.Disabled != nil })
	require.Contains(t, e.Disabled.Why, event.ErrReplaced.Error())
	require.Contains(t, e.Disabled.Why, "`scorelay webhooks redeliver "+to.id+" --from start`")
	r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting == nil })
	r.log.replaced.Store(false)
	r.log.unread.Store(false)
	_, err := r.store.Move(t.Context(), to.id, webhook.Move{From: &event.Cursor{}})
	require.NoError(t, err)
	require.NoError(t, r.store.Enable(t.Context(), to.id))
	to.until("all again", func() bool { return to.times["event-3"] == 2 })
	stop()
}

// TestRedelivery from a time or a cursor on, under the same ids, and passing over what an endpoint cannot take.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(10)
	to := r.endpoint(newReceiver(t, func(_ int, w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("webhook-id") == "event-11" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}), webhook.Endpoint{})
	stop := r.deliver(nil)
	to.has(10)
	move := func(m webhook.Move) {
		n, err := r.store.Move(t.Context(), to.id, m)
		require.NoError(t, err)
		r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Moved >= n })
	}
	move(webhook.Move{Time: began.Add(8 * time.Second)})
	to.until("events since a time", func() bool { return to.times["event-10"] == 2 })
	from := cursor(9)
	move(webhook.Move{From: &from})
	to.until("the event after a cursor", func() bool { return to.times["event-10"] == 3 })
	r.log.write(5)
	r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Failing != nil })
	from = cursor(11)
	move(webhook.Move{From: &from})
	to.until("what comes after the event that is refused", func() bool { return to.times["event-15"] == 1 })
	stop()
	for i := 1; i <= 15; i++ {
		want := map[int]int{8: 2, 9: 2, 10: 3, 11: 0}
		times, special := want[i]
		if !special {
			times = 1
		}
		require.Equal(t, times, to.times[fmt.Sprintf("event-%d", i)], i)
	}
}

// TestEndpointsComeAndGo while events are delivered.
func TestEndpointsComeAndGo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(5)
	stop := r.deliver(nil)
	first := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	first.has(5)
	late := newReceiver(t, nil)
	added, _, err := r.store.Add(t.Context(), webhook.Endpoint{Project: project, URL: late.url, Batch: 1}, webhook.Move{Time: began.Add(6 * time.Second)})
	require.NoError(t, err)
	late.id = added.ID
	r.state(late, func(_ webhook.Endpoint, s webhook.State) bool { return s.Moved == 1 })
	require.NoError(t, r.store.Remove(t.Context(), first.id))
	require.ErrorIs(t, r.store.Remove(t.Context(), first.id), webhook.ErrNotFound)
	r.log.write(2)
	late.until("what came after it", func() bool { return late.times["event-7"] == 1 })
	require.Equal(t, []string{"event-6", "event-7"}, late.ids)
	require.NoError(t, r.store.Disable(t.Context(), late.id, "maintenance"))
	all, err := r.store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "maintenance", all[0].Disabled.Why)
	stop()
}
