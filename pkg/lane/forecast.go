package lane

import (
	"math"
	"math/big"
	"time"
)

const (
	// forecastMemory is when what a balance fell by counts 1/e of what it falls by now.
	forecastMemory = time.Hour
	// forecastLeast is for how long a balance has to be seen before it is told how long it lasts.
	forecastLeast = 5 * time.Minute
)

// Forecast tells how long a balance lasts at the rate at which it fell lately. What it fell by is all that the signer's transactions
// cost: on a rollup the fee for their data on L1 too, which receipts tell in each rollup's own way, or not at all. What is paid in does
// not count; in the moment in which it comes it hides what is spent. The zero value has seen nothing.
type Forecast struct {
	balance   *big.Int // wei, as seen last
	began, at time.Time
	spent     float64 // wei, weighted by age
	over      float64 // seconds, weighted like spent
}

// See takes in a balance, wei, as it was at a time. Times go forward.
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

// Rate is how much the balance falls by, wei a second. known is false before it was seen for five minutes.
func (f *Forecast) Rate() (wei float64, known bool) {
	if f.balance == nil || f.at.Sub(f.began) < forecastLeast {
		return 0, false
	}
	return f.spent / f.over, true
}

// Lasts is how long the balance lasts at that rate, seconds: infinite where nothing is spent. known is as of Rate.
func (f *Forecast) Lasts() (seconds float64, known bool) {
	rate, known := f.Rate()
	if !known {
		return 0, false
	}
	if f.balance.Sign() == 0 {
		return 0, true
	}
	balance, _ := new(big.Float).SetInt(f.balance).Float64()
	return balance / rate, true // +Inf of 0
}
