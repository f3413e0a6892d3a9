package load

import (
	"context"
	"sync"
	"time"
)

// Patience is with an API that takes nothing of what is sent to it again and again.
const Patience = 90 * time.Second

// Run sends posts in order, concurrency at a time, each as soon as an earlier one has its answer, and hands every
// result to done (from several goroutines at once). It returns when all have their answer, none had one for Patience, or ctx has ended;
// posts that were not sent by then have no result.
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

// Pace of an open loop: updates are sent when they are due, whether or not earlier ones have their answer, so a slow
// server shows as latency rather than as a lower rate.
type Pace struct {
	Rate        float64 // updates per second
	Duration    time.Duration
	MaxInFlight int // posts; the updates of one that would be one more are not sent but counted as missed
}

// Open sends what next makes at the pace, and hands every result to done (from several goroutines at once). Latency
// counts from when a post was due, which is when the last of its updates was. It returns the number of updates that were
// due but missed, after all answers. When ctx ends it stops sending and gives up on the answers outstanding, as it does when Patience has passed
// since the last was sent.
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
