package relay

import (
	"encoding/binary"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

func numbered(n int) (id score.ProjectID) {
	binary.BigEndian.PutUint32(id[:], uint32(n))
	return id
}

// read is what each series says.
func (l *largest) read(t require.TestingT) map[string]float64 {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(l.paid)
	families, err := reg.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			out[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	return out
}

func newPaid() *largest {
	return newLargest(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "paid", Help: "For a test."}, []string{"project"}))
}

// TestLargestProjectsAreShown among ten thousand that pay little, wherever the large ones come.
func TestLargestProjectsAreShown(t *testing.T) {
	t.Parallel()
	l := newPaid()
	small := long.Size(mostWeighed+500, 10_000)
	for round := range long.Size(3, 40) {
		for n := range small {
			l.add(numbered(n), 1)
		}
		for n := 20_000; n < 20_010; n++ {
			l.add(numbered(n), 100)
		}
		if round == 0 {
			require.NotContains(t, l.read(t), numbered(small-1).String())
		}
	}
	said := l.read(t)
	require.LessOrEqual(t, len(said), mostShown+1)
	for n := 20_000; n < 20_010; n++ {
		require.Contains(t, said, numbered(n).String())
	}
	require.LessOrEqual(t, len(l.other), mostWeighed)
}

// TestWhatProjectsPaidAddsUp: the rest never falls, series are bounded, and nothing is counted twice.
func TestWhatProjectsPaidAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, total, before := newPaid(), 0.0, 0.0
		for range rapid.IntRange(1, 300).Draw(t, "payments") {
			amount := float64(rapid.IntRange(1, 1000).Draw(t, "amount"))
			l.add(numbered(rapid.IntRange(0, 120).Draw(t, "project")), amount)
			total += amount
			said, sum := l.read(t), 0.0
			for _, paid := range said {
				sum += paid
			}
			require.LessOrEqual(t, len(said), mostShown+1)
			require.LessOrEqual(t, sum, total)
			require.GreaterOrEqual(t, said[allOthers], before)
			before = said[allOthers]
		}
	})
}

// TestProjectsShareABatchByWhatTheyTake: all of it, and more for more.
func TestProjectsShareABatchByWhatTheyTake(t *testing.T) {
	t.Parallel()
	var updates []score.Update
	for i := range 30 {
		project := 1
		if i >= 10 {
			project = 2
		}
		updates = append(updates, score.Update{
			Project: numbered(project), ID: score.UpdateID{31: byte(i)}, Signer: common.Address{1}, Target: common.Address{byte(i)},
		})
	}
	model := &registry.AllGasRules()[0].Batch
	b := batch.Plan(model, updates, nil)
	parts := shares(model, &b)
	require.Len(t, parts, 2)
	require.InDelta(t, 1, parts[numbered(1)]+parts[numbered(2)], 1e-9)
	require.Greater(t, parts[numbered(2)], 1.5*parts[numbered(1)])
}
