package score_test

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
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
			require.Equal(t, cmp.Compare(i, j), in[i].Compare(in[j]), "%v and %v", in[i], in[j])
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
		if rapid.Bool().Draw(t, "subset") {
			maps.DeleteFunc(b, func(x score.Position, _ bool) bool { return !a[x] })
		}
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
			both := maps.Clone(a)
			maps.Copy(both, b)
			require.Equal(t, positions(t, both), union, "in one form")
		} else {
			require.ErrorIs(t, err, score.ErrOverlap)
		}
		rest, err = p.Without(q)
		if missing := slices.ContainsFunc(slices.Collect(maps.Keys(b)), func(x score.Position) bool { return !a[x] }); missing {
			require.ErrorIs(t, err, score.ErrMissing)
		} else {
			require.NoError(t, err)
			maps.DeleteFunc(a, func(x score.Position, _ bool) bool { return b[x] })
			require.Equal(t, positions(t, a), rest)
		}
		text, err := json.Marshal(p)
		require.NoError(t, err)
		var read score.Positions
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, p, read)
	})
}

func TestPositionsBeyondAnyMessageAreNeitherWrittenNorRead(t *testing.T) {
	t.Parallel()
	const end = 1 << 20
	text := func(numbers ...uint64) []byte {
		var b []byte
		for _, n := range numbers {
			b = binary.AppendUvarint(b, n)
		}
		return []byte(base64.RawStdEncoding.EncodeToString(b))
	}
	var p score.Positions
	require.NoError(t, p.UnmarshalText(text(1, end-1, 1)))
	require.Equal(t, score.Positions{{Position: score.Position{Seq: 1, Index: end - 1}, Count: 1}}, p)
	for name, wrong := range map[string][]byte{
		"an index":             text(1, end, 1),
		"a count":              text(1, 0, end+1),
		"an end":               text(1, end-1, 2),
		"a later span's end":   text(1, 0, end-2, 0, 1, 2),
		"32 bits":              text(1, 0, 1<<32+1),
		"a sequence":           text(1<<63, 0, 1, 1<<63, 0, 1),
		"a number too long":    []byte(base64.RawStdEncoding.EncodeToString([]byte{0x81, 0, 0, 1})),
		"a line break":         append(text(1, 0, 1), '\n'),
		"a number not whole":   text(1, 0, 128)[:5],
		"no positions":         text(1, 0, 0),
		"spans without a hole": text(1, 0, 1, 0, 0, 1),
	} {
		require.Error(t, p.UnmarshalText(wrong), name)
	}
	for _, s := range []score.Span{{Position: score.Position{Seq: 1, Index: end}, Count: 1}, {Position: score.Position{Seq: 1, Index: 1}, Count: math.MaxUint32}} {
		_, err := score.Positions{s}.MarshalText()
		require.Error(t, err)
	}
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
		written, err := p.MarshalText()
		require.NoError(t, err)
		require.Equal(t, text, string(written), "a set has one text")
	})
}
