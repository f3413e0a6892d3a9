package webhook_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/webhook"
)

var (
	project  = score.ProjectID{7}
	began    = time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
)

const soon = 3 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childOf) != "" {
		deliverAsChild()
		return
	}
	long.Beside(4)
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).StartMonitoring"))
}

// written is a log of so many events, of which more may be written. The nth is of block n, a second after the one before.
type written struct {
	mu   sync.Mutex
	n    int
	more chan struct{}

	rewound  int          // which event is event.ChainRewound
	replaced atomic.Bool  // the blocks of cursors are gone
	unread   atomic.Bool  // the log cannot be read
	failed   atomic.Int64 // so many reads did so
	panics   atomic.Int32 // so many reads panic
}

func (w *written) write(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n += n
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
}

func cursor(after int) event.Cursor {
	if after == 0 {
		return event.Cursor{}
	}
	c, err := event.ParseCursor(fmt.Sprintf("%d-1-abababababababab-0", after))
	if err != nil {
		panic(err)
	}
	return c
}

// typeOf is the type of the nth event: every fifth is another.
func typeOf(n int) event.Type {
	if n%5 == 0 {
		return event.UpdateRejected
	}
	return event.UpdateApplied
}

func (w *written) Next(ctx context.Context, of score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error) {
	if w.panics.Add(-1) >= 0 {
		panic("planted")
	}
	if w.replaced.Load() {
		return nil, after, event.ErrReplaced
	}
	if w.unread.Load() {
		return nil, after, fmt.Errorf("nothing can be read, for the time number %d", w.failed.Add(1))
	}
	from := 0
	_, _ = fmt.Sscanf(after.String(), "%d-", &from)
	for {
		w.mu.Lock()
		n, more := w.n, w.more
		if more == nil {
			more = make(chan struct{})
			w.more = more
		}
		w.mu.Unlock()
		var events []event.Event
		for i := from + 1; i <= min(n, from+limit); i++ {
			events = append(events, w.nth(of, i))
		}
		if len(events) > 0 {
			return events, events[len(events)-1].After, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, after, ctx.Err()
		}
	}
}

func (w *written) Find(_ context.Context, of score.ProjectID, id string) (event.Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := number(id); n > 0 && n <= w.n {
		return w.nth(of, n), nil
	}
	return event.Event{}, event.ErrNoEvent
}

func (w *written) nth(of score.ProjectID, n int) event.Event {
	is := typeOf(n)
	if n == w.rewound {
		is = event.ChainRewound
	}
	return event.Event{
		ID: fmt.Sprintf("event-%d", n), Type: is, Time: began.Add(time.Duration(n) * time.Second), Project: of,
		Data: event.UpdateData{Target: common.Address{byte(n)}, Outcome: "applied"}, After: cursor(n),
	}
}

func (w *written) Since(_ context.Context, at time.Time) (event.Cursor, error) {
	if w.unread.Load() {
		return event.Cursor{}, errors.New("nothing can be read")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return cursor(min(max(0, int(at.Sub(began)/time.Second)-1), w.n)), nil
}

// rig is a deployment's buckets and a log.
type rig struct {
	t     *testing.T
	nats  string
	store *webhook.Store
	log   *written
	said  fresh.Log
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, nats: fresh.NATS(t).URL, log: &written{}}
	js := fresh.JetStreamAt(t, r.nats)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}}))
	r.store = r.open()
	return r
}

func (r *rig) open() *webhook.Store { return r.openBy(fault.NewPlan(nil)) }

// openBy has a plan decide which conditional writes fail.
func (r *rig) openBy(plan *fault.Plan) *webhook.Store {
	store, err := webhook.Open(r.t.Context(), fault.JetStream{JetStream: fresh.JetStreamAt(r.t, r.nats), Plan: plan})
	require.NoError(r.t, err)
	return store
}

// deliver runs a deliverer until stop.
func (r *rig) deliver(adjust func(*webhook.Config)) (stop func()) {
	r.t.Helper()
	log := slog.New(slog.NewTextHandler(&r.said, nil))
	// A slow machine that loses the lease has what was not written yet delivered again.
	leases, err := kv.OpenLeases(r.t.Context(), fresh.JetStreamAt(r.t, r.nats), kv.LeaseConfig{Replica: "r", TTL: 30 * time.Second}, log)
	require.NoError(r.t, err)
	c := webhook.Config{
		Store: r.open(), Allow: loopback, Log: log, Metrics: prometheus.NewRegistry(),
		FirstPause: 5 * time.Millisecond, SaveEvery: 20 * time.Millisecond,
	}
	if adjust != nil {
		adjust(&c)
	}
	d := webhook.New(c)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer watch(ctx, d)()
		_ = leases.Lead(ctx, webhook.Lease, func(ctx context.Context) { d.Run(ctx, r.log) })
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	r.t.Cleanup(stop)
	return stop
}

