package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Lease is the name of the lease under which one relayer delivers.
const Lease = "webhooks"

// Defaults of a Deliverer.
const (
	defaultGiveUp     = 24 * time.Hour
	defaultFirstPause = time.Second
	defaultSaveEvery  = 500 * time.Millisecond
	defaultTryAgain   = 2 * time.Second

	maxPause  = 10 * time.Minute
	pageLimit = 64 // events in memory for an endpoint, or as many as it wants in one POST
)

// Events reads what became final, as event.Reader does.
type Events interface {
	Next(ctx context.Context, project score.ProjectID, after event.Cursor, limit int) ([]event.Event, event.Cursor, error)
	Since(ctx context.Context, at time.Time) (event.Cursor, error)
	Find(ctx context.Context, project score.ProjectID, id string) (event.Event, error)
}

// Config of a Deliverer.
type Config struct {
	Store   *Store
	Allow   []netip.Prefix // networks that are no public ones, and may be reached, also by http://
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: none

	GiveUp     time.Duration // after so long without a 2xx an endpoint is disabled; 0 means a day
	FirstPause time.Duration // after a POST that failed; later ones double, to ten minutes. 0 means a second
	SaveEvery  time.Duration // how long a cursor may wait to be written; 0 means half a second
	TryAgain   time.Duration // the pause after what NATS or the chain did not answer; 0 means two seconds
}

// Deliverer sends events to endpoints.
type Deliverer struct {
	Config

	events  Events
	view    func() *watched.View[*known] // of Watch
	poster  *poster
	metrics *metrics
}

// New makes a Deliverer; Watch and Run do the rest.
func New(c Config) *Deliverer {
	c.GiveUp, c.FirstPause = cmp.Or(c.GiveUp, defaultGiveUp), cmp.Or(c.FirstPause, defaultFirstPause)
	c.SaveEvery, c.TryAgain = cmp.Or(c.SaveEvery, defaultSaveEvery), cmp.Or(c.TryAgain, defaultTryAgain)
	d := &Deliverer{Config: c, poster: newPoster(c.Allow), metrics: newMetrics(c.Metrics)}
	d.view = sync.OnceValue(d.newView)
	return d
}

func (d *Deliverer) newView() *watched.View[*known] {
	return watched.NewView(d.Store.js.Conn(), d.Store.endpoints, d.Log, func(entry jetstream.KeyValueEntry) (*known, bool) {
		r, err := decode(entry.Key(), entry.Value())
		if err != nil {
			d.Log.Error("the deliverer cannot read the record of a webhook's endpoint, and sends it nothing; remove it and add it again", "endpoint", entry.Key(), "err", err)
			return nil, false
		}
		return &known{*r, entry.Revision()}, true
	})
}

// Watch follows which endpoints there are, in every relayer, so that all tell of endpoints that none delivers to. It returns ctx's error when that ends.
func (d *Deliverer) Watch(ctx context.Context) error {
	var viewing sync.WaitGroup
	defer viewing.Wait()
	viewing.Go(func() { _ = d.view().Run(ctx) })
	for ctx.Err() == nil {
		changed, enabled := d.view().Changed(), 0
		for _, k := range d.view().After("", MaxEndpoints) {
			if k.Disabled == nil {
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

// Run delivers events until ctx ends; a POST that is under way then is finished. It may be called again after that. Watch must be running. The
// caller sees to it that it runs in one relayer at a time, by the lease.
func (d *Deliverer) Run(ctx context.Context, events Events) {
	d.events = events
	d.deliver(ctx)
}

// running is the goroutine of one endpoint.
type running struct {
	of   *known
	stop context.CancelFunc
	done chan struct{}
}

// known is an endpoint as a view knows it.
type known struct {
	record
	revision uint64
}

// deliver runs a goroutine for each endpoint. One whose record changes gets another, when the one before has ended.
func (d *Deliverer) deliver(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	couriers := map[string]*running{}
	for ctx.Err() == nil {
		changed, is := d.view().Changed(), map[string]*known{}
		for _, k := range d.view().After("", MaxEndpoints) {
			is[k.ID] = k
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

// start starts the goroutine of an endpoint, behind the one before.
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

// size is how large a page of an endpoint's events is.
func (e *Endpoint) size() int { return max(pageLimit, e.Batch) }
