package kv

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

func TestOpenWithoutTheBucket(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	_, err := open(t.Context(), js, things)
	require.ErrorIs(t, err, jetstream.ErrBucketNotFound)
	require.ErrorContains(t, err, "couldn't open the KV bucket THINGS (does `scorelay setup` still have to run?)")
}

// TestOpenWithoutAnAnswer: nothing speaks of setup where the bucket may well be there.
func TestOpenWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	js.Conn().Close()
	_, err := open(t.Context(), js, things)
	require.ErrorContains(t, err, "couldn't open the KV bucket THINGS: ")
	require.NotContains(t, err.Error(), "setup")
}

func TestViewFromTheFirstSnapshotOn(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	put(t, kv, "a", "1")
	put(t, kv, "b", "1")
	put(t, kv, "b", "2")
	put(t, kv, "deleted", "1")
	require.NoError(t, kv.Delete(t.Context(), "deleted"))
	v := view(t, js, kv)
	caughtUp(t, v)
	require.Equal(t, 2, v.Len())
	for key, want := range map[string]string{"a": "1", "b": "2"} {
		got, ok := v.Get(key)
		require.True(t, ok, "all that was stored is there at once")
		require.Equal(t, want, got)
	}
	_, ok := v.Get("deleted")
	require.False(t, ok)

	put(t, kv, "a", "3")
	shows(t, v, "a", "3")
	put(t, kv, "c", "1")
	shows(t, v, "c", "1")
	require.NoError(t, kv.Delete(t.Context(), "a"))
	shows(t, v, "a", "")
	require.NoError(t, kv.Purge(t.Context(), "b"))
	shows(t, v, "b", "")
	put(t, kv, "a", "4")
	shows(t, v, "a", "4")
	require.Equal(t, 2, v.Len())
}

func TestViewOfAnEmptyBucketCatchesUp(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	v := view(t, js, kv)
	caughtUp(t, v)
	require.Zero(t, v.Len())
}

// TestEntryThatCannotBeReadChangesNothing, until it is deleted; a replay does not take away what was known either.
func TestEntryThatCannotBeReadChangesNothing(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	b := &brittle{KeyValue: kv}
	put(t, kv, "never", "?")
	put(t, kv, "a", "1")
	v := view(t, js, b)
	caughtUp(t, v)
	require.Equal(t, 1, v.Len())
	put(t, kv, "a", "?")
	put(t, kv, "after", "1")
	shows(t, v, "after", "1")
	shows(t, v, "a", "1")
	b.end(t)
	put(t, kv, "after", "2")
	shows(t, v, "after", "2")
	shows(t, v, "a", "1")
	require.NoError(t, kv.Delete(t.Context(), "a"))
	shows(t, v, "a", "")
}

// TestViewWhileNATSIsAway: readers keep what was known, and see all that they missed soon after the server is back.
func TestViewWhileNATSIsAway(t *testing.T) {
	t.Parallel()
	s := fresh.NATSThatRestarts(t)
	js, kv := connect(t, s.URL)
	for _, key := range []string{"stays", "changes", "deleted", "vanishes"} {
		put(t, kv, key, "1")
	}
	v := view(t, js, kv)
	caughtUp(t, v)
	var missing atomic.Int64
	reading, stop := context.WithCancel(t.Context())
	read := make(chan struct{})
	go func() { // a reader of what is there all the time
		defer close(read)
		for reading.Err() == nil {
			if got, ok := v.Get("stays"); !ok || got != "1" {
				missing.Add(1)
			}
		}
	}()

	s.Close()
	s.StartAt(0, 0) // at another address: another process writes while the view is cut off
	_, other := connect(t, s.URL)
	put(t, other, "changes", "2")
	put(t, other, "new", "1")
	require.NoError(t, other.Delete(t.Context(), "deleted"))
	require.NoError(t, other.Purge(t.Context(), "vanishes"))
	require.NoError(t, other.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1))) // nothing stored tells of them
	require.Equal(t, 4, v.Len())
	for _, key := range []string{"stays", "changes", "deleted", "vanishes"} {
		got, ok := v.Get(key)
		require.True(t, ok, "what was known stays known")
		require.Equal(t, "1", got)
	}

	s.Close()
	s.Restart()
	shows(t, v, "changes", "2")
	shows(t, v, "new", "1")
	shows(t, v, "deleted", "")
	shows(t, v, "vanishes", "")
	stop()
	<-read
	require.Zero(t, missing.Load(), "a reader missed what was there all the time")
	_, again := connect(t, s.URL)
	put(t, again, "stays", "2")
	shows(t, v, "stays", "2")
}

