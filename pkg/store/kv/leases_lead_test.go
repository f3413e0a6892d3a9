package kv

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOneLeadsAtATime, until it ends, gives up, or is cut off from NATS.
func TestOneLeadsAtATime(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	var leading, most atomic.Int32
	led := make(chan string, 100)
	replica := func(name string, drains time.Duration) (stop func()) {
		js, nc := w.connect()
		leases, err := OpenLeases(t.Context(), js, LeaseConfig{Replica: name, TTL: ttl}, slog.New(slog.NewTextHandler(&w.said, nil)))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = leases.Lead(ctx, "webhooks", func(ctx context.Context) {
				most.Store(max(most.Load(), leading.Add(1)))
				led <- name
				<-ctx.Done()
				time.Sleep(drains)
				leading.Add(-1)
			})
		}()
		stop = func() { cancel(); <-done }
		t.Cleanup(stop)
		t.Cleanup(nc.Close)
		return stop
	}
	next := func() string {
		select {
		case name := <-led:
			return name
		case <-time.After(soon):
			require.Fail(t, "none leads")
			return ""
		}
	}
	stopA := replica("a", ttl+time.Second) // longer than the lease lives
	require.Equal(t, "a", next())
	stopB := replica("b", 0)
	stopA()
	require.Equal(t, "b", next())
	js, _ := w.connect()
	kv, err := js.KeyValue(t.Context(), leasesBucket)
	require.NoError(t, err)
	require.NoError(t, kv.Delete(t.Context(), "webhooks"), "an operator, or a clock, ends the lease")
	require.Equal(t, "b", next(), "it takes it again, once it has ended what it did under it")
	replica("c", 0)
	stopB()
	require.Equal(t, "c", next())
	require.EqualValues(t, 1, most.Load())
}
