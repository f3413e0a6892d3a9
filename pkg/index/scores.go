package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const scoresPerCall = 1000 // about 3 million gas

type ScoreKey struct {
	Wallet    common.Address
	ScoreType uint8
}

// Scores are the sums of applied points, for every score that an update changed.
type Scores map[ScoreKey]int64

// Compare calls fn for each score that differs, with the contract's value as of view's block.
func (s Scores) Compare(
	ctx context.Context, view func(context.Context, []byte) ([]byte, error), project score.ProjectID,
	fn func(key ScoreKey, has int64),
) error {
	for keys := range slices.Chunk(slices.Collect(maps.Keys(s)), scoresPerCall) {
		wallets, scoreTypes := make([]common.Address, len(keys)), make([]uint8, len(keys))
		for i, key := range keys {
			wallets[i], scoreTypes[i] = key.Wallet, key.ScoreType
		}
		has, err := registry.ReadScores(project, wallets, scoreTypes).Do(ctx, view)
		if err != nil {
			return fmt.Errorf("couldn't read the scores of project %s: %w", project, err)
		}
		if len(has) != len(keys) {
			return fmt.Errorf("the contract gave %d scores where %d were asked for", len(has), len(keys))
		}
		for i, key := range keys {
			if has[i] != s[key] {
				fn(key, has[i])
			}
		}
	}
	return nil
}
