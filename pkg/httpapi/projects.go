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

// Projects knows every project that can get updates: the final ones on the chain (the Directory), and those with an
// accepted, pending creation. Calls of Accepted and Dead may come in any order and repeatedly. Safe for concurrent
// use.
type Projects struct {
	final Directory

	mu       sync.RWMutex
	accepted map[score.ProjectID]*creation
	changed  chan struct{}            // closed and replaced with every new creation
	told     map[score.ProjectID]bool // projects reported since Begin, until SetCaughtUp; nil otherwise

	caughtUp chan struct{}
	once     sync.Once
}

// creation is a project's newest accepted creation; earlier ones became dead letters.
type creation struct {
	seq     uint64        // in the stream; until Accepted, a lower bound
	deadSeq uint64        // of the newest creation known to be a dead letter; 0 without one
	record  *score.Record // nil while only a dead letter is known
}

func (c *creation) dead() bool { return c.deadSeq >= c.seq }

func NewProjects(final Directory) *Projects {
	return &Projects{
		final: final, accepted: map[score.ProjectID]*creation{},
		changed: make(chan struct{}), caughtUp: make(chan struct{}),
	}
}

// Accepted records a creation, with its sequence in the stream.
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

// acceptedHere records a creation that this process has just stored, before it knows the sequence.
func (p *Projects) acceptedHere(project *score.Project) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accept(p.known(project.ID).deadSeq+1, project)
}

// Dead records that the creation at a sequence became a dead letter.
func (p *Projects) Dead(seq uint64, id score.ProjectID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.known(id)
	c.deadSeq = max(c.deadSeq, seq)
}

// Begin starts a replay of all creations and dead letters, which ends at SetCaughtUp.
func (p *Projects) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = map[score.ProjectID]bool{}
}

// SetCaughtUp ends the replay, and drops the creations that the replay lacked.
func (p *Projects) SetCaughtUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told != nil {
		maps.DeleteFunc(p.accepted, func(id score.ProjectID, _ *creation) bool { return !p.told[id] })
		p.told = nil
	}
	p.once.Do(func() { close(p.caughtUp) })
}

// CaughtUp returns a channel that SetCaughtUp closes.
func (p *Projects) CaughtUp() <-chan struct{} { return p.caughtUp }

// lookup returns the record that updates are verified against.
func (p *Projects) lookup(id score.ProjectID) (*score.Record, bool) {
	rec, known := p.creation(id)
	return rec, known.Stage != 0 && !known.Outcome.Rejected()
}

// creation returns a project's record, and its creation's status: final, accepted, or rejected if the newest one
// became a dead letter; zero if none was accepted.
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

// asCreated returns a project exactly as created, while its creation is in the stream or in memory; otherwise its
// final record, which edits change, or nil.
func (p *Projects) asCreated(id score.ProjectID) (rec *score.Record, exactly bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil && !c.dead() && c.record != nil {
		return c.record, true
	}
	rec, _ = p.final.Project(id)
	return rec, false
}

// await is lookup, but waits up to patience for a creation that another replica has just accepted.
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

// list returns up to most of the final projects that the grant covers, ordered by id. It starts behind the id after;
// at the first if nil.
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

func (p *Projects) deadSeq(id score.ProjectID) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if c := p.accepted[id]; c != nil {
		return c.deadSeq
	}
	return 0
}