// TestViewWhoseWatchFails while the connection stands: it watches again, and shows all that was written meanwhile.
func TestViewWhoseWatchFails(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	b := &brittle{KeyValue: kv}
	for _, key := range []string{"stays", "changes", "deleted"} {
		put(t, kv, key, "1")
	}
	v := view(t, js, b)
	caughtUp(t, v)
	b.set(func() { b.failing = true })
	b.end(t)
	put(t, kv, "changes", "2")
	require.NoError(t, kv.Delete(t.Context(), "deleted"))
	require.NoError(t, kv.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)))
	require.Eventually(t, func() bool { return b.tried() >= 3 }, patient, often, "it tries again and again")
	require.Equal(t, 3, v.Len(), "a reader has what was known")
	shows(t, v, "changes", "1")
	b.set(func() { b.failing = false })
	shows(t, v, "changes", "2")
	shows(t, v, "deleted", "")
	shows(t, v, "stays", "1")
}

// TestReplayThatIsCutOffConcludesNothing: what it did not tell of may be stored all the same.
func TestReplayThatIsCutOffConcludesNothing(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	b := &brittle{KeyValue: kv, cut: 1}
	put(t, kv, "a", "1")
	put(t, kv, "b", "1")
	v := view(t, js, b)
	shows(t, v, "a", "1")
	require.Eventually(t, func() bool { return b.tried() >= 2 }, patient, often)
	require.Equal(t, 1, v.Len())
	select {
	case <-v.CaughtUp():
		require.Fail(t, "it had half of what is stored")
	default:
	}
	b.set(func() { b.failing = false })
	caughtUp(t, v)
	require.Equal(t, 2, v.Len())

	b.set(func() { b.cut = 1 })
	before := b.tried()
	b.end(t)
	require.Eventually(t, func() bool { return b.tried() >= before+2 }, patient, often) // the replay that is cut off, and the next
	require.Equal(t, 2, v.Len())
}

// TestWatchTellsTheReplayAgain when it is asked to, from its beginning to its end.
func TestWatchTellsTheReplayAgain(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	put(t, kv, "a", "1")
	ctx, cancel := context.WithCancel(t.Context())
	again, told, ended := make(chan struct{}), make(chan string), make(chan error, 1)
	go func() {
		ended <- bucket{things, js, kv}.watch(ctx, ">", slog.New(slog.DiscardHandler), again, func(e event) {
			switch {
			case e.begin:
				told <- "begin"
			case e.entry == nil:
				told <- "end"
			default:
				told <- e.entry.Key() + "=" + string(e.entry.Value())
			}
		})
	}()
	tells := func(want ...string) {
		for _, next := range want {
			select {
			case got := <-told:
				require.Equal(t, next, got)
			case <-time.After(patient):
				require.Fail(t, "nothing was told", "instead of %s", next)
			}
		}
	}
	for range 2 {
		tells("begin", "a=1", "end")
		put(t, kv, "b", "2")
		tells("b=2")
		require.NoError(t, kv.Purge(t.Context(), "b"))
		tells("b=")
		require.NoError(t, kv.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)))
		select {
		case again <- struct{}{}:
		case err := <-ended:
			require.NoError(t, err)
		}
	}
	tells("begin", "a=1", "end")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestAllHandsOverWhatIsStored(t *testing.T) {
	t.Parallel()
	js, kv := alone(t)
	none := func(jetstream.KeyValueEntry) error { return errors.New("there is none") }
	require.NoError(t, bucket{things, js, kv}.each(t.Context(), ">", none))
	for _, key := range []string{"a", "b", "deleted"} {
		put(t, kv, key, "of "+key)
	}
	require.NoError(t, kv.Delete(t.Context(), "deleted"))
	stored := map[string]string{}
	collect := func(entry jetstream.KeyValueEntry) error {
		stored[entry.Key()] = string(entry.Value())
		return nil
	}
	require.NoError(t, bucket{things, js, kv}.each(t.Context(), ">", collect))
	require.Equal(t, map[string]string{"a": "of a", "b": "of b"}, stored)

	unreadable, calls := errors.New("unreadable"), 0
	require.ErrorIs(t, bucket{things, js, kv}.each(t.Context(), ">", func(jetstream.KeyValueEntry) error { calls++; return unreadable }), unreadable)
	require.Equal(t, 1, calls, "an error ends it")
	require.ErrorIs(t, bucket{things, js, &brittle{KeyValue: kv, failing: true}}.each(t.Context(), ">", collect), errBroken)
	require.ErrorContains(t, bucket{things, js, &brittle{KeyValue: kv, cut: 1}}.each(t.Context(), ">", collect), "the client ended the watch", "half is not all")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, bucket{things, js, kv}.each(ended, ">", collect), context.Canceled)
}

func TestMovedTellsALostRaceFromOtherErrors(t *testing.T) {
	t.Parallel()
	_, kv := alone(t)
	first, err := kv.PutString(t.Context(), "a", "1")
	require.NoError(t, err)
	_, err = kv.Update(t.Context(), "a", []byte("2"), first)
	require.False(t, moved(err))
	_, err = kv.Update(t.Context(), "a", []byte("3"), first)
	require.True(t, moved(err), err)
	_, err = kv.Get(t.Context(), "absent")
	require.Error(t, err)
	require.False(t, moved(err))
}
