package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// reader reads a stream, by itself or with others.
type reader interface {
	Next(ctx context.Context) (score.Message, error)
	Close()
}

func TestReadersOutliveARestartOfTheServer(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(ctx context.Context, s *stream.Stream) (reader, error){
		"by itself": func(ctx context.Context, s *stream.Stream) (reader, error) { return s.Read(ctx, 0) },
		"a tail": func(ctx context.Context, s *stream.Stream) (reader, error) {
			return stream.NewTail(s, 1<<20).Read(ctx, 1)
		},
	} {
		for before := range uint64(2) { // messages
			t.Run(fmt.Sprintf("%s that read %d", name, before), func(t *testing.T) {
				t.Parallel()
				outlivesRestart(t, read, before)
			})
		}
	}
}

// outlivesRestart: a reader that has read so many messages reads the next after another server took the first one's place.
func outlivesRestart(t *testing.T, read func(context.Context, *stream.Stream) (reader, error), before uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	server := fresh.NATSThatRestarts(t)
	js, err := jetstream.New(connect(t, server.URL).Conn()) // it waits as long for an answer as a process does, five seconds
	require.NoError(t, err)
	s := openAt(t, js, stream.Config{Deployment: deployment})
	publishMany(t, s, 0, int(before))
	r, err := read(ctx, s)
	require.NoError(t, err)
	defer r.Close()
	for seq := range before {
		require.Equal(t, seq+1, next(t, r).Seq)
	}

	server.Close()
	server.Restart()
	for err = errors.New("not published"); err != nil; {
		require.NoError(t, ctx.Err())
		attempt, cancel := context.WithTimeout(ctx, time.Second) // what the first server took along is never answered
		err = s.PublishEnvelope(attempt, "after", []score.Update{update(2)}, nil)
		cancel()
	}
	m, err := r.Next(ctx)
	require.NoError(t, err)
	require.Equal(t, before+1, m.Seq)
}
