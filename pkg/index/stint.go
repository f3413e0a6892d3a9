package index

import (
	"context"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	appendsAtOnce = 4      // of different projects
	cutsAtOnce    = 32_000 // executions that wait to be appended, at most some more
	samples       = 3      // wallets that are compared after a round
)

// stint is a projector's work as long as nothing disturbs it: no write failed, and no other projector moved the checkpoint.
type stint struct {
	at      score.Checkpoint
	process string // the store's
	next    uint64 // the block to read next
	// trusted is up to where every project is believed to be known: what the checkpoint says, less what the store may have lost.
	trusted score.Mark
	marks   map[score.ProjectID]score.Mark // of projects that were read or written since it began

	block  uint64 // what counts is about
	counts map[score.ProjectID]uint32
	cut    map[score.ProjectID][]score.Part
	held   int // executions in cut

	sample []target
	seen   int // executions of this round
}

// target is a wallet in a project.
type target struct {
	project score.ProjectID
	wallet  common.Address
}

// project reads up to the final block and appends what it reads, in two goroutines, so that neither waits long for the other. What
// was read before an error is still appended.
func (p *Projector) project(ctx context.Context, s *stint, final evidence.Block) error {
	s.sample, s.seen = nil, 0
	if s.next > final.Number {
		return nil
	}
	group, reading := errgroup.WithContext(ctx)
	stretches, from := make(chan stretch, 1), s.next
	contained(group, func() error {
		defer close(stretches)
		return p.read(reading, from, final, func(read stretch) error {
			select {
			case stretches <- read:
				return nil
			case <-reading.Done():
				return reading.Err()
			}
		})
	})
	contained(group, func() error {
		for read := range stretches {
			if err := p.write(ctx, s, read, final); err != nil {
				return err
			}
		}
		return nil
	})
	return group.Wait()
}

// contained adds a goroutine to a group, whose panic is the group's error.
func contained(group *errgroup.Group, work func() error) {
	group.Go(func() error { return retry.Contained(work) })
}

// write cuts what happened into parts and appends them, and moves the checkpoint at the end of a range of blocks; and leads on.
func (p *Projector) write(ctx context.Context, s *stint, read stretch, final evidence.Block) error {
	if err := p.meet(ctx, s, read.happened); err != nil {
		return err
	}
	for i := range read.happened {
		if h := &read.happened[i]; !h.created {
			s.add(h)
		}
	}
	if s.held < cutsAtOnce && read.through == nil {
		return nil
	}
	if err := p.appendCut(ctx, s); err != nil {
		return err
	}
	if read.through != nil {
		if err := p.advance(ctx, s, *read.through, final); err != nil {
			return err
		}
	}
	leads, err := p.leads(ctx)
	if err == nil && !leads {
		err = fmt.Errorf("%w: it leads now", score.ErrProjectionMoved)
	}
	return err
}

// meet makes created projects known, and finds out how far those are known that were not met yet.
func (p *Projector) meet(ctx context.Context, s *stint, happened []happening) error {
	unmet := map[score.ProjectID]bool{}
	for i := range happened {
		h := &happened[i]
		_, met := s.marks[h.project]
		switch {
		case h.created:
			at := score.Mark{Block: h.block}
			if err := p.Standings.Create(ctx, s.at.Generation, h.project, at); err != nil {
				return err
			}
			if !met {
				s.marks[h.project] = at
			}
		case !met:
			unmet[h.project] = true
		}
	}
	if len(unmet) == 0 {
		return nil
	}
	projects := make([]score.ProjectID, 0, len(unmet))
	for id := range unmet {
		projects = append(projects, id)
	}
	marks, err := p.Standings.Marks(ctx, s.at.Generation, projects)
	if err != nil {
		return err
	}
	// If the store lost its newest writes before the marks were read, one behind the trusted one would hide the loss.
	if process, err := p.Standings.Process(ctx); err != nil {
		return err
	} else if process != s.process {
		return fmt.Errorf("%w: Redis is another process than a moment ago", score.ErrProjectionMoved)
	}
	for i, id := range projects {
		if marks[i] == nil {
			return fmt.Errorf("project %s: %w", id, score.ErrNotProjected)
		}
		s.marks[id] = *marks[i]
		if s.trusted.Compare(*marks[i]) < 0 {
			s.marks[id] = s.trusted
		}
	}
	return nil
}

// add appends an execution to its project's last part, or to a new one.
func (s *stint) add(h *happening) {
	if s.block != h.block || s.counts == nil {
		s.block, s.counts = h.block, map[score.ProjectID]uint32{}
	}
	s.counts[h.project]++
	mark := score.Mark{Block: h.block, Count: s.counts[h.project]}
	if s.cut == nil {
		s.cut = map[score.ProjectID][]score.Part{}
	}
	parts := s.cut[h.project]
	if n := len(parts); n == 0 || len(parts[n-1].Executions) == score.MaxPart {
		parts = append(parts, score.Part{Project: h.project, From: s.marks[h.project]})
	}
	last := &parts[len(parts)-1]
	last.To, last.Executions = mark, append(last.Executions, h.execution)
	s.cut[h.project], s.marks[h.project] = parts, mark
	s.held++
	s.seen++
	if t := (target{h.project, h.execution.Target}); len(s.sample) < samples {
		s.sample = append(s.sample, t)
	} else if i := rand.IntN(s.seen); i < samples {
		s.sample[i] = t
	}
}

// appendCut appends what was cut: a project's parts in their order, several projects at a time.
func (p *Projector) appendCut(ctx context.Context, s *stint) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(appendsAtOnce)
	for _, parts := range s.cut {
		contained(group, func() error {
			for _, part := range parts {
				if err := p.Standings.Append(ctx, s.at.Generation, part); err != nil {
					return fmt.Errorf("project %s: %w", part.Project, err)
				}
				p.metrics.executions.Add(float64(len(part.Executions)))
			}
			return nil
		})
	}
	s.cut, s.held = nil, 0
	return group.Wait()
}

// advance moves the checkpoint to the end of a range of blocks.
func (p *Projector) advance(ctx context.Context, s *stint, through, final evidence.Block) error {
	s.next = through.Number + 1
	if s.at.Hash != (common.Hash{}) && through.Number <= s.at.Block {
		return nil // read again
	}
	to := s.at
	to.Block, to.Hash, to.Time = through.Number, through.Hash, timeOf(through.Time)
	if err := p.Standings.Advance(ctx, s.at, to); err != nil {
		return err
	}
	s.at = to
	p.see(to, final)
	p.tellProgress(to)
	return nil
}
