package redisdb

import (
	"context"
	"errors"
	"sync"
)

// Batcher runs items in batches, one batch at a time. Items that arrive during a batch go into the next one, which
// the first waiting caller runs.
type Batcher[T any] struct {
	limit int
	run   func(ctx context.Context, items []T) error

	mu      sync.Mutex
	busy    bool
	waiting []*waiter[T]
}

// Returned to every other caller of a batch that panicked.
var errPanicked = errors.New("the batch panicked")

type waiter[T any] struct {
	item T
	size int
	err  error
	lead chan bool // true: run the next batch, which includes this item; false: the batch is done
}

// NewBatcher returns a Batcher that calls run with items of at most limit in total size, or with one larger item.
func NewBatcher[T any](limit int, run func(ctx context.Context, items []T) error) *Batcher[T] {
	return &Batcher[T]{limit: limit, run: run}
}

// Do returns the result of run for the item's batch. If run panics, its caller panics too, and the others get an
// error. Do ignores the end of ctx: it waits for the running batch and its own, or longer if the backlog exceeds the
// limit. run gets one caller's context without its cancellation.
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
		for _, other := range batch[1:] { // batch[0] is w
			other.err = err
			other.lead <- false
		}
	}()
	err = b.run(context.WithoutCancel(ctx), items)
	return err
}
