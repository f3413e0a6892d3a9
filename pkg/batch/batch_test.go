package batch_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// model's numbers are primes of very different size, so that no two sums are alike by chance.
var model = batch.Model{
	Base: 1_000_003, Group: 100_003, WordGroup: 10_007, IDWord: 30_011, ActionSlot: 1_009, WordUpdate: 20_011, FreeUpdate: 25_013,
	BaseBytes: 503, GroupBytes: 53, WordBytes: 31, WordRecordBytes: 23, FreeRecordBytes: 59,
}

var wide = batch.Limits{MaxUpdates: batch.MaxGroup, MaxGas: 1 << 40, MaxBytes: 1 << 30}

func drawUpdate(t *rapid.T) score.Update {
	small := func(label string, below int) byte { return byte(rapid.IntRange(0, below-1).Draw(t, label)) }
	return score.Update{
		Project: score.ProjectID{small("project", 3)}, Signer: common.Address{small("signer", 2)},
		ID:     score.UpdateID{small("word", 4), 31: rapid.Byte().Draw(t, "low")},
		Target: common.Address{small("target", 3)}, Action: rapid.Byte().Draw(t, "action"),
	}
}

func TestOfKeepsEveryUpdateInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates := rapid.SliceOf(rapid.Custom(drawUpdate)).Draw(t, "updates")
		b := batch.Of(updates)
		require.Equal(t, len(updates), b.Len())
		require.ElementsMatch(t, updates, b.Updates())

		type owner struct {
			project score.ProjectID
			signer  common.Address
		}
		freeGroups, wordGroups := map[owner]bool{}, map[owner]map[score.Word]int{}
		words := map[owner]map[score.Word]int{}
		firsts := -1
		for _, g := range b.Groups {
			key := owner{g.Project, g.Signer}
			require.NotEmpty(t, g.Updates)
			first := index(updates, g.Updates[0])
			require.Greater(t, first, firsts, "groups stand in the order of their first update")
			firsts = first
			if words[key] == nil {
				words[key], wordGroups[key] = map[score.Word]int{}, map[score.Word]int{}
			}
			if g.Kind == batch.Free {
				require.False(t, freeGroups[key], "one free group of a project and signer")
				freeGroups[key] = true
				require.Zero(t, g.Word)
			} else {
				require.Zero(t, wordGroups[key][g.Word], "one group of a word")
				wordGroups[key][g.Word] = len(g.Updates)
			}
			at := -1
			for _, u := range g.Updates {
				require.Equal(t, g.Project, u.Project)
				require.Equal(t, g.Signer, u.Signer)
				if g.Kind == batch.Word {
					require.Equal(t, g.Word, u.ID.Word())
				} else {
					words[key][u.ID.Word()]++
				}
				next := index(updates[at+1:], u) + at + 1
				require.Greater(t, next, at)
				at = next
			}
		}
		for key, free := range words {
			for word, n := range free {
				require.Less(t, n, 3, "three ids of a word pay for a group")
				require.Zero(t, wordGroups[key][word])
			}
			require.NotEqual(t, 1, len(free), "ids of a single word need no free group")
		}
	})
}

func index(updates []score.Update, u score.Update) int {
	for i := range updates {
		if updates[i] == u {
			return i
		}
	}
	return -1
}

// TestBuilderCountsAsItBuilds: at every step the builder's bounds are those of the batch it would build, and the
// limits hold.
func TestBuilderCountsAsItBuilds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := batch.Limits{
			MaxUpdates: rapid.IntRange(1, 60).Draw(t, "max updates"),
			MaxGas:     rapid.Uint64Range(1_500_000, 4_000_000).Draw(t, "max gas"),
			MaxBytes:   rapid.IntRange(700, 3_000).Draw(t, "max bytes"),
		}
		b, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		var taken []score.Update
		for _, u := range rapid.SliceOf(rapid.Custom(drawUpdate)).Draw(t, "updates") {
			with := batch.Of(append(taken[:len(taken):len(taken)], u))
			fits := with.Len() <= limits.MaxUpdates && model.Gas(with) <= limits.MaxGas && model.Bytes(with) <= limits.MaxBytes
			require.Equal(t, fits, b.Add(u, time.Time{}))
			if fits {
				taken = append(taken, u)
			}
			require.Equal(t, len(taken), b.Len())
			require.Equal(t, batch.Of(taken), b.Build())
			require.Equal(t, model.Gas(b.Build()), b.Gas())
			require.Equal(t, model.Bytes(b.Build()), b.Bytes())
		}
		require.Equal(t, taken, b.Updates())
		b.Reset()
		require.Zero(t, b.Len())
		require.Zero(t, b.Build().Len())
		require.Equal(t, model.Base, b.Gas())
		require.True(t, b.Add(score.Update{}, time.Time{}), "an empty builder takes any update")
	})
}

func TestDue(t *testing.T) {
	t.Parallel()
	limits := wide
	limits.Linger = time.Second
	b, err := batch.NewBuilder(model, limits)
	require.NoError(t, err)
	_, some := b.Due()
	require.False(t, some)
	start := time.Unix(1000, 0)
	for i := range 3 {
		require.True(t, b.Add(score.Update{ID: score.UpdateID{byte(i)}}, start.Add(time.Duration(i)*time.Minute)))
		due, some := b.Due()
		require.True(t, some)
		require.Equal(t, start.Add(time.Second), due, "the first update's wait counts")
	}
	b.Reset()
	require.True(t, b.Add(score.Update{}, start.Add(time.Hour)))
	due, _ := b.Due()
	require.Equal(t, start.Add(time.Hour+time.Second), due)
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

// TestOfSplitsHugeGroups: a group's count is two bytes.
func TestOfSplitsHugeGroups(t *testing.T) {
	t.Parallel()
	updates := make([]score.Update, batch.MaxGroup+5)
	b := batch.Of(updates)
	require.Len(t, b.Groups, 2)
	require.Len(t, b.Groups[0].Updates, batch.MaxGroup)
	require.Equal(t, len(updates), b.Len())
}

func BenchmarkAddAndBuild(b *testing.B) {
	updates := make([]score.Update, 700)
	for i := range updates {
		updates[i].ID = score.UpdateID{30: byte(i >> 8), 31: byte(i)}
	}
	builder, err := batch.NewBuilder(model, wide)
	require.NoError(b, err)
	for b.Loop() {
		builder.Reset()
		for _, u := range updates {
			builder.Add(u, time.Time{})
		}
		builder.Build()
	}
}
