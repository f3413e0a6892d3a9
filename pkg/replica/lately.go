package replica

import "time"

// window is how far Lately looks back, about: long enough for some blocks, short enough to show what changed.
const window = time.Minute

// Counts are what a replica did since it began.
type Counts struct {
	Accepted   uint64  `json:"accepted,omitempty"`   // updates
	NotDurable uint64  `json:"notDurable,omitempty"` // posts that NATS did not acknowledge in time
	Final      uint64  `json:"final,omitempty"`      // updates
	Gas        uint64  `json:"gas,omitempty"`        // that final transactions used
	Fees       float64 `json:"fees,omitempty"`       // that final transactions paid, ether
	BlockGas   uint64  `json:"blockGas,omitempty"`   // that all transactions used in the blocks that it followed
	BlockLimit uint64  `json:"blockLimit,omitempty"` // the gas limits of these blocks together
}

// Plus is the sum of both.
func (c Counts) Plus(more Counts) Counts {
	return Counts{
		Accepted: c.Accepted + more.Accepted, NotDurable: c.NotDurable + more.NotDurable, Final: c.Final + more.Final, Gas: c.Gas + more.Gas, Fees: c.Fees + more.Fees,
		BlockGas: c.BlockGas + more.BlockGas, BlockLimit: c.BlockLimit + more.BlockLimit,
	}
}

func (c Counts) minus(before Counts) Counts {
	return Counts{
		Accepted: c.Accepted - before.Accepted, NotDurable: c.NotDurable - before.NotDurable, Final: c.Final - before.Final, Gas: c.Gas - before.Gas, Fees: c.Fees - before.Fees,
		BlockGas: c.BlockGas - before.BlockGas, BlockLimit: c.BlockLimit - before.BlockLimit,
	}
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
	return &Lately{seconds, c.minus(first.Counts)}
}
