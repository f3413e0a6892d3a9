package relay

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestTheLargestEntryFitsWhatNATSMustTake: a transaction as large as the settings allow, of 10,000 updates from each bucket and each parked
// project, none beside another in the stream, and traced as far as it is.
func TestTheLargestEntryFitsWhatNATSMustTake(t *testing.T) {
	t.Parallel()
	const updates, places = 10_000, score.Buckets + mostParked
	last := score.Position{Seq: math.MaxUint32, Index: 999}
	bind := lane.Bind{
		Nonce: math.MaxUint64, Raw: make([]byte, score.MostStored), Since: math.MaxUint64, Final: math.MaxUint64,
		Work: lane.Work{ID: math.MaxUint64, Kind: lane.Updates, Count: updates, From: last, Gives: math.MaxUint64, Trace: &lane.WorkTrace{}},
	}
	for range maxTraced {
		bind.Work.Trace.Units = append(bind.Work.Trace.Units, lane.TracedUnit{Project: score.ProjectID{1}, Update: score.UpdateID{1}, Count: 256, Trace: score.Trace{15: 1, 23: 1}})
	}
	for place := range places {
		move := lane.Move{Bucket: math.MaxUint8, Floor: last, Passed: math.MaxUint64}
		if place < mostParked {
			move.Project = &score.ProjectID{1}
		}
		for n := range uint64(updates / places) {
			move.Bound = append(move.Bound, score.Span{Position: score.Position{Seq: 1 << 20 * (n + 1), Index: 999}, Count: 1})
		}
		bind.Moves = append(bind.Moves, move)
	}
	data, err := lane.Entry{Version: lane.Version, Epoch: math.MaxUint64, Time: time.Now(), Bind: &bind}.Encode()
	require.NoError(t, err)
	require.LessOrEqual(t, len(data)+1024, score.MaxPayload, "with NATS' headers")
	t.Log(len(data))
}
