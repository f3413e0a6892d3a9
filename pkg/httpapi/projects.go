package httpapi

import (
	"context"
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
	changed  chan struct{} // closed and replaced with every new creation

	caughtUp chan struct{}
	once     sync.Once
}

// creation is an accepted creation of a project: the newest one, if earlier ones became dead letters.
type creation struct {
	seq     uint64 // in the stream; a lower bound while only this process knows of it
	deadSeq uint64 // of the newest creation known to be a dead letter; 0 without one
	project *score.Project
	record  *score.Record
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
	c := p.accepted[project.ID]
	if c == nil {
		c = &creation{}
		p.accepted[project.ID] = c
	}
	if seq < c.seq || seq == c.seq && c.project != nil {
		return
	}
	c.seq, c.project, c.record = seq, project, score.RecordOf(project)
	close(p.changed)
	p.changed = make(chan struct{})
}

// acceptedHere tells of a creation this process has just had stored, before the stream tells everybody its sequence.
func (p *Projects) acceptedHere(project *score.Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seq := uint64(1)
	if c := p.accepted[project.ID]; c != nil {
		seq = c.deadSeq + 1
	}
	p.accept(seq, project)
}

// Dead tells that the creation at a sequence became a dead letter.
func (p *Projects) Dead(seq uint64, id score.ProjectID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.accepted[id]
	if c == nil {
		c = &creation{}
		p.accepted[id] = c
	}
	c.deadSeq = max(c.deadSeq, seq)
}

// SetCaughtUp tells that everything that was there at the start has been told.
func (p *Projects) SetCaughtUp() { p.once.Do(func() { close(p.caughtUp) }) }

// CaughtUp is closed after SetCaughtUp.
func (p *Projects) CaughtUp() <-chan struct{} { return p.caughtUp }

// lookup returns the record updates are checked against, and whether the project is final or only accepted.
func (p *Projects) lookup(id score.ProjectID) (*score.Record, score.Stage, bool) {
	if rec, ok := p.final.Project(id); ok {
		return rec, score.Final, true
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil && c.project != nil && !c.dead() {
		return c.record, score.Accepted, true
	}
	return nil, 0, false
}

// await is lookup, with a little patience for a creation that another replica has just answered for and that has not
// been told here yet.
func (p *Projects) await(ctx context.Context, id score.ProjectID, patience time.Duration) (*score.Record, bool) {
	var timeout <-chan time.Time
	for {
		p.mu.RLock()
		changed := p.changed
		p.mu.RUnlock()
		if rec, _, ok := p.lookup(id); ok {
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

// deadCreation returns the record of a creation that became a dead letter and that no later one replaced.
func (p *Projects) deadCreation(id score.ProjectID) (*score.Record, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil && c.project != nil && c.dead() {
		return c.record, true
	}
	return nil, false
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
