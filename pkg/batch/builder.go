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
}

// DefaultLimits keep a batch inside what every node takes: 16,777,216 gas (EIP-7825) and 128 KiB (the transaction pools).
func DefaultLimits() Limits {
	return Limits{MaxUpdates: 2000, MaxGas: 1 << 24, MaxBytes: 128 << 10, Linger: 200 * time.Millisecond}
}

// ErrLimits says that limits leave no room for a single update, or are out of range.
var ErrLimits = errors.New("batch limits out of range")

// Builder collects the updates of one batch. It is not safe for concurrent use.
type Builder struct {
	model  Model
	limits Limits

	updates []score.Update
	first   time.Time // when updates[0] was added
	gas     uint64
	size    int
	owners  map[owner]tally
	words   map[ownerWord]int
	slots   slots
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
	case limits.Linger < 0:
		return nil, fmt.Errorf("%w: linger %s, must not be negative", ErrLimits, limits.Linger)
	}
	b := &Builder{model: model, limits: limits}
	b.Reset()
	return b, nil
}

// Add takes the update unless the batch would exceed its limits with it; then nothing changes and fits is false. An
// empty builder takes any update. now is when the update came; the first one's starts the linger.
func (b *Builder) Add(u score.Update, now time.Time) (fits bool) {
	key := wordOf(&u)
	before := b.owners[key.owner]
	after := before
	after.move(b.words[key])
	gasBefore, sizeBefore := b.model.cost(before)
	gasAfter, sizeAfter := b.model.cost(after)
	gas := b.gas + gasAfter - gasBefore + b.slots.cost(&b.model, &u)
	size := b.size + sizeAfter - sizeBefore
	if len(b.updates) == b.limits.MaxUpdates || gas > b.limits.MaxGas || size > b.limits.MaxBytes {
		return false
	}
	if len(b.updates) == 0 {
		b.first = now
	}
	b.updates = append(b.updates, u)
	b.owners[key.owner] = after
	b.words[key]++
	b.slots.add(&b.model, &u)
	b.gas, b.size = gas, size
	return true
}

// Len is the number of updates added.
func (b *Builder) Len() int { return len(b.updates) }

// Gas bounds what Build's batch costs: Model.Gas of it.
func (b *Builder) Gas() uint64 { return b.gas }

// Bytes bounds the size of Build's signed transaction: Model.Bytes of it.
func (b *Builder) Bytes() int { return b.size }

// Due is when the batch has lingered long enough and should be flushed, full or not; false while it is empty.
func (b *Builder) Due() (time.Time, bool) {
	return b.first.Add(b.limits.Linger), len(b.updates) > 0
}

// Build returns the batch of the added updates and leaves the builder as it is. Empty if none were added.
func (b *Builder) Build() Batch { return Of(b.updates) }

// Updates returns the added updates in the order of their adding.
func (b *Builder) Updates() []score.Update { return slices.Clone(b.updates) }

// Reset empties the builder.
func (b *Builder) Reset() {
	b.updates = nil
	b.first = time.Time{}
	b.gas, b.size = b.model.Base, b.model.BaseBytes
	b.owners = map[owner]tally{}
	b.words = map[ownerWord]int{}
	b.slots = newSlots()
}
