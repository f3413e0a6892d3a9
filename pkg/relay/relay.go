package relay

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

type Config struct {
	FirstLanes  int // number of lanes at the deployment's start, which share its buckets
	ChainID     uint64
	Contract    common.Address
	DeployBlock uint64        // the contract's first block
	Replica     string        // this process's name in journals
	CallTimeout time.Duration // of a call to the chain or a store. Default 15 s
	// how old a confirmation of the chain's head may be when a lane assigns work. Default 20 s
	StaleAfter time.Duration
	Limits     batch.Limits
	Horizon    batch.HorizonLimits // Default batch.DefaultHorizon
	// gas rules that the chain may follow, the cheapest first. Default registry.AllGasRules
	Gas           []registry.GasRules
	Rules         lane.Rules
	SnapshotEvery int           // journal entries between snapshots. Default 256
	AuditHorizon  time.Duration // of final updates in the stream. Default 7 days
	PurgeInterval time.Duration // of the stream. Default 10 min
	PassEvery     time.Duration // how often floors rise over positions of other lanes. Default 1 min
	// final blocks from an empty lane's last settled slot until it is gone. Default 256
	GoneAfter    uint64
	BalanceAlarm time.Duration    // warn if a signer's balance lasts less than this; 0: off
	Now          func() time.Time // Default time.Now
}

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&c.CallTimeout, 15*time.Second)
	set(&c.StaleAfter, 20*time.Second)
	set(&c.AuditHorizon, 7*24*time.Hour)
	set(&c.PurgeInterval, 10*time.Minute)
	set(&c.PassEvery, time.Minute)
	if c.Horizon == (batch.HorizonLimits{}) {
		c.Horizon = batch.DefaultHorizon()
	}
	if len(c.Gas) == 0 {
		c.Gas = registry.AllGasRules()
	}
	if c.GoneAfter == 0 {
		c.GoneAfter = 256
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = 256
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

type Deps struct {
	Heads    *heads.Tracker // the caller runs it
	Chain    Chain
	Source   Source
	Journal  Journal
	Leases   Leases
	Statuses Statuses
	Backlogs Backlogs // nil: off
	Halt     Halt
	Paused   func(score.Lane) bool // whether an operator paused the lane; nil: never
	Roster   Roster
	Board    Board
	// PausedProjects returns the projects that an operator paused; nil: none.
	PausedProjects func() map[score.ProjectID]bool
	// Signer returns the signer of an address; false while its key is missing here.
	Signer  func(common.Address) (Signer, bool)
	Tracer  trace.Tracer // continues the API's traces and samples all of them; nil: off
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

type Relayer struct {
	deps    Deps
	config  Config
	metrics *metrics
	funds   sync.Map // *funds by score.Lane

	bytesGas atomic.Uint64 // gas.learnt of all lanes, since they share the chain
}

func New(config Config, deps Deps) (*Relayer, error) {
	config = config.withDefaults()
	if config.FirstLanes < 1 {
		return nil, errors.New("a deployment begins with at least one lane")
	}
	if _, err := batch.NewHorizon(config.Gas[0].Batch, config.Limits, config.Horizon); err != nil {
		return nil, err
	}
	return &Relayer{deps: deps, config: config, metrics: newMetrics(deps.Metrics)}, nil
}

// Run drives lanes until the context ends. Assigned updates stay in the journals for the next sessions.
func (r *Relayer) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running.Go(func() { r.purger().run(ctx, r.config.PurgeInterval) })
	running.Go(func() { r.showLanes(ctx) })
	return r.deps.Leases.Run(ctx, r.shares, r.drive)
}

const (
	pauseAfterLoss    = 500 * time.Millisecond
	pauseAfterFailure = 2 * time.Second
	pauseAfterCorrupt = 30 * time.Second
)

// drive runs sessions of a lane while its lease is held, until the lane is gone.
func (r *Relayer) drive(ctx context.Context, id score.Lane) {
	log := r.deps.Log.With("lane", id)
	log.Info("the relayer drives the lane")
	r.metrics.driven.Inc()
	defer r.metrics.driven.Dec()
	for ctx.Err() == nil && !r.isGone(id) {
		err := r.session(ctx, id, log)
		wait := pauseAfterFailure
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, lane.ErrCorrupt), errors.Is(err, lane.ErrUnreadable), errors.Is(err, errIdentity), errors.Is(err, errLost),
			errors.Is(err, score.ErrNewer):
			wait = pauseAfterCorrupt
			r.metrics.wait(id, lane.WaitJournal)
			log.Error("the lane halts until an operator looks; the relayer opens it again later all the same", "err", err, "again_in", wait)
		case errors.Is(err, errNoKey):
			r.metrics.wait(id, lane.WaitSigner)
			log.Warn("the relayer has no key for the lane that it shall drive; it tries again", "err", err, "again_in", wait)
		case errors.Is(err, errCut):
			wait = pauseAfterLoss
			log.Info("the lane was cut; the relayer opens it without its key")
		case errors.Is(err, errAbandoned):
			wait = pauseAfterLoss
			log.Warn("an operator declared the lane dead; its open slots are given up, and other lanes bind their work again")
		case errors.Is(err, lane.ErrFenced):
			wait = pauseAfterLoss
			log.Info("another replica or an operator wrote to the lane's journal; the relayer reads it again", "err", err)
		default:
			r.metrics.wait(id, lane.WaitStream) // all other errors are NATS's
			log.Warn("the lane's session ended; the relayer opens the lane again from its journal", "err", err, "again_in", wait)
		}
		r.metrics.sessionEnds.Inc()
		_ = retry.Sleep(ctx, wait)
	}
	r.metrics.forget(id)
	r.metrics.told.forget(id)
	log.Info("the relayer no longer drives the lane; what is in flight is in its journal")
}

func (r *Relayer) session(ctx context.Context, id score.Lane, log *slog.Logger) error {
	ctx, cancel := r.untilCut(ctx, id)
	defer cancel()
	s, err := r.open(ctx, id, log)
	if err == nil {
		err = s.run(ctx, r.deps.Source)
	}
	if errors.Is(context.Cause(ctx), errCut) {
		return errCut // err may be a failure that the cut caused
	}
	return err
}

// maxLetters bounds the dead letters stored in one call. A call stores many, since the lane waits, and one letter
// takes about a millisecond by itself. But even a slow disk must meet the deadline.
const maxLetters = 500

// deadLetter stores and counts dead letters; repeating it is harmless.
func (r *Relayer) deadLetter(ctx context.Context, letters []score.DeadLetter) error {
	for some := range slices.Chunk(letters, maxLetters) {
		limited, cancel := context.WithTimeout(ctx, r.config.CallTimeout)
		err := r.deps.Source.AddDeadLetters(limited, some)
		cancel()
		if err != nil {
			return err
		}
		for i := range some {
			r.metrics.deadLettered(&some[i])
		}
	}
	return nil
}
