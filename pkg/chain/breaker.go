package chain

import (
	"fmt"
	"sync"
	"time"
)

const (
	failuresToRest = 3 // in a row; throttling starts a rest at once
	restFirst      = time.Second
	restMost       = 5 * time.Second
	retryAfterMost = time.Minute
)

type ending uint8

const (
	abandoned ending = iota // by the caller; the endpoint may be fine
	answered
	failing
	throttled
)

// breaker is an endpoint's circuit breaker; a rest is its open state. A rest ends with one trial exchange, and until
// that is answered others are refused. Consecutive rests double, up to restMost.
type breaker struct {
	mu       sync.Mutex
	failures int // in a row
	rests    int // in a row
	until    time.Time
	limited  bool // the endpoint throttled
	trial    bool // in progress
}

func (b *breaker) admit(now time.Time) (ok, trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return true, false
	}
	if b.trial || now.Before(b.until) {
		return false, false
	}
	b.trial = true
	return true, true
}

func (b *breaker) rest(now time.Time) (until time.Time, limited, resting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until, b.limited, b.trial || now.Before(b.until)
}

// done records the end of an exchange. dice in [0, 1) jitters rests by ±20%. rest is the length of a rest that begins
// now, else 0. first: the endpoint was up before. back: it is up again.
func (b *breaker) done(trial bool, e ending, now time.Time, retryAfter time.Duration, dice float64) (rest time.Duration, first, back bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trial = false
	} else if !b.until.IsZero() {
		return 0, false, false // it began before the rest
	}
	switch e {
	case abandoned:
	case answered:
		back = b.rests > 0
		b.failures, b.rests, b.until, b.limited = 0, 0, time.Time{}, false
	case failing, throttled:
		b.failures++
		if e == failing && !trial && b.failures < failuresToRest {
			return 0, false, false
		}
		first = b.rests == 0
		rest = min(restFirst<<min(b.rests, 10), restMost)
		rest = time.Duration(float64(rest) * (0.8 + 0.4*dice))
		rest = max(rest, min(retryAfter, retryAfterMost))
		b.rests++
		b.limited, b.until = e == throttled, now.Add(rest)
	}
	return rest, first, back
}

// restError means that the request was unsent, since the endpoint rests.
type restError struct {
	endpoint string
	until    time.Time
	limited  bool
}

func (r *restError) Error() string {
	why := "it failed"
	if r.limited {
		why = "it throttles"
	}
	wait := time.Until(r.until).Round(100 * time.Millisecond)
	if wait <= 0 {
		return fmt.Sprintf("%s is being tried again; before, %s", r.endpoint, why)
	}
	return fmt.Sprintf("%s is left alone for %s more: %s", r.endpoint, wait, why)
}
