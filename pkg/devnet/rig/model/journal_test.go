package model_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

type journals interface {
	Load(ctx context.Context, id score.Lane, fold func(lane.Entry)) (uint64, error)
	Last(ctx context.Context, id score.Lane) (uint64, error)
	Append(ctx context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error)
	Purge(ctx context.Context, id score.Lane, below uint64) error
}

// loaded is all of a lane's journal.
func loaded(t *testing.T, j journals, id score.Lane) (entries []lane.Entry, last uint64) {
	t.Helper()
	last, err := j.Load(t.Context(), id, func(e lane.Entry) { entries = append(entries, e) })
	require.NoError(t, err)
	return entries, last
}

// classOf is what a session sees of an error.
func classOf(err error) string {
	switch {
	case err == nil:
		return "stored"
	case errors.Is(err, lane.ErrFenced):
		return "fenced"
	case errors.Is(err, lane.ErrAmbiguous):
		return "ambiguous"
	}
	return "failed"
}

// TestModelJournalIsLikeNATS plays random appends of several sessions, good and stale, loads and purges on both.
func TestModelJournalIsLikeNATS(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{
		Deployment: score.Deployment{Lanes: 4, ChainID: 1, Contract: common.Address{1}},
	}))
	opened, err := stream.OpenJournal(t.Context(), js)
	require.NoError(t, err)
	var real journals = opened
	var modelled journals = model.NewJournal()

	rng := rand.New(rand.NewPCG(6, 0))
	lasts := [4][]uint64{{0}, {0}, {0}, {0}} // every sequence that a session may think is the last
	seen := map[string]int{}
	steps := long.Size(600, 3000)
	for step := range steps {
		id := score.Lane(rng.IntN(4))
		known := lasts[id]
		last := known[len(known)-1]
		switch rng.IntN(12) {
		case 0:
			want, wantLast := loaded(t, real, id)
			have, haveLast := loaded(t, modelled, id)
			require.Equal(t, wantLast, haveLast)
			require.Equal(t, want, have)
			wantLast, err = real.Last(t.Context(), id)
			require.NoError(t, err)
			haveLast, err = modelled.Last(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, wantLast, haveLast)
			continue
		case 1:
			if rng.IntN(4) == 0 && last > 0 {
				below := known[rng.IntN(len(known))]
				require.NoError(t, real.Purge(t.Context(), id, below))
				require.NoError(t, modelled.Purge(t.Context(), id, below))
			}
			continue
		case 2:
			last = known[rng.IntN(len(known))] // a session that slept
		case 3:
			last = lasts[rng.IntN(4)][0] + uint64(rng.IntN(8)) // none that ever was, mostly
		}
		e := lane.Entry{
			Version: lane.Version, Epoch: uint64(step + 1), Time: time.Unix(int64(step), 0).UTC(), Open: &lane.Open{Replica: "test"},
		}
		want, wantErr := real.Append(t.Context(), id, last, e)
		have, haveErr := modelled.Append(t.Context(), id, last, e)
		require.Equal(t, classOf(wantErr), classOf(haveErr), "append after %d: %v", last, wantErr)
		require.Equal(t, want, have)
		seen[classOf(wantErr)]++
		if wantErr == nil {
			lasts[id] = append(lasts[id], want)
		}
	}
	require.Greater(t, seen["fenced"], steps/30)
	require.Greater(t, seen["stored"], steps/3)
}

// TestModelJournalLosesAnswers: an answer that is lost is ambiguous, whether the entry is stored or not.
func TestModelJournalLosesAnswers(t *testing.T) {
	t.Parallel()
	j := model.NewJournal()
	e := lane.Entry{Version: lane.Version, Epoch: 1, Open: &lane.Open{Replica: "test"}}
	for _, fault := range []model.JournalFault{model.JournalRefused, model.JournalLost} {
		before, last := loaded(t, j, 0)
		j.Fault = func(string, score.Lane) model.JournalFault { return fault }
		_, err := j.Append(t.Context(), 0, last, e)
		require.ErrorIs(t, err, lane.ErrAmbiguous)
		j.Fault = nil
		after, _ := loaded(t, j, 0)
		require.Len(t, after, len(before)+int(fault)-1)
	}
}
