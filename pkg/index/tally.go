package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// errContradiction says that the contract's events cannot be all its events: a project's updates without its creation.
var errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")

// ref is a hash that no caller can foresee. It stands for an update: its project and id, what it says, and whether it goes in a signed
// group, since what others relay under the same id is no outcome of ours. Or it stands for a word of a project's ids.
type ref [16]byte

// bits are a word of the contract's bitmap of used ids. Events can tell of any number of ids for next to no gas, but only
// of as many words with applied ones as an account paid storage slots for.
type bits [4]uint64

// idKey names an id alone.
type idKey struct {
	project score.ProjectID
	id      score.UpdateID
}

// updateTally is all that is known of one update that the stream holds or a dead letter tells of.
type updateTally struct {
	accepted  uint32        // times, in the stream
	done      uint32        // of them, those before the position up to which the lane is settled
	included  uint32        // outcomes in blocks that are not final
	awaited   uint32        // of those accepted, the ones up to the sequence until
	eventless []deadOutcome // its dead letters that say what no event tells

	outcomes []score.Outcome // final ones that events tell of, oldest first: the newest, as many as there are acceptances
	repeated uint32          // outcomes before those, but for unknown project
	ended    bool            // there is one other than unknown project

	deadLettered bool // it has a dead letter
}

// brief is the tally of an update as nearly all are, in a byte: accepted once, without a dead letter, with one outcome at most. Its highest
// five bits are that outcome + 1.
type brief byte

const (
	briefDone brief = 1 << iota
	briefIncluded
	briefAwaited
	briefOutcome
)

// of has the brief say a tally, if it can.
func (b *brief) of(f *updateTally) bool {
	if f.accepted != 1 || f.included > 1 || f.eventless != nil || f.repeated > 0 || f.deadLettered || len(f.outcomes) == 1 && f.outcomes[0] > 30 {
		return false
	}
	*b = briefDone*brief(f.done) | briefIncluded*brief(f.included) | briefAwaited*brief(f.awaited)
	if len(f.outcomes) == 1 {
		*b |= briefOutcome * brief(f.outcomes[0]+1)
	}
	return true
}

// into has a tally say what the brief does. The room is for its outcome.
func (b brief) into(f *updateTally, room []score.Outcome) {
	count := func(bit brief) uint32 { return uint32(b & bit / bit) }
	*f = updateTally{accepted: 1, done: count(briefDone), included: count(briefIncluded), awaited: count(briefAwaited), outcomes: room[:0]}
	if outcome := b / briefOutcome; outcome > 0 {
		f.addOutcome(score.Outcome(outcome - 1))
	}
}

// deadOutcome is a dead letter that says what no event tells. It is the outcome of an acceptance at the
// sequences from … until, and of others there if its batch held the updateId several times.
type deadOutcome struct {
	from, until uint64
	accepted    uint32 // acceptances that it accounts for
}

// creationTally is all that is known of the creation of one project. It may be accepted again once it is dead, so only the
// newest acceptance can be open.
type creationTally struct {
	accepted int
	seq      uint64 // of the newest acceptance
	done     bool   // the lane is settled beyond it
	created  bool
	included bool // created in a block that is not final
	dead     bool
	deadSeq  uint64 // which acceptance is dead; 0 if not known
}

// auditTally gathers what stream, dead letters and events say.
type auditTally struct {
	settled   [score.Buckets]score.Position // by bucket: everything before it has its outcome
	updates   map[ref]brief                 // of nearly all updates
	others    map[ref]*updateTally          // of those of which no brief says enough
	one       updateTally                   // that find made of a brief last
	room      [1]score.Outcome              // of one
	lost      map[ref]string                // some updates that are lost, and a sentence about each
	creations map[score.ProjectID]*creationTally
	edits     editTally
	deltas    map[score.ProjectID][]int64 // signed points by action
	sums      map[score.ProjectID]Scores

	used   map[ref]bits  // ids that applied, as the contract keeps them
	alone  map[ref]byte  // those of words of which one id applied: its last byte
	twice  map[idKey]int // ids that applied again, and how often in all
	older  int           // outcomes of updates that the stream does not hold
	direct int           // updates that members applied without the relayer

	firstHeld uint64           // block after which the ledger is compared
	blocks    map[uint64]facts // final ones with events after that

	until      uint64 // the sequence of the last message whose updates and creations count as awaited
	lastSeq    uint64 // of the message of the stream that was read last
	holes      bool   // sequences before it are missing: purged, or lost and passed over when an operator accepted that
	unreadable int
	seed, more maphash.Seed
}

