package overview

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/replica"
)

// Bounds of a look that many share.
const (
	sharedFor   = time.Second      // how old it may be
	lookTimeout = 30 * time.Second // of a cluster, servers that are dead included
)

// Shared is a look that many share: as many as ask within a second cost what one costs. It is safe for concurrent use.
type Shared struct {
	look func(context.Context) (*Document, error)
	turn chan struct{} // holds one for who may look, and read and write the rest
	at   time.Time     // when it was told
	last *Document
	err  error
}

// NewShared returns one of a deployment.
func NewShared(d *Deployment) *Shared { return newShared(d.Look) }

func newShared(look func(context.Context) (*Document, error)) *Shared {
	s := &Shared{look: look, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Look is Deployment.Look, up to a second old. Those that ask meanwhile wait for it. An error is shared, too, so that they do not wait one
// after the other where NATS is away; and a look does not end with the request that began it.
func (s *Shared) Look(ctx context.Context) (*Document, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if s.at.IsZero() || time.Since(s.at) > sharedFor {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
		defer cancel()
		s.last, s.err = s.look(ctx)
		s.at = time.Now()
	}
	return s.last, s.err
}

// How far History looks back, and how often it looks: rates are those of a minute.
const (
	HistoryFor   = 15 * time.Minute
	historyEvery = 15 * time.Second
)

// Sample is how much went through in the minute before a time.
type Sample struct {
	At time.Time
	Rates
}

// History is how much went through in the last quarter of an hour, as far as this process has seen it: it begins with the process. It is
// safe for concurrent use.
type History struct {
	mu      sync.Mutex
	samples []Sample
}

// Run looks until ctx ends, and returns its error. Where NATS is away there is a gap.
func (h *History) Run(ctx context.Context, js jetstream.JetStream) error {
	tick := time.NewTicker(historyEvery)
	defer tick.Stop()
	for {
		if reports, err := replica.Reports(ctx, js); err == nil {
			if told := RatesOf(reports); told != nil {
				h.add(Sample{time.Now().UTC(), *told})
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *History) add(s Sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.samples = append(h.samples, s)
	for s.At.Sub(h.samples[0].At) > HistoryFor {
		h.samples = h.samples[1:]
	}
}

// Samples are in the order of time.
func (h *History) Samples() []Sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Sample(nil), h.samples...)
}

// RatesOf are the rates of all replicas together; nil where none reports any.
func RatesOf(reports []replica.Report) (all *Rates) {
	var sum replica.Counts
	for _, r := range reports {
		if r.Lately == nil || r.Lately.Seconds <= 0 {
			continue
		}
		if all == nil {
			all = &Rates{}
		}
		all.AcceptedPerSecond += float64(r.Lately.Accepted) / r.Lately.Seconds
		all.NotDurable += r.Lately.NotDurable
		all.FinalPerSecond += float64(r.Lately.Final) / r.Lately.Seconds
		sum = sum.Plus(r.Lately.Counts)
	}
	if all != nil {
		all.GasPerUpdate = ratio(float64(sum.Gas), float64(sum.Final))
		if sum.Fees > 0 { // else no relayer tells
			all.GasPriceGwei = ratio(sum.Fees*1e9, float64(sum.Gas))
		}
		all.BlockFill = ratio(float64(sum.BlockGas), float64(sum.BlockLimit))
	}
	return all
}

// ratio is nil of nothing.
func ratio(part, whole float64) *float64 {
	if whole <= 0 {
		return nil
	}
	part /= whole
	return &part
}
