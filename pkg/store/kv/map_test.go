package kv

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

type thing struct {
	N int `json:"n"`
}

// openThings opens the keys of one token over a connection of its own. The plan decides which conditional writes fail.
func openThings(t *testing.T, url string, plan *fault.Plan) (Map[thing], jetstream.JetStream) {
	t.Helper()
	js, _ := connect(t, url)
	m, err := OpenMap[thing](t.Context(), fault.JetStream{JetStream: js, Plan: plan}, things, "*", "a thing")
	require.NoError(t, err)
	return m, js
}

func increment(v *thing) error {
	v.N++
	return nil
}

// TestUpdateChangesOnce: where a write fails, where only its answer is lost, and where another process writes in between.
func TestUpdateChangesOnce(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		url := fresh.NATS(t).URL
		plan := fault.NewPlan(fault.First(1, kind))
		m, _ := openThings(t, url, plan)
		sound, _ := openThings(t, url, fault.NewPlan(nil))
		for n := range 3 {
			v, err := m.Update(t.Context(), "a", increment)
			require.NoError(t, err)
			require.Equal(t, thing{n + 1}, v)
			plan.Set(fault.First(1, kind))
		}
		plan.Set(nil)
		plan.Before(1, func() {
			_, err := sound.Update(t.Context(), "a", func(v *thing) error { v.N = 10; return nil })
			require.NoError(t, err)
		})
		v, err := m.Update(t.Context(), "a", increment)
		require.NoError(t, err)
		require.Equal(t, thing{11}, v)

		plan.Set(fault.Always(fault.Failed))
		limited, cancel := context.WithCancel(t.Context())
		plan.After(cancel)
		_, err = m.Update(limited, "a", increment)
		require.ErrorContains(t, err, "couldn't change a thing (THINGS/a): injected fault")
	})
}

func TestUpdatesAtOnceAreAllMade(t *testing.T) {
	t.Parallel()
	m, _ := openThings(t, fresh.NATS(t).URL, fault.NewPlan(nil))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if _, err := m.Update(t.Context(), "a", increment); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	e, err := m.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, thing{16}, e.Document)
}

// TestAnInvalidDocumentStays: no update overwrites it, and what reads it is told so.
func TestAnInvalidDocumentStays(t *testing.T) {
	t.Parallel()
	m, js := openThings(t, fresh.NATS(t).URL, fault.NewPlan(nil))
	for _, bad := range []string{"", "{", `{"n":"x"}`} {
		_, err := js.Publish(t.Context(), "$KV.THINGS.a", []byte(bad))
		require.NoError(t, err)
		_, err = m.Update(t.Context(), "a", increment)
		require.ErrorIs(t, err, ErrInvalid)
		e, err := m.Get(t.Context(), "a")
		require.ErrorIs(t, err, ErrInvalid)
		require.ErrorContains(t, err, "a thing (THINGS/a): it cannot be read: ")
		require.NotZero(t, e.Revision)
		require.Zero(t, e.Document)
		require.NoError(t, m.Each(t.Context(), func(e Entry[thing], err error) error {
			require.ErrorIs(t, err, ErrInvalid)
			require.Equal(t, "a", e.Key)
			return nil
		}))
	}
	refused := errors.New("refused")
	require.NoError(t, m.Put(t.Context(), "a", thing{1}, 0))
	_, err := m.Update(t.Context(), "a", func(*thing) error { return refused })
	require.Equal(t, refused, err)
	require.ErrorIs(t, m.Each(t.Context(), func(Entry[thing], error) error { return refused }), refused)
}

func TestReplaceNamesTheRevision(t *testing.T) {
	t.Parallel()
	m, _ := openThings(t, fresh.NATS(t).URL, fault.NewPlan(nil))
	e, err := m.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, Entry[thing]{}, e)
	first, err := m.Replace(t.Context(), "a", thing{1}, 0)
	require.NoError(t, err)
	_, err = m.Replace(t.Context(), "a", thing{2}, 0)
	require.ErrorIs(t, err, ErrMoved)
	second, err := m.Replace(t.Context(), "a", thing{2}, first)
	require.NoError(t, err)
	_, err = m.Replace(t.Context(), "a", thing{3}, first)
	require.ErrorIs(t, err, ErrMoved)
	e, err = m.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, thing{2}, e.Document)
	require.Equal(t, second, e.Revision)
	require.WithinDuration(t, time.Now(), e.Stored, time.Hour)
	require.NoError(t, m.Remove(t.Context(), "a"))
	require.NoError(t, m.Remove(t.Context(), "a"))
	_, err = m.Replace(t.Context(), "a", thing{4}, second)
	require.ErrorIs(t, err, ErrMoved)
	_, err = m.Replace(t.Context(), "a", thing{5}, 0)
	require.NoError(t, err)
}

// TestAddKeepsToItsBound, also of those that are added at once.
func TestAddKeepsToItsBound(t *testing.T) {
	t.Parallel()
	m, js := openThings(t, fresh.NATS(t).URL, fault.NewPlan(nil))
	_, err := js.Publish(t.Context(), "$KV.THINGS.of.another.kind", []byte("not counted"))
	require.NoError(t, err)
	var all sync.WaitGroup
	var added, full atomic.Int32
	for i := range 8 {
		all.Go(func() {
			switch err := m.Add(t.Context(), strconv.Itoa(i), thing{i}, 5); {
			case err == nil:
				added.Add(1)
			case errors.Is(err, ErrFull):
				full.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 5, added.Load())
	require.EqualValues(t, 3, full.Load())
	require.NoError(t, m.Add(t.Context(), "another", thing{}, 6))
}

// TestOnlyKeysOfThePatternCount: a view neither shows others nor waits for them.
func TestOnlyKeysOfThePatternCount(t *testing.T) {
	t.Parallel()
	m, js := openThings(t, fresh.NATS(t).URL, fault.NewPlan(nil))
	other := func() {
		t.Helper()
		_, err := js.Publish(t.Context(), "$KV.THINGS.of.another.kind", []byte("?"))
		require.NoError(t, err)
	}
	require.NoError(t, m.Put(t.Context(), "a", thing{1}, 0))
	other()
	v := NewView(m, slog.New(slog.DiscardHandler), func(e Entry[thing], err error) (thing, bool) { return e.Document, err == nil })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.RunChecked(ctx) }()
	caughtUp(t, v)
	before := v.Age()
	other()
	require.Eventually(t, func() bool { return v.Age() < before }, patient, often, "it is compared with the leader again, and has all")
	require.NoError(t, m.Put(t.Context(), "b", thing{2}, 0))
	require.Eventually(t, func() bool { return v.Len() == 2 }, patient, often)
	sum := 0
	for value := range v.Values() {
		sum += value.N
	}
	require.Equal(t, 3, sum)
	var keys []string
	require.NoError(t, m.Each(t.Context(), func(e Entry[thing], err error) error {
		keys = append(keys, e.Key)
		return err
	}))
	require.Equal(t, []string{"a", "b"}, keys)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}
