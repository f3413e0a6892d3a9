package index

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
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
		findings := h.audit(t, order, outcomes)
		require.True(t, findings.OK(), findings.Problem())
		require.Equal(t, h.applied, findings.Updates.Applied)
		require.Equal(t, len(accepted)-done, findings.Pending())
		if done == 0 {
			return
		}
		i := rapid.IntRange(0, done-1).Draw(t, "fault")
		findings = h.audit(t, slices.Delete(slices.Clone(order), i, i+1), slices.Delete(slices.Clone(outcomes), i, i+1))
		require.Equal(t, 1, findings.Lost())
		require.Equal(t, len(accepted)-done, findings.Pending())

		// An outcome too many is seen unless another acceptance of the same update still waits for one.
		again, waits := order[i], 0
		for _, u := range accepted[done:] {
			if u == again {
				waits++
			}
		}
		findings = h.audit(t, append(slices.Clone(order), again), append(slices.Clone(outcomes), score.Duplicate))
		require.Equal(t, waits == 0, findings.Repeated == 1)
		require.Equal(t, waits > 0, findings.OK())
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
			Action: rapid.SampledFrom([]uint8{0, 0, 0, 1, 2, 3}).Draw(t, "action"),
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
			h.outcomes[i] = []score.Outcome{score.UnknownAction, score.SignatureRequired, score.BadSignature}[u.Action-1]
		default:
			used[u.ID] = true
			h.applied++
		}
	}
	return h
}

// everywhere is the same position for all buckets.
func everywhere(at score.Position) (settled [score.Buckets]score.Position) {
	for b := range settled {
		settled[b] = at
	}
	return settled
}

// audit judges the history with other events.
func (h *history) audit(t *rapid.T, order []score.Update, outcomes []score.Outcome) *Findings {
	findings := h.judge(t, order, outcomes)
	require.Zero(t, findings.Older)
	return findings
}

func (h *history) judge(t *rapid.T, order []score.Update, outcomes []score.Outcome) *Findings {
	tally := newTally(everywhere(score.Position{Seq: 1, Index: uint32(h.done)}), math.MaxUint64)
	require.NoError(t, tally.accepted(score.Message{Seq: 1, Updates: h.accepted}))
	require.NoError(t, tally.final(registry.ProjectCreated{Project: h.project}, new(types.Log)))
	for i := range order {
		event := registry.BatchApplied{Batch: batch.Single(order[i]), Outcomes: outcomes[i : i+1]}
		require.NoError(t, tally.final(event, new(types.Log)))
	}
	findings := &Findings{}
	tally.judge(findings)
	u := findings.Updates
	require.Equal(t, len(h.accepted), u.Accepted)
	require.Equal(t, len(h.accepted), u.Applied+u.Duplicate+u.Rejected+u.Pending+u.Lost)
	require.Zero(t, findings.Doubled)
	return findings
}

// TestPoisonedOutcomesShow: a relayer that is not ours adds rejections of ids that the stream holds. Under another signer
// they are no acceptance's outcome. As the very updates that were accepted they cannot be told from ours, and show as work that
// was done twice.
func TestPoisonedOutcomesShow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		clean := h.audit(t, h.order, h.outcomes)
		order, outcomes := slices.Clone(h.order), slices.Clone(h.outcomes)
		poison := func(u score.Update, outcome score.Outcome) {
			at := rapid.IntRange(0, len(order)).Draw(t, "at")
			order, outcomes = slices.Insert(order, at, u), slices.Insert(outcomes, at, outcome)
		}
		others := rapid.IntRange(0, 20).Draw(t, "others")
		for range others {
			u := rapid.SampledFrom(h.accepted).Draw(t, "poisoned")
			u.Signer = common.Address{9}
			poison(u, rapid.SampledFrom([]score.Outcome{score.Duplicate, score.NotMember, score.BadSignature}).Draw(t, "outcome"))
		}
		findings := h.judge(t, order, outcomes)
		require.Equal(t, clean.Updates, findings.Updates)
		require.Equal(t, others, findings.Older)
		require.True(t, findings.OK())

		if h.done < len(h.accepted) {
			return // what waits for an outcome takes the poison for it
		}
		poison(rapid.SampledFrom(h.accepted).Draw(t, "copied"), score.SignatureRequired)
		require.Equal(t, 1, h.judge(t, order, outcomes).Repeated)
	})
}

// TestUnsignedCopiesAreNoOutcome, nor are signed ones of what was accepted alone.
func TestUnsignedCopiesAreNoOutcome(t *testing.T) {
	t.Parallel()
	u := make([]score.Update, 5)
	for i := range u {
		u[i].ID = score.UpdateID{31: byte(i)}
	}
	tally := newTally(everywhere(score.Position{Seq: 2}), math.MaxUint64)
	require.NoError(t, tally.accepted(score.Message{Seq: 1, Updates: u, Signed: []score.Signed{{First: 1, Count: 1}, {First: 3, Count: 1}}}))
	for i := range u {
		group := batch.Group{Updates: u[i : i+1]}
		copied, outcome := group, score.SignatureRequired
		if i == 1 || i == 3 {
			group.Signature = &score.GroupSignature{}
		} else {
			copied.Signature, outcome = &score.GroupSignature{1}, score.BadSignature
		}
		for _, event := range []registry.BatchApplied{
			{Batch: batch.Batch{Groups: []batch.Group{group}}, Outcomes: []score.Outcome{score.Duplicate}},
			{Batch: batch.Batch{Groups: []batch.Group{copied}}, Outcomes: []score.Outcome{outcome}},
		} {
			require.NoError(t, tally.final(event, new(types.Log)))
		}
	}
	findings := &Findings{}
	tally.judge(findings)
	require.Equal(t, Counts{Accepted: 5, Duplicate: 5}, findings.Updates)
	require.Equal(t, 5, findings.Older)
}

