package replica

import "time"

// window is how far Lately looks back, about: long enough for some blocks, short enough to show what changed.
const window = time.Minute

// Counts are what a replica did since it began.
type Counts struct {
	Accepted   uint64 `json:"accepted,omitempty"`   // updates
	NotDurable uint64 `json:"notDurable,omitempty"` // posts that NATS did not acknowledge in time
	Final      uint64 `json:"final,omitempty"`      // updates
	Gas        uint64 `json:"gas,omitempty"`        // that final transactions used
}

// Lately is what a replica did in the last minute or so.
type Lately struct {
	Seconds float64 `json:"seconds"` // more than 0
	Counts
}

// Window knows what was counted in the last minute. The zero value knows nothing.
type Window struct {
	samples []sample
}

type sample struct {
	at time.Time
	Counts
}

// Add is told what was counted up to now, and tells what it was lately; nil where it was told of no time before.
func (w *Window) Add(now time.Time, c Counts) *Lately {
	w.samples = append(w.samples, sample{now, c})
	for len(w.samples) > 2 && now.Sub(w.samples[1].at) >= window {
		w.samples = w.samples[1:]
	}
	first := w.samples[0]
	seconds := now.Sub(first.at).Seconds()
	if seconds <= 0 {
		return nil
	}
	return &Lately{seconds, Counts{c.Accepted - first.Accepted, c.NotDurable - first.NotDurable, c.Final - first.Final, c.Gas - first.Gas}}
}
