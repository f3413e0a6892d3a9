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
	Base: 27_011, Byte: 24, ZeroByte: 12, Group: 701, Named: 499, Project: 199, WordGroup: 503, Signature: 4_507, SignedByte: 1,
	WordUpdate: 521, Run: 509, RunUpdate: 157, FreeUpdate: 479, Action: 907, Cold: 2_003, Fresh: 21_911, Used: 4_801,
	Recount: 887, Skip: 1_201, Outcome: 9, BaseBytes: 503,
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