// TestTallyForgetsWhatWasNotAccepted: events may tell of any number of ids for next to no gas, but what is kept of them is
// only what an account paid slots for.
func TestTallyForgetsWhatWasNotAccepted(t *testing.T) {
	t.Parallel()
	project := score.Project{ID: score.ProjectID{1}, Actions: []score.Action{{Name: "a", Points: 3}}}
	accepted := score.Update{Project: project.ID, ID: score.UpdateID{7}, Target: common.Address{1}}
	tally := newTally(everywhere(score.Position{Seq: 9}), math.MaxUint64)
	require.NoError(t, tally.accepted(score.Message{Seq: 1, Updates: []score.Update{accepted, accepted}}))
	require.NoError(t, tally.final(registry.ProjectCreated{Project: project}, new(types.Log)))
	event := func(u score.Update, outcome score.Outcome) {
		applied := registry.BatchApplied{Batch: batch.Single(u), Outcomes: []score.Outcome{outcome}}
		require.NoError(t, tally.final(applied, new(types.Log)))
		require.NoError(t, tally.included(applied, nil))
	}
	const junk = 1 << 12
	for i := range junk {
		u := accepted
		u.ID = score.UpdateID{1, 30: byte(i >> 8), 31: byte(i)}
		event(u, score.Applied)
		event(u, score.Duplicate)
		event(accepted, score.BadSignature)
		u.Project = score.ProjectID{2, byte(i), byte(i >> 8)}
		event(u, score.UnknownProject)
	}
	require.Empty(t, tally.updates)
	require.Len(t, tally.others, 1)
	require.Len(t, tally.find(tally.refOf(&accepted, false)).outcomes, 2)
	require.Len(t, tally.used, junk/256)
	require.Len(t, tally.sums, 1)
	require.Empty(t, tally.twice)
	findings := &Findings{}
	tally.judge(findings)
	require.Equal(t, Counts{Accepted: 2, Rejected: 2}, findings.Updates)
	require.Equal(t, 3*junk, findings.Older)
	require.Equal(t, junk-2, findings.Repeated)
}

// TestTallyOfDeaths plays an update that dies, is replayed, and dies again, any number of times, between batches that carry
// others. Each death is the outcome of one acceptance: without its letter exactly that one is lost.
func TestTallyOfDeaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		u := score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{1}, Action: 1}
		var letters []score.DeadLetter
		var accepted []uint64
		seq := uint64(0)
		for range rapid.IntRange(1, 6).Draw(t, "deaths") {
			began := seq + rapid.Uint64Range(1, 3).Draw(t, "before")
			at := began + rapid.Uint64Range(0, 3).Draw(t, "in the batch")
			seq = at + rapid.Uint64Range(0, 3).Draw(t, "after")
			accepted = append(accepted, at)
			letter := score.DeadLetter{Seq: began, Until: seq, Outcome: score.Unprocessable, Update: &u}
			if rapid.Bool().Draw(t, "replayed") {
				letter.Replayed = time.Unix(1, 0)
			}
			letters = append(letters, letter)
		}
		letters = rapid.Permutation(letters).Draw(t, "letters")
		audit := func(letters []score.DeadLetter) *Findings {
			tally, findings := newTally(everywhere(score.Position{Seq: seq + 1}), math.MaxUint64), &Findings{}
			for _, letter := range letters {
				require.NoError(t, tally.deadLetter(letter))
			}
			for _, at := range accepted {
				require.NoError(t, tally.accepted(score.Message{Seq: at, Updates: []score.Update{u}}))
			}
			tally.judge(findings)
			return findings
		}
		findings := audit(letters)
		require.True(t, findings.OK(), findings.Problem())
		require.Equal(t, len(accepted), findings.Updates.Rejected)
		findings = audit(letters[1:])
		require.Equal(t, Counts{Accepted: len(accepted), Rejected: len(letters) - 1, Lost: 1}, findings.Updates)
	})
}

// TestUsedIdsAreExact in words with one id and with several.
func TestUsedIdsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tally := newTally(everywhere(score.Position{}), math.MaxUint64)
		used := map[[2]byte]bool{}
		for range rapid.IntRange(1, 100).Draw(t, "ids") {
			word, low := rapid.Byte().Draw(t, "word")%4, rapid.SampledFrom([]byte{0, 1, 63, 64, 200, 255}).Draw(t, "low")
			require.Equal(t, used[[2]byte{word, low}], tally.use(ref{word}, low))
			used[[2]byte{word, low}] = true
		}
	})
}
