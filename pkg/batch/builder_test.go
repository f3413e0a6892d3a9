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

// TestBuilderCountsAsItBuilds: at every step the builder's bounds are at least those of the batch it would build, the
// limits hold, and what does not fit leaves no trace.
func TestBuilderCountsAsItBuilds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := batch.Limits{
			MaxUpdates: rapid.IntRange(1, 60).Draw(t, "max updates"),
			MaxGas:     rapid.Uint64Range(100_000, 2_000_000).Draw(t, "max gas"),
			MaxBytes:   rapid.IntRange(700, 3_000).Draw(t, "max bytes"),
		}
		b, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		twin, err := batch.NewBuilder(model, wide) // is given only what fits
		require.NoError(t, err)
		var taken []score.Unit
		for _, u := range drawUnits(t) {
			without := *twin
			twin, err = batch.NewBuilder(model, wide)
			require.NoError(t, err)
			for _, v := range append(taken[:len(taken):len(taken)], u) {
				require.True(t, twin.AddUnit(v, time.Time{}))
			}
			fits := twin.Len() <= limits.MaxUpdates && twin.Gas() <= limits.MaxGas && twin.Bytes() <= limits.MaxBytes
			fits = fits || u.Signature != nil && len(taken) == 0
			require.Equal(t, fits, b.AddUnit(u, time.Time{}))
			if fits {
				taken = append(taken, u)
			} else {
				twin = &without
			}
			updates, signed := flat(taken)
			require.Equal(t, len(updates), b.Len())
			require.Equal(t, append([]score.Update{}, updates...), b.Updates())
			require.Equal(t, twin.Gas(), b.Gas())
			require.Equal(t, twin.Bytes(), b.Bytes())
			built := b.Build()
			require.Equal(t, batch.Plan(&model, updates, signed), built)
			require.GreaterOrEqual(t, b.Gas(), model.Gas(built))
			require.GreaterOrEqual(t, b.Bytes(), model.Bytes(built))
		}
		b.Reset()
		require.Zero(t, b.Len())
		require.Zero(t, b.Build().Len())
		require.True(t, b.Add(score.Update{}, time.Time{}), "an empty builder takes any update")
	})
}

// TestBuilderBoundsClosely: for usual batches the builder's bound is the model's, but for headers that chance saves.
func TestBuilderBoundsClosely(t *testing.T) {
	t.Parallel()
	var many []score.Update
	for i := range byte(100) {
		u := workload(10, 10, 5, uint64(i))
		for j := range u {
			u[j].Project, u[j].Signer = score.ProjectID{1 + i%20}, common.Address{1 + i%3}
		}
		many = append(many, u...)
	}
	for name, updates := range map[string][]score.Update{
		"consecutive": workload(700, 700, 256, 1), "random": workload(350, 350, 1, 2), "hot": workload(2000, 200, 256, 3),
		"random, hot": workload(500, 50, 1, 4), "few of a word": workload(600, 300, 3, 5), "many projects": many,
	} {
		b, err := batch.NewBuilder(model, wide)
		require.NoError(t, err)
		for _, u := range updates {
			require.True(t, b.Add(u, time.Time{}))
		}
		gas, size := model.Gas(b.Build()), model.Bytes(b.Build())
		require.GreaterOrEqual(t, b.Gas(), gas, name)
		require.LessOrEqual(t, b.Gas(), gas+gas/200, name)
		require.GreaterOrEqual(t, b.Bytes(), size, name)
		require.LessOrEqual(t, b.Bytes(), size+size/50, name)
	}
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
		require.True(t, b.AddUnit(score.Unit{Updates: updates, Kind: kind, Signature: new(score.GroupSignature)}, time.Time{}))
		require.LessOrEqual(t, b.Gas(), batch.DefaultLimits().MaxGas)
		require.LessOrEqual(t, b.Bytes(), batch.DefaultLimits().MaxBytes)
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
	require.True(t, b.Add(score.Update{}, time.Time{}))
	require.False(t, b.AddUnit(group, time.Time{}))
	require.Equal(t, 1, b.Len())
	b.Reset()
	require.True(t, b.AddUnit(group, time.Time{}))
	require.False(t, b.Add(score.Update{}, time.Time{}))
	require.Equal(t, 5, b.Len())
}

func TestDue(t *testing.T) {
	t.Parallel()
	limits := wide
	limits.Linger = time.Second
	b, err := batch.NewBuilder(model, limits)
	require.NoError(t, err)
	_, _, some := b.Due()
	require.False(t, some)
	start := time.Unix(1000, 0)
	for i := range 3 {
		require.True(t, b.Add(score.Update{ID: score.UpdateID{byte(i)}}, start.Add(time.Duration(i)*time.Minute)))
		due, why, some := b.Due()
		require.True(t, some)
		require.Equal(t, batch.ForCompany, why)
		require.Equal(t, start.Add(time.Second), due, "the first update's wait counts")
	}
	b.Reset()
	require.True(t, b.Add(score.Update{}, start.Add(time.Hour)))
	due, _, _ := b.Due()
	require.Equal(t, start.Add(time.Hour+time.Second), due)
}

