package relay

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// drawRecords makes envelopes of updates with ids that count up, some of them in signed groups.
func drawRecords(t *rapid.T) (records []score.Message, units int) {
	id := 0
	for seq := range uint64(rapid.IntRange(1, 8).Draw(t, "envelopes")) {
		r := score.Message{Seq: 10 + 3*seq}
		for range rapid.IntRange(1, 6).Draw(t, "units") {
			units++
			n := 1
			if rapid.Bool().Draw(t, "signed") {
				n = rapid.IntRange(1, 30).Draw(t, "size")
				r.Signed = append(r.Signed, score.Signed{
					First: len(r.Updates), Count: n, Kind: score.KindFree, Signature: score.GroupSignature{byte(units)},
				})
			}
			for range n {
				r.Updates = append(r.Updates, score.Update{ID: score.UpdateID{30: byte(id >> 8), 31: byte(id)}})
				id++
			}
		}
		records = append(records, r)
	}
	return records, units
}

// TestCursorsNeverStandInsideASignedGroup binds what an intake makes of any envelopes, in batches of any size, and kills
// it after any of them: a new one at the last bound cursor continues with the next unit.
func TestCursorsNeverStandInsideASignedGroup(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records, units := drawRecords(t)
		config := Config{Model: registry.GasModel(), Limits: batch.Limits{
			MaxUpdates: rapid.IntRange(1, 40).Draw(t, "most"), MaxGas: 1 << 24, MaxBytes: 128 << 10,
		}}
		want := map[score.GroupSignature][]score.Update{}
		for _, r := range records {
			for _, g := range r.Signed {
				want[g.Signature] = r.Updates[g.First : g.First+g.Count]
			}
		}
		var cursor score.Cursor
		var bound []score.UpdateID
		for killed := true; killed; {
			killed = false
			in, err := newIntake(config, cursor)
			require.NoError(t, err)
			for _, r := range records {
				if r.Seq < cursor.Seq {
					continue
				}
				require.NoError(t, in.take(r))
				for in.builder.Len() > 0 && !killed {
					b := in.builder.Build()
					for _, g := range b.Groups {
						if g.Signature != nil {
							require.Equal(t, want[*g.Signature], g.Updates, "whole, and once")
							delete(want, *g.Signature)
						}
						for _, u := range g.Updates {
							bound = append(bound, u.ID)
						}
					}
					units -= b.Units()
					cursor = in.to
					in.bound()
					killed = rapid.IntRange(0, 5).Draw(t, "killed") == 0
				}
				if killed {
					break
				}
			}
		}
		require.Empty(t, want)
		require.Zero(t, units)
		slices.SortFunc(bound, func(a, b score.UpdateID) int { return slices.Compare(a[:], b[:]) })
		for i, id := range bound {
			require.Equal(t, score.UpdateID{30: byte(i >> 8), 31: byte(i)}, id, "each once")
		}
	})
}

func TestACursorInsideASignedGroupIsCorrupt(t *testing.T) {
	t.Parallel()
	r := score.Message{
		Seq: 7, Updates: make([]score.Update, 12),
		Signed: []score.Signed{{First: 0, Count: 3, Kind: score.KindFree}, {First: 4, Count: 6, Kind: score.KindFree}},
	}
	for i := range r.Updates {
		r.Updates[i].ID[31] = byte(i)
	}
	for index := range uint32(13) {
		in, err := newIntake(Config{Model: registry.GasModel(), Limits: batch.DefaultLimits()}, score.Cursor{Seq: 7, Index: index})
		require.NoError(t, err)
		err = in.take(r)
		if inside := index > 0 && index < 3 || index > 4 && index < 10; inside {
			require.ErrorIs(t, err, lane.ErrCorrupt, "%d", index)
			require.Zero(t, in.builder.Len(), "nothing is bound of it")
			continue
		}
		require.NoError(t, err, "%d", index)
		require.Equal(t, 12-int(index), in.builder.Len())
	}
}

func TestABatchWaitsForAWordThatIsAboutToBeComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		every time.Duration // an id
		ids   int
		why   string
		after time.Duration
	}{
		"complete soon":       {time.Millisecond, 256, "word", 255 * time.Millisecond},
		"complete too late":   {2 * time.Millisecond, 256, "linger", 200 * time.Millisecond},
		"its ids stop coming": {time.Millisecond, 220, "word", 255 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				in, err := newIntake(Config{Model: registry.GasModel(), Limits: batch.DefaultLimits()}, score.Cursor{})
				require.NoError(t, err)
				began := time.Now()
				for i := 0; ; i++ {
					if i < c.ids {
						require.NoError(t, in.take(score.Message{Seq: uint64(i + 1), Updates: []score.Update{{ID: score.UpdateID{31: byte(i)}}}}))
					}
					if why, due := in.due(time.Now()); due {
						require.Equal(t, c.why, why)
						require.Equal(t, c.after, time.Since(began))
						return
					}
					time.Sleep(c.every)
				}
			})
		})
	}
}
