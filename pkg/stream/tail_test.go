package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
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
	var stored [201]chan struct{}    // closed when the message of that sequence is
	for seq := range stored {
		stored[seq] = make(chan struct{})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var reading sync.WaitGroup
	seed := testrand.Seed(t)
	for i := range 6 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
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
				if rng.IntN(20) > 0 {
					continue
				}
				select { // it falls behind what the tail holds, or not
				case <-stored[min(max(51, want)+rng.Uint64N(40), 200)]:
				case <-ctx.Done():
				}
			}
		})
	}
	for n := 50; n < 200; n++ {
		publishMany(t, s, n, n+1)
		close(stored[n+1])
	}
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
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
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
