package relay

import (
	"math"
	"math/big"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// funds is how long a signer's balance lasts, as observed by this process.
type funds struct {
	mu       sync.Mutex
	forecast lane.Forecast
	seen     evidence.Ref // the block of the balance
	dry      bool
	lacks    *big.Int // wei
	low      bool     // was logged
}

func (r *Relayer) fundsOf(id score.Lane) *funds {
	f, _ := r.funds.LoadOrStore(id, &funds{})
	return f.(*funds)
}

// Lasts returns for how many seconds the balance of a lane's signer lasts at its recent decrease: +Inf if constant, 0
// while the lane waits for funds. known is false for the first five minutes.
func (r *Relayer) Lasts(id score.Lane) (seconds float64, known bool) { return r.fundsOf(id).lasts() }

func (f *funds) lasts() (seconds float64, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dry {
		return 0, true
	}
	return f.forecast.Lasts()
}

// Lacks returns by how much, in wei, the signer's balance is below the most that the lane's next transaction and all
// in flight may cost. It is 0 unless the lane waits for funds and the amount is known.
func (r *Relayer) Lacks(id score.Lane) *big.Int {
	f := r.fundsOf(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.dry {
		return new(big.Int)
	}
	return f.lacks
}

// see records a balance. need is the balance, in wei, that would end waiting for funds (dry); nil if unknown.
func (f *funds) see(account evidence.Account, now time.Time, dry bool, need *big.Int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lacks = new(big.Int).Sub(orZero(need), account.Balance); f.lacks.Sign() < 0 {
		f.lacks.SetInt64(0)
	}
	if f.dry = dry; account.At != f.seen {
		f.seen = account.At
		f.forecast.See(account.Balance, now)
	}
}

// sound reports whether to log now that the balance lasts less than alarm: once, until it lasts a quarter longer than
// alarm; 0: never. perDay is the decrease in wei per day.
func (f *funds) sound(alarm time.Duration) (perDay float64, low bool) {
	lasts, known := f.lasts()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !known || alarm == 0:
		return 0, false
	case lasts > 1.25*alarm.Seconds():
		f.low = false
	}
	if f.low || f.dry || lasts >= alarm.Seconds() { // waiting.set logs that the lane waits for funds
		return 0, false
	}
	f.low = true
	rate, _ := f.forecast.Rate()
	return rate * (24 * time.Hour).Seconds(), true
}

func (s *session) showFunds(account evidence.Account) {
	id := label(s.id)
	s.metrics.balance.WithLabelValues(id).Set(ether(account.Balance))
	s.funds.see(account, s.config.Now(), s.waiting.reason == lane.WaitFunds, s.waiting.need)
	lasts, known := s.funds.lasts()
	if known {
		s.metrics.lasts.WithLabelValues(id).Set(lasts)
	}
	if perDay, low := s.funds.sound(s.config.BalanceAlarm); low {
		s.log.Warn("the balance of the lane's signer does not last for long; fund it", "signer", s.waiting.signer, "balance_wei", account.Balance,
			"lasts", (time.Duration(lasts) * time.Second).String(), "spends_wei_per_day", math.Round(perDay))
	}
}
