package index

import (
	"errors"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errContradiction says that the contract's events cannot be all its events: a project's updates without its creation.
var errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")

type updateKey struct {
	project score.ProjectID
	id      score.UpdateID
}

type scoreKey struct {
	wallet    common.Address
	scoreType uint8
}

// fate is all that is known of one updateId.
type fate struct {
	accepted uint32          // times, in the stream
	done     uint32          // of them, those before the place up to which the lane is settled
	direct   uint32          // times applied by a member without the relayer
	included uint32          // outcomes in blocks that are not final
	letter   bool            // it has a dead letter
	untold   []death         // its dead letters that say what no event tells
	outcomes []score.Outcome // final ones that events tell of, oldest first
}

// death is a dead letter that says what no event tells. It is the outcome of an acceptance at the sequences from … until,
// and of others there if its batch held the updateId several times.
type death struct {
	from, until uint64
	accepted    uint32 // acceptances that it accounts for
}

// creation is all that is known of the creation of one project. It may be accepted again once it is dead, so only the
// newest acceptance can be open.
type creation struct {
	accepted int
	seq      uint64 // of the newest acceptance
	done     bool   // the lane is settled beyond it
	created  bool
	included bool // created in a block that is not final
	dead     bool
	deadSeq  uint64 // which acceptance is dead; 0 if not known
}

// tally gathers what stream, dead letters and events say.
type tally struct {
	settled   []score.Cursor
	updates   map[updateKey]*fate
	creations map[score.ProjectID]*creation
	deltas    map[score.ProjectID][]int64 // signed points by action
	sums      map[score.ProjectID]map[scoreKey]int64

	firstSeq   uint64
	unreadable int
}

func newTally(settled []score.Cursor) *tally {
	return &tally{
		settled: settled, updates: map[updateKey]*fate{}, creations: map[score.ProjectID]*creation{},
		deltas: map[score.ProjectID][]int64{}, sums: map[score.ProjectID]map[scoreKey]int64{},
	}
}

func (t *tally) update(u *score.Update) *fate {
	key := updateKey{u.Project, u.ID}
	f := t.updates[key]
	if f == nil {
		f = &fate{}
		t.updates[key] = f
	}
	return f
}

func (t *tally) creation(id score.ProjectID) *creation {
	c := t.creations[id]
	if c == nil {
		c = &creation{}
		t.creations[id] = c
	}
	return c
}

func (t *tally) deadLetter(d DeadLetter) error {
	switch {
	case d.Project != nil:
		c := t.creation(d.Project.ID)
		c.dead, c.deadSeq = true, d.Seq
	case d.Update != nil:
		f := t.update(d.Update)
		f.letter = true
		if d.uneventful() {
			until := d.Until
			if until == 0 {
				until = math.MaxUint64
			}
			f.untold = append(f.untold, death{from: d.Seq, until: until})
		}
	}
	return nil
}

// accepted counts one message of the stream.
func (t *tally) accepted(lane score.Lane, record Record) error {
	if int(lane) >= len(t.settled) {
		return fmt.Errorf("the stream holds a message of lane %d, and the deployment has %d lanes", lane, len(t.settled))
	}
	if t.firstSeq == 0 {
		t.firstSeq = record.Seq
	}
	settled := t.settled[lane]
	switch {
	case record.Corrupt != nil:
		t.unreadable++
	case record.Project != nil:
		c := t.creation(record.Project.ID)
		c.accepted++
		c.seq, c.done = record.Seq, score.Cursor{Seq: record.Seq}.Before(settled)
	default:
		for i := range record.Updates {
			f := t.update(&record.Updates[i])
			f.accepted++
			f.die(record.Seq)
			if (score.Cursor{Seq: record.Seq, Index: uint32(i)}).Before(settled) {
				f.done++
			}
		}
	}
	return nil
}

// die gives an acceptance to a dead letter that may tell of it: to one that has none yet, of those to the one that ends
// first, so that as many letters as possible have one.
func (f *fate) die(seq uint64) {
	var best *death
	for i := range f.untold {
		d := &f.untold[i]
		if seq < d.from || seq > d.until {
			continue
		}
		if best == nil || d.accepted == 0 && (best.accepted > 0 || d.until < best.until) {
			best = d
		}
	}
	if best != nil {
		best.accepted++
	}
}

// deaths counts the dead letters that tell of an acceptance in the stream, and the further acceptances they may tell of.
func (f *fate) deaths() (told, more int) {
	for _, d := range f.untold {
		if d.accepted > 0 {
			told, more = told+1, more+int(d.accepted)-1
		}
	}
	return told, more
}

// included notes an event of a block that is not final: too early to count, but nothing it tells of is lost.
func (t *tally) included(event registry.Event) error {
	switch e := event.(type) {
	case registry.ProjectCreated:
		t.creation(e.Project.ID).included = true
	case registry.BatchApplied:
		for _, u := range e.Batch.Updates() {
			t.update(&u).included++
		}
	}
	return nil
}

// final counts an event of a final block.
func (t *tally) final(event registry.Event) error {
	switch e := event.(type) {
	case registry.ProjectCreated:
		t.creation(e.Project.ID).created = true
		deltas := make([]int64, len(e.Project.Actions))
		for i, action := range e.Project.Actions {
			deltas[i] = action.Delta()
		}
		t.deltas[e.Project.ID] = deltas
	case registry.ActionAdded:
		if int(e.Index) != len(t.deltas[e.Project]) {
			return fmt.Errorf("%w: action %d of project %s follows %d actions", errContradiction, e.Index, e.Project, len(t.deltas[e.Project]))
		}
		t.deltas[e.Project] = append(t.deltas[e.Project], e.Action.Delta())
	case registry.BatchApplied:
		for i, u := range e.Batch.Updates() {
			f := t.update(&u)
			f.outcomes = append(f.outcomes, e.Outcomes[i])
			if e.Outcomes[i] != score.Applied {
				continue
			}
			if err := t.add(&u); err != nil {
				return err
			}
		}
	case registry.ScoreUpdated:
		t.update(&e.Update).direct++
		return t.add(&e.Update)
	}
	return nil
}

// add adds an applied update's points to its score.
func (t *tally) add(u *score.Update) error {
	deltas := t.deltas[u.Project]
	if int(u.Action) >= len(deltas) {
		return fmt.Errorf("%w: action %d of project %s was applied, which has %d", errContradiction, u.Action, u.Project, len(deltas))
	}
	sums := t.sums[u.Project]
	if sums == nil {
		sums = map[scoreKey]int64{}
		t.sums[u.Project] = sums
	}
	sums[scoreKey{u.Target, u.ScoreType}] += deltas[u.Action]
	return nil
}

// judge counts fates into the report.
func (t *tally) judge(report *Report) {
	for key, f := range t.updates {
		f.judge(key, report)
	}
	for id, c := range t.creations {
		c.judge(id, report)
	}
	report.Unreadable = t.unreadable
	report.Whole = t.firstSeq <= 1 && report.Older == 0
}

func (f *fate) judge(key updateKey, report *Report) {
	applied := f.direct
	for _, outcome := range f.outcomes {
		if outcome == score.Applied {
			applied++
		}
	}
	report.Direct += int(f.direct)
	if applied > 1 {
		report.Doubled++
		report.example("update %s of project %s was applied %d times", key.id, key.project, applied)
	}
	if f.accepted == 0 {
		report.Older += len(f.outcomes) + len(f.untold)
		return
	}
	dead, more := f.deaths()
	outcomes := f.counting()
	own := outcomes[max(0, len(outcomes)+dead-int(f.accepted)):]
	for _, outcome := range own {
		count(&report.Updates, outcome)
	}
	for _, outcome := range outcomes[:len(outcomes)-len(own)] {
		if outcome != score.UnknownProject { // the lane sends one that came before its project again
			report.Repeated++
		}
	}
	// The oldest acceptances are settled first, so those that have outcomes are among the done ones.
	has := len(own) + dead
	open := int(f.accepted) - has
	lost := min(open, max(0, int(f.done)-has-int(f.included)))
	also := min(lost, more) // died with another one of their batch
	open, lost = open-also, lost-also
	report.Updates.Rejected += dead + also
	report.Updates.Accepted += int(f.accepted)
	report.Updates.Lost += lost
	report.Updates.Pending += open - lost
	if lost > 0 {
		report.example("update %s of project %s was accepted %d times and has %d outcomes, and its lane is done with it",
			key.id, key.project, f.accepted, has+also)
	}
}

// counting are the outcomes that end something. An update that came before its project is sent again, so that it was
// unknown is an outcome only if a dead letter says so, or the update was accepted again, as a replay does.
func (f *fate) counting() []score.Outcome {
	if f.accepted > 1 || f.letter {
		return f.outcomes
	}
	for _, outcome := range f.outcomes {
		if outcome != score.UnknownProject {
			return f.outcomes
		}
	}
	return nil
}

func count(tally *Tally, outcome score.Outcome) {
	switch {
	case outcome == score.Applied:
		tally.Applied++
	case outcome == score.Duplicate:
		tally.Duplicate++
	default:
		tally.Rejected++
	}
}

func (c *creation) judge(id score.ProjectID, report *Report) {
	if c.accepted == 0 {
		return
	}
	tally := &report.Creations
	tally.Accepted += c.accepted
	tally.Rejected += c.accepted - 1 // replaced by the newest, so they were dead
	switch {
	case c.dead && (c.deadSeq == 0 || c.deadSeq >= c.seq):
		tally.Rejected++
	case c.created:
		tally.Applied++
	case c.done && !c.included:
		tally.Lost++
		report.example("the creation of project %s was accepted and has no outcome, and its lane is done with it", id)
	default:
		tally.Pending++
	}
}
