package relay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/lane"
)

// TestALaneBindsNothingWhileTheTrackerRests: what comes waits for the next view, and a lane without work waits for
// nothing.
func TestALaneBindsNothingWhileTheTrackerRests(t *testing.T) {
	t.Parallel()
	p := newSpoken(t, &lane.State{})
	p.intake.horizon = &batch.Horizon{}
	view := p.view(10, 0)
	view.Old = true
	require.NoError(t, p.hear(t.Context(), view))
	require.Equal(t, lane.WaitNone, p.blocked())
	p.now = p.now.Add(time.Hour)
	require.Equal(t, lane.WaitNone, p.blocked(), "no head is awaited")
	p.lane.State.Queue = append(p.lane.State.Queue, lane.Work{})
	require.Equal(t, lane.WaitAccount, p.blocked())
	p.waiting.set(lane.WaitAccount)
	p.now = p.now.Add(time.Hour)
	for range 2 {
		require.Equal(t, lane.WaitHead, p.blocked(), "nothing was learnt since")
		p.waiting.set(lane.WaitHead)
	}
	require.NoError(t, p.hear(t.Context(), p.view(3_000, 0)))
	require.Equal(t, lane.WaitNone, p.blocked())
}
