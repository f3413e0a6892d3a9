package load

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
)

// statuses is an API that answers look-ups.
func statuses(of func(project, id string) sdk.Status) *fakeAPI {
	return &fakeAPI{answer: func(r asked) answer {
		var out []sdk.Status
		for _, id := range r.body["updateIds"].([]any) {
			out = append(out, of(r.body["projectId"].(string), id.(string)))
		}
		raw, _ := json.Marshal(map[string]any{"updates": out})
		return answer{status: 200, body: string(raw)}
	}}
}

// promise has the tally hold promises, n of each of two projects.
func promise(tally *Tally, n int) {
	for i := range 2 * n {
		u := Update{Project: score.ProjectID{byte(i % 2)}, ID: score.UpdateID{byte(i), byte(i >> 8)}}
		tally.Add(Result{Post: Alone(u), Duplicate: []bool{false}, At: time.Now()})
	}
}

func TestFollowing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tally, began := NewTally(), time.Now()
		promise(tally, 300)
		api := statuses(func(project, id string) sdk.Status {
			switch {
			case project == (score.ProjectID{0}).String() && time.Since(began) >= time.Second:
				return sdk.Status{Stage: "final", Outcome: "applied"}
			case time.Since(began) >= 20*time.Second:
				return sdk.Status{Stage: "final", Outcome: "not_member"}
			}
			return sdk.Status{Stage: "included"}
		})
		sent, followed := make(chan struct{}), make(chan error, 1)
		go func() { followed <- Follow(t.Context(), api.client(), tally, sent, time.Minute) }()
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, Verdict{Promised: 600, Applied: 300, Unknown: 300}, tally.Verdict(), "while it is sent")
		close(sent)
		require.NoError(t, <-followed)
		require.Equal(t, Verdict{Promised: 600, Applied: 300, Rejected: 300}, tally.Verdict())
		require.Equal(t, 20*time.Second, time.Since(began))
		for _, asked := range api.asked {
			require.LessOrEqual(t, len(asked.body["updateIds"].([]any)), sdk.MaxLookUp)
		}
	})
}

// TestFollowingGivesUp when nothing becomes final, and then knows nothing of what is open: it is not lost.
func TestFollowingGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tally, began := NewTally(), time.Now()
		promise(tally, 2)
		sent := make(chan struct{})
		time.AfterFunc(time.Minute, func() { close(sent) })
		first := (score.UpdateID{}).String()
		api := statuses(func(_, id string) sdk.Status {
			if id == first && time.Since(began) > 65*time.Second {
				return sdk.Status{Stage: "final", Outcome: "applied"}
			}
			return sdk.Status{Stage: sdk.Unknown}
		})
		err := Follow(t.Context(), api.client(), tally, sent, 10*time.Second)
		require.ErrorIs(t, err, ErrStalled)
		require.ErrorContains(t, err, "3 updates were not final after 10s")
		require.Equal(t, Verdict{Promised: 4, Applied: 1, Unknown: 3}, tally.Verdict())
		require.Equal(t, 75*time.Second, time.Since(began).Truncate(time.Second), "patience counts from the last progress")
	})
}

func TestFollowingIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tally := NewTally()
		promise(tally, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := Follow(ctx, script(problem(503, "not_durable")).client(), tally, nil, time.Minute)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "stopped waiting for 2 updates to become final")
		require.Equal(t, Verdict{Promised: 2, Unknown: 2}, tally.Verdict())
	})
}
