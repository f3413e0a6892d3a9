package redisdb_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/redisdb"
)

// TestWhatWaitsGoesTogether, in the order in which it came, as much as fits.
func TestWhatWaitsGoesTogether(t *testing.T) {
	t.Parallel()
	began, proceed, failed := make(chan []int), make(chan error), errors.New("failed")
	b := redisdb.NewBatcher(4, func(_ context.Context, items []int) error {
		began <- items
		return <-proceed
	})
	var mu sync.Mutex
	errs := map[int]error{}
	var all sync.WaitGroup
	do := func(item, size int) {
		all.Go(func() {
			err := b.Do(t.Context(), item, size)
			mu.Lock()
			defer mu.Unlock()
			errs[item] = err
		})
	}
	do(0, 9)
	require.Equal(t, []int{0}, <-began, "one that is larger than a batch is one")
	for item, size := range []int{1: 1, 2: 2, 3: 2, 4: 1} {
		if item > 0 {
			do(item, size)
			require.Eventually(t, func() bool { return b.Waiting() == item }, time.Minute, time.Millisecond)
		}
	}
	proceed <- nil
	require.Equal(t, []int{1, 2}, <-began)
	proceed <- failed
	require.Equal(t, []int{3, 4}, <-began)
	proceed <- nil
	all.Wait()
	require.Equal(t, map[int]error{0: nil, 1: failed, 2: failed, 3: nil, 4: nil}, errs)
}

// TestNothingIsForgotten by a batcher that many use.
func TestNothingIsForgotten(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen, batches := map[int]bool{}, 0
	b := redisdb.NewBatcher(16, func(_ context.Context, items []int) error {
		mu.Lock()
		defer mu.Unlock()
		batches++
		for _, i := range items {
			seen[i] = true
		}
		return nil
	})
	var all sync.WaitGroup
	for i := range 2000 {
		all.Go(func() {
			if err := b.Do(t.Context(), i, 1); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, seen, 2000)
	t.Log(batches, "batches")
}

// TestAPanicStopsNoOther: those of its batch get an error, and those that wait go on.
func TestAPanicStopsNoOther(t *testing.T) {
	t.Parallel()
	began, proceed := make(chan int), make(chan bool)
	b := redisdb.NewBatcher(2, func(_ context.Context, items []int) error {
		began <- items[0]
		if <-proceed; items[0] == 1 {
			panic("run")
		}
		return nil
	})
	var all sync.WaitGroup
	errs := make([]error, 4)
	do := func(i int) {
		all.Go(func() {
			defer func() {
				if recover() != nil {
					errs[i] = errors.New("panicked")
				}
			}()
			errs[i] = b.Do(t.Context(), i, 1)
		})
	}
	do(0)
	require.Zero(t, <-began)
	for i := 1; i < 4; i++ {
		do(i)
		require.Eventually(t, func() bool { return b.Waiting() == i }, time.Minute, time.Millisecond)
	}
	proceed <- true
	for _, first := range []int{1, 3} {
		require.Equal(t, first, <-began)
		proceed <- true
	}
	all.Wait()
	require.NoError(t, errs[0])
	require.Error(t, errs[1])
	require.Error(t, errs[2])
	require.NoError(t, errs[3])
}
