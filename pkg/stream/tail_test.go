package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func publishMany(t *testing.T, s *stream.Stream, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		require.NoError(t, s.PublishEnvelope(t.Context(), fmt.Sprint(n), []score.Update{update(byte(n))}, nil))
	}
}

// TestATailGivesEveryReaderEverything: readers that begin anywhere and read at any pace, with a memory that holds few
// messages, each get every message once and in order.
func TestATailGivesEveryReaderEverything(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	publishMany(t, s, 0, 50)
	tail := stream.NewTail(s, 4<<10) // some twenty messages
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var reading sync.WaitGroup
	for i := range 6 {
		seed := rand.Uint64()
		t.Logf("reader %d: seed %d", i, seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		from := uint64(1 + rng.IntN(50))
		reading.Go(func() {
			r, err := tail.Read(ctx, from)
			if !assertNil(t, err) {
				return
			}
			defer r.Close()
			for want := from; want <= 200; want++ {
				m, err := r.Next(ctx)
				if !assertNil(t, err) || m.Seq != want {
					t.Errorf("message %d came where %d was next", m.Seq, want)
					return
				}
				if rng.IntN(20) == 0 {
					time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
				}
			}
		})
	}
	publishMany(t, s, 50, 200)
	reading.Wait()
}

func assertNil(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// TestATailThatFailedServesNoOldReader: what was read before a stream was made again must not continue in it.
func TestATailThatFailedServesNoOldReader(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, js := open(t)
	publishMany(t, s, 0, 3)
	tail := stream.NewTail(s, 1<<20)
	r, err := tail.Read(ctx, 4)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, js.DeleteStream(ctx, stream.Name))
	_, err = r.Next(ctx)
	require.ErrorIs(t, err, stream.ErrLost)
	require.NoError(t, stream.Setup(ctx, js, stream.Config{Deployment: deployment}))
	_, err = tail.Read(ctx, 4)
	require.ErrorIs(t, err, stream.ErrReplaced)
	again, err := stream.Open(ctx, js)
	require.NoError(t, err)
	publishMany(t, again, 0, 9)
	_, err = r.Next(ctx)
	require.ErrorIs(t, err, stream.ErrLost)
}

func TestATailSurvivesARestartOfTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	require.NoError(t, err)
	port, err := portOf(server.URL)
	require.NoError(t, err)
	js := connect(t, server.URL)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: deployment}))
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	r, err := stream.NewTail(s, 1<<20).Read(t.Context(), 1)
	require.NoError(t, err)
	defer r.Close()
	server.Close()
	server, err = devnet.StartNATS(dir, devnet.NATSOptions{Port: port})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.Eventually(t, func() bool {
		return s.PublishEnvelope(t.Context(), "a", []score.Update{update(2)}, nil) == nil
	}, 20*time.Second, 20*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m, err := r.Next(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, m.Seq)
}
