package webhook_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// TestACursorThatIsNotWritten, that is though the answer was lost, or that another process moved: nothing is lost, and little comes twice.
func TestACursorThatIsNotWritten(t *testing.T) {
	t.Parallel()
	const events = 15
	delivers := func(t *testing.T, plan *fault.Plan, r *rig, to *receiver) {
		t.Helper()
		stop := r.deliver(func(c *webhook.Config) {
			c.SaveEvery = time.Millisecond
			c.TryAgain = time.Millisecond
			c.Store = r.openBy(plan)
		})
		for i := range events {
			r.log.write(1)
			r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Cursor == cursor(i+1) })
		}
		stop()
		require.GreaterOrEqual(t, plan.Writes(), events)
		to.has(events)
	}
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		r := newRig(t)
		plan := fault.NewPlan(func(_ string, n int) fault.Kind {
			if n%3 == 0 {
				return kind
			}
			return fault.None
		})
		to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
		delivers(t, plan, r, to)
		require.GreaterOrEqual(t, plan.Failures(), events/3)
		to.once() // each state was written before the next event, at the latest when it was tried again
	})
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
		states, err := fresh.JetStreamAt(t, r.nats).KeyValue(t.Context(), webhook.StatesBucket)
		require.NoError(t, err)
		plan, moves := fault.NewPlan(nil), 0
		for n := 3; n <= events; n += 3 {
			plan.Before(n, func() {
				entry, err := states.Get(t.Context(), to.id)
				require.NoError(t, err)
				_, err = states.Put(t.Context(), to.id, entry.Value())
				require.NoError(t, err)
				moves++
			})
		}
		delivers(t, plan, r, to)
		require.Equal(t, events/3, moves)
	})
}

const (
	childOf    = "SCORELAY_TEST_WEBHOOKS_NATS"
	childCount = "SCORELAY_TEST_WEBHOOKS_EVENTS"
	childSave  = "SCORELAY_TEST_WEBHOOKS_SAVE" // how often
)

// deliverAsChild delivers until it is killed.
func deliverAsChild() {
	ctx, log := context.Background(), slog.New(slog.NewTextHandler(os.Stderr, nil))
	conn, err := nats.Connect(os.Getenv(childOf), nats.Timeout(time.Minute))
	if err != nil {
		panic(err)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		panic(err)
	}
	store, err := webhook.Open(ctx, js)
	if err != nil {
		panic(err)
	}
	leases, err := kv.OpenLeases(ctx, js, kv.LeaseConfig{Replica: "child-" + strconv.Itoa(os.Getpid()), TTL: time.Second}, log)
	if err != nil {
		panic(err)
	}
	n, _ := strconv.Atoi(os.Getenv(childCount))
	every, err := time.ParseDuration(os.Getenv(childSave))
	if err != nil {
		panic(err)
	}
	d := webhook.New(webhook.Config{Store: store, Allow: loopback, Log: log, SaveEvery: every})
	defer watch(ctx, d)()
	_ = leases.Lead(ctx, webhook.Lease, func(ctx context.Context) { d.Run(ctx, &written{n: n}) })
}

// TestKill9 kills the process that delivers in the middle of POSTs, again and again, whether it wrote its last cursor or not: everything comes, in order but for what is repeated.
func TestKill9(t *testing.T) {
	t.Parallel()
	events := long.Size(1000, 4000)
	random := testrand.New(t)
	r := newRig(t)
	var most atomic.Int64 // events that a receiver takes before the next kill, or a batch more
	held := func(batch int) (to *receiver, full chan struct{}) {
		full = make(chan struct{}) // there is a POST that it does not answer
		to = newReceiver(t, func(_ int, w http.ResponseWriter, req *http.Request) {
			if to.events() < int(most.Load()) {
				return
			}
			select {
			case full <- struct{}{}:
				<-req.Context().Done()
			case <-req.Context().Done():
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		r.endpoint(to, webhook.Endpoint{Batch: batch})
		return to, full
	}
	const batch = 7
	single, singleFull := held(1)
	batches, batchesFull := held(batch)
	kills := 0
	for taken := 0; ; kills++ {
		if taken += events/4 + random.IntN(events/8); taken+batch >= events {
			taken = events
		}
		most.Store(int64(taken))
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childOf+"="+r.nats, childCount+"="+strconv.Itoa(events), childSave+"="+[]string{"1ns", "20ms"}[kills%2])
		require.NoError(t, child.Start())
		t.Cleanup(func() { _ = child.Process.Kill() })
		single.has(taken)
		batches.has(taken)
		if taken < events {
			<-singleFull
			<-batchesFull
		}
		require.NoError(t, child.Process.Kill())
		_ = child.Wait()
		if taken == events {
			break
		}
	}
	require.GreaterOrEqual(t, kills, 2)
	for _, to := range []*receiver{single, batches} {
		newest, again := 0, 0
		for _, id := range to.ids {
			if n := number(id); n > newest {
				require.Equal(t, newest+1, n, "an event was passed over")
				newest = n
			} else {
				again++
			}
		}
		require.Equal(t, events, newest)
		t.Logf("%d kills, %d of %d events came twice", kills, again, events)
	}
}
