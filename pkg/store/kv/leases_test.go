package kv

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	ttl  = 3 * time.Second
	life = 15 * time.Second // a lifetime that no machine stalls for
	soon = 2 * time.Minute
	tick = 20 * time.Millisecond
)

// town is a NATS server and who drives which lane.
type town struct {
	t     *testing.T
	nats  *devnet.NATSServer
	lanes int
	ttl   time.Duration // of the leases

	mu      sync.Mutex
	drivers map[score.Lane][]string // now
	most    map[score.Lane]int      // drivers at once, at most
	entered map[score.Lane]int      // sessions begun
	able    map[string][]score.Lane // that a replica has keys for, where not all
	said    fresh.Log               // what the replicas log
	over    jetstream.JetStream     // instead of a replica's own; may be nil
}

func newTown(t *testing.T, lanes int) *town {
	t.Helper()
	w := &town{t: t, nats: fresh.NATS(t), lanes: lanes, ttl: ttl, drivers: map[score.Lane][]string{}, most: map[score.Lane]int{}, entered: map[score.Lane]int{}, able: map[string][]score.Lane{}}
	js, _ := w.connect()
	setUp(t, js)
	return w
}

func (w *town) connect() (jetstream.JetStream, *nats.Conn) {
	w.t.Helper()
	js := fresh.JetStreamAt(w.t, w.nats.URL, nats.ReconnectBufSize(-1))
	return js, js.Conn()
}

// replica runs until stop, which returns when it has given everything back, or until its connection dies.
func (w *town) replica(name string) (stop func(), nc *nats.Conn) {
	w.t.Helper()
	js, nc := w.connect()
	if w.over != nil {
		js = w.over
	}
	leases, err := OpenLeases(w.t.Context(), js, LeaseConfig{Replica: name, TTL: w.ttl}, slog.New(slog.NewTextHandler(&w.said, nil)))
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = leases.Run(ctx, func() (driven, able []score.Lane) { return w.lanesOf(name) }, func(ctx context.Context, id score.Lane) {
			w.enter(id, name)
			<-ctx.Done()
			w.leave(id, name)
		})
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	w.t.Cleanup(stop)
	return stop, nc
}

// can says which lanes a replica has keys for; without a word it has all.
func (w *town) can(name string, lanes ...score.Lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.able[name] = append([]score.Lane{}, lanes...)
}

func (w *town) lanesOf(name string) (driven, able []score.Lane) {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys, some := w.able[name]
	for id := range score.Lane(w.lanes) {
		driven = append(driven, id)
		if !some || slices.Contains(keys, id) {
			able = append(able, id)
		}
	}
	return driven, able
}

func (w *town) enter(id score.Lane, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drivers[id] = append(w.drivers[id], name)
	w.entered[id]++
	w.most[id] = max(w.most[id], len(w.drivers[id]))
}

func (w *town) leave(id score.Lane, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drivers[id] = slices.DeleteFunc(w.drivers[id], func(n string) bool { return n == name })
}

// shares counts the lanes of each replica; nil while a lane has no driver.
func (w *town) shares() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]int{}
	for id := range score.Lane(w.lanes) {
		if len(w.drivers[id]) != 1 {
			return nil
		}
		out[w.drivers[id][0]]++
	}
	return out
}

func (w *town) eventually(want map[string]int) {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return maps.Equal(want, w.shares()) }, soon, tick, "want %v", want)
}

func (w *town) neverTwo() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, n := range w.most {
		require.LessOrEqual(w.t, n, 1, "lane %d had two drivers", id)
	}
}

func TestLanesAreSharedEvenlyAndHandedOver(t *testing.T) {
	t.Parallel()
	w := newTown(t, 6)
	stopA, _ := w.replica("a")
	w.eventually(map[string]int{"a": 6})
	stopB, _ := w.replica("b")
	w.eventually(map[string]int{"a": 3, "b": 3})
	w.replica("c")
	w.eventually(map[string]int{"a": 2, "b": 2, "c": 2})
	stopA()
	w.eventually(map[string]int{"b": 3, "c": 3})
	stopB()
	w.eventually(map[string]int{"c": 6})
	w.neverTwo()
}

func TestAReplicaThatStopsGivesItsLanesBackAtOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t, 2)
	stop, _ := w.replica("a")
	w.eventually(map[string]int{"a": 2})
	stop()
	js, _ := w.connect()
	kv, err := js.KeyValue(t.Context(), leasesBucket)
	require.NoError(t, err)
	keys, err := kv.ListKeys(t.Context())
	require.NoError(t, err)
	var left []string
	for key := range keys.Keys() {
		left = append(left, key)
	}
	require.Empty(t, left)
}

func TestAReplicaThatIsCutOffStopsBeforeAnotherStarts(t *testing.T) {
	t.Parallel()
	w := newTown(t, 3)
	_, cut := w.replica("a")
	w.eventually(map[string]int{"a": 3})
	w.replica("b")
	require.Eventually(t, func() bool { return len(w.shares()) == 2 }, soon, tick)
	cut.Close() // a lives on, without the store
	w.eventually(map[string]int{"b": 3})
	w.neverTwo()
}

