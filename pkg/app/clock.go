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

// How the clock is compared.
const (
	clockLook    = 30 * time.Second // between two looks
	clockTimeout = 5 * time.Second  // of each question
	clockBlocks  = 16               // how many new blocks tell how old blocks are as they are seen first
)

// Whose clock the API's is compared with; the labels of scorelay_api_clock_ahead_seconds.
const (
	clockOfNATS  = "nats"
	clockOfChain = "chain"
)

// clock compares the API's clock, by which it judges how fresh a signature is, with those of NATS and of the chain. It only tells: a
// clock that is wrong refuses the signatures of callers whose clocks are right, but no process knows which of two is.
type clock struct {
	now    func() time.Time
	stream func(context.Context) (time.Time, error)
	head   func(context.Context) (evidence.Block, error)
	bound  time.Duration // how far off is told
	log    *slog.Logger
	ahead  *prometheus.GaugeVec

	newest uint64          // the last block that was seen
	ages   []time.Duration // of the latest new blocks, when they were seen first
	told   map[string]bool // whose clock is known to differ
}

// newClock compares a clock by which signatures of this freshness are judged: a difference is told from a third of the smaller of its
// bounds on.
func newClock(fresh wallet.Freshness, log *slog.Logger, reg prometheus.Registerer) *clock {
	return &clock{
		now: time.Now, bound: max(min(fresh.Past, fresh.Ahead)/3, time.Second), log: log, told: map[string]bool{},
		ahead: promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_api_clock_ahead_seconds", Help: "How far the API's clock is ahead of that of: nats (the stream's leader), chain (less than 0: its newest block is of the future; more: how old new blocks are at least when they are seen). Negative: behind.",
		}, []string{"of"}),
	}
}

// look compares once. Who does not answer is left as it was: others tell that.
func (c *clock) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*clockTimeout)
	defer cancel()
	c.lookAtStream(ctx)
	c.lookAtChain(ctx)
}

// lookAtStream takes the middle between question and answer for when the server looked at its clock, which may be wrong by
// half the time between them.
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

// lookAtChain takes a block of the future for what it is, and of all other blocks only the youngest of those that were new: a
// block is late by itself, by as much as it takes to be made, told and looked at, which is less for one than for another.
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
	if head.Number == c.newest { // it was seen before, so its age says nothing
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
		c.tell(clockOfChain, youngest, clockLook) // a chain that makes few blocks is seen late by so much
	}
}

// tell says once that two clocks differ by more than the bound and what is uncertain, and once that they no longer do.
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
