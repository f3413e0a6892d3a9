package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ProjectEvent is an accepted creation or, if Dead, its rejection. A rejection concerns creations with the same or a
// lower Seq.
type ProjectEvent struct {
	CaughtUp bool           // the initial events are complete
	Seq      uint64         // of the creation
	Project  *score.Project // nil: corrupt message
	Dead     bool
}

// WatchProjects calls fn with the accepted creations that the stream still holds, their dead letters, and then each
// new one, until ctx ends. Calls are serialized. It returns ctx's error, or why the watch ended; it may be restarted.
func (s *Stream) WatchProjects(ctx context.Context, fn func(ProjectEvent)) error {
	var mu sync.Mutex
	waiting := 2
	tell := func(e ProjectEvent) {
		mu.Lock()
		defer mu.Unlock()
		fn(e)
	}
	arrived := func() {
		mu.Lock()
		defer mu.Unlock()
		if waiting--; waiting == 0 {
			fn(ProjectEvent{CaughtUp: true})
		}
	}
	creations, err := watch(ctx, s.stream, projectPrefix+"*", arrived, func(msg jetstream.Msg, seq uint64) {
		m, _ := decode(msg.Data())
		if m.Edit != nil {
			return
		}
		tell(ProjectEvent{Seq: seq, Project: m.Project})
	})
	if err != nil {
		return err
	}
	defer creations.Stop()
	dead, err := watch(ctx, s.dead, deadPrefix+"project.>", arrived, func(msg jetstream.Msg, _ uint64) {
		if d, err := s.dead.decode(msg.Subject(), msg.Data()); err == nil && d.Project != nil {
			tell(ProjectEvent{Seq: d.Seq, Project: d.Project, Dead: true})
		}
	})
	if err != nil {
		return err
	}
	defer dead.Stop()
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
			if err := errors.Join(creations.look(ctx), dead.look(ctx)); err != nil {
				return err
			}
		case <-creations.Closed():
			return errEnded
		case <-dead.Closed():
			return errEnded
		}
	}
}

var errEnded = errors.New("the watch of accepted creations ended; it must be opened again")

// watching has arrived when it saw the newest message that the leader held at the start.
type watching struct {
	jetstream.ConsumeContext

	stream  jetstream.Stream
	subject string
	arrived func()

	mu   sync.Mutex
	seen uint64
	goal uint64 // sequence to reach; 0: arrived
}

// watch calls fn with a subject's messages, and arrived once after the initial ones.
func watch(ctx context.Context, s jetstream.Stream, subject string, arrived func(), fn func(jetstream.Msg, uint64)) (*watching, error) {
	last, err := newest(ctx, s, subject)
	if err != nil {
		return nil, fmt.Errorf("couldn't watch %s: %w", subject, err)
	}
	consumer, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject},
		DeliverPolicy:  jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't watch %s: %w", subject, err)
	}
	w := &watching{stream: s, subject: subject, arrived: arrived, goal: last.Sequence}
	if w.goal == 0 {
		arrived()
	}
	w.ConsumeContext, err = consumer.Consume(func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if meta.Sequence.Stream <= w.seen {
			return // a recreated consumer repeats messages
		}
		w.seen = meta.Sequence.Stream
		fn(msg, w.seen)
		if w.goal > 0 && w.seen >= w.goal {
			w.goal = 0
			w.arrived()
		}
	}, jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return nil, fmt.Errorf("couldn't watch %s: %w", subject, err)
	}
	return w, nil
}

// look counts as arrived, too, if the goal was purged before it was seen.
func (w *watching) look(ctx context.Context) error {
	w.mu.Lock()
	goal := w.goal
	w.mu.Unlock()
	if goal == 0 {
		return nil
	}
	last, err := newest(ctx, w.stream, w.subject)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.goal > 0 && last.Sequence <= w.seen {
		w.goal = 0
		w.arrived()
	}
	return nil
}
