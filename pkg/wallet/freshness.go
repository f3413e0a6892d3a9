package wallet

import (
	"errors"
	"strconv"
	"time"
)

var (
	// ErrNotTime says that a message is not a time.
	ErrNotTime = errors.New("must be the current time as decimal milliseconds since 1970, digits only")
	// ErrTooOld says that a message was signed too long ago.
	ErrTooOld = errors.New("is too old")
	// ErrTooFarAhead says that a message names a time that is still to come: the signer's clock runs ahead of ours.
	ErrTooFarAhead = errors.New("lies in the future")
)

// maxTimeDigits is the length of the last millisecond of the year 2286.
const maxTimeDigits = 13

// ParseTime reads a message: decimal milliseconds since 1970, 1 to 13 digits without sign, spaces or leading zeros.
// The only error is ErrNotTime.
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

// Freshness is how far a message's time may lie from now; both ends are inclusive.
type Freshness struct {
	Past  time.Duration
	Ahead time.Duration
}

// Check tells whether at is fresh now. Errors: ErrTooOld, ErrTooFarAhead.
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