// TestDueWaitsForAWord plays arrivals of ids, so many each 10 ms, with a Linger of 200 ms and a WordLinger of 400 ms.
func TestDueWaitsForAWord(t *testing.T) {
	t.Parallel()
	const tick = 10 * time.Millisecond
	limits := batch.DefaultLimits()
	start := time.Unix(1000, 0)
	for name, tc := range map[string]struct {
		each, from, ticks int // ids a tick, the first low byte, ticks that ids come
		random            bool
		want              time.Duration // after start
	}{
		"completes in time":               {10, 0, 20, false, 250 * time.Millisecond}, // 256 ids take 25.6 ticks, the first is at 0
		"had begun in the batch before":   {6, 100, 20, false, 250 * time.Millisecond},
		"would take too long":             {4, 0, 20, false, 200 * time.Millisecond},
		"just about in time":              {7, 0, 20, false, 355714285 * time.Nanosecond},
		"is complete":                     {16, 0, 16, false, 200 * time.Millisecond},
		"all of it at once":               {100, 0, 1, false, 200 * time.Millisecond},
		"random ids":                      {10, 0, 20, true, 200 * time.Millisecond},
		"came early and then stood still": {10, 0, 10, false, 245999999 * time.Nanosecond},
	} {
		b, err := batch.NewBuilder(model, limits)
		require.NoError(t, err)
		low := tc.from
		for i := range tc.ticks {
			for range tc.each {
				u := score.Update{ID: score.UpdateID{31: byte(low)}}
				if tc.random {
					u.ID[0], u.ID[1] = byte(low), byte(low>>8)
				}
				require.True(t, b.Add(u, start.Add(time.Duration(i)*tick)))
				low++
			}
		}
		due, why, _ := b.Due()
		require.Equal(t, due.Sub(start) > limits.Linger, why == batch.ForWord, name)
		require.InDelta(t, float64(tc.want), float64(due.Sub(start)), float64(tick), name)
		group := score.Unit{Updates: []score.Update{{ID: score.UpdateID{9}}}, Kind: score.KindWord, Signature: new(score.GroupSignature)}
		require.True(t, b.AddUnit(group, start))
		due, why, _ = b.Due()
		require.Equal(t, batch.ForCompany, why, name)
		require.Equal(t, start.Add(limits.Linger), due, "a signed group waits for nothing")
	}
}

// TestABatchRemembersWhatItWaitedFor: what ends a wait for a word, its last id or one of another word, is no reason to
// forget it.
func TestABatchRemembersWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	limits := batch.DefaultLimits()
	word := func(from, to int) (out []score.Update) {
		for low := from; low < to; low++ {
			out = append(out, score.Update{ID: score.UpdateID{31: byte(low)}})
		}
		return out
	}
	for name, next := range map[string][]score.Update{"the rest of the word": word(190, 256), "another word": {{ID: score.UpdateID{1}}}} {
		for after, want := range map[time.Duration]batch.Reason{
			limits.Linger - time.Millisecond: batch.ForCompany,
			limits.Linger:                    batch.ForWord,
		} {
			b, err := batch.NewBuilder(model, limits)
			require.NoError(t, err)
			start := time.Unix(1000, 0)
			for i, u := range word(0, 190) { // the last would come after 255 ms
				require.True(t, b.Add(u, start.Add(time.Duration(i)*time.Millisecond)))
			}
			for _, u := range next {
				require.True(t, b.Add(u, start.Add(after)))
			}
			due, why, _ := b.Due()
			require.Equal(t, start.Add(limits.Linger), due, name)
			require.Equal(t, want, why, "%s after %s", name, after)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*batch.Limits){
		"no updates":  func(l *batch.Limits) { l.MaxUpdates = 0 },
		"too many":    func(l *batch.Limits) { l.MaxUpdates = batch.MaxGroup + 1 },
		"gas":         func(l *batch.Limits) { l.MaxGas = model.Base },
		"bytes":       func(l *batch.Limits) { l.MaxBytes = model.BaseBytes },
		"linger":      func(l *batch.Limits) { l.Linger = -1 },
		"word linger": func(l *batch.Limits) { l.WordLinger = -1 },
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
	b, err := batch.NewBuilder(model, wide)
	require.NoError(t, err)
	require.True(t, b.Add(score.Update{}, time.Time{}))
	least := batch.Limits{MaxUpdates: 1, MaxGas: b.Gas(), MaxBytes: b.Bytes()}
	b, err = batch.NewBuilder(model, least)
	require.NoError(t, err)
	u := workload(1, 1, 1, 1)[0]
	require.True(t, b.Add(u, time.Time{}))
	require.LessOrEqual(t, b.Gas(), least.MaxGas)
	require.False(t, b.Add(u, time.Time{}))
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
					builder.Add(u, time.Time{})
				}
				builder.Build()
			}
		})
	}
}
