package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// ProjectEvent is one thing WatchProjects saw. A creation is on its way, or done, unless a dead letter of the same or
// a higher Seq says that it was rejected.
type ProjectEvent struct {
	CaughtUp bool           // all that was there at the start has been told; the other fields are empty
	Seq      uint64         // the creation's sequence in the stream of accepted updates
	Project  *score.Project // nil if the message could not be read
	Dead     bool           // it became a dead letter
}

// WatchProjects tells fn of every accepted creation that the stream still holds and of every dead letter of one, and
// then of each new one as it comes, until the context ends. fn is never called twice at once. It returns the context's
// error, or why the watch ended; the caller may watch again, from the beginning.
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
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-creations.Closed():
	case <-dead.Closed():
	}
	return errors.New("the watch of accepted creations ended; it must be opened again")
}

// watch follows the last message of each matching subject, from the beginning; arrived is called once, when all that
// was there has been seen.
func watch(ctx context.Context, s jetstream.Stream, subject string, arrived func(), fn func(jetstream.Msg, uint64)) (jetstream.ConsumeContext, error) {
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
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
	var once sync.Once
	last := info.State.LastSeq
	if len(info.State.Subjects) == 0 {
		once.Do(arrived)
	}
	running, err := consumer.Consume(func(msg jetstream.Msg) {
		meta, err := msg.Metadata()
		if err != nil {
			return
		}
		fn(msg, meta.Sequence.Stream)
		if meta.NumPending == 0 || meta.Sequence.Stream >= last {
			once.Do(arrived)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't watch %s: %w", subject, err)
	}
	return running, nil
}
