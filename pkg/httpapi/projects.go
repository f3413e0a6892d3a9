package httpapi

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Projects knows every project updates can be sent to: those on the chain, final (the Directory), and those whose
// creation was accepted and is on its way there. It is told of accepted creations and of those that became dead
// letters, in any order and repeatedly. Safe for concurrent use.
type Projects struct {
	final Directory

	mu       sync.RWMutex
	accepted map[score.ProjectID]*creation
	changed  chan struct{}            // closed and replaced with every new creation
	told     map[score.ProjectID]bool // since Begin, until SetCaughtUp; nil otherwise

	caughtUp chan struct{}
	once     sync.Once
}

// creation is an accepted creation of a project: the newest one, if earlier ones became dead letters.
type creation struct {
	seq     uint64        // in the stream; a lower bound while only this process knows of it
	deadSeq uint64        // of the newest creation known to be a dead letter; 0 without one
	record  *score.Record // nil while only a dead letter told of it
}

func (c *creation) dead() bool { return c.deadSeq >= c.seq }

// NewProjects returns Projects that knows of no accepted creation.
func NewProjects(final Directory) *Projects {
	return &Projects{
		final: final, accepted: map[score.ProjectID]*creation{},
		changed: make(chan struct{}), caughtUp: make(chan struct{}),
	}
}

// Accepted tells of a creation at a sequence of the stream.
func (p *Projects) Accepted(seq uint64, project *score.Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accept(seq, project)
}

func (p *Projects) accept(seq uint64, project *score.Project) {
	c := p.known(project.ID)
	if seq < c.seq || seq == c.seq && c.record != nil {
		return
	}
	c.seq, c.record = seq, score.RecordOf(project)
	close(p.changed)
	p.changed = make(chan struct{})
}

// known is what is known of the id's creation, from now on if nothing is yet.
func (p *Projects) known(id score.ProjectID) *creation {
	if p.told != nil {
		p.told[id] = true
	}
	c := p.accepted[id]
	if c == nil {
		c = &creation{}
		p.accepted[id] = c
	}
	return c
}

// acceptedHere tells of a creation this process has just had stored, before the stream tells its sequence.
func (p *Projects) acceptedHere(project *score.Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accept(p.known(project.ID).deadSeq+1, project)
}

// Dead tells that the creation at a sequence became a dead letter.
func (p *Projects) Dead(seq uint64, id score.ProjectID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.known(id)
	c.deadSeq = max(c.deadSeq, seq)
}

// Begin tells that everything that there is will be told, up to SetCaughtUp.
func (p *Projects) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = map[score.ProjectID]bool{}
}

// SetCaughtUp tells that everything that was there at the start has been told. What was not told since Begin is forgotten.
func (p *Projects) SetCaughtUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told != nil {
		maps.DeleteFunc(p.accepted, func(id score.ProjectID, _ *creation) bool { return !p.told[id] })
		p.told = nil
	}
	p.once.Do(func() { close(p.caughtUp) })
}

// CaughtUp is closed after SetCaughtUp.
func (p *Projects) CaughtUp() <-chan struct{} { return p.caughtUp }

// lookup returns the record updates are checked against.
func (p *Projects) lookup(id score.ProjectID) (*score.Record, bool) {
	rec, known := p.creation(id)
	return rec, known.Stage != 0 && !known.Outcome.Rejected()
}

// creation returns a project's record and how far its creation has come: final, accepted, or rejected where it became a
// dead letter and no later one replaced it. The Status is zero where no creation was accepted.
func (p *Projects) creation(id score.ProjectID) (*score.Record, score.Status) {
	if rec, ok := p.final.Project(id); ok {
		return rec, score.Status{Stage: score.Final, Outcome: score.Applied}
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	switch c := p.accepted[id]; {
	case c == nil || c.record == nil:
		return nil, score.Status{}
	case c.dead():
		return c.record, score.Status{Stage: score.Final, Outcome: score.Unprocessable}
	default:
		return c.record, score.Status{Stage: score.Accepted}
	}
}

// asCreated is a project as its creation made it, exactly, while that is in the stream or remembered; else as its final record has it, which
// edits change.
func (p *Projects) asCreated(id score.ProjectID) (rec *score.Record, exactly bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil && !c.dead() && c.record != nil {
		return c.record, true
	}
	rec, _ = p.final.Project(id)
	return rec, false
}

// await is lookup, with a little patience for a creation that another replica has just answered for and that has not
// been told here yet.
func (p *Projects) await(ctx context.Context, id score.ProjectID, patience time.Duration) (*score.Record, bool) {
	var timeout <-chan time.Time
	for {
		p.mu.RLock()
		changed := p.changed
		p.mu.RUnlock()
		if rec, ok := p.lookup(id); ok {
			return rec, true
		}
		if timeout == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-changed:
		case <-timeout:
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
}

// list are the first final projects after an id that the grant covers, in the order of ids; nil: from the first on. At most so many.
func (p *Projects) list(grant *score.Grant, after *score.ProjectID, most int) []*score.Record {
	if len(grant.Projects) == 0 {
		return p.final.After(after, most)
	}
	var records []*score.Record
	for id := range grant.Projects {
		if rec, ok := p.final.Project(id); ok && (after == nil || bytes.Compare(id[:], after[:]) > 0) {
			records = append(records, rec)
		}
	}
	slices.SortFunc(records, func(a, b *score.Record) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return records[:min(len(records), most)]
}

// deadSeq is the sequence of the newest creation known to be a dead letter, 0 without one.
func (p *Projects) deadSeq(id score.ProjectID) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil {
		return c.deadSeq
	}
	return 0
}
