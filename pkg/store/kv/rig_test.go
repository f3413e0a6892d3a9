package kv

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func TestMain(m *testing.M) {
	long.Beside(8)
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).StartMonitoring"))
}

const (
	things  = "THINGS"
	patient = 2 * time.Minute
	often   = 2 * time.Millisecond
)

// errBroken is what a bucket says whose watch fails.
var errBroken = errors.New("broken")

// setUp is what scorelay setup does of a deployment of two lanes.
func setUp(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 2, ChainID: 1, Contract: common.Address{1}}}))
}

// alone is a bucket of a server of the test's own.
func alone(t *testing.T) (jetstream.JetStream, jetstream.KeyValue) {
	t.Helper()
	return connect(t, fresh.NATS(t).URL)
}

// connect opens a bucket, which it makes where there is none, over a connection of its own.
func connect(t *testing.T, url string) (jetstream.JetStream, jetstream.KeyValue) {
	t.Helper()
	js := fresh.JetStreamAt(t, url)
	_, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: things, History: 1})
	require.NoError(t, err)
	b, err := open(t.Context(), js, things)
	require.NoError(t, err)
	return js, b.kv
}

func put(t *testing.T, kv jetstream.KeyValue, key, value string) {
	t.Helper()
	_, err := kv.PutString(t.Context(), key, value)
	require.NoError(t, err)
}

// view runs a view of texts, where "?" cannot be read.
func view(t *testing.T, js jetstream.JetStream, kv jetstream.KeyValue) *View[string] {
	t.Helper()
	return running(t, js, kv, (*View[string]).Run)
}

func running(t *testing.T, js jetstream.JetStream, kv jetstream.KeyValue, run func(*View[string], context.Context) error) *View[string] {
	t.Helper()
	v := newView(bucket{things, js, kv}, ">", slog.New(slog.DiscardHandler), func(entry jetstream.KeyValueEntry) (string, bool) {
		return string(entry.Value()), string(entry.Value()) != "?"
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(v, ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return v
}

func caughtUp[V any](t *testing.T, v *View[V]) {
	t.Helper()
	select {
	case <-v.CaughtUp():
	case <-time.After(patient):
		require.Fail(t, "the view did not catch up")
	}
}

// shows waits until a reader sees a value under a key; none is an empty one.
func shows(t *testing.T, v *View[string], key, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		got, ok := v.Get(key)
		return got == want && ok == (want != "")
	}, patient, often, "%s is to be %q", key, want)
}

// brittle is a bucket whose watches fail as a test wants.
type brittle struct {
	jetstream.KeyValue

	mu      sync.Mutex
	failing bool // Watch returns errBroken
	cut     int  // updates that the next watch tells before it ends, and then all are failing; 0: all
	watches int  // begun or failed
	last    jetstream.KeyWatcher
}

func (b *brittle) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watches++
	if b.failing {
		return nil, errBroken
	}
	w, err := b.KeyValue.Watch(ctx, keys, opts...)
	if err == nil && b.cut > 0 {
		w, b.cut, b.failing = newShort(ctx, w, b.cut), 0, true
	}
	b.last = w
	return w, err
}

// set changes how watches fail.
func (b *brittle) set(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

func (b *brittle) tried() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.watches
}

// end ends the watch that runs.
func (b *brittle) end(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NoError(t, b.last.Stop())
}

// short is a watcher that ends after some updates.
type short struct {
	jetstream.KeyWatcher
	updates chan jetstream.KeyValueEntry
}

func newShort(ctx context.Context, w jetstream.KeyWatcher, updates int) *short {
	s := &short{w, make(chan jetstream.KeyValueEntry)}
	go func() {
		defer close(s.updates)
		for range updates {
			select {
			case entry := <-w.Updates():
				s.updates <- entry
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

func (s *short) Updates() <-chan jetstream.KeyValueEntry { return s.updates }
