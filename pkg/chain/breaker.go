package chain

import (
	"fmt"
	"sync"
	"time"
)

const (
	failuresToRest = 3 // in a row; an endpoint that throttles rests at once
	restFirst      = time.Second
	restMost       = 5 * time.Second
	retryAfterMost = time.Minute // of what an endpoint asks for itself
)

// ending is what an exchange says about its endpoint.
type ending uint8

const (
	abandoned ending = iota // nothing: the caller went away
	answered
	failing
	throttled
)

// breaker decides when an endpoint is asked and when it is left alone. A rest ends with one trial: until that was
// answered, nothing else is asked. Rests that follow each other double. It has no clock and no dice of its own.
type breaker struct {
	mu       sync.Mutex
	failures int // in a row
	rests    int // in a row
	until    time.Time
	limited  bool // it rests because it throttled
	trial    bool // the exchange that ends the rest is under way
}

// admit asks to begin an exchange. trial is to be given back to done.
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

// rest tells whether an exchange would be refused now, and when it will not be.
func (b *breaker) rest(now time.Time) (until time.Time, limited, resting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until, b.limited, b.trial || now.Before(b.until)
}

// done ends an exchange. retryAfter is what the endpoint asked for, zero if nothing; dice is in [0, 1) and spreads the
// rests by a fifth to either side. It returns how long the endpoint rests if that begins now, whether it was up before
// that, and whether it is back.
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

// restError says that an endpoint was not asked because it rests. Nothing reached it.
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
