package app

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	clockLook    = 30 * time.Second // between comparisons
	clockTimeout = 5 * time.Second
	clockBlocks  = 16 // number of new blocks from which the usual age of a new block is known
)

// Labels of scorelay_api_clock_ahead_seconds.
const (
	clockOfNATS  = "nats"
	clockOfChain = "chain"
)

// clock compares the API's clock, which decides whether a signature is fresh, with those of NATS and of the chain. A
// process cannot know which of two clocks is wrong, so clock only logs and exports the difference. If the API's clock
// is wrong, the API rejects callers whose clocks are right.
type clock struct {
	now    func() time.Time
	stream func(context.Context) (time.Time, error)
	head   func(context.Context) (evidence.Block, error)
	bound  time.Duration // smallest difference that is logged
	log    *slog.Logger
	ahead  *prometheus.GaugeVec

	newest uint64
	ages   []time.Duration // of the latest new blocks, when first seen
	told   map[string]bool // clocks with a logged difference
}

// newClock returns a clock for signatures of this freshness. It logs a difference above a third of fresh's smaller
// bound.
func newClock(fresh wallet.Freshness, log *slog.Logger, reg prometheus.Registerer) *clock {
	return &clock{
		now: time.Now, bound: max(min(fresh.Past, fresh.Ahead)/3, time.Second), log: log, told: map[string]bool{},
		ahead: promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_api_clock_ahead_seconds", Help: "How far the API's clock is ahead of that of: nats (the stream's leader), chain (less than 0: its newest block is of the future; more: how old new blocks are at least when they are seen). Negative: behind.",
		}, []string{"of"}),
	}
}

// look compares the clocks once. If a clock is unreadable, its last value stays; other checks report the failure.
func (c *clock) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*clockTimeout)
	defer cancel()
	c.lookAtStream(ctx)
	c.lookAtChain(ctx)
}

// lookAtStream assumes that the server read its clock halfway between request and response; half is the uncertainty.
func (c *clock) lookAtStream(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	asked := c.now()
	theirs, err := c.stream(ctx)
	if err != nil {
		return
	}
	half := c.now().Sub(asked) / 2
	ahead := asked.Add(half).Sub(theirs)
	c.ahead.WithLabelValues(clockOfNATS).Set(ahead.Seconds())
	c.tell(clockOfNATS, ahead, half)
}

// lookAtChain uses the age of the head if that is negative, else the least age of the latest new blocks. The least,
// since every block is late, by a varying time to produce, publish and read it.
func (c *clock) lookAtChain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	head, err := c.head(ctx)
	if err != nil {
		return
	}
	age := c.now().Sub(time.Unix(int64(head.Time), 0))
	if age < 0 {
		c.newest, c.ages = head.Number, nil
		c.ahead.WithLabelValues(clockOfChain).Set(age.Seconds())
		c.tell(clockOfChain, age, 0)
		return
	}
	if head.Number == c.newest { // seen before: its age is meaningless
		return
	}
	first := c.newest == 0
	if c.newest = head.Number; first {
		return
	}
	if c.ages = append(c.ages, age); len(c.ages) > clockBlocks {
		c.ages = c.ages[1:]
	}
	youngest := slices.Min(c.ages)
	c.ahead.WithLabelValues(clockOfChain).Set(youngest.Seconds())
	if len(c.ages) == clockBlocks || youngest < c.bound {
		// If blocks are few, a look sees a new one up to clockLook late.
		c.tell(clockOfChain, youngest, clockLook)
	}
}

// tell logs once when two clocks differ by more than the bound plus the uncertainty, and once when they agree again.
func (c *clock) tell(of string, ahead, uncertain time.Duration) {
	differ := ahead.Abs() > c.bound+uncertain
	if differ == c.told[of] {
		return
	}
	c.told[of] = differ
	if differ {
		c.log.Warn("the API's clock and another one differ by more than a third of what the age of a signature may be; signatures that are right by the other are refused from there on, the sooner the more they differ", "of", of, "ahead", ahead, "within", uncertain)
		return
	}
	c.log.Info("the API's clock and the other one agree again", "of", of, "ahead", ahead)
}
