package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const marksAtOnce = 1000 // projects whose marks are read together

// differsPause is how long after a rebuild because of a difference there is no other: one that a rebuild does not cure must not keep
// all from reading.
const differsPause = time.Hour

// check compares some wallets that changed with the contract, as of the checkpoint. What cannot be compared, because the state is
// gone or another relayer went on meanwhile, is left.
func (f *StandingsFold) check(ctx context.Context, s *stint) error {
	sample := s.sample
	s.sample, s.seen = nil, 0
	if s.at.Rebuilding() {
		return nil
	}
	for _, t := range sample {
		want, err := registry.ReadWalletScores(t.project, t.wallet).Do(ctx, viewAt(f.Chain, f.Deployment.Contract, s.at.Hash))
		if err != nil {
			f.Log.Debug("couldn't compare a wallet's scores with the contract's", "project", t.project, "wallet", t.wallet, "err", err)
			return nil
		}
		got, err := f.kept(ctx, s, t, len(want))
		if err != nil {
			return err
		}
		if got == nil || slices.Equal(got, want) {
			continue
		}
		f.metrics.differs.Inc()
		again := time.Since(f.differs) >= differsPause
		f.Log.Error("a wallet's scores in the standings are not the contract's: an endpoint left out or made up logs, or Redis lost writes; "+
			"the standings are rebuilt, once an hour at most", "project", t.project, "wallet", t.wallet, "block", s.at.Block,
			"standings", got, "contract", want, "rebuilt_now", again)
		if again {
			f.broken, f.why, f.differs = s.at.Generation, "they differ from the contract", time.Now()
			return score.ErrFoldMoved
		}
		return nil
	}
	return nil
}

// whole makes sure that no project is missing: a node of a Cluster may have lost all that it had, and one to which nothing happens would not
// show it.
func (f *StandingsFold) whole(ctx context.Context, s *stint) error {
	projects, err := f.Projects.Beyond(ctx, 0)
	if err != nil {
		return err
	}
	ahead, err := f.Projects.Beyond(ctx, s.at.Block+1) // of what is not projected yet; read last, since the directory continues
	if err != nil {
		return err
	}
	projects = slices.DeleteFunc(projects, func(id score.ProjectID) bool { return slices.Contains(ahead, id) })
	for some := range slices.Chunk(projects, marksAtOnce) {
		marks, err := f.Standings.Marks(ctx, s.at.Generation, some)
		if err != nil {
			return err
		}
		if i := slices.Index(marks, nil); i >= 0 {
			return fmt.Errorf("project %s: %w", some[i], score.ErrNotProjected)
		}
	}
	return nil
}

// kept are a wallet's scores in the standings; nil unless they are as of the mark of the project that this stint wrote.
func (f *StandingsFold) kept(ctx context.Context, s *stint, t target, types int) ([]int64, error) {
	at := func() (bool, error) {
		marks, err := f.Standings.Marks(ctx, s.at.Generation, []score.ProjectID{t.project})
		return err == nil && marks[0] != nil && *marks[0] == s.marks[t.project], err
	}
	if same, err := at(); err != nil || !same {
		return nil, err
	}
	scores, _, err := f.Standings.Scores(ctx, t.project, types, []common.Address{t.wallet})
	if rebuilding := (*score.RebuildingError)(nil); errors.As(err, &rebuilding) || errors.Is(err, score.ErrNotProjected) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if same, err := at(); err != nil || !same {
		return nil, err
	}
	return scores[0], nil
}
