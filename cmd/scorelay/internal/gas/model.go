package gas

import (
	"math"

	"github.com/scorelay/scorelay/pkg/registry"
)

// Model is how far the relayer's model of gas is from what batches used, in percent of that.
type Model struct {
	Batches int `json:"batches"`

	// How much the bound at worst had to spare: the least, below 0 if a batch would run out of gas; and the most of batches
	// that were as bad as can be, all slots fresh.
	BoundLeast float64 `json:"bound_least_percent"`
	BoundFresh float64 `json:"bound_most_percent_when_fresh"`

	// How far the estimate was off, above or below.
	EstimateMost float64 `json:"estimate_most_percent"`
	EstimateMean float64 `json:"estimate_mean_percent"`
}

func (m *Model) add(b bill) {
	model := registry.GasModel()
	for _, sent := range b.sent {
		spare := percent(model.Gas(sent.batch), sent.gas)
		if m.Batches == 0 || spare < m.BoundLeast {
			m.BoundLeast = spare
		}
		if sent.fresh == sent.batch.StorageSlots() {
			m.BoundFresh = max(m.BoundFresh, spare)
		}
		off := math.Abs(percent(model.Estimate(sent.batch, sent.fresh), sent.gas))
		m.EstimateMost = max(m.EstimateMost, off)
		m.EstimateMean += (off - m.EstimateMean) / float64(m.Batches+1)
		m.Batches++
	}
}

// rounded is the model without the noise of floating point, to the worse side where a sign counts.
func (m Model) rounded() Model {
	m.BoundLeast = math.Floor(m.BoundLeast*100) / 100
	for _, x := range []*float64{&m.BoundFresh, &m.EstimateMost, &m.EstimateMean} {
		*x = round(*x, 100)
	}
	return m
}

// percent is how much more the guess is than what was used.
func percent(guess, used uint64) float64 { return 100 * (float64(guess)/float64(used) - 1) }
