package lane

import (
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
	// MaxUpdate is the price at which nothing new is bound: what a usual update may cost at most, wei, with its bytes on the chain below a
	// rollup; 0: there is no bound. What waits does not decide: else dear updates would hold up the others.
	MaxUpdate uint64
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
	ceiling := r.ceiling(gas)
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
	ceiling := r.ceiling(gas)
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
