package heads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const staleAfter = 15 * time.Second

// Tracker follows the chain for a process's lanes and for the ledger. It is safe for concurrent use.
type Tracker struct {
	chain   Chain
	config  Config
	log     *slog.Logger
	metrics *metrics

	// Owned by the current round, which holds the mutex rounds.
	rounds    sync.Mutex
	count     uint64
	claims    []evidence.Claim // of this round, best first
	missed    []evidence.Claim // last claims of silent endpoints
	heard     heard
	tagHeard  heard              // endpoints' finalized blocks
	holders   map[string]bool    // endpoints that had the head as their latest
	setbacks  map[string]setback // endpoints with unlinkable claims
	silent    map[string]*silence
	checkedAt time.Time // last addition of a Checked block
	grewAt    time.Time // last addition
	lostSince time.Time // since when all responding endpoints lack our head; zero: one has it
	offer     offer
	tagAsked  time.Time
	tagHead   uint64 // head at tagAsked
	held      holdback
	tag       tagWatch
	skeleton  skeleton
	priceAt   evidence.Ref // head at the last read of the price
	priceTime time.Time
	findRound uint64 // the next round that may call Find
	findTries uint64
	needed    uint64 // lowest block that a search needs, or math.MaxUint64

	// Shared with callers under mu. Only rounds write recent and final, so rounds read them without mu.
	mu      sync.Mutex
	recent  recentBlocks
	final   evidence.Block // Hash zero: none
	changed chan struct{}
	shown   time.Time // when an endpoint last had the head as its latest
	failure error
	answers []string // endpoints' newest blocks, as text
	price   evidence.Price
	rest    rest
	subs    []*Subscription // in the order of Subscribe
	txs     map[common.Hash]*watchedTx
	proven  map[common.Hash]uint64 // heights, by hash, of blocks with a list of transactions verified since they came
	unseen  uint64                 // new watches must be matched with the blocks from here on; math.MaxUint64: none
}

// New returns a Tracker; Run or Round makes it follow.
func New(config Config, chain Chain, log *slog.Logger, reg prometheus.Registerer) *Tracker {
	t := &Tracker{
		chain: chain, config: config.withDefaults(), log: log, metrics: newMetrics(reg),
		holders: map[string]bool{}, setbacks: map[string]setback{}, silent: map[string]*silence{}, heard: heard{}, tagHeard: heard{},
		changed: make(chan struct{}), txs: map[common.Hash]*watchedTx{}, proven: map[common.Hash]uint64{}, unseen: none, needed: none,
		rest: rest{wake: make(chan struct{}, 1), span: peekSpan},
	}
	t.Stir()
	return t
}

// Run follows the chain until ctx ends, and rests while the chain is idle.
func (t *Tracker) Run(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		pause, err := t.turn(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil && !failing:
			failing = true
			t.log.Warn("couldn't follow the chain; lanes keep what they know and it is tried again", "err", err)
		case err == nil && failing:
			failing = false
			head, _ := t.Head()
			t.log.Info("following the chain again", "block", head.Number)
		}
		select {
		case <-ctx.Done():
		case <-t.rest.wake:
		case <-time.After(pause):
		}
	}
}

