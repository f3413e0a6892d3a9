package score_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/score"
)

func FuzzParseUpdateID(f *testing.F) {
	for _, seed := range []string{"", "0x", "0X" + strings.Repeat("a", 64), "0x" + strings.Repeat("aB", 32), "0x" + strings.Repeat("g", 64), strings.Repeat("a", 66)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := score.ParseUpdateID(s)
		if err != nil {
			require.Zero(t, id)
			return
		}
		require.Equal(t, strings.ToLower(s), id.String())
	})
}

func TestIDsTravelAsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var in struct {
			Project score.ProjectID
			Update  score.UpdateID
		}
		copy(in.Project[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "project"))
		copy(in.Update[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "update"))
		data, err := json.Marshal(in)
		require.NoError(t, err)
		out := in
		out.Project, out.Update = score.ProjectID{}, score.UpdateID{}
		require.NoError(t, json.Unmarshal(data, &out))
		require.Equal(t, in, out)
	})
}

func TestAnIDIsItsWordAndItsLowByte(t *testing.T) {
	t.Parallel()
	id := score.UpdateID{0: 1, 30: 2, 31: 3}
	require.Equal(t, score.Word{0: 1, 30: 2}, id.Word())
	require.Equal(t, byte(3), id.Low())
}

// TestBucketOf holds the hash still: another one would tear a project from its creation, and its updates from their lane.
func TestBucketOf(t *testing.T) {
	t.Parallel()
	for n, want := range map[byte]score.Bucket{0: 69, 1: 196, 2: 71, 3: 198, 255: 58} {
		require.Equal(t, want, score.BucketOf(score.ProjectID{n}), "project %d", n)
	}
	counts := map[score.Bucket]int{}
	for n := range 1 << 18 {
		counts[score.BucketOf(score.ProjectID{0: byte(n), 15: byte(n >> 16), 31: byte(n >> 8)})]++
	}
	for b := range score.Buckets {
		require.InDelta(t, 1024, counts[score.Bucket(b)], 205, "bucket %d", b)
	}
	for b := range score.Buckets {
		require.Less(t, score.FirstOwner(score.Bucket(b), 3), score.Lane(3))
	}
}

func valid() *score.Project {
	return &score.Project{
		ID: score.ProjectID{1}, Name: "Acme", Actions: []score.Action{{Name: "win", Points: score.MaxPoints}},
		Owners: []common.Address{{1}}, Updaters: []common.Address{{1}}, ScoreTypes: []string{"reputation"},
	}
}

func TestProblemsNameTheField(t *testing.T) {
	t.Parallel()
	require.Empty(t, valid().Problems())
	for name, c := range map[string]struct {
		pointer string
		spoil   func(*score.Project)
	}{
		"no name":            {"/name", func(p *score.Project) { p.Name = "" }},
		"long name":          {"/name", func(p *score.Project) { p.Name = strings.Repeat("n", score.MaxProjectNameBytes+1) }},
		"control character":  {"/name", func(p *score.Project) { p.Name = "a\nb" }},
		"not UTF-8":          {"/name", func(p *score.Project) { p.Name = "a\xff" }},
		"no action":          {"/inputActions", func(p *score.Project) { p.Actions = nil }},
		"too many actions":   {"/inputActions", func(p *score.Project) { p.Actions = make([]score.Action, score.MaxActions+1) }},
		"unnamed action":     {"/inputActions/0/name", func(p *score.Project) { p.Actions[0].Name = "" }},
		"no points":          {"/inputActions/0/points", func(p *score.Project) { p.Actions[0].Points = 0 }},
		"many points":        {"/inputActions/0/points", func(p *score.Project) { p.Actions[0].Points = score.MaxPoints + 1 }},
		"direction":          {"/inputActions/0/direction", func(p *score.Project) { p.Actions[0].Direction = 2 }},
		"action twice":       {"/inputActions/1/name", func(p *score.Project) { p.Actions = append(p.Actions, p.Actions[0]) }},
		"no score type":      {"/scoreTypes", func(p *score.Project) { p.ScoreTypes = nil }},
		"too many types":     {"/scoreTypes", func(p *score.Project) { p.ScoreTypes = make([]string, score.MaxScoreTypes+1) }},
		"score type twice":   {"/scoreTypes/1", func(p *score.Project) { p.ScoreTypes = append(p.ScoreTypes, "reputation") }},
		"unnamed score type": {"/scoreTypes/0", func(p *score.Project) { p.ScoreTypes[0] = "" }},
		"no owner":           {"/owners", func(p *score.Project) { p.Owners = nil }},
		"zero owner":         {"/owners/0", func(p *score.Project) { p.Owners[0] = common.Address{} }},
		"updater twice":      {"/updaters/1", func(p *score.Project) { p.Updaters = append(p.Updaters, p.Updaters[0]) }},
		"too many members":   {"/owners", func(p *score.Project) { p.Updaters = make([]common.Address, score.MaxCreationMembers) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := valid()
			c.spoil(p)
			var pointers []string
			for _, problem := range p.Problems() {
				require.NotEmpty(t, problem.Detail)
				pointers = append(pointers, problem.Pointer)
			}
			require.Contains(t, pointers, c.pointer)
		})
	}
}

func TestARecordKnowsTheNewestActionOfAName(t *testing.T) {
	t.Parallel()
	r := score.RecordOf(valid())
	require.Equal(t, map[common.Address]score.Role{{1}: score.Owner | score.Updater}, r.Members)
	r.Actions = append(r.Actions, score.Action{Name: "lose", Points: 1}, score.Action{Name: "win", Points: 2})
	index, ok := r.ActionIndex("win")
	require.True(t, ok)
	require.EqualValues(t, 2, index)
	_, ok = r.ActionIndex("draw")
	require.False(t, ok)
	_, ok = r.ScoreTypeIndex("skill")
	require.False(t, ok)
	require.EqualValues(t, -3, score.Action{Points: 3, Direction: score.Subtract}.Delta())
}

func TestOutcomesThatUseTheIDUpAreNotRejections(t *testing.T) {
	t.Parallel()
	require.False(t, score.Applied.Rejected())
	require.False(t, score.Duplicate.Rejected())
	for o := score.UnknownProject; o <= score.Unprocessable; o++ {
		require.True(t, o.Rejected(), o.String())
		require.NotContains(t, o.String(), "outcome_")
	}
}

// TestUnitsAreTheList: every update once, in order, and signed groups as marked.
func TestUnitsAreTheList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want []score.Unit
		var updates []score.Update
		var signed []score.Signed
		for i, n := range rapid.SliceOf(rapid.IntRange(0, 3)).Draw(t, "sizes") { // 0 is an unsigned update
			unit := score.Unit{Updates: make([]score.Update, max(n, 1))}
			for j := range unit.Updates {
				unit.Updates[j].ID = score.UpdateID{byte(i), byte(j)}
			}
			if n > 0 {
				unit.Kind, unit.Signature = score.KindFree, &score.GroupSignature{byte(i)}
				signed = append(signed, score.Signed{First: len(updates), Count: n, Kind: unit.Kind, Signature: *unit.Signature})
			}
			updates = append(updates, unit.Updates...)
			want = append(want, unit)
		}
		units := score.Units(updates, signed)
		require.Equal(t, want, slices.Collect(units))
		for unit := range units { // from the first again
			require.Equal(t, want[0], unit)
			break
		}
	})
}
