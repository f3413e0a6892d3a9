package batch

import (
	"hash/maphash"

	"github.com/scorelay/scorelay/pkg/score"
)

// Known is the set of slots of scores and used ids that were written, as the outcomes of batches show: a written slot
// stays nonzero. The set only grows, since a Builder relies on its entries. It is not safe for concurrent use.
type Known struct {
	seed  maphash.Seed // makes collisions of slots unpredictable
	slots map[uint64]struct{}
}

// knownSlots take about 4 MB.
const knownSlots = 1 << 17

func NewKnown() *Known {
	return &Known{seed: maphash.MakeSeed(), slots: map[uint64]struct{}{}}
}

// Full reports whether the set has reached its size: start another.
func (k *Known) Full() bool { return len(k.slots) >= knownSlots }

// Learn adds the slots that an included batch wrote; outcomes are in the order of Updates. Any update that was
// applied, now or before, made its word nonzero. A KindWord group writes a score for each applied update. A run
// writes only the sum, which may be zero unless its applied updates have one action.
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

// oneAction reports whether any update was applied, and all applied ones have the same action.
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
