package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestWhatAPauseHoldsUpIsTold in the answers of posts and look-ups, as long as an update is in no transaction; and where the project's
// updates are not accepted either, its posts are refused, and no other's.
func TestWhatAPauseHoldsUpIsTold(t *testing.T) {
	b := newBench(t, nil).withProject()
	pause := func(of score.ProjectID, by *httpapi.Pause) {
		b.pause(func(project *score.ProjectID) *httpapi.Pause {
			if project == nil || *project != of {
				return nil
			}
			return by
		})
	}
	b.restored()
	waits := object{"why": "paused", "reason": "a \"wrong\" <price>"}
	require.NotContains(t, b.post("/update-score", b.update("before")).body, "waits")
	pause(b.project.ID, &httpapi.Pause{Reason: "a \"wrong\" <price>"})
	require.Equal(t, waits, b.post("/update-score", b.update("one")).body["waits"])
	again := b.post("/update-score", b.update("one")).body
	require.Equal(t, "duplicate", again["status"])
	require.NotContains(t, again, "waits")
	require.Equal(t, waits, b.post("/update-scores", b.free("two", "three")).body["waits"])
	require.Equal(t, waits, b.groups(b.free("four"))[0]["waits"])

	require.NoError(t, b.status.Bound(t.Context(), 1, 3, b.refs("one"), 1<<30, nil))
	updates := b.lookUp(updateID("one"), updateID("two"), updateID("nothing")).body["updates"].([]any)
	require.NotContains(t, updates[0], "waits", "it is in a transaction")
	require.Equal(t, waits, updates[1].(object)["waits"])
	require.NotContains(t, updates[2], "waits")
	require.Equal(t, waits, b.lookUpOne("before").body["waits"])

	refuses := &httpapi.Pause{Reason: "a wrong price", Refuses: true}
	pause(b.project.ID, refuses)
	envelopes := len(b.envelopes())
	for _, r := range []response{b.post("/update-score", b.update("five")), b.post("/update-scores", b.free("five"))} {
		require.Equal(t, "paused", r.code())
		require.Equal(t, "a wrong price", r.body["detail"])
	}
	refused := b.groups(b.free("five"))[0]
	require.Equal(t, "paused", refused["problem"].(object)["code"])
	require.NotZero(t, refused["retryAfter"])
	require.Len(t, b.envelopes(), envelopes)
	other := b.project.ID
	other[0]++
	pause(other, refuses)
	require.Equal(t, "accepted", b.post("/update-score", b.update("five")).body["status"])
}
