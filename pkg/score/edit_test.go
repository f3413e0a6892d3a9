package score_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
)

// TestEditsAreMadeInTheirOrder: each to what those before it made, and the record that they began with stays.
func TestEditsAreMadeInTheirOrder(t *testing.T) {
	t.Parallel()
	a, b := common.Address{1}, common.Address{2}
	before := score.RecordOf(&score.Project{
		Actions: []score.Action{{Name: "up", Points: 1}}, ScoreTypes: []string{"s"}, Owners: []common.Address{a}, Updaters: []common.Address{a},
	})
	e := score.ProjectEdit{Edits: []score.Edit{
		{Operation: score.AddOwner, Member: b},
		{Operation: score.RemoveOwner, Member: a},
		{Operation: score.RemoveUpdater, Member: a},
		{Operation: score.AddAction, Name: "up", Points: 2},
		{Operation: score.AddScoreType, Name: "t"},
		{Operation: score.RequireSignedGroups},
		{Operation: score.AllowUnsignedGroups},
	}}
	after, problems := e.Apply(before, 2, 0)
	require.Empty(t, problems)
	require.Equal(t, map[common.Address]score.Role{b: score.Owner}, after.Members)
	require.Equal(t, []score.Action{{Name: "up", Points: 1}, {Name: "up", Points: 2}}, after.Actions)
	require.Equal(t, []string{"s", "t"}, after.ScoreTypes)
	require.False(t, after.SignedOnly)
	require.Equal(t, map[common.Address]score.Role{a: score.Owner | score.Updater}, before.Members)
	require.Len(t, before.Actions, 1)

	_, problems = e.Apply(after, 2, 0)
	require.Equal(t, "/edits/0/member", problems[0].Pointer, "it was made before")
	full := &score.Record{Members: map[common.Address]score.Role{}}
	for i := range score.MaxScoreTypes {
		full.ScoreTypes = append(full.ScoreTypes, fmt.Sprint(i))
	}
	full.Actions = make([]score.Action, score.MaxActions)
	more := score.ProjectEdit{Edits: []score.Edit{{Operation: score.AddAction, Name: "x", Points: 1}, {Operation: score.AddScoreType, Name: "x"}}}
	_, problems = more.Apply(full, 2, 0)
	require.Len(t, problems, 2)
}

// TestEditsHoldNothingThatTheirOperationDoesNotUse: the contract would ignore it, and its bytes would make a transaction that no node takes.
func TestEditsHoldNothingThatTheirOperationDoesNotUse(t *testing.T) {
	t.Parallel()
	member := common.Address{7}
	owner := score.RecordOf(&score.Project{Owners: []common.Address{{1}, {2}}, Updaters: []common.Address{{1}}})
	for _, good := range []score.Edit{
		{Operation: score.AddOwner, Member: member},
		{Operation: score.AddUpdater, Member: member},
		{Operation: score.RemoveOwner, Member: common.Address{1}},
		{Operation: score.RemoveUpdater, Member: common.Address{1}},
		{Operation: score.AddAction, Name: "x", Points: 1, Direction: score.Subtract},
		{Operation: score.AddScoreType, Name: "x"},
		{Operation: score.RequireSignedGroups},
	} {
		problems := func(e score.Edit) []score.Problem {
			_, problems := (&score.ProjectEdit{Edits: []score.Edit{e}}).Apply(owner, 9, 0)
			return problems
		}
		require.Empty(t, problems(good))
		for _, spoil := range []func(e *score.Edit){
			func(e *score.Edit) { e.Name = strings.Repeat("x", 200_000) },
			func(e *score.Edit) { e.Points = 5 },
			func(e *score.Edit) { e.Direction = score.Subtract },
			func(e *score.Edit) { e.Member = common.Address{1, 2} },
		} {
			bad := good
			if spoil(&bad); (bad.Name == "") == (good.Name == "") && (bad.Points == 0) == (good.Points == 0) &&
				(bad.Direction == 0) == (good.Direction == 0) && (bad.Member == common.Address{}) == (good.Member == common.Address{}) {
				continue // it uses that
			}
			require.Equal(t, "/edits/0/operation", problems(bad)[0].Pointer, "%s", good.Operation)
		}
	}
}

func TestAnEditIsOverBehindItsDeadline(t *testing.T) {
	t.Parallel()
	e := score.ProjectEdit{Deadline: 1000}
	require.False(t, e.Over(time.Unix(1000, 0)))
	require.True(t, e.Over(time.Unix(1001, 0)))
}

// TestMembersAfterAreAPartOfAll: any page of any record is what cutting the whole list gives.
func TestMembersAfterAreAPartOfAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &score.Record{Members: map[common.Address]score.Role{}}
		for range rapid.IntRange(0, 40).Draw(t, "members") {
			r.Members[common.Address{byte(rapid.IntRange(0, 30).Draw(t, "address"))}] |= score.Role(rapid.IntRange(1, 3).Draw(t, "role"))
		}
		roles, most := score.Role(rapid.IntRange(1, 3).Draw(t, "roles")), rapid.IntRange(1, 50).Draw(t, "most")
		after := &common.Address{byte(rapid.IntRange(0, 30).Draw(t, "after"))}
		want := slices.DeleteFunc(r.MembersOf(roles), func(a common.Address) bool { return a.Cmp(*after) <= 0 })
		require.Equal(t, want[:min(len(want), most)], r.MembersAfter(roles, after, most))
		all := r.MembersOf(roles)
		require.Equal(t, all[:min(len(all), most)], r.MembersAfter(roles, nil, most))
	})
}
