package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestFinalIsWhatTheLedgerSays: what the API tells as final is of the ledger's newest block, where the chain's head
// is beyond it, too.
func TestFinalIsWhatTheLedgerSays(t *testing.T) {
	t.Parallel()
	node, relayer := fresh.NewChain(t), devnet.Address(0)
	config := chain.Config{URLs: []string{node.URL}, Timeout: time.Minute}
	client, err := chain.Dial(t.Context(), config, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	deployed := fresh.Transact(t, node, 0, nil, registry.DeployData(0, relayer, []common.Address{relayer}))
	d := score.Deployment{
		ChainID: devnet.ChainID, Contract: deployed.ContractAddress, DeployBlock: deployed.BlockNumber.Uint64(),
	}
	var final evidence.Ref
	failed := error(nil)
	r := reader{index.Histories{
		Deployment: d, Chain: client, Payments: client,
		Final: func(context.Context) (evidence.Ref, bool, error) { return final, final.Number > 0, failed },
	}, client}
	p := &score.Project{
		ID: score.ProjectID{1}, Name: "p", Actions: []score.Action{{Name: "up", Points: 1}},
		Owners: []common.Address{devnet.Address(5)}, ScoreTypes: []string{"reputation"},
	}
	id, model := score.UpdateID{7}, registry.Osaka().Batch
	used := func() bool {
		all, err := r.Used(t.Context(), p.ID, []score.UpdateID{id})
		require.NoError(t, err)
		return all[0]
	}
	fresh.Transact(t, node, 0, &d.Contract, registry.EncodeCreateProject(p))
	plan := batch.Plan(&model, []score.Update{{Project: p.ID, ID: id, Signer: devnet.Address(5)}}, nil)
	block := fresh.Transact(t, node, 0, &d.Contract, registry.EncodeBatch(plan))
	require.False(t, used(), "the ledger is empty")
	final = evidence.Ref{Number: d.DeployBlock - 1, Hash: common.Hash{1}}
	require.False(t, used(), "it is older than the contract")
	_, nonce, err := r.NextEdit(t.Context(), p.ID)
	require.NoError(t, err)
	require.Zero(t, nonce)
	parent, err := client.BlockByNumber(t.Context(), block.BlockNumber.Uint64()-1)
	require.NoError(t, err)
	final = parent.Ref()
	require.False(t, used())
	extent, err := r.Extent(t.Context())
	require.NoError(t, err)
	require.Equal(t, score.Extent{First: d.DeployBlock, Final: parent.Number, Head: parent.Number + 1}, extent)
	final = evidence.Ref{Number: block.BlockNumber.Uint64(), Hash: block.BlockHash}
	require.True(t, used())

	failed = errors.New("NATS is away")
	_, err = r.Used(t.Context(), p.ID, []score.UpdateID{id})
	require.ErrorIs(t, err, failed)
	_, _, err = r.NextEdit(t.Context(), p.ID)
	require.ErrorIs(t, err, failed)
}
