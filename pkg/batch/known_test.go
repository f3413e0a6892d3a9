package batch_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// drawKnown has learnt from some updates that all applied, or is nil.
func drawKnown(t *rapid.T) *batch.Known {
	if rapid.Bool().Draw(t, "nothing known") {
		return nil
	}
	known := batch.NewKnown()
	for _, u := range rapid.SliceOf(rapid.Custom(drawUpdate)).Draw(t, "known") {
		known.Learn(batch.Single(u), []score.Outcome{score.Applied})
	}
	return known
}

// TestOnlyWhatWasWrittenIsKnown: of one wallet and one word, by what became of updates.
func TestOnlyWhatWasWrittenIsKnown(t *testing.T) {
	t.Parallel()
	const applied, duplicate, not = score.Applied, score.Duplicate, score.UnknownScoreType
	for name, c := range map[string]struct {
		kind        score.Kind
		actions     []uint8
		outcomes    []score.Outcome
		word, score bool
	}{
		"applied":                        {score.KindWord, []uint8{1}, []score.Outcome{applied}, true, true},
		"rejected":                       {score.KindWord, []uint8{1}, []score.Outcome{not}, false, false},
		"applied before":                 {score.KindWord, []uint8{1}, []score.Outcome{duplicate}, true, false},
		"written once for each":          {score.KindWord, []uint8{1, 2}, []score.Outcome{applied, applied}, true, true},
		"a sum that is not zero":         {score.KindRuns, []uint8{1, 1}, []score.Outcome{applied, applied}, true, true},
		"a sum that may be zero":         {score.KindRuns, []uint8{1, 2}, []score.Outcome{applied, applied}, true, false},
		"of free ids":                    {score.KindFree, []uint8{1, 2}, []score.Outcome{applied, applied}, true, false},
		"only one of the sum applied":    {score.KindRuns, []uint8{1, 2}, []score.Outcome{applied, duplicate}, true, true},
		"nothing of the sum did":         {score.KindRuns, []uint8{1, 2}, []score.Outcome{not, not}, false, false},
		"nothing of the sum did for now": {score.KindRuns, []uint8{1, 1}, []score.Outcome{duplicate, not}, true, false},
	} {
		updates := make([]score.Update, len(c.actions))
		for i := range updates {
			updates[i].ID[31], updates[i].Action = byte(i), c.actions[i]
		}
		known := model
		known.Known = batch.NewKnown()
		require.False(t, known.Known.Full())
		// Another project before it, of which nothing applied.
		other := batch.Single(score.Update{Project: score.ProjectID{1}}).Groups[0]
		known.Known.Learn(batch.Batch{Groups: []batch.Group{other, {Kind: c.kind, Updates: updates}}}, slices.Concat([]score.Outcome{not}, c.outcomes))
		saved := func(u score.Update) bool {
			one := batch.Single(u)
			s := model.Gas(one) - known.Gas(one)
			require.Contains(t, []uint64{0, model.Fresh - model.Used}, s, name)
			return s > 0
		}
		require.Equal(t, c.word, saved(score.Update{Target: common.Address{9}}), name)
		require.Equal(t, c.score, saved(score.Update{ID: score.UpdateID{9}, ScoreType: 3}), name)
		for _, u := range []score.Update{{ID: score.UpdateID{9}, ScoreType: 4}, {Project: score.ProjectID{1}}} {
			require.False(t, saved(u), name)
		}
	}
}

// TestWhatIsKnownFills: a choice tells how much of its gas rests on what is known.
func TestWhatIsKnownFills(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := model
		known.Known = drawKnown(t)
		h, err := batch.NewHorizon(known, wide, batch.DefaultHorizon())
		require.NoError(t, err)
		for i, u := range rapid.SliceOfN(rapid.Custom(drawUpdate), 1, 20).Draw(t, "updates") {
			h.Add(batch.Waiting{Unit: score.Unit{Updates: []score.Update{u}}, At: score.Position{Seq: uint64(i)}})
		}
		due, _ := h.Due()
		choice, ok := h.Next(due)
		require.True(t, ok)
		require.Equal(t, known.Gas(choice.Batch), choice.Gas)
		require.Equal(t, model.Gas(choice.Batch), choice.Gas+uint64(choice.Known)*(model.Fresh-model.Used))
		require.Equal(t, model.Estimate(choice.Batch, batch.Fresh{}), known.Estimate(choice.Batch, batch.Fresh{}))
	})
}