func newTally(settled [score.Buckets]score.Position, until uint64) *auditTally {
	return &auditTally{
		settled: settled, until: until, updates: map[ref]brief{}, others: map[ref]*updateTally{}, lost: map[ref]string{}, creations: map[score.ProjectID]*creationTally{}, edits: newEditTally(),
		deltas: map[score.ProjectID][]int64{}, sums: map[score.ProjectID]Scores{},
		used: map[ref]bits{}, alone: map[ref]byte{}, twice: map[idKey]int{}, blocks: map[uint64]facts{}, seed: maphash.MakeSeed(), more: maphash.MakeSeed(),
	}
}

// refOf is of an update or, of one with nothing but a project and the first id of a word, of that word.
func (t *auditTally) refOf(u *score.Update, signed bool) (r ref) {
	is := struct {
		score.Update
		signed bool
	}{*u, signed}
	binary.LittleEndian.PutUint64(r[:8], maphash.Comparable(t.seed, is))
	binary.LittleEndian.PutUint64(r[8:], maphash.Comparable(t.more, is))
	return r
}

// find is the tally of an update until the next call; nil if there is none. A change of it must be kept.
func (t *auditTally) find(r ref) *updateTally {
	if f := t.others[r]; f != nil {
		return f
	}
	b, known := t.updates[r]
	if !known {
		return nil
	}
	b.into(&t.one, t.room[:])
	return &t.one
}

// open is find, or a new tally.
func (t *auditTally) open(r ref) *updateTally {
	f := t.find(r)
	if f == nil {
		f, t.one = &t.one, updateTally{}
	}
	return f
}

// keep keeps a tally of find or open.
func (t *auditTally) keep(r ref, f *updateTally) {
	var b brief
	switch {
	case t.others[r] == f:
	case b.of(f):
		t.updates[r] = b
	default:
		other := *f
		other.outcomes = slices.Clone(f.outcomes)
		t.others[r] = &other
		delete(t.updates, r)
	}
}

func (t *auditTally) creation(id score.ProjectID) *creationTally {
	c := t.creations[id]
	if c == nil {
		c = &creationTally{}
		t.creations[id] = c
	}
	return c
}

func (t *auditTally) deadLetter(d score.DeadLetter) error {
	t.edits.deadLetter(&d)
	switch {
	case d.Project != nil:
		c := t.creation(d.Project.ID)
		c.dead, c.deadSeq = true, d.Seq
	case d.Update != nil:
		r := t.refOf(d.Update, d.Signed)
		f := t.open(r)
		f.deadLettered = true
		if d.Eventless() {
			f.eventless = append(f.eventless, deadOutcome{from: d.Seq, until: d.Until})
		}
		t.keep(r, f)
	}
	return nil
}

// accepted counts one message of the stream.
func (t *auditTally) accepted(m score.Message) error {
	t.holes = t.holes || m.Seq != t.lastSeq+1
	t.lastSeq = m.Seq
	t.edits.message(&m)
	switch {
	case m.Corrupt != nil:
		t.unreadable++
	case m.Project != nil:
		c := t.creation(m.Project.ID)
		c.accepted++
		c.seq, c.done = m.Seq, score.Position{Seq: m.Seq}.Before(t.settled[score.BucketOf(m.Project.ID)])
	default:
		groups := m.Signed
		for i := range m.Updates {
			for len(groups) > 0 && i >= groups[0].First+groups[0].Count {
				groups = groups[1:]
			}
			r := t.refOf(&m.Updates[i], len(groups) > 0 && i >= groups[0].First)
			f := t.open(r)
			f.accepted++
			if m.Seq <= t.until {
				f.awaited++
			}
			f.assignDeadLetter(m.Seq)
			if (score.Position{Seq: m.Seq, Index: uint32(i)}).Before(t.settled[score.BucketOf(m.Updates[i].Project)]) {
				f.done++
			}
			t.keep(r, f)
		}
	}
	return nil
}

