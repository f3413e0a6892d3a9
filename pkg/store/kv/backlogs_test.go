package kv

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

func openBacklogs(t *testing.T) *Backlogs {
	t.Helper()
	js := fresh.JetStream(t)
	setUp(t, js)
	b, err := OpenBacklogs(t.Context(), js, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return b
}

func TestAViewKnowsWhatLanesSay(t *testing.T) {
	t.Parallel()
	store := openBacklogs(t)
	one, two := score.ProjectID{1}, score.ProjectID{2}
	require.NoError(t, store.Tell(t.Context(), 0, backlogs{one: {Waiting: 5_000, PerSecond: 10, Read: 7}}))
	require.NoError(t, store.Tell(t.Context(), 1, backlogs{one: {Waiting: 4_000, Read: 9}, two: {Waiting: 2_000, Read: 9}}))

	view := store.View()
	now := time.Now()
	view.now = func() time.Time { return now }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = view.Run(ctx) }()
	knows := func(project score.ProjectID, waiting uint64) {
		t.Helper()
		require.Eventually(t, func() bool { return view.Of(project).Waiting == waiting }, 2*time.Minute, time.Millisecond)
	}
	knows(one, 5_000)
	knows(two, 2_000)
	require.Zero(t, view.Of(score.ProjectID{3}))
	require.NoError(t, store.Tell(t.Context(), 1, backlogs{two: {Waiting: 3_000, Read: 12}}))
	knows(two, 3_000)
	require.NoError(t, store.Tell(t.Context(), 1, nil))
	knows(two, 0)
	cancel()
	<-done

	now = now.Add(backlogValidFor)
	require.Zero(t, view.Of(one), "a lane that is gone holds no project back forever")
	told, err := store.Told(t.Context())
	require.NoError(t, err)
	require.Equal(t, backlogs{one: {Waiting: 5_000, PerSecond: 10, Read: 7}}, told, "its next session still counts on from there")
}

func TestWhatIsReplayedIsAsOldAsItIs(t *testing.T) {
	t.Parallel()
	store := openBacklogs(t)
	project := score.ProjectID{1}
	require.NoError(t, store.Tell(t.Context(), 0, backlogs{project: {Waiting: 5_000}}))
	entry, err := store.lanes.bucket.get(t.Context(), "0")
	require.NoError(t, err)
	view := store.View()
	now := time.Now()
	view.now = func() time.Time { return now }
	view.lanes.see(event{entry: entry})
	require.NotZero(t, view.Of(project))
	now = now.Add(backlogValidFor)
	view.lanes.see(event{entry: entry}) // as when NATS is back, and in an API that starts
	require.Zero(t, view.Of(project))
}

func TestWhatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	store := openBacklogs(t)
	project := score.ProjectID{1}
	require.NoError(t, store.Tell(t.Context(), 0, backlogs{project: {Waiting: 5_000}}))
	_, err := store.lanes.bucket.kv.PutString(t.Context(), "1", "?")
	require.NoError(t, err)
	require.NoError(t, store.Tell(t.Context(), 2, backlogs{{2}: {Waiting: 3_000}}))
	told, err := store.Told(t.Context())
	require.NoError(t, err)
	require.Equal(t, backlogs{project: {Waiting: 5_000}, {2}: {Waiting: 3_000}}, told)
}

func TestWhoReadFurtherIsToldOfAProjectThatMoved(t *testing.T) {
	t.Parallel()
	store := openBacklogs(t)
	project := score.ProjectID{1}
	require.NoError(t, store.Tell(t.Context(), 0, backlogs{project: {Waiting: 5_000, Read: 70}}))
	require.NoError(t, store.Tell(t.Context(), 1, backlogs{project: {Waiting: 9_000, Read: 7}}))
	told, err := store.Told(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(5_000), told[project].Waiting)
}