// TestASilentHolderIsReplacedThoughItsKeysStay: a replica that was killed is judged by its silence, not by when the server
// gets to removing its keys.
func TestASilentHolderIsReplacedThoughItsKeysStay(t *testing.T) {
	t.Parallel()
	w := newTown(t, 2)
	js, _ := w.connect()
	for _, key := range []string{"replica.killed", "lane.0", "lane.1"} {
		_, err := js.Publish(t.Context(), "$KV."+leasesBucket+"."+key, []byte("killed 1"), jetstream.WithMsgTTL(time.Hour))
		require.NoError(t, err)
	}
	w.replica("a")
	w.eventually(map[string]int{"a": 2})
}

// TestLanesGoToThoseWhoHaveTheirKeys: as evenly as the keys allow, while keys and lanes come and go.
func TestLanesGoToThoseWhoHaveTheirKeys(t *testing.T) {
	t.Parallel()
	w := newTown(t, 4)
	w.can("a", 0, 1, 2, 3)
	w.can("b", 2)
	w.replica("a")
	w.replica("b")
	w.eventually(map[string]int{"a": 3, "b": 1})
	w.can("b", 2, 3)
	w.eventually(map[string]int{"a": 2, "b": 2})
	w.mu.Lock()
	w.lanes = 5
	w.mu.Unlock()
	w.eventually(nil) // no replica has its key
	w.can("b", 2, 3, 4)
	require.Eventually(t, func() bool { return w.shares()["b"] >= 2 }, soon, tick)
	w.can("a")
	w.can("b", 0, 1, 2, 3, 4)
	w.eventually(map[string]int{"b": 5})
	w.mu.Lock()
	w.lanes = 1 // the others are gone
	w.mu.Unlock()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for id, drivers := range w.drivers {
			if id > 0 && len(drivers) > 0 {
				return false
			}
		}
		return true
	}, soon, tick)
	w.neverTwo()
}

// TestAReplicaSaysThatItStandsBy, and which lanes no replica can drive, each once.
func TestAReplicaSaysThatItStandsBy(t *testing.T) {
	t.Parallel()
	w := newTown(t, 2)
	w.can("a", 0)
	w.can("b")
	w.replica("a")
	w.replica("b")
	require.Eventually(t, func() bool {
		return strings.Count(w.said.String(), "the replica stands by") == 1 && strings.Count(w.said.String(), "no replica has the keys") == 2
	}, soon, tick)
	require.Contains(t, w.said.String(), "lanes=1")
}

// TestALostAnswerLosesNoLane: renewals that were stored and not answered are still ours.
func TestALostAnswerLosesNoLane(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	w.ttl = life
	w.replica("a")
	w.eventually(map[string]int{"a": 1})
	js, _ := w.connect()
	kv, err := js.KeyValue(t.Context(), leasesBucket)
	require.NoError(t, err)
	for range long.Size(2, 5) {
		entry, err := kv.Get(t.Context(), "lane.0")
		require.NoError(t, err)
		stored, err := kv.Put(t.Context(), "lane.0", entry.Value()) // as the replica's own, which does not hear of it
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			entry, err := kv.Get(t.Context(), "lane.0")
			return err == nil && entry.Revision() > stored
		}, soon, tick)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Equal(t, 1, w.entered[0], "its session never ended")
}

// busy is a cluster's JetStream that refuses what is written under a condition while an earlier write is on its way.
type busy struct {
	jetstream.JetStream

	refusing atomic.Bool
	refused  atomic.Int64
}

func (b *busy) PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if b.refusing.Load() && strings.Contains(msg.Subject, ".lane.") {
		b.refused.Add(1)
		return nil, &jetstream.APIError{Code: 400, ErrorCode: jetstream.JSErrCodeStreamWrongLastSequenceConstant}
	}
	return b.JetStream.PublishMsg(ctx, msg, opts...)
}

// TestARenewalThatIsRefusedForNowLosesNoLane, as long as the key is ours and the lease lasts.
func TestARenewalThatIsRefusedForNowLosesNoLane(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	js, _ := w.connect()
	b := &busy{JetStream: js}
	w.over, w.ttl = b, life
	w.replica("a")
	w.eventually(map[string]int{"a": 1})
	b.refusing.Store(true)
	require.Eventually(t, func() bool { return b.refused.Load() >= 2 }, soon, time.Millisecond)
	b.refusing.Store(false)
	kv, err := js.KeyValue(t.Context(), leasesBucket)
	require.NoError(t, err)
	before, err := kv.Get(t.Context(), "lane.0")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		after, err := kv.Get(t.Context(), "lane.0")
		return err == nil && after.Revision() > before.Revision()
	}, soon, tick)
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Equal(t, 1, w.entered[0], "its session never ended")
}

func TestMoreReplicasThanLanes(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	stops := map[string]func(){}
	for i := range 3 {
		name := fmt.Sprint("r", i)
		stops[name], _ = w.replica(name)
	}
	for range 2 {
		require.Eventually(t, func() bool { return len(w.shares()) == 1 }, soon, tick)
		for name := range w.shares() {
			stops[name]()
		}
	}
	require.Eventually(t, func() bool { return len(w.shares()) == 1 }, soon, tick)
	w.neverTwo()
}

func TestWrongSettingsAreRefused(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	js, _ := w.connect()
	for _, c := range []LeaseConfig{{Replica: "", TTL: ttl}, {Replica: "a.b", TTL: ttl}, {Replica: "a"}, {Replica: "a", TTL: time.Millisecond}, {Replica: "a", TTL: 1500 * time.Millisecond}} {
		_, err := OpenLeases(t.Context(), js, c, slog.New(slog.DiscardHandler))
		require.Error(t, err, "%+v", c)
	}
}
