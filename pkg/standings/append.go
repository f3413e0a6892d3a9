package standings

import (
	"context"
	"fmt"

	"github.com/scorelay/scorelay/pkg/score"
)

// maxStep is the number of executions that one script writes, at about 10 µs each.
const maxStep = 250

// maxSpread is the number of wallets that one script copies.
const maxSpread = 1000

// Create adds a project to a generation, unless it exists. Its first part starts at the mark.
func (s *Store) Create(ctx context.Context, generation uint64, project score.ProjectID, at score.Mark) error {
	return s.call(ctx, "create a project of the projection", func(ctx context.Context) error {
		return s.client.HSetNX(ctx, s.keys(generation, project, record)[0], "mark", packMark(at)).Err()
	})
}

// Append adds the executions of a part after the project's mark, and moves the mark to part.To, atomically for each
// step. It may be repeated after any error, and parts may overlap.
//
// If the mark is before part.From, it returns a *score.GapError with the mark; if the generation lacks the project,
// score.ErrNotProjected.
func (s *Store) Append(ctx context.Context, generation uint64, part score.Part) error {
	if err := check(&part); err != nil {
		return err
	}
	for {
		step := newStep(&part)
		found, err := s.look(ctx, generation, step)
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("couldn't append to the standings of project %s: %w", part.Project, score.ErrNotProjected)
		case step.mark.Compare(part.To) >= 0:
			return nil
		case step.mark.Compare(part.From) < 0:
			return &score.GapError{Mark: step.mark}
		case step.mark != part.From:
			skip(&part, step.mark)
			continue
		case step.others():
			if err := s.spread(ctx, generation, step); err != nil {
				return err
			}
			continue
		}
		if err := step.apply(); err != nil {
			return fmt.Errorf("couldn't append to the standings of project %s: %w", part.Project, err)
		}
		did, err := s.write(ctx, generation, step)
		if err != nil || did && step.to == part.To {
			return err
		}
		if did {
			part.From, part.Executions = step.to, part.Executions[len(step.executions):]
		}
	}
}

func after(m score.Mark, e *score.Execution) score.Mark {
	if e.Block == m.Block {
		return score.Mark{Block: m.Block, Count: m.Count + 1}
	}
	return score.Mark{Block: e.Block, Count: 1}
}

// check returns an error unless the part is in chain order, within part.To and at most score.MaxPart long.
func check(part *score.Part) error {
	at := part.From
	for i := range part.Executions {
		next := after(at, &part.Executions[i])
		if next.Compare(at) <= 0 {
			return fmt.Errorf("a part of project %s is not in the order of the chain at block %d", part.Project, next.Block)
		}
		at = next
	}
	if at.Compare(part.To) > 0 || len(part.Executions) > score.MaxPart {
		return fmt.Errorf("a part of project %s with %d executions, the last in block %d, ends at block %d", part.Project, len(part.Executions), at.Block, part.To.Block)
	}
	return nil
}

func skip(part *score.Part, mark score.Mark) {
	at := part.From
	for len(part.Executions) > 0 {
		if at = after(at, &part.Executions[0]); at.Compare(mark) > 0 {
			break
		}
		part.Executions = part.Executions[1:]
	}
	part.From = mark
}
