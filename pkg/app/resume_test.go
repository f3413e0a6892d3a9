package app

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// TestAnInterruptedLossIsStillTold: moving the stream past what is lost hides it, so the marker says it first. A repeat tells the
// same, and nothing else ends the halt.
func TestAnInterruptedLossIsStillTold(t *testing.T) {
	t.Parallel()
	conn, js, err := connector.NATS(t.Context(), &NATS{NATSURL: Secret(fresh.NATS(t).URL)}, "test")
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{
		Deployment: score.Deployment{ChainID: 1, Contract: common.Address{1}, Lanes: 1, DeployBlock: 1}, Replicas: 1,
	}))
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	for n := range 5 {
		require.NoError(t, s.PublishEnvelope(t.Context(), strconv.Itoa(n), []score.Update{{ID: score.UpdateID{byte(n)}}}, nil))
	}
	before, err := s.State(t.Context())
	require.NoError(t, err)
	marks, err := halt.Open(t.Context(), js)
	require.NoError(t, err)
	_, err = marks.Replace(t.Context(), halt.Marker{
		Code: halt.Shorter, At: time.Now(), Stream: s.Created(), Known: before.LastSeq + 20, Ends: before.LastSeq,
	}, 0)
	require.NoError(t, err)
	redis := fresh.Redis(t)
	statuses, closeRedis, err := OpenStatuses(s, Secret(redis.URL))
	require.NoError(t, err)
	t.Cleanup(func() { _ = closeRedis() })
	dead, closeDead, err := OpenStatuses(s, Secret("redis://127.0.0.1:1/0"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = closeDead() })
	look := func() *Halting {
		h, err := LookAtHalt(t.Context(), js, s, statuses)
		require.NoError(t, err)
		require.Equal(t, before.LastSeq, h.Loss().Ends)
		require.True(t, before.LastTime.Equal(h.Loss().Stored))
		return h
	}

	for _, kind := range []fault.Kind{fault.Failed, fault.Persisted} { // what is lost cannot be told first: nothing moves
		h := look()
		h.marks = faultyMarks{marks, fault.NewPlan(fault.Always(kind))}
		_, err = h.Resume(t.Context(), true, 0, nil)
		require.ErrorIs(t, err, fault.Err)
		h = look()
		require.Equal(t, kind == fault.Persisted, h.Marker.Loss != nil)
		require.True(t, h.Marker.Halts())
		require.Equal(t, before.LastSeq, h.Stream.LastSeq)
	}
	_, err = statuses.NoteSequence(t.Context(), 1<<60)
	require.NoError(t, err)
	require.ErrorContains(t, look().NoteErr, "cannot be true")
	ended, cancel := context.WithCancel(t.Context())
	_, err = look().Resume(ended, true, 0, func(uint64) { cancel() })
	require.Error(t, err, "interrupted while the stream moves")
	h := look()
	require.NotNil(t, h.Marker.Loss)
	h.statuses = dead
	_, err = h.Resume(t.Context(), true, 0, nil)
	require.ErrorContains(t, err, "Redis must answer")
	h = look()
	require.GreaterOrEqual(t, h.Stream.LastSeq, before.LastSeq+20, "the stream tells of no loss any more")
	_, err = h.Resume(t.Context(), false, 0, nil)
	require.ErrorIs(t, err, errAccepting)

	first, second := look(), look()
	_, err = first.Resume(t.Context(), true, 0, nil)
	require.NoError(t, err)
	fresh := []score.Ref{score.CreationRef(score.ProjectID{1})}
	require.NoError(t, statuses.RestoreAccepted(t.Context(), fresh))
	_, err = second.Resume(t.Context(), true, 0, nil)
	require.ErrorIs(t, err, kv.ErrMoved)
	read, _, err := statuses.Read(t.Context(), fresh)
	require.NoError(t, err)
	require.Equal(t, score.Accepted, read[0].Stage, "it was accepted after accepting resumed")
	m, _, err := marks.Get(t.Context())
	require.NoError(t, err)
	require.False(t, m.Halts())
	require.Equal(t, before.LastSeq, m.Loss.Ends)
	require.Contains(t, m.Choice, "after sequence "+strconv.FormatUint(before.LastSeq, 10)+",")
}

// faultyMarks are marks whose writes follow a plan.
type faultyMarks struct {
	halt.Marks
	*fault.Plan
}

func (f faultyMarks) Replace(ctx context.Context, m halt.Marker, revision uint64) (uint64, error) {
	return fault.Value(f.Plan, "marker", func() (uint64, error) { return f.Marks.Replace(ctx, m, revision) })
}
