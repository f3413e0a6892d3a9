package overview

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/store/kv"
)

const (
	sharedFor   = time.Second      // maximum age
	lookTimeout = 30 * time.Second // covers dead servers of a cluster
)

// Shared caches Look for a second. It is safe for concurrent use.
type Shared struct {
	look func(context.Context) (*Document, error)
	turn chan struct{} // a mutex with a context: its token allows to look and to use the other fields
	at   time.Time     // end of the last look
	last *Document
	err  error
}

func NewShared(d *Deployment) *Shared { return newShared(d.Look) }

func newShared(look func(context.Context) (*Document, error)) *Shared {
	s := &Shared{look: look, turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Look returns the result of Deployment.Look, at most a second old. Concurrent callers wait for the same look. Errors
// are cached too: otherwise callers would wait one after another while NATS is down. A look outlives its request.
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

// Extent and interval of History. A rate covers a minute.
const (
	HistoryFor   = 15 * time.Minute
	historyEvery = 15 * time.Second
)

// Sample holds the rates of the minute before At.
type Sample struct {
	At time.Time
	Rates
}

// History keeps the rates of the last HistoryFor. It is safe for concurrent use.
type History struct {
	mu      sync.Mutex
	samples []Sample
}

// Run samples rates until ctx ends. It skips samples while NATS is down.
func (h *History) Run(ctx context.Context, js jetstream.JetStream) error {
	tick := time.NewTicker(historyEvery)
	defer tick.Stop()
	for {
		if reports, err := kv.Reports(ctx, js); err == nil {
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

// Samples returns the samples in order of time.
func (h *History) Samples() []Sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Sample(nil), h.samples...)
}

// RatesOf returns the rates of all replicas together, nil if all lack them.
func RatesOf(reports []kv.Report) (all *Rates) {
	var sum kv.Counts
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
		if sum.Fees > 0 { // 0 if fees are unreported
			all.GasPriceGwei = ratio(sum.Fees*1e9, float64(sum.Gas))
		}
		all.BlockFill = ratio(float64(sum.BlockGas), float64(sum.BlockLimit))
	}
	return all
}

// ratio returns nil if whole is 0.
func ratio(part, whole float64) *float64 {
	if whole <= 0 {
		return nil
	}
	part /= whole
	return &part
}
