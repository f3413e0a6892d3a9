package topup

import (
	"context"
	"log/slog"
	"math/big"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// Config of top-ups. Amounts are in wei.
type Config struct {
	Below, To   *big.Int     // a signer that has less than Below is paid up to To
	PerDay      *big.Int     // what may be paid on a UTC day, fees included
	Fees        lane.FeeRule // bounds of a transfer's fee
	BumpBlocks  uint64       // blocks after which a transfer that is in none gets a higher fee
	ChainID     uint64
	Every       time.Duration // how often to look, and to send again what is in no block. Default 10 s
	CallTimeout time.Duration // of one question to the chain, the signer or NATS. Default 15 s
}

// Deps are the outside systems.
type Deps struct {
	Heads  *heads.Tracker // its Run is the caller's
	Chain  Chain
	Store  Store
	Roster Roster
	Signer Signer                // of the account that pays
	Halted func() bool           // whether NATS went back in time: nothing new is paid
	Paused func(score.Lane) bool // whether an operator paused a lane: its signer is paid nothing new
	// Trusted tells whether an account has the relayer role on the contract: what NATS says of lanes is not enough to be paid.
	Trusted func(context.Context, common.Address) (bool, error)
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Chain is what is asked of the chain beside the tracker.
type Chain interface {
	// Read reads accounts in the state of a block. What is missing in the answer was not learnt.
	Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error)
	// Send broadcasts raw transactions to all endpoints and returns one result each. Errors are results.
	Send(ctx context.Context, raw [][]byte) []txpool.Result
}

// Store keeps the record.
type Store interface {
	// Get reads the record and its revision; the zero Record and 0 where there is none. Errors: Record.Check's, or NATS's.
	Get(ctx context.Context) (Record, uint64, error)
	// Put replaces what a revision holds, 0 for nothing. After an error it may be stored or not.
	Put(ctx context.Context, r Record, revision uint64) (uint64, error)
}

// Roster tells which lanes there are.
type Roster interface {
	Current() (roster.Roster, <-chan struct{})
}

// Signer signs with the key of the account that pays.
type Signer interface {
	Address() common.Address
	Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error)
}

// TopUp pays. Only Run's goroutine touches it, but for what Told tells.
type TopUp struct {
	config  Config
	deps    Deps
	metrics *metrics
	told    told

	record   Record
	revision uint64 // of record, as it was read or written
	sub      *heads.Subscription
	view     *evidence.View // nil before the first since the record changed

	begun    evidence.Account // the account in a final block, as the first nonce is taken from it
	agreed   int              // final blocks in a row that showed it so
	pricedAt uint64           // block at which the newest attempt was first seen here; 0: not yet
	refused  txpool.Class     // how it was refused for certain; Added where it was not
}

// New makes it; Run does the rest.
func New(config Config, deps Deps) *TopUp {
	if config.Every == 0 {
		config.Every = 10 * time.Second
	}
	if config.CallTimeout == 0 {
		config.CallTimeout = 15 * time.Second
	}
	t := &TopUp{config: config, deps: deps, metrics: newMetrics(deps.Metrics)}
	t.metrics.perDay.Set(ether(config.PerDay))
	if deps.Signer != nil {
		t.told.told = Told{Account: deps.Signer.Address(), Spent: new(big.Int), PerDay: config.PerDay, Wait: WaitChain, Since: time.Now()}
	}
	return t
}

// Run looks, pays and sends until ctx ends, and returns its error.
func (t *TopUp) Run(ctx context.Context) error {
	defer func() {
		if t.sub != nil {
			t.sub.Close()
		}
	}()
	for {
		t.round(ctx)
		if err := retry.Sleep(ctx, t.config.Every); err != nil {
			return err
		}
	}
}

// round reads the record, does the next thing, and shows what is in the way.
func (t *TopUp) round(ctx context.Context) {
	call, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	record, revision, err := t.deps.Store.Get(call)
	cancel()
	why := because(WaitRecord, "err", err)
	if err == nil {
		if t.sub == nil || revision != t.revision {
			t.follow(record.Of(t.deps.Signer.Address()), revision)
		}
		why = t.next(ctx)
		t.sub.Works(why.wait != WaitNone && why.wait != WaitStopped && why.wait != WaitAccount)
	}
	if ctx.Err() == nil {
		t.say(why)
	}
}

