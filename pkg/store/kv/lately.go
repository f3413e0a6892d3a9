package kv

import "time"

// window is long enough for some blocks, and short enough to show changes.
const window = time.Minute

// Counts are the counters of a replica since its start.
type Counts struct {
	Accepted   uint64  `json:"accepted,omitempty"`   // updates
	NotDurable uint64  `json:"notDurable,omitempty"` // requests without a NATS ack in time
	Final      uint64  `json:"final,omitempty"`      // updates
	Gas        uint64  `json:"gas,omitempty"`        // of final transactions
	Fees       float64 `json:"fees,omitempty"`       // of final transactions, in ether
	BlockGas   uint64  `json:"blockGas,omitempty"`   // of all transactions in the blocks followed
	BlockLimit uint64  `json:"blockLimit,omitempty"` // sum of these blocks' gas limits
}

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

// Lately is a replica's activity in about the last minute.
type Lately struct {
	Seconds float64 `json:"seconds"` // > 0
	Counts
}

// Window computes Lately. The zero value is ready.
type Window struct {
	samples []sample
}

type sample struct {
	at time.Time
	Counts
}

// Add records the counters at a time, and returns their increase over about the last minute. It returns nil for the
// first sample.
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
