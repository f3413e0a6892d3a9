package app

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAWalletsHistoryComesFromTheLogs has the contract apply, refuse and skip updates, by batches of several projects and by a member's own transaction. The last blocks are proved, those before are not.
func TestAWalletsHistoryComesFromTheLogs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	node := devnet.NewChain(t)
	client, err := chain.Dial(ctx, chain.Config{URLs: []string{node.URL}, LogRange: 3, Proven: 4, Timeout: time.Minute}, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	var contract *common.Address
	send := func(key int, data []byte) *types.Receipt {
		t.Helper()
		nonce, err := node.Client().PendingNonceAt(ctx, devnet.Address(key))
		require.NoError(t, err)
		tx, err := types.SignNewTx(devnet.Key(key), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
			ChainID: big.NewInt(devnet.ChainID), Nonce: nonce, To: contract, Gas: chain.MaxTxGas, Data: data, GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e11),
		})
		require.NoError(t, err)
		require.NoError(t, node.Client().SendTransaction(ctx, tx))
		node.Commit()
		receipt, err := node.Client().TransactionReceipt(ctx, tx.Hash())
		require.NoError(t, err)
		require.Equal(t, types.ReceiptStatusSuccessful, receipt.Status)
		return receipt
	}
	deployed := send(0, registry.DeployData(0, devnet.Address(0), []common.Address{devnet.Address(0)}))
	contract = &deployed.ContractAddress
	acme := &score.Project{
		ID: score.ProjectID{1}, Name: "Acme", Actions: []score.Action{{Name: "win", Points: 5}}, Owners: []common.Address{devnet.Address(1)}, ScoreTypes: []string{"skill"},
	}
	other := *acme
	other.ID = score.ProjectID{2}
	send(0, registry.EncodeCreateProject(acme))
	send(0, registry.EncodeCreateProject(&other))

	alice, bob := devnet.Address(7), devnet.Address(8)
	var want []score.Execution // the newest first
	group := func(p *score.Project, signer int, updates ...score.Update) batch.Group {
		for i := range updates {
			updates[i].Project, updates[i].Signer = p.ID, devnet.Address(signer)
		}
		return batch.Group{Project: p.ID, Signer: devnet.Address(signer), Kind: score.KindFree, Updates: updates}
	}
	told := func(receipt *types.Receipt, u score.Update, outcome score.Outcome) {
		t.Helper()
		header, err := node.Client().HeaderByHash(ctx, receipt.BlockHash)
		require.NoError(t, err)
		want = append([]score.Execution{{
			ID: u.ID, Target: u.Target, Signer: u.Signer, Action: u.Action, ScoreType: u.ScoreType, Outcome: outcome, Tx: receipt.TxHash,
			Block: receipt.BlockNumber.Uint64(), Time: time.Unix(int64(header.Time), 0),
		}}, want...)
	}
	carry := func(outcomes map[byte]score.Outcome, groups ...batch.Group) {
		t.Helper()
		receipt := send(0, registry.EncodeBatch(batch.Batch{Groups: groups}))
		for _, g := range groups {
			for _, u := range g.Updates {
				if outcome, hers := outcomes[u.ID[0]]; hers && u.Project == acme.ID {
					told(receipt, u, outcome)
				}
			}
		}
	}
	update := func(id byte, target common.Address) score.Update {
		return score.Update{ID: score.UpdateID{id}, Target: target}
	}
	carry(map[byte]score.Outcome{1: score.Applied, 3: score.NotMember},
		group(acme, 1, update(1, alice), update(2, bob)), group(&other, 1, update(1, alice)), group(acme, 4, update(3, alice)))
	for range 9 {
		node.Commit()
	}
	carry(map[byte]score.Outcome{1: score.Duplicate, 4: score.Applied}, group(acme, 1, update(1, alice), update(4, alice)))
	own := score.Update{ID: score.UpdateID{5}, Target: alice, Signer: devnet.Address(1)}
	told(send(1, registry.EncodeUpdateScore(acme.ID, own.ID, "win", "skill", alice)), own, score.Applied)

	r := reader{chain: client, contract: *contract, deployed: deployed.BlockNumber.Uint64(), confirmations: 3}
	extent, err := r.Extent(ctx)
	require.NoError(t, err)
	require.Equal(t, r.deployed, extent.First)
	require.Equal(t, extent.Head-2, extent.Final)
	read := func(from, to uint64) (found []score.Execution) {
		t.Helper()
		last := to + 1
		require.NoError(t, r.History(ctx, acme.ID, alice, from, to, extent, func(down uint64, newest []score.Execution) bool {
			require.Less(t, down, last)
			last = down
			found = append(found, newest...)
			return true
		}))
		require.Equal(t, from, last, "all blocks are read")
		return found
	}
	require.Equal(t, want, read(extent.First, extent.Head))
	require.Equal(t, want[1:], read(extent.First, extent.Head-1))
	require.Equal(t, want[3:], read(extent.First, want[3].Block))
	require.Empty(t, read(want[3].Block+1, want[2].Block-1))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	err = r.History(ended, acme.ID, alice, extent.First, extent.Head, extent, func(uint64, []score.Execution) bool { return true })
	require.True(t, errors.Is(err, context.Canceled), err)
}
