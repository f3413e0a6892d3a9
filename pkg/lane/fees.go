package lane

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// Fees is the price of one attempt, in wei per gas; Tip equals Cap in a legacy transaction. 64 bits hold 18 ether.
type Fees struct {
	Tip uint64
	Cap uint64
}

type FeeRule struct {
	MaxCap   uint64 // highest Cap, wei per gas
	MaxTxFee uint64 // highest gas limit × Cap, wei (nodes refuse more than an ether by default)
	MinTip   uint64 // wei per gas; at least 1
	MaxTip   uint64 // wei per gas: highest tip that a node's demand may lead to; 0: unbounded
	// MaxUpdate is the highest cost of a usual update, wei, with its bytes on a rollup's L1; 0: unbounded. Above it
	// the lane stops assigning. The backlog's own costs are ignored, since expensive updates would hold up the
	// others.
	MaxUpdate uint64
}

// repriceRoom, wei per gas, stays free below the ceiling so that reprice can raise a tip there: a journal accepts
// only attempts that pay more in both fields.
const repriceRoom = 1 << 10

// highest returns the highest Cap of first attempts and replacements.
func (r FeeRule) highest(gas uint64) uint64 {
	ceiling := r.ceiling(gas)
	return ceiling - min(repriceRoom, ceiling/repriceRoom)
}

// ceiling returns the highest Cap of any transaction.
func (r FeeRule) ceiling(gas uint64) uint64 {
	ceiling := r.MaxCap
	if gas > 0 {
		ceiling = min(ceiling, r.MaxTxFee/gas)
	}
	return ceiling
}

// First prices a first attempt: twice the next block's base fee plus the tip, includable for about six full blocks.
// ok is false while even the ceiling is below the market: the lane should wait.
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

// Replacement prices the attempt after prev: at least the market, and 12.5 % more in both fields, rounded up. Nodes
// round their 10 % differently; this satisfies them all. ok is false if the ceiling prevents that.
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

// Gas and bytes of an update in a batch of 100 with consecutive ids, for wallets that have scores.
const (
	UsualGas   = 6_400
	UsualBytes = 25
)

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

// atLeast raises the tip to minTip, a node's demand, up to MaxTip.
func (r FeeRule) atLeast(q evidence.Price, minTip uint64) evidence.Price {
	minTip = min(minTip, cmp.Or(r.MaxTip, math.MaxUint64))
	q.Gas, q.Tip = max(q.Gas, minTip), max(q.Tip, minTip)
	return q
}

// reprice prices an attempt after prev, which every node refused for its price. The tip is at least the market's and
// minTip, the nodes' demand, and rises by at least an eighth, to keep such attempts few. The cap rises by at least
// one wei, so that the tip can still rise at the ceiling. If the tip is at MaxTip and satisfies the nodes, the cap
// rises by an eighth. ok is false when all prices were tried, or while the base fee is above the ceiling, which makes
// a tip useless.
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

// again prices an attempt after prev at one wei more, since all pools lack prev. ok is false above the ceiling.
func (r FeeRule) again(prev Fees, gas uint64) (f Fees, ok bool) {
	f = Fees{Tip: add(prev.Tip, 1), Cap: add(prev.Cap, 1)}
	return f, f.Cap <= r.ceiling(gas)
}

// raise returns ⌈price × 1.125⌉, at least price + 1, saturated.
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
