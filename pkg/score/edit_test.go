package score_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

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
	after, problems := e.Apply(before)
	require.Empty(t, problems)
	require.Equal(t, map[common.Address]score.Role{b: score.Owner}, after.Members)
	require.Equal(t, []score.Action{{Name: "up", Points: 1}, {Name: "up", Points: 2}}, after.Actions)
	require.Equal(t, []string{"s", "t"}, after.ScoreTypes)
	require.False(t, after.SignedOnly)
	require.Equal(t, map[common.Address]score.Role{a: score.Owner | score.Updater}, before.Members)
	require.Len(t, before.Actions, 1)

	_, problems = e.Apply(after)
	require.Equal(t, "/edits/0/member", problems[0].Pointer, "it was made before")
	full := &score.Record{Members: map[common.Address]score.Role{}}
	for i := range score.MaxScoreTypes {
		full.ScoreTypes = append(full.ScoreTypes, fmt.Sprint(i))
	}
	full.Actions = make([]score.Action, score.MaxActions)
	more := score.ProjectEdit{Edits: []score.Edit{{Operation: score.AddAction, Name: "x", Points: 1}, {Operation: score.AddScoreType, Name: "x"}}}
	_, problems = more.Apply(full)
	require.Len(t, problems, 2)
}

func TestAnEditIsOverBehindItsDeadline(t *testing.T) {
	t.Parallel()
	e := score.ProjectEdit{Deadline: 1000}
	require.False(t, e.Over(time.Unix(1000, 0)))
	require.True(t, e.Over(time.Unix(1001, 0)))
}
