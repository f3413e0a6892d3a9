package kv

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// behind is a bucket whose watches are on a copy, which is another bucket and may be behind.
type behind struct {
	jetstream.KeyValue

	mu   sync.Mutex
	copy jetstream.KeyValue
	last jetstream.KeyWatcher
}

func (b *behind) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, err := b.copy.Watch(ctx, keys, opts...)
	b.last = w
	return w, err
}

// moveTo has the watch end, and the next one be on another copy.
func (b *behind) moveTo(t *testing.T, next jetstream.KeyValue) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.copy = next
	require.NoError(t, b.last.Stop())
}

func bucketOf(t *testing.T, js jetstream.JetStream, name string) jetstream.KeyValue {
	t.Helper()
	kv, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: name, History: 1})
	require.NoError(t, err)
	return kv
}

// TestACopyThatIsBehindConcludesNothing: a view has not caught up before the copy has what the leader held, and keeps what it knew.
func TestACopyThatIsBehindConcludesNothing(t *testing.T) {
	t.Parallel()
	js, leader := alone(t)
	rest := func(kv jetstream.KeyValue) {
		put(t, kv, "b", "1")
		put(t, kv, "a", "2")
	}
	put(t, leader, "a", "1")
	rest(leader)
	first, second := bucketOf(t, js, "FIRST"), bucketOf(t, js, "SECOND")
	put(t, first, "a", "1")
	put(t, second, "a", "1")
	b := &behind{KeyValue: leader, copy: first}
	v := view(t, js, b)
	shows(t, v, "a", "1")
	all := make(chan error, 1)
	stored := map[string]string{}
	go func() {
		all <- bucket{things, js, &behind{KeyValue: leader, copy: first}}.each(t.Context(), ">", func(e jetstream.KeyValueEntry) error {
			stored[e.Key()] = string(e.Value())
			return nil
		})
	}()
	select {
	case <-v.CaughtUp():
		require.Fail(t, "the view caught up with half of what is stored")
	case <-all:
		require.Fail(t, "half was called all")
	case <-time.After(300 * time.Millisecond):
	}
	rest(first)
	caughtUp(t, v)
	shows(t, v, "a", "2")
	shows(t, v, "b", "1")
	require.NoError(t, <-all)
	require.Equal(t, map[string]string{"a": "2", "b": "1"}, stored)

	b.moveTo(t, second)
	require.Never(t, func() bool { value, _ := v.Get("a"); return value != "2" || v.Len() != 2 }, time.Second, often)
	rest(second)
	put(t, second, "c", "1")
	shows(t, v, "c", "1")
	shows(t, v, "a", "2")
}

// TestAWatchThatShowsNothingNewBeginsAgain where the leader has more, as when the server of the watch was cut off. Until then the view is old.
func TestAWatchThatShowsNothingNewBeginsAgain(t *testing.T) {
	t.Parallel()
	js, leader := alone(t)
	put(t, leader, "a", "1")
	cut := bucketOf(t, js, "CUT")
	put(t, cut, "a", "1")
	b := &behind{KeyValue: leader, copy: cut}
	v := running(t, js, b, (*View[string]).RunChecked)
	caughtUp(t, v)
	require.Less(t, v.Age(), patient, "it has all")
	put(t, leader, "b", "1")
	require.Eventually(t, func() bool { return v.Age() > 5*time.Second }, patient, often)
	b.mu.Lock()
	b.copy = leader
	b.mu.Unlock()
	shows(t, v, "b", "1")
	require.Eventually(t, func() bool { return v.Age() < 5*time.Second }, patient, often)
}

// TestAnOlderBucketIsBelievedInTheEnd: NATS went back in time, and all that it holds is older than what was known.
func TestAnOlderBucketIsBelievedInTheEnd(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	put(t, kv, "a", "old")
	newer := bucketOf(t, js, "NEWER")
	for _, value := range []string{"1", "2", "new"} {
		put(t, newer, "a", value)
	}
	put(t, newer, "b", "lost")
	b := &behind{KeyValue: kv, copy: newer}
	v := view(t, js, b)
	caughtUp(t, v)
	shows(t, v, "a", "new")
	b.moveTo(t, kv)
	shows(t, v, "a", "old")
	shows(t, v, "b", "")
}

// TestAnEndThatIsGoneHidesNothing: the newest entry was a deletion, which was removed.
func TestAnEndThatIsGoneHidesNothing(t *testing.T) {
	t.Parallel()
	js, leader := alone(t)
	put(t, leader, "a", "1")
	put(t, leader, "b", "1")
	require.NoError(t, leader.Purge(t.Context(), "c"))
	require.NoError(t, leader.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)))
	half := bucketOf(t, js, "HALF")
	put(t, half, "a", "1")
	v := view(t, js, &behind{KeyValue: leader, copy: half})
	shows(t, v, "a", "1")
	select {
	case <-v.CaughtUp():
		require.Fail(t, "the view caught up with half of what is stored")
	case <-time.After(300 * time.Millisecond):
	}
	put(t, half, "b", "1")
	caughtUp(t, v)
	shows(t, v, "b", "1")
}

// TestAViewBeginsWithWhatWasRead: a copy that is behind does not show anything older, nor what was deleted.
func TestAViewBeginsWithWhatWasRead(t *testing.T) {
	t.Parallel()
	js, leader := alone(t)
	put(t, leader, "a", "1")
	put(t, leader, "b", "1")
	put(t, leader, "a", "2")
	half := bucketOf(t, js, "HALF")
	put(t, half, "a", "1")
	b := &behind{KeyValue: leader, copy: half}
	v := newView(bucket{things, js, b}, ">", slog.New(slog.DiscardHandler), func(e jetstream.KeyValueEntry) (string, bool) { return string(e.Value()), true })
	v.begin("a", "2", 3)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Run(ctx) }()
	sawOlder := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			v.mu.RLock()
			defer v.mu.RUnlock()
			return len(v.older) == 1
		}, patient, often)
	}
	sawOlder()
	shows(t, v, "a", "2")
	b.moveTo(t, leader)
	caughtUp(t, v)
	require.NoError(t, leader.Delete(t.Context(), "a"))
	shows(t, v, "a", "")
	put(t, leader, "b", "2")
	shows(t, v, "b", "2")
	b.moveTo(t, leader)
	put(t, leader, "b", "3")
	shows(t, v, "b", "3")
	require.Eventually(t, func() bool {
		v.mu.RLock()
		defer v.mu.RUnlock()
		return v.seen == nil
	}, patient, often, "a replay ends that has the deletion")
	b.moveTo(t, half)
	sawOlder()
	shows(t, v, "a", "")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}
