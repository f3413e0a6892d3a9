package batch_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

func lowBytes() []byte {
	lows := make([]byte, 256)
	for i := range lows {
		lows[i] = byte(i)
	}
	return lows
}

func sortByID(updates []score.Update) {
	slices.SortFunc(updates, func(a, b score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) })
}

func TestBodyRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kind := score.Kind(1 + small(t, "kind", 3))
		updates := drawGroup(t, kind, 256)
		body, err := batch.EncodeBody(kind, updates)
		require.NoError(t, err)
		decoded, err := batch.DecodeBody(kind, updates[0].Project, updates[0].Signer, body, len(updates))
		require.NoError(t, err)
		require.Equal(t, updates, decoded)
		_, err = batch.DecodeBody(kind, updates[0].Project, updates[0].Signer, body, len(updates)-1)
		require.ErrorIs(t, err, batch.ErrBody)
		require.ErrorContains(t, err, fmt.Sprintf("more than %d updates", len(updates)-1))

		cut := rapid.IntRange(0, len(body)-1).Draw(t, "cut")
		_, err = batch.DecodeBody(kind, updates[0].Project, updates[0].Signer, body[:cut], math.MaxInt)
		require.ErrorIs(t, err, batch.ErrBody)
		_, err = batch.DecodeBody(kind, updates[0].Project, updates[0].Signer, append(body, 0), math.MaxInt)
		require.ErrorIs(t, err, batch.ErrBody)
	})
}

// Parts of bodies, in hex.
var (
	hexWord   = strings.Repeat("11", 31)
	hexTarget = strings.Repeat("aa", 20)
)

// TestBodies compares with bytes written by hand.
func TestBodies(t *testing.T) {
	t.Parallel()
	u := func(low, target, scoreType, action byte) score.Update {
		out := score.Update{Action: action, ScoreType: scoreType, Target: common.Address(bytes.Repeat([]byte{target}, 20))}
		copy(out.ID[:], bytes.Repeat([]byte{0x11}, 31))
		out.ID[31] = low
		return out
	}
	for _, tc := range []struct {
		name    string
		kind    score.Kind
		updates []score.Update
		want    string
	}{
		{"one of a word", score.KindWord, []score.Update{u(0, 0xaa, 2, 3)}, hexWord + "0001" + "01" + hexTarget + "0203"},
		{
			"two of a word", score.KindWord,
			[]score.Update{u(0x0f, 0xaa, 0, 1), u(0x18, 0xaa, 0, 1)},
			hexWord + "0103" + "010080" + hexTarget + "0001" + hexTarget + "0001",
		},
		{"the last of a word", score.KindWord, []score.Update{u(0xff, 0xaa, 0, 1)}, hexWord + "1f01" + "80" + hexTarget + "0001"},
		{
			"runs", score.KindRuns,
			[]score.Update{u(9, 0xaa, 2, 3), u(7, 0xaa, 2, 4), u(8, 0xaa, 1, 5)},
			hexWord + "0002" + hexTarget + "0201" + "0903" + "0704" + hexTarget + "0100" + "0805",
		},
		{
			"free", score.KindFree,
			[]score.Update{u(9, 0xaa, 2, 3), u(7, 0xaa, 2, 4)},
			"0001" + hexTarget + "0201" + hexWord + "0903" + hexWord + "0704",
		},
	} {
		body, err := batch.EncodeBody(tc.kind, tc.updates)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.want, hex.EncodeToString(body), tc.name)
	}
}

// TestBodiesThatSayMoreThanTheyMust are taken, but are not what EncodeBody writes.
func TestBodiesThatSayMoreThanTheyMust(t *testing.T) {
	t.Parallel()
	record := hexTarget + "0203"
	for name, tc := range map[string]struct {
		kind score.Kind
		body string
		lows []byte
	}{
		"mask with a zero byte in front":  {score.KindWord, hexWord + "0102" + "0001" + record, []byte{8}},
		"mask with a zero byte behind":    {score.KindWord, hexWord + "0002" + "0100" + record, []byte{8}},
		"mask of all bytes":               {score.KindWord, hexWord + "0020" + strings.Repeat("00", 31) + "02" + record, []byte{1}},
		"runs of one wallet, one by one":  {score.KindRuns, hexWord + "0002" + hexTarget + "0200" + "0503" + hexTarget + "0200" + "0603", []byte{5, 6}},
		"free ids, one by one":            {score.KindFree, "0002" + hexTarget + "0200" + hexWord + "0503" + hexTarget + "0200" + hexWord + "0603", []byte{5, 6}},
		"an id twice, which is canonical": {score.KindRuns, hexWord + "0001" + hexTarget + "0201" + "0503" + "0503", []byte{5, 5}},
	} {
		body, err := hex.DecodeString(tc.body)
		require.NoError(t, err)
		updates, err := batch.DecodeBody(tc.kind, score.ProjectID{1}, common.Address{2}, body, math.MaxInt)
		require.NoError(t, err, name)
		require.Len(t, updates, len(tc.lows), name)
		for i, u := range updates {
			id := score.UpdateID(bytes.Repeat([]byte{0x11}, 32))
			id[31] = tc.lows[i]
			require.Equal(t, score.Update{
				Project: score.ProjectID{1}, Signer: common.Address{2}, ID: id,
				Target: common.Address(bytes.Repeat([]byte{0xaa}, 20)), ScoreType: 2, Action: 3,
			}, u, name)
		}
		again, err := batch.EncodeBody(tc.kind, updates)
		require.NoError(t, err)
		require.Equal(t, strings.Contains(name, "which is canonical"), bytes.Equal(body, again), name)
	}
}

