package batch_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestBuilderCountsAsItBuilds: at every step the limits hold for the batch that it would build, a unit that does not fit
// leaves no trace, and nothing fits a full builder.
func TestBuilderCountsAsItBuilds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := batch.Limits{
			MaxUpdates: rapid.IntRange(1, 60).Draw(t, "max updates"),
			MaxGas:     rapid.Uint64Range(100_000, 2_000_000).Draw(t, "max gas"),
			MaxBytes:   rapid.IntRange(700, 3_000).Draw(t, "max bytes"),
		}
		model := model
		model.Known = drawKnown(t)
		b, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		var taken []score.Unit
		for _, u := range drawUnits(t) {
			if b.AddUnit(u) {
				require.True(t, apart(append(taken, u)), "an id is in a batch once")
				taken = append(taken, u)
			} else {
				require.True(t, b.Full() || !apart(append(taken, u)), "only an id of the batch or its limits keep it out")
			}
			updates, signed := flat(taken)
			require.Equal(t, len(updates), b.Len())
			built := b.Build()
			require.Equal(t, batch.Plan(&model, updates, signed), built)
			if len(taken) > 1 || len(taken) == 1 && taken[0].Signature == nil {
				require.LessOrEqual(t, b.Len(), limits.MaxUpdates)
				require.LessOrEqual(t, model.Gas(built), limits.MaxGas)
				require.LessOrEqual(t, model.Bytes(built), limits.MaxBytes)
			}
			if b.Full() {
				require.False(t, b.Add(score.Update{Project: score.ProjectID{99}}))
			}
		}
		b.Reset()
		require.Zero(t, b.Len())
		require.Zero(t, b.Build().Len())
		require.True(t, b.Add(score.Update{}), "an empty builder takes any update")
	})
}

// TestABatchTakesNoMoreThanItsUnits: what is counted of units, one by one, bounds what any batch of them takes.
func TestABatchTakesNoMoreThanItsUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b, err := batch.NewBuilder(model, wide)
		require.NoError(t, err)
		units := uint64(0)
		for _, u := range drawUnits(t) {
			if b.AddUnit(u) {
				units += model.UnitGas(u)
			}
		}
		built := b.Build()
		data := uint64(model.Bytes(built) - model.BaseBytes)
		words := (data + data/2) / 32
		require.LessOrEqual(t, model.Gas(built), model.Base+units+6*words+words*words/512)
	})
}

// TestBuilderLeavesLittleRoom: what does not fit any more, hardly would by the model, of usual batches.
func TestBuilderLeavesLittleRoom(t *testing.T) {
	t.Parallel()
	var many []score.Update
	for i := range byte(100) {
		u := workload(10, 10, 5, uint64(i))
		for j := range u {
			u[j].Project, u[j].Signer = score.ProjectID{1 + i%20}, common.Address{1 + i%3}
		}
		many = append(many, u...)
	}
	limits := wide
	limits.MaxGas = 4_000_000
	for name, updates := range map[string][]score.Update{
		"consecutive": workload(700, 700, 256, 1), "random": workload(350, 350, 1, 2), "hot": workload(8000, 20, 256, 3),
		"random, hot": workload(500, 50, 1, 4), "few of a word": workload(600, 300, 3, 5), "many projects": many,
	} {
		b, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		for _, u := range updates {
			if !b.Add(u) {
				break
			}
		}
		require.True(t, b.Full(), name)
		gas := model.Gas(b.Build())
		t.Logf("%s: %.1f %%", name, float64(gas)/40_000)
		require.LessOrEqual(t, gas, limits.MaxGas, name)
		if name != "hot" { // that is full by other limits
			require.Greater(t, gas, limits.MaxGas-limits.MaxGas/20, name)
		}
	}
}

// TestAnIDIsInABatchOnce: by any signer, in a signed group or not; of another project it may be.
func TestAnIDIsInABatchOnce(t *testing.T) {
	t.Parallel()
	b, err := batch.NewBuilder(model, wide)
	require.NoError(t, err)
	first := workload(1, 1, 1, 1)[0]
	require.True(t, b.Add(first))
	again := first
	again.Signer, again.Target = common.Address{77}, common.Address{78}
	require.False(t, b.Add(again))
	other := again
	other.ID[31]++
	group := score.Unit{Updates: []score.Update{other, again}, Kind: score.KindFree, Signature: new(score.GroupSignature)}
	require.False(t, b.AddUnit(group), "all or none")
	require.False(t, b.Full())
	require.True(t, b.Add(other))
	again.Project[0]++
	require.True(t, b.Add(again))
	require.Equal(t, 3, b.Len())
}

func TestEstimateIsWithinTheBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatch(t)
		all := b.StorageSlots()
		worst := model.Estimate(b, all)
		require.LessOrEqual(t, worst, model.Gas(b))
		some := batch.Fresh{
			Scores: rapid.IntRange(0, all.Scores).Draw(t, "scores"), Words: rapid.IntRange(0, all.Words).Draw(t, "words"),
		}
		used := all.Scores - some.Scores + all.Words - some.Words
		require.Equal(t, worst-uint64(used)*(model.Fresh-model.Used), model.Estimate(b, some))
	})
}

// TestLargestSignedGroupFits: the worst group that can be accepted fits the default limits.
func TestLargestSignedGroupFits(t *testing.T) {
	t.Parallel()
	for _, kind := range []score.Kind{score.KindWord, score.KindRuns, score.KindFree} {
		b, err := batch.NewBuilder(model, batch.DefaultLimits())
		require.NoError(t, err)
		idsOfWord := score.MaxSigned
		if kind == score.KindFree {
			idsOfWord = 1
		}
		updates := workload(score.MaxSigned, score.MaxSigned, idsOfWord, 1)
		for i := range updates {
			updates[i].Action = byte(i)
		}
		require.True(t, b.AddUnit(score.Unit{Updates: updates, Kind: kind, Signature: new(score.GroupSignature)}))
		built := b.Build()
		require.LessOrEqual(t, model.Gas(built), batch.DefaultLimits().MaxGas)
		require.LessOrEqual(t, model.Bytes(built), batch.DefaultLimits().MaxBytes)
	}
}

// TestASignedGroupIsTakenAlone: what cannot be split must not wait forever.
func TestASignedGroupIsTakenAlone(t *testing.T) {
	t.Parallel()
	limits := wide
	limits.MaxUpdates = 2
	b, err := batch.NewBuilder(model, limits)
	require.NoError(t, err)
	group := score.Unit{Updates: workload(5, 5, 5, 1), Kind: score.KindWord, Signature: new(score.GroupSignature)}
	require.True(t, b.Add(score.Update{}))
	require.False(t, b.AddUnit(group))
	require.Equal(t, 1, b.Len())
	b.Reset()
	require.True(t, b.AddUnit(group))
	require.False(t, b.Add(score.Update{}))
	require.Equal(t, 5, b.Len())
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*batch.Limits){
		"no updates": func(l *batch.Limits) { l.MaxUpdates = 0 },
		"too many":   func(l *batch.Limits) { l.MaxUpdates = batch.MaxGroup + 1 },
		"gas":        func(l *batch.Limits) { l.MaxGas = model.Base },
		"bytes":      func(l *batch.Limits) { l.MaxBytes = model.BaseBytes },
		"linger":     func(l *batch.Limits) { l.Linger = -1 },
	} {
		limits := batch.DefaultLimits()
		_, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		spoil(&limits)
		_, err = batch.NewBuilder(model, limits)
		require.ErrorIs(t, err, batch.ErrLimits, name)
	}
}

// TestLimitsForOneUpdateTakeIt: otherwise nothing would ever come out of a builder.
func TestLimitsForOneUpdateTakeIt(t *testing.T) {
	t.Parallel()
	updates := workload(2, 1, 2, 1)
	updates[0].Action = 255
	one := batch.Single(updates[0])
	least := batch.Limits{MaxUpdates: 1, MaxGas: model.Gas(one), MaxBytes: model.Bytes(one)}
	b, err := batch.NewBuilder(model, least)
	require.NoError(t, err)
	require.True(t, b.Add(updates[0]))
	require.Equal(t, one, b.Build())
	require.False(t, b.Add(updates[1]))
	least.MaxGas--
	_, err = batch.NewBuilder(model, least)
	require.ErrorIs(t, err, batch.ErrLimits)
}

func BenchmarkAddAndBuild(b *testing.B) {
	for name, updates := range map[string][]score.Update{
		"consecutive": workload(700, 700, 256, 1), "random": workload(350, 350, 1, 2), "hot": workload(2000, 200, 256, 3),
	} {
		b.Run(name, func(b *testing.B) {
			builder, err := batch.NewBuilder(model, wide)
			require.NoError(b, err)
			for b.Loop() {
				builder.Reset()
				for _, u := range updates {
					builder.Add(u)
				}
				builder.Build()
			}
		})
	}
}
