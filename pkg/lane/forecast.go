package lane

import (
	"math"
	"math/big"
	"time"
)

const (
	// forecastMemory is the age at which a decrease of the balance has weight 1/e.
	forecastMemory = time.Hour
	forecastLeast  = 5 * time.Minute
)

// Forecast estimates how long a balance lasts at its recent decrease. The decrease includes a rollup's L1 data fee,
// which receipts report in rollup-specific ways or omit. A deposit hides the spending since the last observation. The
// zero value is ready.
type Forecast struct {
	balance   *big.Int // wei
	began, at time.Time
	spent     float64 // wei, weighted by age
	over      float64 // seconds, weighted like spent
}

// See observes a balance, wei. It ignores an observation that is not later than the last.
func (f *Forecast) See(balance *big.Int, at time.Time) {
	if f.balance == nil {
		f.balance, f.began, f.at = balance, at, at
		return
	}
	passed := at.Sub(f.at).Seconds()
	if passed <= 0 {
		return
	}
	memory := forecastMemory.Seconds()
	keep := math.Exp(-passed / memory)
	weight := memory * (1 - keep) / passed // as if it fell evenly meanwhile
	f.spent *= keep
	if fell := new(big.Int).Sub(f.balance, balance); fell.Sign() > 0 {
		wei, _ := new(big.Float).SetInt(fell).Float64()
		f.spent += weight * wei
	}
	f.over = f.over*keep + weight*passed
	f.balance, f.at = balance, at
}

// Rate returns the decrease in wei per second. known is false during the first five minutes.
func (f *Forecast) Rate() (wei float64, known bool) {
	if f.balance == nil || f.at.Sub(f.began) < forecastLeast {
		return 0, false
	}
	return f.spent / f.over, true
}

// Lasts returns the seconds until the balance is used up; infinite at rate 0. known is as in Rate.
func (f *Forecast) Lasts() (seconds float64, known bool) {
	rate, known := f.Rate()
	if !known {
		return 0, false
	}
	if f.balance.Sign() == 0 {
		return 0, true
	}
	balance, _ := new(big.Float).SetInt(f.balance).Float64()
	return balance / rate, true
}
