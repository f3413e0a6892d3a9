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

// Config's amounts are in wei.
type Config struct {
	Below, To   *big.Int     // a signer with less than Below is paid up to To
	PerDay      *big.Int     // maximum per UTC day, fees included
	Fees        lane.FeeRule // bounds of a transfer's fee
	BumpBlocks  uint64       // blocks without inclusion until the fee is raised
	ChainID     uint64
	Every       time.Duration // interval of rounds, and of resends. Default 10 s
	CallTimeout time.Duration // per call to the chain, the signer or NATS. Default 15 s
}

type Deps struct {
	Heads  *heads.Tracker // the caller runs it
	Chain  Chain
	Store  Store
	Roster Roster
	Signer Signer
	Halted func() bool           // reports whether NATS was rolled back, which blocks new payments
	Paused func(score.Lane) bool // reports whether a lane is paused, which blocks new payments to it
	// Trusted reports whether an account has the relayer role on the contract.
	Trusted func(context.Context, common.Address) (bool, error)
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

type Chain interface {
	// Read returns accounts in the state of a block. A missing account is unknown.
	Read(ctx context.Context, ask evidence.Ask) (evidence.Answer, error)
	// Send broadcasts raw transactions to all endpoints and returns one result each, errors included.
	Send(ctx context.Context, raw [][]byte) []txpool.Result
}

type Store interface {
	// Get returns the record and its revision; the zero Record and 0 if there is none. Errors: those of
	// Record.UnmarshalJSON, or NATS's.
	Get(ctx context.Context) (Record, uint64, error)
	// Replace stores r if revision is still the newest (0 for none), and returns r's. After an error r may be stored or
	// not.
	Replace(ctx context.Context, r Record, revision uint64) (uint64, error)
}

type Roster interface {
	Current() (roster.Roster, <-chan struct{})
}

// Signer signs for the paying account.
type Signer interface {
	Address() common.Address
	Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error)
}

// TopUp funds signers. It is owned by Run's goroutine, except for Told.
type TopUp struct {
	config  Config
	deps    Deps
	metrics *metrics
	told    told

	record   Record
	revision uint64
	sub      *heads.Subscription
	view     *evidence.View // nil until the first view after the record changed

	begun    evidence.Account // the account in a final block, for the first nonce
	agreed   int              // final blocks in a row with the same nonce
	pricedAt uint64           // head when this process first saw the newest attempt; 0: not yet
	refused  txpool.Class     // definite refusal of the newest attempt, else Added
}

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

// Run runs rounds until ctx ends, and returns ctx's error.
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
	case isLane:
		return because(WaitAccount, "lane", own.ID)
	case v == nil || !v.HasAccount() || !v.Priced() || v.Final == evidence.Ref{}:
		return because(WaitChain)
	case t.record.pending() != nil:
		return t.push(ctx)
	case v.Old: // the tracker rests, since no signer was short, or a new view is due
		return because(WaitNone)
	}
	return t.pay(ctx)
}

// follow adopts a stored record, and subscribes to its transactions. Earlier views do not apply to it.
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

// put stores next as the record. If that fails, new bytes stay unsent, and the next round reads the stored record.
func (t *TopUp) put(ctx context.Context, next Record) error {
	next.Version, next.Account = Version, t.deps.Signer.Address()
	if err := next.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	revision, err := t.deps.Store.Replace(ctx, next, t.revision)
	if err == nil {
		t.follow(next, revision)
	}
	return err
}

// day returns the UTC day that payments count for, "" until a block is final.
func (t *TopUp) day() string {
	final, ok := t.deps.Heads.Final()
	if !ok {
		return ""
	}
	return time.Unix(int64(final.Time), 0).UTC().Format(time.DateOnly)
}

// needy returns the lane with the lowest balance of a trusted signer below Config.Below. found is false without one.
func (t *TopUp) needy(ctx context.Context) (of roster.Lane, balance *big.Int, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.config.CallTimeout)
	defer cancel()
	known, _ := t.deps.Roster.Current()
	lanes := slices.DeleteFunc(slices.Clone(known.Lanes), func(l roster.Lane) bool {
		return !l.Driven() || l.State == roster.Cut || t.deps.Paused(l.ID) // a cut lane's key is lost
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
