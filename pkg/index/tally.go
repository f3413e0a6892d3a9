package index

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errContradiction says that the contract's events cannot be all its events: a project's updates without its creation.
var errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")

// updateKey names an update by its id, by what it says, and by whether it goes in a signed group, since what others relay
// under the same id is nobody's outcome.
type updateKey struct {
	project score.ProjectID
	id      score.UpdateID
	content uint64 // a hash of signer, target, action and score type, which nobody outside can foresee
	signed  bool
}

// wordKey and bits are the contract's bitmap of used ids. Events can tell of any number of ids for next to no gas, but only
// of as many words with applied ones as somebody paid storage slots for.
type wordKey struct {
	project score.ProjectID
	word    score.Word
}

type bits [4]uint64

// idKey names an id, whatever was done under it.
type idKey struct {
	project score.ProjectID
	id      score.UpdateID
}

type scoreKey struct {
	wallet    common.Address
	scoreType uint8
}

// fate is all that is known of one update that the stream holds or a dead letter tells of.
type fate struct {
	accepted uint32  // times, in the stream
	done     uint32  // of them, those before the place up to which the lane is settled
	included uint32  // outcomes in blocks that are not final
	letter   bool    // it has a dead letter
	untold   []death // its dead letters that say what no event tells

	outcomes []score.Outcome // final ones that events tell of, oldest first: the newest, as many as there are acceptances
	repeated uint32          // outcomes before those, but for unknown project
	ended    bool            // there is one other than unknown project
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

	used   map[wordKey]bits // ids that applied, as the contract keeps them
	twice  map[idKey]int    // ids that applied again, and how often in all
	older  int              // outcomes of updates that the stream does not hold
	direct int              // updates that members applied without the relayer

	firstSeq   uint64
	unreadable int
	seed       maphash.Seed
}

func newTally(settled []score.Cursor) *tally {
	return &tally{
		settled: settled, updates: map[updateKey]*fate{}, creations: map[score.ProjectID]*creation{},
		deltas: map[score.ProjectID][]int64{}, sums: map[score.ProjectID]map[scoreKey]int64{},
		used: map[wordKey]bits{}, twice: map[idKey]int{}, seed: maphash.MakeSeed(),
	}
}

func (t *tally) key(u *score.Update, signed bool) updateKey {
	content := score.Update{Signer: u.Signer, Target: u.Target, Action: u.Action, ScoreType: u.ScoreType}
	return updateKey{u.Project, u.ID, maphash.Comparable(t.seed, content), signed}
}

func (t *tally) update(u *score.Update, signed bool) *fate {
	key := t.key(u, signed)
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
		f := t.update(d.Update, d.Signed)
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
		groups := record.Signed
		for i := range record.Updates {
			for len(groups) > 0 && i >= groups[0].First+groups[0].Count {
				groups = groups[1:]
			}
			f := t.update(&record.Updates[i], len(groups) > 0 && i >= groups[0].First)
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
		if c := t.creations[e.Project.ID]; c != nil {
			c.included = true
		}
	case registry.BatchApplied:
		t.each(&e, func(_ *score.Update, f *fate, _ score.Outcome) {
			if f != nil {
				f.included++
			}
		})
	}
	return nil
}

// final counts an event of a final block. It comes after all that the stream and the dead letters hold.
func (t *tally) final(event registry.Event) error {
	switch e := event.(type) {
	case registry.ProjectCreated:
		if c := t.creations[e.Project.ID]; c != nil {
			c.created = true
		}
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
		var errs error
		t.each(&e, func(u *score.Update, f *fate, outcome score.Outcome) {
			if f != nil && f.accepted > 0 {
				f.end(outcome)
			} else {
				t.older++
			}
			if outcome == score.Applied && errs == nil {
				errs = t.apply(u)
			}
		})
		return errs
	case registry.ScoreUpdated:
		t.direct++
		return t.apply(&e.Update)
	}
	return nil
}

// each hands every update of a batch to fn, with its fate, nil if there is none, and its outcome.
func (t *tally) each(e *registry.BatchApplied, fn func(*score.Update, *fate, score.Outcome)) {
	n := 0
	for i := range e.Batch.Groups {
		g := &e.Batch.Groups[i]
		for j := range g.Updates {
			fn(&g.Updates[j], t.updates[t.key(&g.Updates[j], g.Signature != nil)], e.Outcomes[n])
			n++
		}
	}
}

// end notes an outcome. Only as many as there are acceptances can be theirs, so of older ones a count is enough: a relayer
// can add outcomes to an update for next to no gas.
func (f *fate) end(outcome score.Outcome) {
	f.ended = f.ended || outcome != score.UnknownProject
	if len(f.outcomes) == int(f.accepted) {
		if f.outcomes[0] != score.UnknownProject {
			f.repeated++
		}
		copy(f.outcomes, f.outcomes[1:])
		f.outcomes = f.outcomes[:len(f.outcomes)-1]
	}
	f.outcomes = append(f.outcomes, outcome)
}

// apply notes that an update was applied, by whomever.
func (t *tally) apply(u *score.Update) error {
	key := wordKey{u.Project, u.ID.Word()}
	word, low := t.used[key], u.ID.Low()
	bit := uint64(1) << (low & 63)
	if word[low>>6]&bit != 0 {
		id := idKey{u.Project, u.ID}
		t.twice[id] = max(1, t.twice[id]) + 1
	}
	word[low>>6] |= bit
	t.used[key] = word
	return t.add(u)
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