// assignDeadLetter gives an acceptance to a dead letter that may tell of it: to one that has none yet, of those to the one that ends
// first, so that as many dead letters as possible have one.
func (f *updateTally) assignDeadLetter(seq uint64) {
	var best *deadOutcome
	for i := range f.eventless {
		d := &f.eventless[i]
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

// deadOutcomes counts the dead letters that tell of an acceptance in the stream, and the further acceptances they may tell of.
func (f *updateTally) deadOutcomes() (told, more int) {
	for _, d := range f.eventless {
		if d.accepted > 0 {
			told, more = told+1, more+int(d.accepted)-1
		}
	}
	return told, more
}

// included notes an event of a block that is not final: too early to count, but nothing it tells of is lost.
func (t *auditTally) included(event registry.Event, _ *types.Log) error {
	switch e := event.(type) {
	case registry.ProjectCreated:
		if c := t.creations[e.Project.ID]; c != nil {
			c.included = true
		}
	case registry.BatchApplied:
		t.each(&e, func(_ *score.Update, f *updateTally, _ score.Outcome) {
			if f != nil {
				f.included++
			}
		})
	}
	return nil
}

// final counts an event of a final block. It comes after all that the stream and the dead letters hold.
func (t *auditTally) final(event registry.Event, l *types.Log) error {
	if l.BlockNumber > t.firstHeld {
		t.blocks[l.BlockNumber] = t.blocks[l.BlockNumber].with(t.seed, l)
	}
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
		t.each(&e, func(u *score.Update, f *updateTally, outcome score.Outcome) {
			if f != nil && f.accepted > 0 {
				f.addOutcome(outcome)
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

// each hands every update of a batch to fn, with its tally, nil if there is none, and its outcome.
func (t *auditTally) each(e *registry.BatchApplied, fn func(*score.Update, *updateTally, score.Outcome)) {
	n := 0
	for i := range e.Batch.Groups {
		g := &e.Batch.Groups[i]
		for j := range g.Updates {
			r := t.refOf(&g.Updates[j], g.Signature != nil)
			f := t.find(r)
			fn(&g.Updates[j], f, e.Outcomes[n])
			if f != nil {
				t.keep(r, f)
			}
			n++
		}
	}
}

// addOutcome notes an outcome. Only as many as there are acceptances can be theirs, so of older ones a count is enough: a relayer
// can add outcomes to an update for next to no gas.
func (f *updateTally) addOutcome(outcome score.Outcome) {
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

// apply notes that an update was applied, through a relayer or directly, and adds its points to its score.
func (t *auditTally) apply(u *score.Update) error {
	low := u.ID.Low()
	first := score.Update{Project: u.Project, ID: u.ID}
	first.ID[len(first.ID)-1] = 0
	key := t.refOf(&first, false)
	if t.use(key, low) {
		id := idKey{u.Project, u.ID}
		t.twice[id] = max(1, t.twice[id]) + 1
	}
	deltas := t.deltas[u.Project]
	if int(u.Action) >= len(deltas) {
		return fmt.Errorf("%w: action %d of project %s was applied, which has %d", errContradiction, u.Action, u.Project, len(deltas))
	}
	sums := t.sums[u.Project]
	if sums == nil {
		sums = Scores{}
		t.sums[u.Project] = sums
	}
	sums[ScoreKey{u.Target, u.ScoreType}] += deltas[u.Action]
	return nil
}

// use marks an id of a word as used, and reports whether it was.
func (t *auditTally) use(key ref, low byte) (before bool) {
	word, several := t.used[key]
	if first, one := t.alone[key]; one {
		if first == low {
			return true
		}
		word[first>>6] |= 1 << (first & 63)
		delete(t.alone, key)
	} else if !several {
		t.alone[key] = low
		return false
	}
	bit := uint64(1) << (low & 63)
	before = word[low>>6]&bit != 0
	word[low>>6] |= bit
	t.used[key] = word
	return before
}
