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
	told     map[score.Lane]uint64
	restores int // asked for
	reopened int // updates whose final status was taken back
}

func (s *statuses) Told(_ context.Context, id score.Lane, nonce uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[id] = nonce + 1
	return nil
}

func (s *statuses) ToldBelow(_ context.Context, id score.Lane) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[id], nil
}

func (s *statuses) Incomplete(context.Context) error {
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
		told: map[score.Lane]uint64{},
	}
}

func (s *statuses) move(updates []score.Update, stage score.Stage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range updates {
		s.stages[u.ID] = stage
	}
	return nil
}

func (s *statuses) moveProject(p score.ProjectID, stage score.Stage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects[p] = stage
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

func (s *statuses) Bound(_ context.Context, _ score.Lane, _ uint64, updates []score.Update) error {
	return s.move(updates, score.Batched)
}

func (s *statuses) Released(_ context.Context, _ score.Lane, _ uint64, updates []score.Update) error {
	return s.move(updates, score.Accepted)
}

func (s *statuses) Reopened(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, updates []score.Update) error {
	s.mu.Lock()
	for _, u := range updates {
		delete(s.final, u.ID)
	}
	s.reopened += len(updates)
	s.mu.Unlock()
	return s.move(updates, score.Batched)
}

func (s *statuses) ProjectReopened(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, p score.ProjectID) error {
	s.mu.Lock()
	delete(s.made, p)
	s.mu.Unlock()
	return s.moveProject(p, score.Batched)
}

func (s *statuses) ProjectBound(_ context.Context, _ score.Lane, _ uint64, p score.ProjectID) error {
	return s.moveProject(p, score.Batched)
}

func (s *statuses) ProjectReleased(_ context.Context, _ score.Lane, _ uint64, p score.ProjectID) error {
	return s.moveProject(p, score.Accepted)
}

func (s *statuses) Slot(context.Context, score.Lane, uint64, score.Stage, common.Hash, uint64) error {
	return nil
}

func (s *statuses) Final(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, _ uint64, updates []score.Update, outcomes []score.Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, u := range updates {
		s.final[u.ID] = outcomes[i]
	}
	return nil
}

func (s *statuses) ProjectFinal(_ context.Context, _ score.Lane, _ uint64, _ common.Hash, _ uint64, p score.ProjectID, outcome score.Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[p] = outcome
	return nil
}
