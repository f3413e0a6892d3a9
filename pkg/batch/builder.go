package batch

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

type Limits struct {
	MaxUpdates int           // 1 … MaxGroup
	MaxGas     uint64        // gas of the transaction, at worst
	MaxBytes   int           // of the signed transaction
	Linger     time.Duration // longest wait of the first update for others; 0: none
}

// DefaultLimits returns limits that every node accepts: 16,777,216 gas (EIP-7825) and 128 KiB (transaction pools).
func DefaultLimits() Limits {
	return Limits{MaxUpdates: 2000, MaxGas: 1 << 24, MaxBytes: 128 << 10, Linger: 200 * time.Millisecond}
}

// ErrLimits reports limits that are out of range or too low for some single update.
var ErrLimits = errors.New("batch limits out of range")

// single is the most expensive update outside signed groups, since reading the slot of its action costs extra.
var single = Single(score.Update{Action: math.MaxUint8})

func (l *Limits) check(model *Model) error {
	gas, size := model.Gas(single), model.Bytes(single)
	switch {
	case l.MaxUpdates < 1 || l.MaxUpdates > MaxGroup:
		return fmt.Errorf("%w: %d updates, must be 1 to %d", ErrLimits, l.MaxUpdates, MaxGroup)
	case l.MaxGas < gas:
		return fmt.Errorf("%w: %d gas, one update needs %d", ErrLimits, l.MaxGas, gas)
	case l.MaxBytes < size:
		return fmt.Errorf("%w: %d bytes, one update needs %d", ErrLimits, l.MaxBytes, size)
	case l.Linger < 0:
		return fmt.Errorf("%w: linger %s, must not be negative", ErrLimits, l.Linger)
	}
	return nil
}

// Builder collects the updates of one batch until their number, their bytes or a bound of their gas fills it. It is
// not safe for concurrent use.
//
// The bound assumes every slot fresh unless Known, every byte nonzero, and every update skipped and alone in its run.
//
// Model.Gas of the batch, at most the bound, is the gas limit of its transaction. Model.Estimate is the likely cost;
// it serves only the calibration of the model, `scorelay gas`, and comparisons of encodings.
type Builder struct {
	model  Model
	limits Limits

	account *costAccount
	updates []score.Update
	signed  []score.Signed
	full    bool
}

// NewBuilder returns an empty builder, or ErrLimits.
func NewBuilder(model Model, limits Limits) (*Builder, error) {
	if err := limits.check(&model); err != nil {
		return nil, err
	}
	b := &Builder{model: model, limits: limits}
	b.Reset()
	return b, nil
}

func (b *Builder) Add(u score.Update) (fits bool) {
	return b.AddUnit(score.Unit{Updates: []score.Update{u}})
}

// AddUnit adds a whole unit and copies its updates. fits is false if the batch already has one of the unit's ids. If
// the batch might exceed its limits with the unit, fits is false and the batch is full. A signed group must be of one
// project and signer, and valid for EncodeBody.
//
// An empty builder accepts any unit, since units are indivisible. A signed group of up to score.MaxSigned updates
// stays within DefaultLimits.
func (b *Builder) AddUnit(unit score.Unit) (fits bool) {
	n := len(unit.Updates)
	switch alone := b.Len() == 0; {
	case b.full:
		return false
	case !alone && b.Len()+n > b.limits.MaxUpdates:
		b.full = true
		return false
	case b.account.holds(unit.Updates):
		return false
	default:
		b.account.add(unit)
		// If the unit is refused, the account is wrong from here on, but unused since the batch is full.
		if !alone && b.used() > 1 {
			b.full = true
			return false
		}
	}
	if unit.Signature != nil {
		b.signed = append(b.signed, score.Signed{First: b.Len(), Count: n, Kind: unit.Kind, Signature: *unit.Signature})
	}
	b.updates = append(b.updates, unit.Updates...)
	return true
}

// used returns the largest fraction of a limit that the batch may use.
func (b *Builder) used() float64 {
	total := b.account.total
	return max(float64(b.Len())/float64(b.limits.MaxUpdates), float64(b.model.atWorst(total))/float64(b.limits.MaxGas),
		float64(total.bytes)/float64(b.limits.MaxBytes))
}

func (b *Builder) Len() int { return len(b.updates) }

// Full reports whether the batch is closed to further units.
func (b *Builder) Full() bool { return b.full }

// Build returns the batch of the added updates, perhaps empty, and leaves the builder unchanged.
func (b *Builder) Build() Batch { return Plan(&b.model, b.updates, b.signed) }

func (b *Builder) Reset() {
	b.account = newCostAccount(&b.model)
	b.updates, b.signed, b.full = b.updates[:0], b.signed[:0], false // Plan has copied them
}
