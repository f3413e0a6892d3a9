package index

import (
	"fmt"

	"github.com/scorelay/scorelay/pkg/score"
)

func (t *auditTally) judge(findings *Findings) {
	findings.Older, findings.Direct = t.older, t.direct
	for r, b := range t.updates {
		b.into(&t.one, t.room[:])
		t.judgeUpdate(r, &t.one, findings)
	}
	for r, f := range t.others {
		t.judgeUpdate(r, f, findings)
	}
	for key, times := range t.twice {
		findings.Doubled++
		findings.example("update %s of project %s was applied %d times", key.id, key.project, times)
	}
	for id, c := range t.creations {
		c.judge(id, findings)
	}
	findings.Unreadable = t.unreadable
	findings.Whole = !t.holes && findings.Older == 0
}

func (t *auditTally) judgeUpdate(r ref, f *updateTally, findings *Findings) {
	if f.accepted == 0 {
		findings.Older += len(f.eventless)
		return
	}
	dead, more := f.deadOutcomes()
	outcomes := f.counting()
	own := outcomes[max(0, len(outcomes)+dead-int(f.accepted)):]
	for _, outcome := range own {
		count(&findings.Updates, outcome)
	}
	findings.Repeated += int(f.repeated)
	for _, outcome := range outcomes[:len(outcomes)-len(own)] {
		if outcome != score.UnknownProject { // after UnknownProject the lane rightly sends it again
			findings.Repeated++
		}
	}
	// The lane settles the oldest acceptances first, so those with outcomes are among the done ones.
	has := len(own) + dead
	open := int(f.accepted) - has
	lost := min(open, max(0, int(f.done)-has-int(f.included)))
	also := min(lost, more) // in the same batch as a dead-lettered acceptance, so the letter covers them
	open, lost = open-also, lost-also
	findings.Updates.Rejected += dead + also
	findings.Updates.Accepted += int(f.accepted)
	findings.Updates.Lost += lost
	findings.Updates.Pending += open - lost
	findings.Awaited += min(open-lost, max(0, int(f.awaited)-has-also-lost))
	if lost > 0 && len(t.lost) < maxExamples {
		t.lost[r] = fmt.Sprintf("was accepted %d times and has %d outcomes, and its lane is done with it", f.accepted, has+also)
	}
}

func (t *auditTally) nameLost(m *score.Message, findings *Findings) {
	for unit := range score.Units(m.Updates, m.Signed) {
		for i := range unit.Updates {
			u := &unit.Updates[i]
			r := t.refOf(u, unit.Signature != nil)
			if sentence := t.lost[r]; sentence != "" {
				findings.example("update %s of project %s %s", u.ID, u.Project, sentence)
				delete(t.lost, r)
			}
		}
	}
}

// counting returns the outcomes that count. After "unknown project", the lane assigns the update again. So this
// outcome alone counts only with a dead letter or several acceptances, as after a replay.
func (f *updateTally) counting() []score.Outcome {
	if f.accepted > 1 || f.deadLettered || f.ended {
		return f.outcomes
	}
	return nil
}

func count(tally *Counts, outcome score.Outcome) {
	switch {
	case outcome == score.Applied:
		tally.Applied++
	case outcome == score.Duplicate:
		tally.Duplicate++
	default:
		tally.Rejected++
	}
}

func (c *creationTally) judge(id score.ProjectID, findings *Findings) {
	if c.accepted == 0 {
		return
	}
	tally := &findings.Creations
	tally.Accepted += c.accepted
	tally.Rejected += c.accepted - 1 // each was dead-lettered before the next was accepted
	switch {
	case c.dead && (c.deadSeq == 0 || c.deadSeq >= c.seq):
		tally.Rejected++
	case c.created:
		tally.Applied++
	case c.done && !c.included:
		tally.Lost++
		findings.example("the creation of project %s was accepted and has no outcome, and its lane is done with it", id)
	default:
		tally.Pending++
		if c.seq <= findings.Until {
			findings.Awaited++
		}
	}
}
