package httpapi

import (
	"sync/atomic"
	"time"
)

// How long refused callers are asked to wait: where it is known how fast that goes away which is in their way, until it has
// gone, within bounds; else these.
const (
	retryAfterFull    = 5 * time.Second // the stream: it is purged by what is final and old, at no rate that an API knows
	retryAfterFailure = time.Second
	retryAfterHalt    = 30 * time.Second

	minWait        = time.Second
	maxBacklogWait = 10 * time.Minute
	unknownBacklog = time.Minute // where a lane bound nothing of a project lately
	maxPaceWait    = time.Minute
)

// drainTime is how long so many updates need at a rate a second.
func drainTime(updates uint64, perSecond float64) time.Duration {
	if perSecond <= 0 {
		return unknownBacklog
	}
	seconds := float64(updates) / perSecond
	return time.Duration(min(max(seconds, minWait.Seconds()), maxBacklogWait.Seconds()) * float64(time.Second))
}

// pace is how long requests took lately, on average. It is also how long those in progress need until as many are done: their
// number, divided by the rate at which they are done (Little's law), and holds too while few come.
type pace struct{ took atomic.Int64 } // ns

// paceRequests is how many requests the average is about.
const paceRequests = 16

// note counts a request. Of two at once, one may be lost.
func (p *pace) note(took time.Duration) {
	before := p.took.Load()
	if before == 0 {
		before = int64(took)
	}
	p.took.Store(before + (int64(took)-before)/paceRequests)
}

// wait is how long it is worth waiting for a place, or for what another request does.
func (p *pace) wait() time.Duration {
	return min(max(time.Duration(p.took.Load()), minWait), maxPaceWait)
}