// next does what the record and the newest view ask for.
func (t *TopUp) next(ctx context.Context) reason {
	select {
	case v := <-t.sub.Views():
		t.view = &v
	default:
	}
	known, _ := t.deps.Roster.Current()
	own, isLane := known.BySigner(t.deps.Signer.Address())
	switch v := t.view; {
	case t.record.Stopped != "":
		return because(WaitStopped, "stopped", t.record.Stopped)
	case t.record.pending() != nil && t.record.Account != t.deps.Signer.Address():
		return because(WaitAccount, "of", t.record.Account)
	case isLane: // whose journal has its nonces
		return because(WaitAccount, "lane", own.ID)
	case v == nil || !v.HasAccount() || !v.Priced() || v.Final == evidence.Ref{}:
		return because(WaitChain)
	case t.record.pending() != nil:
		return t.push(ctx)
	case v.Old: // no lane needed anything before the tracker rested, or the next view is awaited
		return because(WaitNone)
	}
	return t.pay(ctx)
}

// follow takes a record as it is stored, and has the tracker look for what it holds. What was seen before says nothing of it.
func (t *TopUp) follow(r Record, revision uint64) {
	if t.sub != nil {
		t.sub.Close()
	}
	t.record, t.revision, t.view = r, revision, nil
	t.begun, t.agreed = evidence.Account{}, 0
	t.pricedAt, t.refused = 0, txpool.Added
	tr := r.Transfer
	if tr == nil || r.Account != t.deps.Signer.Address() {
		t.sub = t.deps.Heads.Subscribe(t.deps.Signer.Address(), unknown)
		return
	}
	t.sub = t.deps.Heads.Subscribe(r.Account, tr.nonce()+1)
	if tr.Ended != nil {
		t.sub.Settled(tr.nonce(), tr.last().Hash(), *tr.Ended, tr.nonce())
		return
	}
	t.sub.Busy(true)
	for _, tx := range tr.attempts {
		t.sub.Watch(tr.nonce(), tx.Hash(), tr.Since)
	}
}

// put stores another record in place of the one that is known. Where that fails, or is unclear, nothing is sent, and the next round reads
// what is stored.
func (t *TopUp) put(ctx context.Context, next Record) error {
	next.Version, next.Account = Version, t.deps.Signer.Address()
	if err := next.Check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	revision, err := t.deps.Store.Put(ctx, next, t.revision)
	if err == nil {
		t.follow(next, revision)
	}
	return err
}

// day is the one that payments count for; "" while nothing is final.
func (t *TopUp) day() string {
	final, ok := t.deps.Heads.Final()
	if !ok {
		return ""
	}
	return time.Unix(int64(final.Time), 0).UTC().Format(time.DateOnly)
}

// needy is the lane whose signer has the least of those that are below the bound. found is false if none is.
func (t *TopUp) needy(ctx context.Context) (of roster.Lane, balance *big.Int, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	known, _ := t.deps.Roster.Current()
	lanes := slices.DeleteFunc(slices.Clone(known.Lanes), func(l roster.Lane) bool {
		return !l.Driven() || l.State == roster.Cut || t.deps.Paused(l.ID) // who cut a lane gives its signer nothing
	})
	ask := evidence.Ask{At: t.view.Head}
	for _, l := range lanes {
		ask.Accounts = append(ask.Accounts, l.Signer)
	}
	answer, err := t.deps.Chain.Read(ctx, ask)
	if err != nil {
		return of, nil, false, err
	}
	for _, l := range lanes {
		account, learnt := answer.Accounts[l.Signer]
		if !learnt || account.Balance.Cmp(t.config.Below) >= 0 || found && account.Balance.Cmp(balance) >= 0 {
			continue
		}
		trusted, err := t.deps.Trusted(ctx, l.Signer)
		if err != nil {
			return of, nil, false, err
		}
		if trusted {
			of, balance, found = l, account.Balance, true
		}
	}
	return of, balance, found, nil
}
