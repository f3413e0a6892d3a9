package score_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

func TestPositionsAreOrdered(t *testing.T) {
	t.Parallel()
	in := []score.Position{{}, {Seq: 1}, {Seq: 1, Index: 5}, {Seq: 2}, {Seq: 2, Index: 1}}
	for i := range in {
		for j := range in {
			require.Equal(t, i < j, in[i].Before(in[j]), "%v before %v", in[i], in[j])
		}
	}
}

// members draws a small universe's positions.
func members(t *rapid.T, name string) map[score.Position]bool {
	drawn := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) score.Position {
		return score.Position{Seq: rapid.Uint64Range(1, 4).Draw(t, "seq"), Index: rapid.Uint32Range(0, 9).Draw(t, "index")}
	}), 0, 30).Draw(t, name)
	set := map[score.Position]bool{}
	for _, p := range drawn {
		set[p] = true
	}
	return set
}

func positions(t require.TestingT, set map[score.Position]bool) score.Positions {
	var spans []score.Span
	for p := range maps.Keys(set) {
		spans = append(spans, score.Span{Position: p, Count: 1})
	}
	made, err := score.PositionsOf(spans...)
	require.NoError(t, err)
	return made
}

// TestPositionsAreASet holds them against a map.
func TestPositionsAreASet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := members(t, "a"), members(t, "b")
		p, q := positions(t, a), positions(t, b)
		require.EqualValues(t, len(a), p.Len())

		at := score.Position{Seq: rapid.Uint64Range(0, 5).Draw(t, "cut seq"), Index: rapid.Uint32Range(0, 10).Draw(t, "cut index")}
		before, rest := p.Split(at)
		for seq := range uint64(6) {
			for index := range uint32(11) {
				x := score.Position{Seq: seq, Index: index}
				require.Equal(t, a[x], p.Has(x), "%v", x)
				require.Equal(t, a[x] && x.Before(at), before.Has(x), "%v before %v", x, at)
				require.Equal(t, a[x] && !x.Before(at), rest.Has(x), "%v from %v", x, at)
			}
		}
		union, err := p.Union(q)
		common := slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(x score.Position) bool { return b[x] })
		require.Equal(t, common, err != nil)
		if err == nil {
			maps.Copy(a, b)
			require.Equal(t, positions(t, a), union, "in one form")
		} else {
			require.ErrorIs(t, err, score.ErrOverlap)
		}
		text, err := json.Marshal(p)
		require.NoError(t, err)
		var read score.Positions
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, p, read)
	})
}

func FuzzPositions(f *testing.F) {
	f.Add("")
	f.Add("AQABAQAB")
	f.Fuzz(func(t *testing.T, text string) {
		var p score.Positions
		if p.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := score.PositionsOf(p...)
		require.NoError(t, err)
		require.Equal(t, p, again, "what is read ascends, and touches nothing")
	})
}
