package index

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestTallyIsExact plays random histories: acceptances of few ids, many of them repeated, bad ones among them, and a
// contract that treats the settled ones in any order. The audit finds each outcome that is taken away, and each that is added.
func TestTallyIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		accepted, done, order, outcomes := h.accepted, h.done, h.order, h.outcomes
		report := h.audit(t, order, outcomes)
		require.True(t, report.OK(), report.Problem())
		require.Equal(t, h.applied, report.Updates.Applied)
		require.Equal(t, len(accepted)-done, report.Pending())
		if done == 0 {
			return
		}
		i := rapid.IntRange(0, done-1).Draw(t, "fault")
		report = h.audit(t, slices.Delete(slices.Clone(order), i, i+1), slices.Delete(slices.Clone(outcomes), i, i+1))
		require.Equal(t, 1, report.Lost())
		require.Equal(t, len(accepted)-done, report.Pending())

		// An outcome too many is seen unless another acceptance of the same id still waits for one.
		again, waits := order[i], 0
		for _, u := range accepted[done:] {
			if u.ID == again.ID {
				waits++
			}
		}
		report = h.audit(t, append(slices.Clone(order), again), append(slices.Clone(outcomes), score.Duplicate))
		require.Equal(t, waits == 0, report.Repeated == 1)
		require.Equal(t, waits > 0, report.OK())
	})
}

// history is what was accepted, how much of it the lane is done with, and what the contract made of that, in its order.
type history struct {
	project  score.Project
	accepted []score.Update
	done     int
	order    []score.Update
	outcomes []score.Outcome
	applied  int
}

func drawHistory(t *rapid.T) *history {
	h := &history{project: score.Project{ID: score.ProjectID{1}, Actions: []score.Action{{Name: "a", Points: 3}}}}
	for range rapid.IntRange(1, 40).Draw(t, "accepted") {
		h.accepted = append(h.accepted, score.Update{
			Project: h.project.ID, ID: score.UpdateID{31: rapid.Byte().Draw(t, "id") % 8}, Target: common.Address{1},
			Action: rapid.SampledFrom([]uint8{0, 0, 0, 1}).Draw(t, "action"),
		})
	}
	h.done = rapid.IntRange(0, len(h.accepted)).Draw(t, "settled")
	h.order = rapid.Permutation(h.accepted[:h.done]).Draw(t, "order")
	h.outcomes = make([]score.Outcome, h.done)
	used := map[score.UpdateID]bool{}
	for i, u := range h.order {
		switch {
		case used[u.ID]:
			h.outcomes[i] = score.Duplicate
		case u.Action > 0:
			h.outcomes[i] = score.UnknownAction
		default:
			used[u.ID] = true
			h.applied++
		}
	}
	return h
}

// audit judges the history with other events.
func (h *history) audit(t *rapid.T, order []score.Update, outcomes []score.Outcome) *Report {
	tally := newTally([]score.Cursor{{Seq: 1, Index: uint32(h.done)}})
	require.NoError(t, tally.accepted(0, Record{Seq: 1, Updates: h.accepted}))
	require.NoError(t, tally.final(registry.ProjectCreated{Project: h.project}))
	for i := range order {
		event := registry.BatchApplied{Batch: batch.Of(order[i : i+1]), Outcomes: outcomes[i : i+1]}
		require.NoError(t, tally.final(event))
	}
	report := &Report{}
	tally.judge(report)
	u := report.Updates
	require.Equal(t, len(h.accepted), u.Accepted)
	require.Equal(t, len(h.accepted), u.Applied+u.Duplicate+u.Rejected+u.Pending+u.Lost)
	require.Zero(t, report.Doubled+report.Older)
	return report
}

// TestTallyOfDeaths plays an update that dies, is replayed, and dies again, any number of times, between batches that carry
// others. Each death is the outcome of one acceptance: without its letter exactly that one is lost.
func TestTallyOfDeaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{1}, Action: 1}
		var letters []DeadLetter
		var accepted []uint64
		seq := uint64(0)
		for range rapid.IntRange(1, 6).Draw(t, "deaths") {
			began := seq + rapid.Uint64Range(1, 3).Draw(t, "before")
			at := began + rapid.Uint64Range(0, 3).Draw(t, "in the batch")
			seq = at + rapid.Uint64Range(0, 3).Draw(t, "after")
			accepted = append(accepted, at)
			letters = append(letters, DeadLetter{
				Seq: began, Until: seq, Outcome: score.Unprocessable, Update: &u, Replayed: rapid.Bool().Draw(t, "replayed"),
			})
		}
		letters = rapid.Permutation(letters).Draw(t, "letters")
		audit := func(letters []DeadLetter) *Report {
			tally, report := newTally([]score.Cursor{{Seq: seq + 1}}), &Report{}
			for _, letter := range letters {
				require.NoError(t, tally.deadLetter(letter))
			}
			for _, at := range accepted {
				require.NoError(t, tally.accepted(0, Record{Seq: at, Updates: []score.Update{u}}))
			}
			tally.judge(report)
			return report
		}
		report := audit(letters)
		require.True(t, report.OK(), report.Problem())
		require.Equal(t, len(accepted), report.Updates.Rejected)
		report = audit(letters[1:])
		require.Equal(t, Tally{Accepted: len(accepted), Rejected: len(letters) - 1, Lost: 1}, report.Updates)
	})
}
