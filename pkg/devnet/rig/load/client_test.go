package load

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// A creation that was stored by an attempt that got no 200 is taken by itself when it is sent again.
func TestACreationThatWasStoredUnansweredIsCreated(t *testing.T) {
	t.Parallel()
	others, ours := problem(409, "project_exists"), answer{status: 409, body: `{"code":"project_exists","same":true}`}
	for name, c := range map[string]struct {
		script []answer
		code   string
		asked  int
	}{
		"at once":                       {[]answer{accepted()}, "", 1},
		"another's":                     {[]answer{others}, "project_exists", 1},
		"stored, and not in time":       {[]answer{problem(503, "not_durable"), ours}, "", 2},
		"stored, and cut":               {[]answer{hangUp(), ours}, "", 2},
		"cut, and another's":            {[]answer{hangUp(), others}, "project_exists", 2},
		"cut, and invalid all the same": {[]answer{hangUp(), problem(400, "invalid_field")}, "invalid_field", 2},
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