func TestBodiesThatAreNone(t *testing.T) {
	t.Parallel()
	record, run := hexTarget+"0203", hexTarget+"0200"+"0503"
	for name, tc := range map[string]struct {
		kind score.Kind
		body string
	}{
		"nothing":                  {score.KindWord, ""},
		"a word alone":             {score.KindWord, hexWord},
		"no mask":                  {score.KindWord, hexWord + "0000" + record},
		"empty mask":               {score.KindWord, hexWord + "0001" + "00" + record},
		"mask beyond the word":     {score.KindWord, hexWord + "2001" + "01" + record},
		"mask longer than a word":  {score.KindWord, hexWord + "0121" + strings.Repeat("01", 33) + strings.Repeat(record, 33)},
		"mask of more records":     {score.KindWord, hexWord + "0001" + "03" + record},
		"mask of fewer records":    {score.KindWord, hexWord + "0001" + "01" + record + record},
		"no runs":                  {score.KindRuns, hexWord + "0000"},
		"more runs":                {score.KindRuns, hexWord + "0002" + run},
		"fewer runs":               {score.KindRuns, hexWord + "0001" + run + run},
		"a run cut short":          {score.KindRuns, hexWord + "0001" + hexTarget + "0201" + "0503"},
		"no free runs":             {score.KindFree, "0000"},
		"a free run cut short":     {score.KindFree, "0001" + hexTarget + "0201" + hexWord + "0503"},
		"kind 0":                   {0, hexWord + "0001" + "01" + record},
		"kind 4":                   {4, hexWord + "0001" + run},
		"a flag is no kind's part": {score.KindWord | 0x10, hexWord + "0001" + "01" + record},
	} {
		body, err := hex.DecodeString(tc.body)
		require.NoError(t, err)
		_, err = batch.DecodeBody(tc.kind, score.ProjectID{}, common.Address{}, body, math.MaxInt)
		require.ErrorIs(t, err, batch.ErrBody, name)
	}
	g := batch.Group{Kind: score.KindFree}
	_, err := g.ReadBody(&score.Word{}, nil)
	require.ErrorIs(t, err, batch.ErrBody)
}

func TestUpdatesThatAreNoBody(t *testing.T) {
	t.Parallel()
	id := func(word, low byte) score.Update { return score.Update{ID: score.UpdateID{word, 31: low}} }
	for name, tc := range map[string]struct {
		kind    score.Kind
		updates []score.Update
	}{
		"none":             {score.KindFree, nil},
		"kind":             {4, []score.Update{{}}},
		"several words":    {score.KindWord, []score.Update{id(1, 1), id(2, 2)}},
		"runs of them":     {score.KindRuns, []score.Update{id(1, 1), id(2, 2)}},
		"descending":       {score.KindWord, []score.Update{id(1, 2), id(1, 1)}},
		"descending a lot": {score.KindWord, []score.Update{id(1, 99), id(1, 1)}},
		"an id twice":      {score.KindWord, []score.Update{id(1, 1), id(1, 1)}},
		"too many runs":    {score.KindFree, make([]score.Update, 256*batch.MaxGroup+1)},
	} {
		_, err := batch.EncodeBody(tc.kind, tc.updates)
		require.ErrorIs(t, err, batch.ErrBody, name)
	}
}

// FuzzDecodeBody: what is decoded can be written, in a form that decodes to the same.
func FuzzDecodeBody(f *testing.F) {
	u := score.Update{ID: score.UpdateID{1, 31: 7}, Target: common.Address{2}}
	for kind := score.KindWord; kind <= score.KindFree; kind++ {
		body, err := batch.EncodeBody(kind, []score.Update{u})
		require.NoError(f, err)
		f.Add(uint8(kind), body)
	}
	f.Add(uint8(score.KindWord), append(make([]byte, 31), 30, 2, 1, 1))
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		updates, err := batch.DecodeBody(score.Kind(kind), score.ProjectID{}, common.Address{}, body, math.MaxInt)
		if err != nil {
			require.ErrorIs(t, err, batch.ErrBody)
			return
		}
		canonical, err := batch.EncodeBody(score.Kind(kind), updates)
		require.NoError(t, err)
		require.LessOrEqual(t, len(canonical), len(body))
		again, err := batch.DecodeBody(score.Kind(kind), score.ProjectID{}, common.Address{}, canonical, math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, updates, again)
	})
}
