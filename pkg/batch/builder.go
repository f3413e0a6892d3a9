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
}

// NewBuilder makes an empty builder. ErrLimits if the limits would not take any single update.
func NewBuilder(model Model, limits Limits) (*Builder, error) {
	single := Of([]score.Update{{}})
	switch gas, size := model.Gas(single), model.Bytes(single); {
	case limits.MaxUpdates < 1 || limits.MaxUpdates > MaxGroup:
		return nil, fmt.Errorf("%w: %d updates, must be 1 to %d", ErrLimits, limits.MaxUpdates, MaxGroup)
	case limits.MaxGas < gas:
		return nil, fmt.Errorf("%w: %d gas, one update needs %d", ErrLimits, limits.MaxGas, gas)
	case limits.MaxBytes < size:
		return nil, fmt.Errorf("%w: %d bytes, one update needs %d", ErrLimits, limits.MaxBytes, size)
	case limits.Linger < 0 || limits.WordLinger < 0:
		return nil, fmt.Errorf("%w: linger %s and %s, must not be negative", ErrLimits, limits.Linger, limits.WordLinger)
	}
	b := &Builder{model: model, limits: limits}
	b.Reset()
	return b, nil
}

// Add takes the update unless the batch would exceed its limits with it; then nothing changes and fits is false. An
// empty builder takes any update. now is when the update came; the first one's starts the linger.
func (b *Builder) Add(u score.Update, now time.Time) (fits bool) {
	if b.Len() >= b.limits.MaxUpdates {
		return false
	}
	b.put(u, now)
	return b.keep(1)
}

// AddSigned takes a signed group, whole, unless the batch would exceed its limits with it; then nothing changes and fits is
// false. The updates are at least one, of one project and signer, and such that EncodeBody takes them. An empty builder
// takes any group, since it cannot be split: only a batch of one signed group and no more may exceed the limits, and one
// of up to score.MaxSigned updates does not exceed DefaultLimits.
func (b *Builder) AddSigned(updates []score.Update, kind score.Kind, signature score.GroupSignature, now time.Time) (fits bool) {
	alone := b.Len() == 0
	if !alone && b.Len()+len(updates) > b.limits.MaxUpdates {
		return false
	}
	b.putSigned(updates, kind, signature, now)
	return alone || b.keep(len(updates))
}

func (b *Builder) put(u score.Update, now time.Time) {
	b.latest = b.sheet.add(u)
	b.latest.pace.note(now)
	b.arrived = append(b.arrived, now)
}

func (b *Builder) putSigned(updates []score.Update, kind score.Kind, signature score.GroupSignature, now time.Time) {
	b.signed = append(b.signed, score.Signed{First: b.Len(), Count: len(updates), Kind: kind, Signature: signature})
	b.sheet.addSigned(updates, kind, signature)
	b.latest = nil
	for range updates {
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
	updates = updates[:len(updates)-n]
	b.Reset()
	for at := 0; at < len(updates); {
		if len(signed) > 0 && signed[0].First == at {
			g := signed[0]
			b.putSigned(updates[at:at+g.Count], g.Kind, g.Signature, arrived[at])
			at += g.Count
			signed = signed[1:]
			continue
		}
		b.put(updates[at], arrived[at])
		at++
	}
	return false
}

// Len is the number of updates added.
func (b *Builder) Len() int { return len(b.sheet.updates) }

// Gas bounds what Build's batch costs: it is at least Model.Gas of it, and hardly more.
func (b *Builder) Gas() uint64 { return b.model.gas(b.sheet.total) }

// Bytes bounds the size of Build's signed transaction: it is at least Model.Bytes of it, and hardly more.
func (b *Builder) Bytes() int { return b.sheet.total.bytes }

// Due is when the batch has lingered long enough and should be flushed, full or not; false while it is empty. That is
// Linger after its first update, or when the word last added to will be complete, at the pace at which its ids came, if
// that is later and still within WordLinger.
func (b *Builder) Due() (time.Time, bool) {
	if b.Len() == 0 {
		return time.Time{}, false
	}
	due := b.arrived[0].Add(b.limits.Linger)
	if b.latest == nil {
		return due, true
	}
	if complete, ok := b.latest.complete(); ok && complete.After(due) && !complete.After(b.arrived[0].Add(b.limits.WordLinger)) {
		return complete, true
	}
	return due, true
}

// Build returns the batch of the added updates and leaves the builder as it is. Empty if none were added.
func (b *Builder) Build() Batch { return b.sheet.batch() }

// Updates returns the added updates in the order of their adding.
func (b *Builder) Updates() []score.Update { return slices.Clone(b.sheet.updates) }

// Reset empties the builder.
func (b *Builder) Reset() {
	b.sheet = newSheet(&b.model)
	b.signed, b.arrived, b.latest = nil, nil, nil
}
