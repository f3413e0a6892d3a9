package watched_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/watched"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).StartMonitoring"))
}

const (
	bucket  = "THINGS"
	patient = 2 * time.Minute
	often   = 2 * time.Millisecond
)

// errBroken is what a bucket says whose watch fails.
var errBroken = errors.New("broken")

// connect opens a bucket, which it makes where there is none, over a connection of its own.
func connect(t *testing.T, url string) (*nats.Conn, jetstream.KeyValue) {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.Timeout(time.Minute))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(t, err)
	_, err = js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: bucket, History: 1})
	require.NoError(t, err)
	kv, err := watched.Open(t.Context(), js, bucket)
	require.NoError(t, err)
	return nc, kv
}

func put(t *testing.T, kv jetstream.KeyValue, key, value string) {
	t.Helper()
	_, err := kv.PutString(t.Context(), key, value)
	require.NoError(t, err)
}

// server is a NATS server that keeps its data and its address over restarts.
type server struct {
	*devnet.NATSServer

	t    *testing.T
	dir  string
	port int
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.start(0)
	s.port = portOf(t, s.URL)
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *server) start(port int) {
	s.t.Helper()
	running, err := devnet.StartNATS(s.dir, devnet.NATSOptions{Port: port})
	require.NoError(s.t, err)
	s.NATSServer = running
}

// view runs a view of texts, where "?" cannot be read.
func view(t *testing.T, nc *nats.Conn, kv jetstream.KeyValue) *watched.View[string] {
	t.Helper()
	v := watched.NewView(nc, kv, slog.New(slog.DiscardHandler), func(entry jetstream.KeyValueEntry) (string, bool) {
		return string(entry.Value()), string(entry.Value()) != "?"
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- v.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return v
}

func caughtUp(t *testing.T, v *watched.View[string]) {
	t.Helper()
	select {
	case <-v.CaughtUp():
	case <-time.After(patient):
		require.Fail(t, "the view did not catch up")
	}
}

// shows waits until a reader sees a value under a key; none is an empty one.
func shows(t *testing.T, v *watched.View[string], key, want string) {
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
	failing bool // WatchAll returns errBroken
	cut     int  // updates that the next watch tells before it ends, and then all are failing; 0: all
	watches int  // begun or failed
	last    jetstream.KeyWatcher
}

func (b *brittle) WatchAll(ctx context.Context, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watches++
	if b.failing {
		return nil, errBroken
	}
	w, err := b.KeyValue.WatchAll(ctx, opts...)
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
