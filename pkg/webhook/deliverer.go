package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

const Lease = "webhooks"

const (
	defaultGiveUp     = 24 * time.Hour
	defaultFirstPause = time.Second
	defaultSaveEvery  = 500 * time.Millisecond
	defaultTryAgain   = 2 * time.Second

	maxPause  = 10 * time.Minute
	pageLimit = 64 // events in memory per endpoint, or one batch if that is larger
)

// Events reads finalized events, as event.Reader does.
type Events interface {
	Next(ctx context.Context, project score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error)
	Since(ctx context.Context, at time.Time) (event.Cursor, error)
	Find(ctx context.Context, project score.ProjectID, id string) (event.Event, error)
}

type Config struct {
	Store   *Store
	Allow   []netip.Prefix // non-public networks that may be reached, also by http://
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: unregistered

	GiveUp     time.Duration // time of failures until an endpoint is disabled. Default 24 h
	FirstPause time.Duration // after a failed POST; doubles up to 10 min. Default 1 s
	SaveEvery  time.Duration // longest delay of a cursor write. Default 500 ms
	TryAgain   time.Duration // pause after an error of NATS or the chain. Default 2 s
}

type Deliverer struct {
	Config

	events  Events
	view    func() *kv.View[*known] // endpoints; Watch keeps it current
	poster  *poster
	metrics *metrics
}

func New(c Config) *Deliverer {
	c.GiveUp, c.FirstPause = cmp.Or(c.GiveUp, defaultGiveUp), cmp.Or(c.FirstPause, defaultFirstPause)
	c.SaveEvery, c.TryAgain = cmp.Or(c.SaveEvery, defaultSaveEvery), cmp.Or(c.TryAgain, defaultTryAgain)
	d := &Deliverer{Config: c, poster: newPoster(c.Allow), metrics: newMetrics(c.Metrics)}
	d.view = sync.OnceValue(d.newView)
	return d
}

func (d *Deliverer) newView() *kv.View[*known] {
	return kv.NewView(d.Store.endpoints, d.Log, func(e kv.Entry[record], err error) (*known, bool) {
		if err = cmp.Or(err, e.Document.check(e.Key)); err != nil {
			d.Log.Error("the deliverer cannot read the record of a webhook's endpoint, and sends it nothing; remove it and add it again", "endpoint", e.Key, "err", err)
			return nil, true
		}
		return &known{e.Document, e.Revision}, true
	})
}

// Watch keeps the endpoints and their metric current until ctx ends; it returns ctx's error. It must run in every
// relayer, so that all report unserved endpoints.
func (d *Deliverer) Watch(ctx context.Context) error {
	var viewing sync.WaitGroup
	defer viewing.Wait()
	viewing.Go(func() { _ = d.view().Run(ctx) })
	for ctx.Err() == nil {
		changed, enabled := d.view().Changed(), 0
		for _, k := range d.view().After("", MaxEndpoints) {
			if k != nil && k.Disabled == nil {
				enabled++
			}
		}
		d.metrics.enabled.Set(float64(enabled))
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	return ctx.Err()
}

// Run delivers events until ctx ends, and then finishes the POSTs in progress. It may be called again afterwards. The
// caller must hold Lease and run Watch.
func (d *Deliverer) Run(ctx context.Context, events Events) {
	d.events = events
	d.deliver(ctx)
}

type running struct {
	of   *known
	stop context.CancelFunc
	done chan struct{}
}

type known struct {
	record
	revision uint64
}

// deliver runs a courier per endpoint. If the record changes, its new courier waits for the old one to end.
func (d *Deliverer) deliver(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	couriers := map[string]*running{}
	select {
	case <-ctx.Done():
	case <-d.view().CaughtUp(): // a copy that lags behind may show removed endpoints, and old secrets
	}
	for ctx.Err() == nil {
		changed, is := d.view().Changed(), map[string]*known{}
		for _, k := range d.view().After("", MaxEndpoints) {
			if k != nil {
				is[k.ID] = k
			}
		}
		for id, r := range couriers {
			if k := is[id]; k == nil || k.revision != r.of.revision {
				r.stop()
			}
			if is[id] == nil {
				delete(couriers, id)
			}
		}
		for id, k := range is {
			if before := couriers[id]; before == nil || before.of.revision != k.revision {
				couriers[id] = d.start(ctx, k, before, &all)
			}
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	for _, r := range couriers {
		r.stop()
	}
}

func (d *Deliverer) start(ctx context.Context, k *known, before *running, all *sync.WaitGroup) *running {
	ctx, stop := context.WithCancel(ctx)
	r := &running{of: k, stop: stop, done: make(chan struct{})}
	all.Go(func() {
		defer close(r.done)
		if before != nil {
			<-before.done
		}
		log := d.Log.With("endpoint", k.ID, "project", k.Project)
		c := &courier{Deliverer: d, record: k.record, log: log, trouble: retry.Trouble{
			Log: log, Works: "the deliverer of a webhook's endpoint continues", Fails: "the deliverer of a webhook's endpoint couldn't continue; trying again",
		}}
		c.run(ctx)
	})
	return r
}

func (e *Endpoint) size() int { return max(pageLimit, e.Batch) }
