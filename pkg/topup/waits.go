package topup

import (
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/score"
)

// Wait is a reason that blocks payments, or would if one were due.
type Wait string

// WaitNone means that payments are possible.
const (
	WaitNone    Wait = ""
	WaitChain   Wait = "chain"
	WaitRecord  Wait = "record"
	WaitHalted  Wait = "halted"
	WaitDay     Wait = "day"
	WaitFunds   Wait = "funds"
	WaitPrice   Wait = "price"
	WaitSigner  Wait = "signer"
	WaitRefused Wait = "refused"
	WaitBlock   Wait = "block"
	WaitForeign Wait = "foreign"
	WaitBehind  Wait = "behind"
	WaitAccount Wait = "account"
	WaitStopped Wait = "stopped"
)

var sentences = map[Wait]string{
	WaitChain:   "no block, account or price was read yet, or the account has transactions that are not final",
	WaitRecord:  "the record of what was paid cannot be read or written",
	WaitHalted:  "accepting halts; decide: scorelay halt show",
	WaitDay:     "the day's ceiling (SCORELAY_TOPUP_PER_DAY_ETHER) leaves too little",
	WaitFunds:   "the account that pays has too little; fund it",
	WaitPrice:   "gas costs more than may be paid",
	WaitSigner:  "the key of the account that pays does not sign",
	WaitRefused: "nodes refuse the transfer; see the relayer's log",
	WaitBlock:   "a transfer is in no block for long; if its nonce is above the account's, see the runbook",
	WaitForeign: "another program seems to use the nonces of the account that pays",
	WaitBehind:  "the chain shows fewer transactions of the account that pays than were final",
	WaitAccount: "a transfer of another account is open, or the account is a lane's signer",
	WaitStopped: "a person has to look; then: scorelay topup resume",
}

// Waits returns all reasons except WaitNone.
func Waits() []Wait {
	return []Wait{
		WaitChain, WaitRecord, WaitHalted, WaitDay, WaitFunds, WaitPrice, WaitSigner, WaitRefused, WaitBlock, WaitForeign, WaitBehind, WaitAccount, WaitStopped,
	}
}

// Sentence explains the reason to people; empty for WaitNone and unknown reasons.
func (w Wait) Sentence() string { return sentences[w] }

type reason struct {
	wait    Wait
	numbers []any
}

func because(w Wait, numbers ...any) reason { return reason{w, numbers} }

type Told struct {
	Account common.Address
	Balance *big.Int    // wei; nil: unknown
	Spent   *big.Int    // wei, on this UTC day
	PerDay  *big.Int    // wei
	Lane    *score.Lane // of the pending transfer, if any
	Wait    Wait
	Since   time.Time // of Wait
	Stopped string    // why an operator must act; a sentence
}

type told struct {
	mu     sync.Mutex
	told   Told
	logged bool
}

// Told returns the last round's state. It is safe for concurrent use.
func (t *TopUp) Told() Told {
	t.told.mu.Lock()
	defer t.told.mu.Unlock()
	return t.told.told
}

// say publishes a round's state, and logs its reason once, in the reason's second round.
func (t *TopUp) say(why reason) {
	t.told.mu.Lock()
	defer t.told.mu.Unlock()
	now := Told{
		Account: t.deps.Signer.Address(), Spent: t.record.spent(t.day()), PerDay: t.config.PerDay,
		Wait: why.wait, Since: t.told.told.Since, Stopped: t.record.Stopped,
	}
	if now.Balance = t.told.told.Balance; t.view != nil {
		now.Balance = t.view.Account.Balance
	}
	if p := t.record.pending(); p != nil {
		now.Lane = &p.Lane
	}
	switch same := t.told.told.Wait == why.wait; {
	case !same || now.Since.IsZero():
		now.Since, t.told.logged = time.Now(), false
	case why.wait != WaitNone && !t.told.logged:
		t.told.logged = true
		t.deps.Log.Warn("no lane's signer is topped up; the relayer keeps looking",
			append([]any{"reason", why.wait, "why", why.wait.Sentence(), "account", now.Account}, why.numbers...)...)
	}
	t.told.told = now
	t.metrics.show(&now)
}

type metrics struct {
	waiting *prometheus.GaugeVec
	balance prometheus.Gauge
	spent   prometheus.Gauge
	perDay  prometheus.Gauge
	ended   prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "scorelay_topup_waiting", Help: "1 while this relayer tops no lane's signer up for this reason, or would not.",
		}, []string{"reason"}),
		balance: gauge("scorelay_topup_balance_ether", "Balance of the account that tops lanes' signers up, ether."),
		spent:   gauge("scorelay_topup_spent_ether", "What counts for the day's ceiling on this UTC day: values and most fees of top-ups, ether."),
		perDay:  gauge("scorelay_topup_per_day_ether", "The day's ceiling of top-ups, ether."),
		ended: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "scorelay_topup_transfers_total", Help: "Top-ups of which this relayer recorded that they are in a final block.",
		}),
	}
	reg.MustRegister(m.waiting, m.balance, m.spent, m.perDay, m.ended)
	return m
}

func (m *metrics) show(now *Told) {
	for _, w := range Waits() {
		value := 0.0
		if w == now.Wait {
			value = 1
		}
		m.waiting.WithLabelValues(string(w)).Set(value)
	}
	if now.Balance != nil {
		m.balance.Set(ether(now.Balance))
	}
	m.spent.Set(ether(now.Spent))
}

func ether(wei *big.Int) float64 {
	f, _ := new(big.Float).Quo(new(big.Float).SetInt(wei), big.NewFloat(1e18)).Float64()
	return f
}
