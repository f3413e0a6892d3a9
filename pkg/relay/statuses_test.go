package relay_test

import (
	"context"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// statuses remembers what was told last. What became final is not told here, but of edits.
type statuses struct {
	mu       sync.Mutex
	stages   map[score.UpdateID]score.Stage // accepted or batched
	projects map[score.ProjectID]score.Stage
}

func newStatuses() *statuses {
	return &statuses{stages: map[score.UpdateID]score.Stage{}, projects: map[score.ProjectID]score.Stage{}}
}

func (s *statuses) move(refs []score.Ref, stage score.Stage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range refs {
		if ref.Creation {
			s.projects[ref.Project] = stage
		} else {
			s.stages[ref.Update] = stage
		}
	}
	return nil
}

// at tells how many updates and creations were told to be at a stage last.
func (s *statuses) at(stage score.Stage) (updates, projects int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.stages {
		if at == stage {
			updates++
		}
	}
	for _, at := range s.projects {
		if at == stage {
			projects++
		}
	}
	return updates, projects
}

func (s *statuses) Bound(_ context.Context, _ score.Lane, _ uint64, refs []score.Ref, _ uint64, _ []common.Hash) error {
	return s.move(refs, score.Batched)
}

func (s *statuses) Released(_ context.Context, _ score.Lane, _ uint64, refs []score.Ref) error {
	return s.move(refs, score.Accepted)
}

func (s *statuses) Reopened(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, refs []score.Ref) error {
	return s.move(refs, score.Batched)
}

func (s *statuses) Slot(context.Context, score.Lane, uint64, uint64, score.Stage, common.Hash, uint64) error {
	return nil
}

func (s *statuses) Final(context.Context, common.Hash, uint64, []score.Ref, []score.Outcome) error {
	return nil
}

func (s *statuses) Generation(context.Context) (string, error) { return "one", nil }
