package webhook_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/lease"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// TestACursorThatIsNotWritten, or that is though the answer said otherwise: nothing is lost, and little comes twice.
func TestACursorThatIsNotWritten(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(write func() error) error{
		"failed":               func(func() error) error { return errors.New("NATS is away") },
		"failed but persisted": func(write func() error) error { return errors.Join(write(), errors.New("the answer is lost")) },
		"moved": func(write func() error) error { // another process writes between
			return errors.Join(write(), write())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			to := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
			var saves atomic.Int64
			stop := r.deliver(func(c *webhook.Config) {
				c.SaveEvery = time.Millisecond
				c.TryAgain = time.Millisecond
				c.Store.OnSave(func(write func() error) error {
					if saves.Add(1)%3 == 0 {
						return broken(write)
					}
					return write()
				})
			})
			const events = 15
			for i := range events {
				r.log.write(1)
				r.state(to, func(_ webhook.Endpoint, s webhook.State) bool { return s.Cursor == cursor(i+1) })
			}
			stop()
			require.GreaterOrEqual(t, saves.Load(), int64(events))
			to.has(events)
			to.once() // each state was written before the next event, at the latest when it was tried again
		})
	}
}

const (
	childOf    = "SCORELAY_TEST_WEBHOOKS_NATS"
	childCount = "SCORELAY_TEST_WEBHOOKS_EVENTS"
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
	leases, err := lease.Open(ctx, js, lease.Config{Replica: "child-" + strconv.Itoa(os.Getpid()), TTL: time.Second}, log)
	if err != nil {
		panic(err)
	}
	n, _ := strconv.Atoi(os.Getenv(childCount))
	d := webhook.New(webhook.Config{Store: store, Allow: loopback, Log: log, SaveEvery: 20 * time.Millisecond})
	defer watch(ctx, d)()
	_ = leases.Lead(ctx, webhook.Lease, func(ctx context.Context) { d.Run(ctx, &written{n: n}) })
}

// TestKill9 kills the process that delivers in the middle, again and again: everything comes, in order but for what is repeated.
func TestKill9(t *testing.T) {
	t.Parallel()
	events := long.Size(1000, 4000)
	random := testrand.New(t)
	r := newRig(t)
	single := r.endpoint(newReceiver(t, nil), webhook.Endpoint{})
	batches := r.endpoint(newReceiver(t, nil), webhook.Endpoint{Batch: 7})
	kills := 0
	for taken := 0; ; kills++ {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childOf+"="+r.nats, childCount+"="+strconv.Itoa(events))
		require.NoError(t, child.Start())
		t.Cleanup(func() { _ = child.Process.Kill() })
		taken = min(events, taken+1000+random.IntN(500))
		single.has(taken)
		if taken == events {
			batches.has(events)
			require.NoError(t, child.Process.Kill())
			_ = child.Wait()
			break
		}
		require.NoError(t, child.Process.Kill())
		_ = child.Wait()
	}
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
