package batch_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

// model's numbers have the proportions of the contract's, and no two sums of them are alike by chance.
var model = batch.Model{
	Base: 28_307, Byte: 24, ZeroByte: 12, Group: 1_009, Named: 199, Project: 523, WordGroup: 421, RunsGroup: 601, FreeGroup: 587,
	Signature: 4_349, SignedRun: 113, WordUpdate: 547, Run: 487, RunUpdate: 211, FreeUpdate: 491, Action: 683,
	Cold: 2_003, Fresh: 21_911, Used: 4_801, Recount: 907, Skip: 953, Outcome: 11, BaseBytes: 503,
}

var wide = batch.Limits{MaxUpdates: batch.MaxGroup, MaxGas: 1 << 40, MaxBytes: 1 << 30}

// drawUpdate draws from few projects, signers, words and wallets, so that they meet.
func drawUpdate(t *rapid.T) score.Update {
	small := func(label string, below int) byte { return byte(rapid.IntRange(0, below-1).Draw(t, label)) }
	return score.Update{
		Project: score.ProjectID{small("project", 3)}, Signer: common.Address{small("signer", 2)},
		ID:     score.UpdateID{small("word", 4), 31: rapid.Byte().Draw(t, "low")},
		Target: common.Address{small("target", 3)}, Action: rapid.Byte().Draw(t, "action"), ScoreType: small("type", 2),
	}
}

func TestOf(t *testing.T) { require.Zero(t, batch.Of(nil).Len()); _, _ = drawUpdate, wide }
