package batch

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Limits say when a batch is full and how long it may wait.
type Limits struct {
	MaxUpdates int           // 1 … MaxGroup
	MaxGas     uint64        // gas of the transaction at worst
	MaxBytes   int           // bytes of the signed transaction
	Linger     time.Duration // how long the first update may wait for company; 0 does not wait
	WordLinger time.Duration // how long it may wait for a word of ids to become complete; no more than Linger does not
}

// DefaultLimits keep a batch inside what every node takes: 16,777,216 gas (EIP-7825) and 128 KiB (the transaction pools).
func DefaultLimits() Limits {
	return Limits{
		MaxUpdates: 2000, MaxGas: 1 << 24, MaxBytes: 128 << 10, Linger: 200 * time.Millisecond, WordLinger: 400 * time.Millisecond,
	}
}

// ErrLimits says that limits leave no room for a single update, or are out of range.
var ErrLimits = errors.New("batch limits out of range")

// Builder collects the updates of one batch. It is not safe for concurrent use.
type Builder struct {
	model  Model
	limits Limits

	sheet   *sheet
	signed  []score.Signed
	arrived []time.Time // of each of the sheet's updates
	latest  *wordSheet  // the word last added to; nil after a signed group
	forWord bool        // when the last unit came, the batch was waiting for a word beyond Linger
}

// NewBuilder makes an empty builder. ErrLimits if the limits would not take any single update.
func NewBuilder(model Model, limits Limits) (*Builder, error) {
	b := &Builder{model: model, limits: limits}
	b.Reset()
	b.put(score.Unit{Updates: make([]score.Update, 1)}, time.Time{})
	gas, size := b.Gas(), b.Bytes()
	b.Reset()
	switch {
	case limits.MaxUpdates < 1 || limits.MaxUpdates > MaxGroup:
		return nil, fmt.Errorf("%w: %d updates, must be 1 to %d", ErrLimits, limits.MaxUpdates, MaxGroup)
	case limits.MaxGas < gas:
		return nil, fmt.Errorf("%w: %d gas, one update needs %d", ErrLimits, limits.MaxGas, gas)
	case limits.MaxBytes < size:
		return nil, fmt.Errorf("%w: %d bytes, one update needs %d", ErrLimits, limits.MaxBytes, size)
	case limits.Linger < 0 || limits.WordLinger < 0:
		return nil, fmt.Errorf("%w: linger %s and %s, must not be negative", ErrLimits, limits.Linger, limits.WordLinger)
	}
	return b, nil
}

// Add is AddUnit of an update outside signed groups.
func (b *Builder) Add(u score.Update, now time.Time) (fits bool) {
	return b.AddUnit(score.Unit{Updates: []score.Update{u}}, now)
}

// AddUnit takes the unit, whole, unless the batch would exceed its limits with it; then nothing changes and fits is false.
// The updates of a signed group are of one project and signer, and such that EncodeBody takes them. now is when the unit
// came; the first one's starts the linger.
//
// An empty builder takes any unit, since it cannot be split: only a batch of one signed group and no more may exceed the
// limits, and one of up to score.MaxSigned updates does not exceed DefaultLimits.
func (b *Builder) AddUnit(unit score.Unit, now time.Time) (fits bool) {
	alone := b.Len() == 0
	if !alone && b.Len()+len(unit.Updates) > b.limits.MaxUpdates {
		return false
	}
	b.put(unit, now)
	return alone || b.keep(len(unit.Updates))
}

func (b *Builder) put(unit score.Unit, now time.Time) {
	if b.Len() > 0 && !now.Before(b.arrived[0].Add(b.limits.Linger)) {
		_, why, _ := b.Due()
		b.forWord = why == ForWord
	}
	if unit.Signature != nil {
		b.signed = append(b.signed, score.Signed{First: b.Len(), Count: len(unit.Updates), Kind: unit.Kind, Signature: *unit.Signature})
	}
	b.latest = b.sheet.add(unit)
	if b.latest != nil {
		b.latest.pace.note(now)
	}
	for range unit.Updates {
		b.arrived = append(b.arrived, now)
	}
}

// keep tells whether the limits hold. If not, it takes back the last unit, of n updates, by starting over without: that
// happens once in a batch.
func (b *Builder) keep(n int) bool {
	if b.Gas() <= b.limits.MaxGas && b.Bytes() <= b.limits.MaxBytes {
		return true
	}
	updates, signed, arrived := b.sheet.updates, b.signed, b.arrived
	b.Reset()
	for unit := range score.Units(updates[:len(updates)-n], signed) {
		b.put(unit, arrived[b.Len()])
	}
	return false
}

// Len is the number of updates added.
func (b *Builder) Len() int { return len(b.sheet.updates) }

// Gas bounds what Build's batch costs: it is at least Model.Gas of it, and hardly more.
func (b *Builder) Gas() uint64 { return b.model.atWorst(b.sheet.total) }

// Bytes bounds the size of Build's signed transaction: it is at least Model.Bytes of it, and hardly more.
func (b *Builder) Bytes() int { return b.sheet.total.bytes }

// Reason is what a batch has waited for when it is due.
type Reason string

// The reasons, by the limit of the wait.
const (
	ForCompany Reason = "linger" // Limits.Linger: any other updates
	ForWord    Reason = "word"   // Limits.WordLinger: the rest of a word, longer than for company
)

// Due is when the batch has lingered long enough and should be flushed, full or not, and why; ok is false while it is
// empty. That is Linger after its first update, or when the word last added to will be complete, at the pace at which its
// ids came, if that is later and still within WordLinger. A batch that waited for a word did so even if another word has
// begun since, or the word is complete.
func (b *Builder) Due() (at time.Time, why Reason, ok bool) {
	if b.Len() == 0 {
		return time.Time{}, "", false
	}
	at, why = b.arrived[0].Add(b.limits.Linger), ForCompany
	if b.forWord {
		why = ForWord
	}
	if b.latest == nil {
		return at, why, true
	}
	if complete, ok := b.latest.complete(); ok && complete.After(at) && !complete.After(b.arrived[0].Add(b.limits.WordLinger)) {
		return complete, ForWord, true
	}
	return at, why, true
}

// Build returns the batch of the added updates and leaves the builder as it is. Empty if none were added.
func (b *Builder) Build() Batch { return b.sheet.batch() }

// Updates returns the added updates in the order of their adding.
func (b *Builder) Updates() []score.Update { return slices.Clone(b.sheet.updates) }

// Reset empties the builder.
func (b *Builder) Reset() {
	b.sheet = newSheet(&b.model)
	b.signed, b.arrived, b.latest, b.forWord = nil, nil, nil, false
}
