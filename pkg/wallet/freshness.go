package wallet

import (
	"errors"
	"strconv"
	"time"
)

var (
	ErrNotTime = errors.New("must be the current time as decimal milliseconds since 1970, digits only")
	ErrTooOld  = errors.New("is too old")
	// ErrTooFarAhead reports a time in the future: the signer's clock is ahead of ours.
	ErrTooFarAhead = errors.New("lies in the future")
)

// Enough until the year 2286.
const maxTimeDigits = 13

// ParseTime parses milliseconds since 1970 as 1 to 13 decimal digits, the first one nonzero. Errors: ErrNotTime.
func ParseTime(message string) (time.Time, error) {
	if len(message) < 1 || len(message) > maxTimeDigits || message[0] == '0' {
		return time.Time{}, ErrNotTime
	}
	for i := range len(message) {
		if message[i] < '0' || message[i] > '9' {
			return time.Time{}, ErrNotTime
		}
	}
	ms, err := strconv.ParseInt(message, 10, 64)
	if err != nil {
		return time.Time{}, ErrNotTime
	}
	return time.UnixMilli(ms), nil
}

// Freshness is the largest distance of a message's time from now, inclusive.
type Freshness struct {
	Past  time.Duration
	Ahead time.Duration
}

// Check returns nil if at is fresh at now. Errors: ErrTooOld, ErrTooFarAhead.
func (f Freshness) Check(at, now time.Time) error {
	switch age := now.Sub(at); {
	case age > f.Past:
		return ErrTooOld
	case -age > f.Ahead:
		return ErrTooFarAhead
	default:
		return nil
	}
}
