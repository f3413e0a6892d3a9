package stream_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// behind is a stream whose consumers are on a copy that lacks its end, as a server of a cluster does that was away. The copy is
// another stream of the server.
type behind struct {
	jetstream.Stream

	t    *testing.T
	js   jetstream.JetStream
	copy jetstream.Stream
}

// copyOf makes the copy, with the first n messages.
func copyOf(t *testing.T, js jetstream.JetStream, s jetstream.Stream, n uint64) *behind {
	t.Helper()
	config := s.CachedInfo().Config
	config.Name, config.Subjects, config.AllowAtomicPublish = "COPY_"+config.Name, []string{"copy." + config.Name + ".>"}, false
	config.MaxMsgsPerSubject, config.Discard = -1, jetstream.DiscardOld
	// What is published as copy.X.s has the subject s, as it has in the stream.
	config.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "copy." + s.CachedInfo().Config.Name + ".>", Destination: ">"}
	made, err := js.CreateStream(t.Context(), config)
	require.NoError(t, err)
	b := &behind{Stream: s, t: t, js: js, copy: made}
	b.catchUp(n)
	return b
}

// catchUp has the copy hold all messages up to a sequence.
func (b *behind) catchUp(to uint64) {
	b.t.Helper()
	info, err := b.copy.Info(b.t.Context())
	require.NoError(b.t, err)
	for seq := info.State.LastSeq + 1; seq <= to; seq++ {
		msg, err := b.GetMsg(b.t.Context(), seq)
		require.NoError(b.t, err)
		_, err = b.js.PublishMsg(b.t.Context(), &nats.Msg{
			Subject: "copy." + b.CachedInfo().Config.Name + "." + msg.Subject, Data: msg.Data,
		})
		require.NoError(b.t, err)
	}
}

func (b *behind) OrderedConsumer(ctx context.Context, config jetstream.OrderedConsumerConfig) (jetstream.Consumer, error) {
	return b.copy.OrderedConsumer(ctx, config)
}

// create publishes the first n projects.
func create(t *testing.T, s *stream.Stream, n byte) {
	t.Helper()
	for i := range n {
		require.NoError(t, s.PublishProject(t.Context(), string('a'+rune(i)), project(i+1), 0))
	}
}

// TestACopyThatIsBehindHidesNothing: what reads all, or waits until all is known, waits until the copy has it.
func TestACopyThatIsBehindHidesNothing(t *testing.T) {
	t.Parallel()
	for has := range uint64(2) { // messages in the copy
		s, js := open(t)
		before := time.Now()
		create(t, s, 3)
		var copies []*behind
		s.ReadBy(func(of jetstream.Stream) jetstream.Stream {
			n := has
			if of.CachedInfo().Config.Name != stream.Name {
				n = 0
			}
			copies = append(copies, copyOf(t, js, of, n))
			return copies[len(copies)-1]
		})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()

		watching, stop := context.WithCancel(ctx)
		var mu sync.Mutex
		known := map[score.ProjectID]bool{}
		caughtUp := make(chan int, 1)
		var watch sync.WaitGroup
		watch.Go(func() {
			_ = s.WatchProjects(watching, func(e stream.ProjectEvent) {
				mu.Lock()
				defer mu.Unlock()
				if e.CaughtUp {
					caughtUp <- len(known)
				} else {
					known[e.Project.ID] = true
				}
			})
		})
		var all []uint64
		read := make(chan error, 1)
		go func() {
			read <- s.ReadAll(ctx, func(m score.Message) error { all = append(all, m.Seq); return nil })
		}()
		first := make(chan uint64, 1)
		go func() {
			seq, err := s.FirstSince(ctx, before)
			if err != nil {
				seq = 0
			}
			first <- seq
		}()
		select {
		case n := <-caughtUp:
			t.Fatalf("the watch says that it has caught up with %d of 3 creations", n)
		case <-read:
			t.Fatalf("reading all ended with %d of 3", len(all))
		case seq := <-first:
			require.EqualValues(t, 1, seq)
			first <- seq
		case <-time.After(500 * time.Millisecond):
		}
		copies[0].catchUp(3)
		require.NoError(t, <-read)
		require.Equal(t, []uint64{1, 2, 3}, all)
		require.Equal(t, 3, <-caughtUp)
		require.EqualValues(t, 1, <-first)
		stop()
		watch.Wait()
	}
}

// TestAReaderLeavesACopyThatIsBehind, even if only the last message is missing there, once it has heard nothing for a while.
func TestAReaderLeavesACopyThatIsBehind(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	create(t, s, 3)
	var b *behind
	s.ReadBy(func(of jetstream.Stream) jetstream.Stream {
		if of.CachedInfo().Config.Name != stream.Name {
			return of
		}
		b = copyOf(t, js, of, 2)
		return b
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := readerFrom(t, s, 1)
	for seq := range uint64(3) {
		m, err := r.Next(ctx)
		require.NoError(t, err)
		require.Equal(t, seq+1, m.Seq)
		if m.Seq == 2 {
			b.copy = b.Stream // for the next consumer
		}
	}
}

// TestTheEndMayBePurgedMeanwhile: who waits for it does not wait forever.
func TestTheEndMayBePurgedMeanwhile(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	create(t, s, 3)
	var copies []*behind
	s.ReadBy(func(of jetstream.Stream) jetstream.Stream {
		copies = append(copies, copyOf(t, js, of, 0))
		return copies[len(copies)-1]
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	copies[0].catchUp(2)
	caughtUp := make(chan struct{})
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		_ = s.WatchProjects(watching, func(e stream.ProjectEvent) {
			if e.CaughtUp {
				close(caughtUp)
			}
		})
	})
	n := 0
	require.NoError(t, s.ReadAll(ctx, func(m score.Message) error {
		if n++; m.Seq == 2 {
			require.NoError(t, s.Purge(ctx, 4))
		}
		return nil
	}))
	require.Equal(t, 2, n)
	<-caughtUp
	stop()
	watch.Wait()
}

// TestAnEndThatIsGoneHidesNothing: the last sequences were fillers, or dead letters that a tool removed.
func TestAnEndThatIsGoneHidesNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	before := time.Now()
	create(t, s, 2)
	require.NoError(t, s.Extend(t.Context(), 1000, nil))
	held := all(t, s)
	require.Len(t, held, 2)
	require.Equal(t, []uint64{1, 2}, []uint64{held[0].Seq, held[1].Seq})
	first, err := s.FirstSince(t.Context(), before)
	require.NoError(t, err)
	require.EqualValues(t, 1, first)
	first, err = s.FirstSince(t.Context(), time.Now())
	require.NoError(t, err)
	state, err := s.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, state.LastSeq+1, first)
}
