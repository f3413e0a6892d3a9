package load

import (
	"context"
	"sync"
	"time"
)

// Patience bounds a run's time without a result from the API.
const Patience = 90 * time.Second

// Run sends posts in order, concurrency at a time. It calls done concurrently with every result. It returns after all
// results, Patience after the last one, or when ctx has ended. Posts unsent by then have no result.
func Run(ctx context.Context, c *Client, posts []*Post, concurrency int, done func(Result)) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	patience := time.AfterFunc(Patience, giveUp)
	defer patience.Stop()
	next := make(chan *Post)
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for p := range next {
				result := c.Send(ctx, p, time.Now())
				patience.Reset(Patience)
				done(result)
			}
		})
	}
	for _, p := range posts {
		select {
		case next <- p:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
}

// Pace is that of an open loop: updates are sent when due, so a slow server shows as latency instead of a lower rate.
type Pace struct {
	Rate        float64 // updates per second
	Duration    time.Duration
	MaxInFlight int // posts; a post beyond it is missed
}

// Open sends next's posts at the pace and calls done concurrently with every result. Latency counts from when a
// post's last update was due. missed counts updates that were due while MaxInFlight posts were unanswered. When ctx
// ends, or Patience after the last post, Open abandons unanswered posts.
func Open(ctx context.Context, c *Client, pace Pace, next func() *Post, done func(Result)) (missed int) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	slots := make(chan struct{}, pace.MaxInFlight)
	var inFlight sync.WaitGroup
	defer inFlight.Wait()
	start := time.Now()
	total := int(pace.Rate * pace.Duration.Seconds())
	for sent := 0; sent < total; {
		p := next()
		sent += len(p.Updates)
		due := start.Add(time.Duration(float64(sent-1) / pace.Rate * float64(time.Second)))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-ctx.Done():
				return missed
			case <-time.After(wait):
			}
		} else if ctx.Err() != nil {
			return missed
		}
		select {
		case slots <- struct{}{}:
		default:
			missed += len(p.Updates)
			continue
		}
		inFlight.Go(func() {
			done(c.Send(ctx, p, due))
			<-slots
		})
	}
	defer time.AfterFunc(Patience, giveUp).Stop()
	inFlight.Wait()
	return missed
}