// watch runs a deliverer's Watch, and returns what waits for its end.
func watch(ctx context.Context, d *webhook.Deliverer) (wait func()) {
	var watching sync.WaitGroup
	watching.Go(func() { _ = d.Watch(ctx) })
	return watching.Wait
}

// receiver is an endpoint's other end. It holds each POST against the specification's own library.
type receiver struct {
	t      *testing.T
	url    string
	id     string
	secret webhook.Secret

	mu       sync.Mutex
	answer   func(n int, w http.ResponseWriter, req *http.Request) // to the nth POST; nil: 200
	verify   []webhook.Secret                                      // of which each must sign
	posts    int
	ids      []string       // of events that were taken, in the order in which they came
	times    map[string]int // how often each was taken
	messages map[string]string
	changed  chan struct{}
}

func newReceiver(t *testing.T, answer func(n int, w http.ResponseWriter, req *http.Request)) *receiver {
	r := &receiver{t: t, answer: answer, times: map[string]int{}, messages: map[string]string{}, changed: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// endpoint adds an endpoint whose POSTs a receiver gets.
func (r *rig) endpoint(to *receiver, e webhook.Endpoint) *receiver {
	r.t.Helper()
	return r.add(to, e, webhook.Move{From: &event.Cursor{}})
}

func (r *rig) add(to *receiver, e webhook.Endpoint, from webhook.Move) *receiver {
	r.t.Helper()
	e.Project, e.URL, e.Batch = project, cmp.Or(e.URL, to.url), cmp.Or(e.Batch, 1)
	added, secret, err := r.store.Add(r.t.Context(), e, from)
	require.NoError(r.t, err)
	to.id, to.secret = added.ID, secret
	to.mu.Lock()
	to.verify = []webhook.Secret{secret}
	to.mu.Unlock()
	return to
}

// ServeHTTP takes what a POST has, if it is answered 2xx.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	require.NoError(r.t, err)
	r.mu.Lock()
	answer, verify, n := r.answer, r.verify, r.posts
	r.posts++
	r.mu.Unlock()
	for _, secret := range verify {
		theirs, err := standardwebhooks.NewWebhook(secret.Reveal())
		require.NoError(r.t, err)
		require.NoError(r.t, theirs.Verify(body, req.Header))
	}
	if err := r.take(req.Header.Get("webhook-id"), body, func() bool {
		if answer == nil {
			return true
		}
		recorder := &recorded{ResponseWriter: w, status: http.StatusOK}
		answer(n, recorder, req)
		return recorder.status/100 == 2
	}); err != nil {
		r.t.Error(err)
	}
}

type recorded struct {
	http.ResponseWriter
	status int
}

func (r *recorded) WriteHeader(status int) { r.status = status; r.ResponseWriter.WriteHeader(status) }

// take notes what was taken. What is sent again under an id must be the same.
func (r *receiver) take(id string, body []byte, taken func() bool) error {
	var m struct {
		ID, Type string
		Data     struct{ Events []struct{ ID string } }
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return err
	}
	ids := []string{m.ID}
	if m.Type == "batch" || m.Type == "webhook.test" {
		ids = nil
	}
	for _, e := range m.Data.Events {
		ids = append(ids, e.ID)
	}
	ok := taken()
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, again := r.messages[id]; again && before != string(body) && m.Type != "webhook.test" {
		return fmt.Errorf("message %s came as %s and as %s", id, before, body)
	}
	r.messages[id] = string(body)
	if ok {
		for _, id := range ids {
			r.ids = append(r.ids, id)
			r.times[id]++
		}
	}
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// until waits for something of what came; the caller of done holds mu.
func (r *receiver) until(what string, done func() bool) {
	r.t.Helper()
	deadline := time.After(soon)
	for {
		r.mu.Lock()
		ok, changed := done(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			require.Fail(r.t, "it did not come: "+what)
		}
	}
}

// events is how many were taken.
func (r *receiver) events() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.times)
}

// has waits until the first n events were taken.
func (r *receiver) has(n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d events", n), func() bool {
		for i := 1; i <= n; i++ {
			if r.times[fmt.Sprintf("event-%d", i)] == 0 {
				return false
			}
		}
		return true
	})
}

// once tells that no event was taken twice.
func (r *receiver) once() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, times := range r.times {
		require.Equal(r.t, 1, times, id)
	}
}

// state waits until an endpoint's state is as wanted.
func (r *rig) state(of *receiver, wanted func(webhook.Endpoint, webhook.State) bool) (e webhook.Endpoint, s webhook.State) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		var err error
		e, s, err = r.store.Get(r.t.Context(), of.id)
		return err == nil && wanted(e, s)
	}, soon, 5*time.Millisecond)
	return e, s
}
