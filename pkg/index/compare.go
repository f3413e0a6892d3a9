package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const marksAtOnce = 1000 // projects whose marks are read together

// differsPause is how long after a rebuild because of a difference there is no other: one that a rebuild does not cure must not keep
// all from reading.
const differsPause = time.Hour

// check compares some wallets that the round changed with the contract, as of the final block. What cannot be compared, because the state is
// gone or another projector went on meanwhile, is left.
func (p *Projector) check(ctx context.Context, s *stint, final evidence.Block) error {
	if s.at.Rebuilding() || s.at.Hash != final.Hash {
		return nil
	}
	for _, t := range s.sample {
		want, err := registry.ReadWalletScores(t.project, t.wallet).Do(ctx, viewAt(p.Chain, p.Deployment.Contract, final.Hash))
		if err != nil {
			p.Log.Debug("couldn't compare a wallet's scores with the contract's", "project", t.project, "wallet", t.wallet, "err", err)
			return nil
		}
		got, err := p.kept(ctx, s, t, len(want))
		if err != nil {
			return err
		}
		if got == nil || slices.Equal(got, want) {
			continue
		}
		p.metrics.differs.Inc()
		again := time.Since(p.differs) >= differsPause
		p.Log.Error("a wallet's scores in the standings are not the contract's: an endpoint left out or made up logs, or Redis lost writes; "+
			"the standings are rebuilt, once an hour at most", "project", t.project, "wallet", t.wallet, "block", final.Number,
			"standings", got, "contract", want, "rebuilt_now", again)
		if again {
			p.broken, p.why, p.differs = s.at.Generation, "they differ from the contract", time.Now()
			return score.ErrProjectionMoved
		}
		return nil
	}
	return nil
}

// whole makes sure that no project is missing: a node of a Cluster may have lost all that it had, and one to which nothing happens would not
// show it.
func (p *Projector) whole(ctx context.Context, s *stint) error {
	projects, err := p.Projects.Beyond(ctx, 0)
	if err != nil {
		return err
	}
	ahead, err := p.Projects.Beyond(ctx, s.at.Block+1) // of what is not projected yet; read last, since the directory continues
	if err != nil {
		return err
	}
	projects = slices.DeleteFunc(projects, func(id score.ProjectID) bool { return slices.Contains(ahead, id) })
	for some := range slices.Chunk(projects, marksAtOnce) {
		marks, err := p.Standings.Marks(ctx, s.at.Generation, some)
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
func (p *Projector) kept(ctx context.Context, s *stint, t target, types int) ([]int64, error) {
	at := func() (bool, error) {
		marks, err := p.Standings.Marks(ctx, s.at.Generation, []score.ProjectID{t.project})
		return err == nil && marks[0] != nil && *marks[0] == s.marks[t.project], err
	}
	if same, err := at(); err != nil || !same {
		return nil, err
	}
	scores, _, err := p.Standings.Scores(ctx, t.project, types, []common.Address{t.wallet})
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
