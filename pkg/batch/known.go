package batch

import (
	"hash/maphash"

	"github.com/scorelay/scorelay/pkg/score"
)

// Known are slots of scores and of used ids that are not fresh any more, by what became of batches: no slot that was written goes
// back to zero. It never forgets one, since a Builder has counted on it. It is not safe for concurrent use.
type Known struct {
	seed  maphash.Seed // so that two slots that are one here cannot be found
	slots map[uint64]struct{}
}

// knownSlots take some 4 MB.
const knownSlots = 1 << 17

// NewKnown knows nothing yet.
func NewKnown() *Known {
	return &Known{seed: maphash.MakeSeed(), slots: map[uint64]struct{}{}}
}

// Full tells whether it has learnt as much as it should: begin another.
func (k *Known) Full() bool { return len(k.slots) >= knownSlots }

// Learn takes what became of a batch's updates, in their order, in a block. A word is used by any of its updates that was applied now or
// before. A score is written with each update of a KindWord group; of a run only the sum is, which may be zero if it is not of one action.
func (k *Known) Learn(b Batch, outcomes []score.Outcome) {
	for i := range b.Groups {
		g := &b.Groups[i]
		of := outcomes[:len(g.Updates)]
		outcomes = outcomes[len(g.Updates):]
		for from, to := 0, 0; from < len(g.Updates); from = to {
			for to++; to < len(g.Updates) && g.Kind != score.KindWord && sharesRun(&g.Updates[from], &g.Updates[to]); to++ {
			}
			if oneAction(g.Updates[from:to], of[from:to]) {
				k.slots[k.score(&g.Updates[from])] = struct{}{}
			}
		}
		for j := range g.Updates {
			if of[j] == score.Applied || of[j] == score.Duplicate {
				k.slots[k.word(&g.Updates[j])] = struct{}{}
			}
		}
	}
}

// oneAction tells whether some of the updates were applied, and all those that were are of one action.
func oneAction(updates []score.Update, outcomes []score.Outcome) bool {
	first := -1
	for i := range updates {
		switch {
		case outcomes[i] != score.Applied:
		case first < 0:
			first = i
		case updates[i].Action != updates[first].Action:
			return false
		}
	}
	return first >= 0
}

func (k *Known) hasWord(u *score.Update) bool { return k != nil && k.has(k.word(u)) }

func (k *Known) hasScore(u *score.Update) bool { return k != nil && k.has(k.score(u)) }

func (k *Known) has(slot uint64) bool {
	_, found := k.slots[slot]
	return found
}

func (k *Known) word(u *score.Update) uint64 {
	return maphash.Comparable(k.seed, struct {
		project score.ProjectID
		word    score.Word
	}{u.Project, u.ID.Word()})
}

func (k *Known) score(u *score.Update) uint64 {
	return maphash.Comparable(k.seed, struct {
		project score.ProjectID
		slot    scoreSlot
	}{u.Project, scoreSlotOf(u)})
}
