package relay

import (
	"log/slog"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnEditWaitsWhereAnotherLanesJournalCannotBeRead: that lane may carry what came before the edit.
func TestAnEditWaitsWhereAnotherLanesJournalCannotBeRead(t *testing.T) {
	t.Parallel()
	all, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	own, others := score.ProjectID{1}, score.ProjectID{2}
	state := &lane.State{Buckets: map[score.Bucket]lane.Holding{score.BucketOf(own): {}}, Took: map[score.Lane]uint64{1: 1}}
	journal := model.NewJournal()
	journal.Fault = func(string, score.Lane) model.JournalFault { return model.JournalRefused }
	h := &handover{
		lane: lane.New(state, lane.Rules{}), roster: &faultyWake{Live: roster.NewLive(all)}, journal: journal, log: slog.New(slog.DiscardHandler),
	}
	require.True(t, h.elsewhere(t.Context())(own))
	require.False(t, h.elsewhere(t.Context())(others), "the bucket is not the lane's")
}
