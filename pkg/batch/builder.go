package batch

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Limits say when a batch is full and how long it may wait.
type Limits struct {
	MaxUpdates int           // 1 … MaxGroup
	MaxGas     uint64        // gas of the transaction at worst
	MaxBytes   int           // bytes of the signed transaction
	Linger     time.Duration // how long the first update may wait for company; 0 does not wait
}

// DefaultLimits keep a batch inside what every node takes: 16,777,216 gas (EIP-7825) and 128 KiB (the transaction pools).
func DefaultLimits() Limits {
	return Limits{MaxUpdates: 2000, MaxGas: 1 << 24, MaxBytes: 128 << 10, Linger: 200 * time.Millisecond}
}

// ErrLimits says that limits leave no room for a single update, or are out of range.
var ErrLimits = errors.New("batch limits out of range")

// single is as dear as a single update outside signed groups can be: the slot of its action is read for it alone.
var single = Single(score.Update{Action: math.MaxUint8})

// check returns ErrLimits if the limits would not take any single update.
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

// Builder collects the updates of one batch. It is not safe for concurrent use.
type Builder struct {
	model  Model
	limits Limits

	account *costAccount
	updates []score.Update
	signed  []score.Signed
	full    bool
}

// NewBuilder makes an empty builder. ErrLimits if the limits would not take any single update.
func NewBuilder(model Model, limits Limits) (*Builder, error) {
	if err := limits.check(&model); err != nil {
		return nil, err
	}
	b := &Builder{model: model, limits: limits}
	b.Reset()
	return b, nil
}

// Add is AddUnit of an update outside signed groups.
func (b *Builder) Add(u score.Update) (fits bool) {
	return b.AddUnit(score.Unit{Updates: []score.Update{u}})
}

// AddUnit takes the unit, whole, and copies its updates. It does not fit if one of its ids is in the batch already, or if
// the batch might exceed its limits with it: then the batch is full and takes nothing more. The updates of a signed group
// are of one project and signer, and such that EncodeBody takes them.
//
// An empty builder takes any unit, since it cannot be split: only a batch of one signed group and no more may exceed the
// limits, and one of up to score.MaxSigned updates does not exceed DefaultLimits.
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
		if !alone && b.used() > 1 { // the account is wrong from here on, and not asked again
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

// used is the part of its limits that the batch takes up at most, by what takes up most.
func (b *Builder) used() float64 {
	total := b.account.total
	return max(float64(b.Len())/float64(b.limits.MaxUpdates), float64(b.model.atWorst(total))/float64(b.limits.MaxGas),
		float64(total.bytes)/float64(b.limits.MaxBytes))
}

// Len is the number of updates added.
func (b *Builder) Len() int { return len(b.updates) }

// Full tells whether something did not fit any more: the batch takes nothing else.
func (b *Builder) Full() bool { return b.full }

// Build returns the batch of the added updates and leaves the builder as it is. Empty if none were added. Model.Gas and
// Model.Bytes of it are within the limits.
func (b *Builder) Build() Batch { return Plan(&b.model, b.updates, b.signed) }

// Reset empties the builder.
func (b *Builder) Reset() {
	b.account = newCostAccount(&b.model)
	b.updates, b.signed, b.full = b.updates[:0], b.signed[:0], false // Plan has copied them
}
