package relay

import (
	"context"

	"golang.org/x/sync/semaphore"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	readAhead        = 256    // messages
	readAheadUpdates = 20_000 // updates, except for a larger single message
)

type reading struct {
	messages chan score.Message
	failed   chan error // why it ended
	room     *semaphore.Weighted
	stop     context.CancelFunc
	done     chan struct{}
}

func read(ctx context.Context, source Source, from uint64) *reading {
	ctx, stop := context.WithCancel(ctx)
	r := &reading{
		messages: make(chan score.Message, readAhead), failed: make(chan error, 1), room: semaphore.NewWeighted(readAheadUpdates),
		stop: stop, done: make(chan struct{}),
	}
	go r.run(ctx, source, from)
	return r
}

func (r *reading) run(ctx context.Context, source Source, from uint64) {
	defer close(r.done)
	reader, err := source.Read(ctx, from)
	if err != nil {
		r.failed <- err
		return
	}
	defer reader.Close()
	for {
		message, err := reader.Next(ctx)
		if err == nil {
			err = r.room.Acquire(ctx, weight(message))
		}
		if err != nil {
			r.failed <- err
			return
		}
		select {
		case r.messages <- message:
		case <-ctx.Done():
			return
		}
	}
}

func weight(m score.Message) int64 { return min(int64(len(m.Updates)), readAheadUpdates) }

func (r *reading) took(m score.Message) { r.room.Release(weight(m)) }

func (r *reading) close() {
	r.stop()
	<-r.done
}
