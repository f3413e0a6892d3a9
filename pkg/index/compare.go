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

const marksAtOnce = 1000

// differsPause is the least interval between rebuilds because of a difference. A persistent one would otherwise keep
// the standings unreadable.
const differsPause = time.Hour

// check compares the scores of some changed wallets with the contract's, as of the checkpoint's block. A difference
// means that an endpoint returned wrong logs of blocks older than the ledger, or Redis lost writes. It causes a
// rebuild (ErrFoldMoved), once per differsPause at most. If the contract's state of that block is gone, or another
// relayer appended to the project, check returns nil.
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

// whole returns score.ErrNotProjected if the standings lack a project. A Cluster node may have lost all its data,
// which shows only at an append, so idle projects hide it.
func (f *StandingsFold) whole(ctx context.Context, s *stint) error {
	projects, err := f.Projects.Beyond(ctx, 0)
	if err != nil {
		return err
	}
	ahead, err := f.Projects.Beyond(ctx, s.at.Block+1) // perhaps created after the standings' block; read second, since the directory moves on
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

// kept returns a wallet's scores in the standings; nil unless the project's mark is still the one that this run
// wrote.
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
