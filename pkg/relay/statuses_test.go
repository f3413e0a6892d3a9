package relay_test

import (
	"context"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// statuses remembers what was told last.
type statuses struct {
	mu       sync.Mutex
	final    map[score.UpdateID]score.Outcome
	made     map[score.ProjectID]score.Outcome
	stages   map[score.UpdateID]score.Stage // accepted or batched
	projects map[score.ProjectID]score.Stage
	reported map[score.Lane]uint64
	restores int // asked for
	reopened int // updates whose final status was taken back
}

func (s *statuses) Reported(_ context.Context, id score.Lane, noted, ends uint64) (kept bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reported[id] < noted {
		return false, nil
	}
	s.reported[id] = ends
	return true, nil
}

func (s *statuses) ReportedEnds(_ context.Context, id score.Lane) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reported[id], nil
}

func (s *statuses) Process(context.Context) (string, error) { return "", nil }

func (s *statuses) RequestRestore(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restores++
	return nil
}

func (s *statuses) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.restores
}

func newStatuses() *statuses {
	return &statuses{
		final: map[score.UpdateID]score.Outcome{}, made: map[score.ProjectID]score.Outcome{},
		stages: map[score.UpdateID]score.Stage{}, projects: map[score.ProjectID]score.Stage{},
		reported: map[score.Lane]uint64{},
	}
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

func (s *statuses) Bound(_ context.Context, _ score.Lane, _ uint64, refs []score.Ref) error {
	return s.move(refs, score.Batched)
}

func (s *statuses) Released(_ context.Context, _ score.Lane, _ uint64, refs []score.Ref) error {
	return s.move(refs, score.Accepted)
}

func (s *statuses) Reopened(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, refs []score.Ref) error {
	s.mu.Lock()
	for _, ref := range refs {
		if ref.Creation {
			delete(s.made, ref.Project)
		} else {
			if _, final := s.final[ref.Update]; final { // the end of each slot takes back what was never said
				s.reopened++
			}
			delete(s.final, ref.Update)
		}
	}
	s.mu.Unlock()
	return s.move(refs, score.Batched)
}

func (s *statuses) Slot(context.Context, score.Lane, uint64, uint64, score.Stage, common.Hash, uint64) error {
	return nil
}

func (s *statuses) Final(_ context.Context, _ common.Hash, _ uint64, refs []score.Ref, outcomes []score.Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, ref := range refs {
		if ref.Creation {
			s.made[ref.Project] = outcomes[i]
		} else {
			s.final[ref.Update] = outcomes[i]
		}
	}
	return nil
}
