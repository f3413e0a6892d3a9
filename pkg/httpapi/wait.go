package httpapi

import (
	"sync/atomic"
	"time"
)

// Retry-After of refused requests: the time until the obstacle is gone, within limits, if the obstacle's rate is
// known; otherwise one of these.
const (
	retryAfterFull    = 5 * time.Second // a stream that is purged at a rate unknown to the API
	retryAfterFailure = time.Second
	retryAfterHalt    = 30 * time.Second

	minWait        = time.Second
	maxBacklogWait = 10 * time.Minute
	unknownBacklog = time.Minute // if the lane's rate is unknown
	maxPaceWait    = time.Minute
)

func drainTime(updates uint64, perSecond float64) time.Duration {
	if perSecond <= 0 {
		return unknownBacklog
	}
	seconds := float64(updates) / perSecond
	return time.Duration(min(max(seconds, minWait.Seconds()), maxBacklogWait.Seconds()) * float64(time.Second))
}

// pace is the average duration of recent requests. It is also the time until as many are done as are in progress
// (Little's law).
type pace struct{ took atomic.Int64 } // ns

const paceRequests = 16

// note adds a duration; of two concurrent calls, one may be lost.
func (p *pace) note(took time.Duration) {
	before := p.took.Load()
	if before == 0 {
		before = int64(took)
	}
	p.took.Store(before + (int64(took)-before)/paceRequests)
}

func (p *pace) wait() time.Duration {
	return min(max(time.Duration(p.took.Load()), minWait), maxPaceWait)
}
