package redisdb

import (
	"context"
	"errors"
	"sync"
)

// Batcher puts what is done at the same time into batches: what comes while one batch is under way goes with the next. It
// has no goroutine: of those that wait, the first makes the batch.
type Batcher[T any] struct {
	limit int
	run   func(ctx context.Context, items []T) error

	mu      sync.Mutex
	busy    bool
	waiting []*waiter[T]
}

// errPanicked is what the others of a batch get whose run panicked.
var errPanicked = errors.New("the batch panicked")

type waiter[T any] struct {
	item T
	size int
	err  error
	lead chan bool // true: make the next batch, which this is in; false: it was made
}

// NewBatcher returns a Batcher whose batches hold so much by size, or one thing that is larger.
func NewBatcher[T any](limit int, run func(ctx context.Context, items []T) error) *Batcher[T] {
	return &Batcher[T]{limit: limit, run: run}
}

// Do returns what run returned for the batch that the item was in; if it panicked, the caller that ran it panics and the others get an
// error. It waits for that even when ctx has ended, as long as run takes, twice; run gets the context of one of those in the batch, but
// not its end.
func (b *Batcher[T]) Do(ctx context.Context, item T, size int) error {
	w := &waiter[T]{item: item, size: size, lead: make(chan bool, 1)}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	if b.busy {
		b.mu.Unlock()
		if !<-w.lead {
			return w.err
		}
		b.mu.Lock()
	}
	b.busy = true
	total, n := 0, 0
	for n < len(b.waiting) && (n == 0 || total+b.waiting[n].size <= b.limit) {
		total, n = total+b.waiting[n].size, n+1
	}
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	b.mu.Unlock()

	items := make([]T, n)
	for i, w := range batch {
		items[i] = w.item
	}
	err := errPanicked
	defer func() {
		b.mu.Lock()
		if b.busy = len(b.waiting) > 0; b.busy {
			b.waiting[0].lead <- true
		}
		b.mu.Unlock()
		for _, other := range batch[1:] { // the first is w
			other.err = err
			other.lead <- false
		}
	}()
	err = b.run(context.WithoutCancel(ctx), items)
	return err
}
