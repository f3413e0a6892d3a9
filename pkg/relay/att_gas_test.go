package relay

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// A slot was in a block; the next was bound with gas that counts what it wrote as used. Then a reorg: the first one's block is gone, and in
// the new one it wrote nothing. So the second runs out of gas, under today's rules.
func TestWantOfGasAfterAReorgShowsNoOtherRules(t *testing.T) {
	g := newLearner(t, registry.AllGasRules())
	p := freshBatch(20)
	p.known = p.batch.StorageSlots().Scores // wallets, by the slot before
	g.ranOut(p, g.limit(p))
	require.Zero(t, g.believed, "the chain's rules are what they were")
	require.EqualValues(t, 100, g.scale, "and so are its prices")
}

// and it stays: where half of what batches touch is fresh, they use more than the least by the dearer rules.
func TestWantOfGasAfterAReorgIsForgotten(t *testing.T) {
	g := newLearner(t, registry.AllGasRules())
	p := freshBatch(20)
	p.known = p.batch.StorageSlots().Scores
	g.ranOut(p, g.limit(p))
	osaka := registry.Osaka().Batch
	used := osaka.Estimate(*p.batch, p.batch.StorageSlots())
	for range 20 {
		g.learn(p2(p), done(t, p, used))
	}
	require.Zero(t, g.believed)
}

func p2(p *piece) *piece { return &piece{batch: p.batch} }

// On a rollup whose NUMBER opcode tells another chain's height (docs of getProject), or where a node does not have the block any more.
func TestACreationWhoseEventIsNotInTheBlockThatTheContractNamesHoldsNothingUp(t *testing.T) {
	p := &score.Project{
		ID: score.ProjectID{1}, Name: "a project", Actions: []score.Action{{Name: "up", Points: 1}},
		Owners: []common.Address{{1}}, ScoreTypes: []string{"reputation"},
	}
	work := lane.Work{Kind: lane.Creation, Count: 1, Project: &p.ID, Data: registry.EncodeCreateProject(p), Tries: refusedTries}
	r := newRequeued(t, work, exists, exists)
	calls := r.ask
	r.ask = func(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
		if msg.Gas > 0 {
			return calls(ctx, msg, at)
		}
		info := make([]byte, 6*32)
		binary.BigEndian.PutUint64(info[24:], 21_000_000) // createdBlock: L1's height
		info[63], info[4*32-1], info[5*32-1] = 1, 1, 1
		return []evidence.Called{{Endpoint: "a", Data: info}, {Endpoint: "b", Data: info}}, nil
	}
	r.blockAt = func(context.Context, uint64) (evidence.Block, error) { // an old block of the rollup
		return evidence.Block{}, nil
	}
	r.events = func(context.Context, []evidence.Block, common.Address, []common.Hash) ([]types.Log, error) {
		return nil, nil
	}
	did := ""
	for range 1000 {
		if did = r.does(t); did != "waits for node" {
			break
		}
		r.now = r.now.Add(time.Minute)
	}
	require.NotEqual(t, "waits for node", did, "after 1000 minutes; nothing new is bound while work is queued")
}
