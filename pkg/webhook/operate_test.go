package webhook_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// TestOneEventAgain comes once, under its id, and moves no cursor, also to an endpoint that is disabled or asks for other types.
func TestOneEventAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(10)
	single := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Types: []event.Type{event.UpdateRejected}})
	batches := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Batch: 10})
	stop := r.deliver(nil)
	batches.has(10)
	single.until("all of its type", func() bool { return single.times["event-10"] == 1 })
	r.state(single, func(_ webhook.Endpoint, s webhook.State) bool { return s.Cursor == cursor(10) })
	r.state(batches, func(_ webhook.Endpoint, s webhook.State) bool { return s.Cursor == cursor(10) })
	require.NoError(t, r.store.Disable(t.Context(), single.id, "a test"))
	resend := func(to *receiver, id string) webhook.Attempt {
		n, err := r.store.Resend(t.Context(), to.id, id)
		require.NoError(t, err)
		_, s := r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Resent >= n })
		require.Equal(t, cursor(10), s.Cursor)
		a := s.Attempts[len(s.Attempts)-1]
		require.Equal(t, n, a.Resend)
		return a
	}
	for _, to := range []*receiver{single, batches} {
		a := resend(to, "event-3")
		require.Equal(t, http.StatusOK, a.Status)
		require.Equal(t, cursor(10), a.After)
		a = resend(to, "event-99")
		require.False(t, a.Delivered())
		require.Contains(t, a.Answer, event.ErrNoEvent.Error())
	}
	stop()
	stop = r.deliver(nil) // another relayer does not do it again
	r.log.write(1)
	batches.has(11)
	stop()
	require.Equal(t, 2, batches.times["event-3"])
	require.Equal(t, map[string]int{"event-5": 1, "event-10": 1, "event-3": 1}, single.times)
}

// TestTheBoundOfEndpointsHolds however many operators add some at once.
func TestTheBoundOfEndpointsHolds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	add := func() error {
		_, _, err := r.store.Add(t.Context(), webhook.Endpoint{Project: project, URL: "https://example.com", Batch: 1}, webhook.Move{Time: began})
		return err
	}
	const room = 3
	for range webhook.MaxEndpoints - room {
		require.NoError(t, add())
	}
	var adding sync.WaitGroup
	var added atomic.Int32
	for range 3 * room {
		adding.Go(func() {
			if err := add(); err == nil {
				added.Add(1)
			} else if !errors.Is(err, webhook.ErrTooMany) {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	require.EqualValues(t, room, added.Load())
	all, err := r.store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, webhook.MaxEndpoints)
	require.NoError(t, r.store.Remove(t.Context(), all[0].ID))
	require.NoError(t, add())
}

// TestWhatNoRelayerDeliversToShows: while none holds the lease, or the log cannot be read; not while an endpoint fails or is disabled.
func TestWhatNoRelayerDeliversToShows(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(3)
	broken := r.endpoint(newReceiver(t, status(1<<30, http.StatusTeapot)), webhook.Endpoint{})
	live := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	off := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	require.NoError(t, r.store.Disable(t.Context(), off.id, "a test"))
	leader, idle := prometheus.NewRegistry(), prometheus.NewRegistry()
	d := webhook.New(webhook.Config{Store: r.open(), Log: slog.New(slog.DiscardHandler), Metrics: idle})
	ctx, cancel := context.WithCancel(t.Context())
	defer watch(ctx, d)()
	defer cancel()
	shows := func(of *prometheus.Registry, enabled, served float64) {
		t.Helper()
		require.Eventually(t, func() bool {
			return gauge(t, of, "scorelay_webhook_enabled_endpoints") == enabled && gauge(t, of, "scorelay_webhook_served_endpoints") == served
		}, soon, 5*time.Millisecond)
	}
	shows(idle, 2, 0)
	stop := r.deliver(func(c *webhook.Config) { c.Metrics, c.TryAgain = leader, 5*time.Millisecond })
	live.has(3)
	r.state(broken, func(_ webhook.Endpoint, s webhook.State) bool { return s.Failing != nil })
	shows(leader, 2, 2)
	r.log.unread.Store(true)
	r.log.write(1)
	shows(leader, 2, 1) // the one that fails has its event; live has the fourth only if it was waiting for it by now
	_, s := r.state(live, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting != nil })
	require.Contains(t, s.Waiting.Why, "nothing can be read")
	require.WithinDuration(t, time.Now(), s.Waiting.Since, soon)
	before := r.log.failed.Load()
	require.Eventually(t, func() bool { return r.log.failed.Load() > before+3 }, soon, time.Millisecond)
	_, still, err := r.store.Get(t.Context(), live.id)
	require.NoError(t, err)
	require.Equal(t, s, still, "another text each time is not another state")
	late := r.add(newReceiver(t, nil), webhook.Endpoint{}, webhook.Move{Time: began})
	r.state(late, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting != nil && s.Moved == 0 })
	require.NoError(t, r.store.Disable(t.Context(), late.id, "a test"))
	r.state(late, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting == nil && s.Moved == 0 })
	r.log.unread.Store(false)
	shows(leader, 2, 2) // though nothing happens
	r.state(live, func(_ webhook.Endpoint, s webhook.State) bool { return s.Waiting == nil && s.Cursor == cursor(4) })
	r.log.write(1)
	live.has(5)
	require.NoError(t, r.store.Disable(t.Context(), broken.id, "a test"))
	shows(leader, 1, 1)
	shows(idle, 1, 0)
	stop()
	shows(leader, 1, 0)
}