// Round looks for a new head and publishes Views. Reads that succeeded before an error still count.
func (t *Tracker) Round(ctx context.Context) error {
	t.rounds.Lock()
	defer t.rounds.Unlock()
	t.count++
	err := t.round(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failure, t.answers = err, nil
	for _, c := range t.claims {
		t.answers = append(t.answers, fmt.Sprintf("%s is at block %d", c.Endpoint, c.Block.Number))
	}
	return err
}

func (t *Tracker) round(ctx context.Context) error {
	t.claims, t.needed = nil, none
	ask, cancel := t.call(ctx)
	claims, err := t.chain.Latest(ask)
	cancel()
	if err == nil && len(claims) == 0 {
		err = errors.New("no endpoint answers")
	}
	if err != nil {
		t.lostSince = time.Time{}
		return fmt.Errorf("couldn't read the newest block: %w", err)
	}
	t.claims = slices.SortedStableFunc(slices.Values(claims), func(a, b evidence.Claim) int {
		if a.Block.Checked != b.Block.Checked {
			if a.Block.Checked {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Block.Number, a.Block.Number)
	})
	t.missed = t.heard.missed(t.claims, t.config.Now())
	head, _ := t.Head()
	final, _ := t.Final()
	errs := []error{t.follow(ctx)}
	if t.recent.empty() {
		return errors.Join(errs...)
	}
	t.confirm()
	errs = append(errs, t.finalize(ctx))
	t.announce(head.Hash, final.Hash)
	t.matchUnseen()
	errs = append(errs, t.search(ctx), t.learn(ctx), t.checkSettled(ctx))
	t.trim()
	t.publish()
	return errors.Join(errs...)
}

func (t *Tracker) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, t.config.CallTimeout)
}

func (t *Tracker) confirm() {
	head := t.recent.head()
	for _, c := range t.claims {
		if _, ok := t.setbacks[c.Endpoint]; ok && t.recent.kept(c.Block.Ref()) {
			t.reckon(c, nil, true)
		}
		if c.Block.Hash == head.Hash {
			t.holders[c.Endpoint] = true
			t.mu.Lock()
			t.shown = t.config.Now()
			t.mu.Unlock()
		}
		if c.Block.Number <= head.Number {
			t.metrics.lag.WithLabelValues(c.Endpoint).Set(float64(head.Number - c.Block.Number))
		}
	}
}

func (t *Tracker) announce(head, final common.Hash) {
	t.metrics.head.Set(float64(t.recent.head().Number))
	t.metrics.final.Set(float64(t.final.Number))
	t.metrics.finalAt.Set(float64(t.final.Time))
	if t.recent.head().Hash == head && t.final.Hash == final {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.changed)
	t.changed = make(chan struct{})
}

// Head returns the newest block; ok is false before the first.
func (t *Tracker) Head() (b evidence.Block, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.recent.empty() {
		return evidence.Block{}, false
	}
	return *t.recent.head(), true
}

// Final returns the newest final block; ok is false before the first.
func (t *Tracker) Final() (b evidence.Block, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.final, t.final.Hash != common.Hash{}
}

// Block returns the chain's block at a height, if it is remembered or the final one.
func (t *Tracker) Block(number uint64) (b evidence.Block, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := t.recent.at(number); at != nil {
		return *at, true
	}
	if t.final.Hash != (common.Hash{}) && t.final.Number == number {
		return t.final, true
	}
	return evidence.Block{}, false
}

// Changed returns a channel that is closed when head or final block change.
func (t *Tracker) Changed() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// Filled returns the gas used in all blocks followed so far, and their gas limits.
func (t *Tracker) Filled() (used, limit uint64) { return t.metrics.used.Load(), t.metrics.limit.Load() }

// Fresh returns nil if an endpoint lately had the head as its newest block. Otherwise the error contains the
// endpoints' newest blocks.
func (t *Tracker) Fresh() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.recent.empty() {
		if t.failure != nil {
			return fmt.Errorf("no endpoint of the chain has shown its newest block yet: %w", t.failure)
		}
		return errors.New("no endpoint of the chain has shown its newest block yet")
	}
	shown, bound := t.shown, max(staleAfter, 4*t.config.PollInterval)
	if t.rest.shown.After(shown) {
		shown, bound = t.rest.shown, bound+restLook
	}
	age := t.config.Now().Sub(shown)
	if age <= bound {
		return nil
	}
	err := fmt.Errorf("block %d, the newest that was followed, was last an endpoint's newest %s ago; now %s",
		t.recent.head().Number, age.Round(time.Second), cmp.Or(strings.Join(t.answers, ", "), "none answers"))
	if t.failure != nil {
		err = fmt.Errorf("%w: %w", err, t.failure)
	}
	return err
}
