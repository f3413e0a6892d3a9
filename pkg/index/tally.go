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

// errContradiction reports missing events, such as a project's creation.
var errContradiction = errors.New("the contract's events contradict each other; is the deployment's block right?")

// ref is an unpredictable hash of an update's contents and whether it is in a signed group. Other contents under the
// same id have another ref. A ref may also stand for a word of a project's ids (refOf).
type ref [16]byte

// bits is one word of the contract's bitmap of used ids: 256 ids in one storage slot.
type bits [4]uint64

type idKey struct {
	project score.ProjectID
	id      score.UpdateID
}

type updateTally struct {
	accepted  uint32        // acceptances in the stream
	done      uint32        // acceptances that the lane settled
	included  uint32        // outcomes in blocks before finality
	awaited   uint32        // acceptances up to sequence auditTally.until
	eventless []deadOutcome // outcomes of dead letters that lack an event

	outcomes []score.Outcome // final, from events. The newest `accepted` ones, oldest first
	repeated uint32          // earlier outcomes, except unknown project
	ended    bool            // there is an outcome other than unknown project

	deadLettered bool
}

// brief is an updateTally in one byte. Nearly all fit: accepted once, no dead letter, at most one outcome. The
// highest five bits are that outcome + 1, or 0.
type brief byte

const (
	briefDone brief = 1 << iota
	briefIncluded
	briefAwaited
	briefOutcome
)

// of encodes a tally if possible, and reports whether it is.
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

// into decodes b into f. room is the memory of f.outcomes.
func (b brief) into(f *updateTally, room []score.Outcome) {
	count := func(bit brief) uint32 { return uint32(b & bit / bit) }
	*f = updateTally{accepted: 1, done: count(briefDone), included: count(briefIncluded), awaited: count(briefAwaited), outcomes: room[:0]}
	if outcome := b / briefOutcome; outcome > 0 {
		f.addOutcome(score.Outcome(outcome - 1))
	}
}

// deadOutcome is a dead letter without an event, as of an update that fits into no transaction. It is the outcome of
// an acceptance with a sequence in from … until. These are its batch's start and the stream's end when the letter was
// stored. The acceptance of a replay is later, so a lost replay still shows. If the batch contained the updateId
// several times, the letter counts for each.
type deadOutcome struct {
	from, until uint64
	accepted    uint32 // acceptances assigned to it
}

// creationTally is the tally of one project's creation. A dead creation may be accepted again, so only the newest
// acceptance can be open.
type creationTally struct {
	accepted int
	seq      uint64 // of the newest acceptance
	done     bool   // the lane is settled beyond it
	created  bool
	included bool // in a block before finality
	dead     bool
	deadSeq  uint64 // sequence of the dead acceptance; 0: unknown
}

// auditTally combines the stream, dead letters and events.
//
// The stream may contain an update several times: retries that no claim caught. Each acceptance needs its own
// outcome, in an event or as a dead letter. If there are n acceptances, the newest n outcomes are theirs. Earlier
// outcomes are of acceptances that left the stream, or of updates that others relayed to the same contract.
//
// Accepted updates (usually a hash and a byte each) and used ids (a bit each), which cost gas, bound the memory.
// Rejections cost a relayer account next to no gas, so the tally keeps at most one per acceptance.
type auditTally struct {
	settled   [score.Buckets]score.Position // by bucket: everything below has its outcome
	updates   map[ref]brief
	others    map[ref]*updateTally // tallies that do not fit a brief
	one       updateTally          // the last brief that find decoded
	room      [1]score.Outcome     // for one
	lost      map[ref]string       // some lost updates, with a sentence each
	creations map[score.ProjectID]*creationTally
	edits     editTally
	deltas    map[score.ProjectID][]int64 // signed points by action
	sums      map[score.ProjectID]Scores

	used   map[ref]bits  // applied ids by word, as in the contract
	alone  map[ref]byte  // words with one applied id: its last byte
	twice  map[idKey]int // ids applied repeatedly
	older  int
	direct int

	firstHeld uint64
	blocks    map[uint64]facts // final blocks above firstHeld, with events

	until   uint64 // last sequence that counts as awaited
	lastSeq uint64
	// holes: sequences are missing, purged or lost with an operator's consent. If callers sent lost updates again,
	// their outcomes have acceptances, so only holes reveals the loss.
	holes      bool
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

// refOf returns the ref of an update, or of a word if only Project and the word's first ID are set.
func (t *auditTally) refOf(u *score.Update, signed bool) (r ref) {
	is := struct {
		score.Update
		signed bool
	}{*u, signed}
	binary.LittleEndian.PutUint64(r[:8], maphash.Comparable(t.seed, is))
	binary.LittleEndian.PutUint64(r[8:], maphash.Comparable(t.more, is))
	return r
}

// find returns an update's tally, or nil. It is valid until the next call; keep stores changes.
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

// open is find, but returns a new tally instead of nil.
func (t *auditTally) open(r ref) *updateTally {
	f := t.find(r)
	if f == nil {
		f, t.one = &t.one, updateTally{}
	}
	return f
}

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

// assignDeadLetter assigns an acceptance to a dead letter with a range that contains it. It prefers an unassigned
// letter, then the one that ends first, so that most letters get one.
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

// deadOutcomes returns the number of dead letters with an acceptance, and in more that of their further acceptances.
func (f *updateTally) deadOutcomes() (told, more int) {
	for _, d := range f.eventless {
		if d.accepted > 0 {
			told, more = told+1, more+int(d.accepted)-1
		}
	}
	return told, more
}

// included records an event of a block before finality. It is too early to count, but its updates are not lost.
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

// final counts an event of a final block. All messages and dead letters must precede it.
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

// each calls fn with each update, its tally (nil if unknown) and its outcome, and stores the tally.
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

// addOutcome keeps as many outcomes as there are acceptances, and only counts earlier ones.
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

// apply records an update that a relayer or a member applied, and adds its points.
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

// use marks the id with last byte low in word key, and reports whether it was marked before.
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