// TestAStateThatCannotBeReadIsNotWritten, nor is the endpoint sent anything, until it can.
func TestAStateThatCannotBeReadIsNotWritten(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(3)
	to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	states, err := fresh.JetStreamAt(t, r.nats).KeyValue(t.Context(), webhook.StatesBucket)
	require.NoError(t, err)
	_, err = states.PutString(t.Context(), to.id, "rubbish")
	require.NoError(t, err)
	plan := fault.NewPlan(nil)
	r.deliver(func(c *webhook.Config) {
		c.TryAgain = 5 * time.Millisecond
		c.Store = r.openBy(plan)
	})
	require.Eventually(t, func() bool { return strings.Contains(r.said.String(), "the state of an endpoint (WEBHOOKSTATES/") }, soon, time.Millisecond)
	require.Zero(t, plan.Writes())
	require.NoError(t, states.Purge(t.Context(), to.id))
	to.has(3)
	to.once()
}

// TestAnEndpointWhosePlaceCannotBeWrittenIsNotServed until it can, though it takes nothing.
func TestAnEndpointWhosePlaceCannotBeWrittenIsNotServed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.log.write(1)
	to := r.endpoint(newReceiver(t, status(1<<30, http.StatusTeapot)), webhook.Endpoint{})
	metrics := prometheus.NewRegistry()
	plan := fault.NewPlan(nil)
	r.deliver(func(c *webhook.Config) {
		c.Metrics, c.TryAgain = metrics, 5*time.Millisecond
		c.Store = r.openBy(plan)
	})
	serves := func(n float64) {
		t.Helper()
		require.Eventually(t, func() bool { return gauge(t, metrics, "scorelay_webhook_served_endpoints") == n }, soon, time.Millisecond)
	}
	r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Failing != nil })
	serves(1)
	plan.Set(fault.Always(fault.Failed))
	serves(0)
	plan.Set(nil)
	serves(1)
}

func gauge(t *testing.T, of *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := of.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	require.Fail(t, "there is no "+name)
	return 0
}

// TestARecordThatCannotBeReadGetsNothing, also where it was known, until it is removed and added again.
func TestARecordThatCannotBeReadGetsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	to, other := r.endpoint(newReceiver(t, nil), webhook.Endpoint{}), r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	defer r.deliver(nil)()
	r.log.write(1)
	to.has(1)
	other.has(1)
	records, err := fresh.JetStreamAt(t, r.nats).KeyValue(t.Context(), webhook.Bucket)
	require.NoError(t, err)
	foreign, err := records.Get(t.Context(), other.id)
	require.NoError(t, err)
	for i, invalid := range []string{"rubbish", string(foreign.Value())} {
		_, err = records.PutString(t.Context(), to.id, invalid)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return strings.Count(r.said.String(), "cannot read the record") == i+1 }, soon, time.Millisecond)
	}
	r.log.write(1)
	other.has(2)
	to.mu.Lock()
	require.Zero(t, to.times["event-2"])
	to.mu.Unlock()
	require.NoError(t, r.store.Remove(t.Context(), to.id))
	require.ErrorIs(t, r.store.Remove(t.Context(), to.id), webhook.ErrNotFound)
}
