package deadletter

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// TestANameOfSeveralThingsIsRefused: an updateId of two projects, and one that is also a projectId.
func TestANameOfSeveralThingsIsRefused(t *testing.T) {
	t.Parallel()
	update := func(project byte, id string) score.DeadLetter {
		return score.DeadLetter{ID: id, Update: &score.Update{Project: score.ProjectID{project}, ID: score.UpdateID{3}}}
	}
	first, other := update(1, "first"), update(9, "other")
	_, err := newest([]score.DeadLetter{first, other}, "it")
	require.ErrorContains(t, err, "is of several projects; name a dead letter by its id, such as "+ID(&first)+" or "+ID(&other))
	created := score.DeadLetter{ID: "created", Project: &score.Project{ID: score.ProjectID{3}}}
	const says = " is the projectId of a creation and the updateId of an update; name a dead letter by its id, such as "
	for _, of := range []byte{3, 4} { // an update of this project, and of another
		_, err := newest([]score.DeadLetter{created, update(of, "")}, "it")
		require.ErrorContains(t, err, says)
		_, err = newest([]score.DeadLetter{update(of, ""), created}, "it")
		require.ErrorContains(t, err, says)
	}
}
