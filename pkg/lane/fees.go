package lane

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Fees is the price of one attempt, in wei per gas. For a legacy transaction Tip and Cap are the same gas price. 64 bits
// hold 18 ether per gas.
type Fees struct {
	Tip uint64
	Cap uint64
}

// FeeRule bounds what a lane may offer.
type FeeRule struct {
	MaxCap   uint64 // wei per gas an attempt may offer at most
	MaxTxFee uint64 // wei: gas limit × Cap of one transaction at most (nodes refuse more than an ether unless told otherwise)
	MinTip   uint64 // wei per gas; at least 1
	MaxTip   uint64 // wei per gas that a tip is at most because a node asks for it; 0: there is no bound
	// MaxUpdate is the price at which nothing new is bound: what a usual update may cost at most, wei, with its bytes on the chain below a
	// rollup; 0: there is no bound. What waits does not decide: else dear updates would hold up the others.
	MaxUpdate uint64
}

// repriceRoom is what is left below the ceiling, wei per gas, so that reprice can raise a tip there: a journal takes no attempt that does not pay
// more than the last one on both fields.
const repriceRoom = 1 << 10

// highest is the highest Cap of first attempts and replacements for a transaction of so much gas.
func (r FeeRule) highest(gas uint64) uint64 {
	ceiling := r.ceiling(gas)
	return ceiling - min(repriceRoom, ceiling/repriceRoom)
}

// ceiling is the highest Cap for a transaction of so much gas.
func (r FeeRule) ceiling(gas uint64) uint64 {
	ceiling := r.MaxCap
	if gas > 0 {
		ceiling = min(ceiling, r.MaxTxFee/gas)
	}
	return ceiling
}

// First prices a first attempt: twice the next block's base fee plus the tip, so that it stays includable for about six
// full blocks. ok is false while even the ceiling is below the market: nothing should be bound then.
func (r FeeRule) First(q evidence.Price, gas uint64) (f Fees, ok bool) {
	ceiling := r.highest(gas)
	f = r.market(q)
	if f.Cap <= ceiling {
		return f, true
	}
	f.Cap = ceiling
	f.Tip = min(f.Tip, f.Cap)
	if q.Legacy {
		return f, false
	}
	return f, ceiling > q.BaseFee
}

func (r FeeRule) market(q evidence.Price) Fees {
	if q.Legacy {
		price := max(q.Gas, r.MinTip, 1)
		return Fees{Tip: price, Cap: price}
	}
	tip := max(q.Tip, r.MinTip, 1)
	return Fees{Tip: tip, Cap: add(add(q.BaseFee, q.BaseFee), tip)}
}

// Replacement prices the next attempt of a slot whose last one offered prev: at least 12.5 % more on both fields, rounded up,
// and at least the market. Nodes differ in how they round the tenth they ask for; this clears them all. ok is false when
// the ceiling does not leave room for it: the last attempt then stays the best that can be done.
func (r FeeRule) Replacement(prev Fees, q evidence.Price, gas uint64) (f Fees, ok bool) {
	least := Fees{Tip: raise(prev.Tip), Cap: raise(prev.Cap)}
	want := r.market(q)
	f = Fees{Tip: max(least.Tip, want.Tip), Cap: max(least.Cap, want.Cap)}
	ceiling := r.highest(gas)
	if least.Cap > ceiling || least.Cap == math.MaxUint64 {
		return Fees{}, false
	}
	f.Cap = min(f.Cap, ceiling)
	f.Tip = min(f.Tip, f.Cap)
	if f.Tip < least.Tip {
		return Fees{}, false
	}
	if q.Legacy {
		f.Cap = max(f.Cap, f.Tip)
		f.Tip = f.Cap
	}
	return f, true
}

// What an update takes in a batch of 100 with consecutive ids, of wallets that have scores.
const (
	UsualGas   = 6_400
	UsualBytes = 25
)

// tooDear reports whether a usual update costs more than it may in the next block.
func (r FeeRule) tooDear(q evidence.Price) bool {
	if r.MaxUpdate == 0 {
		return false
	}
	perGas := q.Gas
	if !q.Legacy {
		perGas = add(q.BaseFee, max(q.Tip, r.MinTip, 1))
	}
	cost := price(UsualBytes, q.L1Byte)
	return cost.Add(cost, price(UsualGas, perGas)).Cmp(new(big.Int).SetUint64(r.MaxUpdate)) > 0
}

// atLeast is the market with a tip that a node asks for, within the lane's bound.
func (r FeeRule) atLeast(q evidence.Price, minTip uint64) evidence.Price {
	minTip = min(minTip, cmp.Or(r.MaxTip, math.MaxUint64))
	q.Gas, q.Tip = max(q.Gas, minTip), max(q.Tip, minTip)
	return q
}

// reprice prices an attempt beside one that offered prev and that no node took for its price: there is nothing to outbid. Its tip is the market's, which
// has what a node named, and at least an eighth more than prev's, so that there are few of them. The cap is as high as that takes, and one wei
// more than prev's: at the ceiling the tip still rises. Where the tip is as high as it may be, and no node asks for more, it is the cap that
// rises by an eighth. ok is false when nothing is left to try, as while the base fee is above the ceiling, where no tip helps.
func (r FeeRule) reprice(prev Fees, q evidence.Price, gas, minTip uint64) (f Fees, ok bool) {
	least, highest := add(prev.Cap, 1), r.highest(gas)
	if q.BaseFee > highest {
		return f, false
	}
	f = r.market(r.atLeast(q, raise(prev.Tip)))
	if f.Tip <= prev.Tip {
		if minTip > prev.Tip {
			return f, false
		}
		f.Tip, least = add(prev.Tip, 1), min(raise(prev.Cap), highest)
	}
	f.Cap = min(max(min(f.Cap, highest), least), r.ceiling(gas))
	f.Tip = min(f.Tip, f.Cap)
	if q.Legacy {
		f.Tip = f.Cap
	}
	return f, f.Cap > prev.Cap && f.Tip > prev.Tip && prev.Tip < highest
}

// again prices an attempt beside one that no pool has: one wei more. ok is false when the ceiling leaves no room for it.
func (r FeeRule) again(prev Fees, gas uint64) (f Fees, ok bool) {
	f = Fees{Tip: add(prev.Tip, 1), Cap: add(prev.Cap, 1)}
	return f, f.Cap <= r.ceiling(gas)
}

// raise is ⌈price × 1.125⌉, and at least one more; it saturates.
func raise(price uint64) uint64 {
	return max(add(price, add(price/8, min(price%8, 1))), add(price, 1))
}

func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}
