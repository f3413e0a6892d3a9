package load

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// A creation that was stored by an attempt that got no 200 is refused when it is sent again: the project tells whose it is.
func TestACreationThatWasStoredUnansweredIsCreated(t *testing.T) {
	t.Parallel()
	taken, missing, created := problem(409, "project_exists"), problem(404, "project_not_found"), answer{status: 200, body: `{"status":"accepted","name":"ours"}`}
	for name, c := range map[string]struct {
		script []answer
		code   string
		asked  int
	}{
		"at once":                         {[]answer{accepted()}, "", 1},
		"another's":                       {[]answer{taken}, "project_exists", 1},
		"stored, and not in time":         {[]answer{problem(503, "not_durable"), taken, created}, "", 3},
		"stored, and cut":                 {[]answer{hangUp(), taken, created}, "", 3},
		"cut, and not read yet":           {[]answer{hangUp(), taken, missing, taken, created}, "", 5},
		"cut, and another's":              {[]answer{hangUp(), taken, {status: 200, body: `{"status":"final","name":"theirs"}`}}, "project_exists", 3},
		"cut, and invalid all the same":   {[]answer{hangUp(), problem(400, "invalid_field")}, "invalid_field", 2},
		"cut, taken, and no more answers": {[]answer{hangUp(), taken, hangUp(), taken, created}, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				api := script(c.script...)
				err := api.client().CreateProject(t.Context(), &score.Project{ID: score.ProjectID{1}, Name: "ours"})
				require.Equal(t, c.code, (&Result{Err: err}).refusal(), "%v", err)
				require.Equal(t, c.code == "", err == nil)
				require.Len(t, api.asked, c.asked)
			})
		})
	}
}
