package relay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// failing is a stream of which each reading ends after one message.
type failing struct{ Source }

func (f failing) Read(ctx context.Context, from uint64) (Reader, error) {
	reader, err := f.Source.Read(ctx, from)
	return &once{Reader: reader}, err
}

type once struct {
	Reader
	read bool
}

func (o *once) Next(ctx context.Context) (score.Message, error) {
	if o.read {
		return score.Message{}, errNoMore
	}
	o.read = true
	return o.Reader.Next(ctx)
}

// TestUnreadIsWhatTheLaneDidNotRead of its buckets, from their floors on; over readings that fail, each message once.
func TestUnreadIsWhatTheLaneDidNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source, own, others := newSimSource(time.Now), score.ProjectID{1}, score.ProjectID{2}
		require.NotEqual(t, score.BucketOf(own), score.BucketOf(others))
		for range 3 {
			source.publish(score.Message{Updates: []score.Update{{Project: own}, {Project: others}, {Project: own}, {Project: own}}})
		}
		in, err := newIntake(Config{Limits: batch.DefaultLimits()}, &lane.State{Buckets: map[score.Bucket]lane.Holding{
			score.BucketOf(own): {Extent: lane.Extent{Floor: score.Position{Seq: 1, Index: 2}}}, // one is bound
		}})
		require.NoError(t, err)
		in.begin(nil)
		u := newUnread(in)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			u.run(ctx, failing{source}, in.began)
		}()
		time.Sleep(time.Minute)
		require.EqualValues(t, 8, u.left())
		first, err := source.first(1)
		require.NoError(t, err)
		u.take(first)
		require.EqualValues(t, 6, u.left())
		cancel()
		<-ended
	})
}

// TestUnreadIsCountedAtAPace that leaves the stream and the CPU to what binds.
func TestUnreadIsCountedAtAPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source, project := newSimSource(time.Now), score.ProjectID{1}
		message := score.Message{Updates: make([]score.Update, 1_000)}
		for i := range message.Updates {
			message.Updates[i].Project = project
		}
		for range 200 {
			source.publish(message)
		}
		in, err := newIntake(Config{Limits: batch.DefaultLimits()}, &lane.State{Buckets: map[score.Bucket]lane.Holding{score.BucketOf(project): {}}})
		require.NoError(t, err)
		in.begin(nil)
		u := newUnread(in)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			u.run(ctx, source, in.began)
		}()
		time.Sleep(time.Second)
		require.InDelta(t, 50_000, u.left(), 10_000)
		time.Sleep(4 * time.Second)
		require.EqualValues(t, 200_000, u.left())
		cancel()
		<-ended
	})
}
