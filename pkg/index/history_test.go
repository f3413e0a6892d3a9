package index_test

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// finalBlock is an index.Histories.Final for which all blocks are final but the newest.
func (w *world) finalBlock(but uint64) func(context.Context) (evidence.Ref, bool, error) {
	return func(ctx context.Context) (evidence.Ref, bool, error) {
		b, err := w.client.BlockByNumber(ctx, w.top().Number-but)
		return b.Ref(), true, err
	}
}

// TestAWalletsHistoryComesFromTheLogs has the contract apply, refuse and skip updates, by batches of several projects and by a member's own transaction. The last blocks are proved, those before are not.
func TestAWalletsHistoryComesFromTheLogs(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t)
	client, err := chain.Dial(ctx, chain.Config{URLs: []string{w.node.URL}, LogRange: 3, Proven: 4, Timeout: time.Minute}, discard(), prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	acme, other := project(1), project(2)
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
		header, err := w.node.Client().HeaderByHash(ctx, receipt.BlockHash)
		require.NoError(t, err)
		want = append([]score.Execution{{
			Update: u, Outcome: outcome, Tx: receipt.TxHash, Block: receipt.BlockNumber.Uint64(), Time: time.Unix(int64(header.Time), 0).UTC(),
		}}, want...)
	}
	carry := func(outcomes map[byte]score.Outcome, groups ...batch.Group) {
		t.Helper()
		receipt := w.call(relayerKey, registry.EncodeBatch(batch.Batch{Groups: groups}))
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
	carry(nil, group(acme, ownerKey, update(1, alice))) // before the project exists: nothing of it
	w.create(acme)
	w.create(other)
	carry(map[byte]score.Outcome{1: score.Applied, 3: score.NotMember},
		group(acme, ownerKey, update(1, alice), update(2, bob)), group(other, ownerKey, update(1, alice)), group(acme, 4, update(3, alice)))
	w.blocks(9)
	carry(map[byte]score.Outcome{1: score.Duplicate, 4: score.Applied}, group(acme, ownerKey, update(1, alice), update(4, alice)))
	own := score.Update{Project: acme.ID, ID: score.UpdateID{5}, Target: alice, Signer: devnet.Address(updaterKey)}
	told(w.direct(own), own, score.Applied)

	h := index.Histories{Deployment: w.deployment, Final: w.finalBlock(2), Chain: client, Payments: client}
	extent, err := h.Extent(ctx)
	require.NoError(t, err)
	first, head := w.deployment.DeployBlock, w.top().Number
	require.Equal(t, score.Extent{First: first, Final: head - 2, Head: head}, extent)
	read := func(from, to uint64) (found []score.Execution) {
		t.Helper()
		last := to + 1
		require.NoError(t, h.History(ctx, acme.ID, alice, from, to, extent, func(down uint64, newest []score.Execution) bool {
			require.Less(t, down, last)
			last = down
			found = append(found, newest...)
			return true
		}))
		require.Equal(t, from, last, "all blocks are read")
		return found
	}
	require.Equal(t, want, read(first, head))
	require.Equal(t, want[1:], read(first, head-1))
	require.Equal(t, want[3:], read(first, want[3].Block))
	require.Empty(t, read(want[3].Block+1, want[2].Block-1))

	h.Final = func(context.Context) (evidence.Ref, bool, error) { return evidence.Ref{}, false, nil }
	extent, err = h.Extent(ctx)
	require.NoError(t, err)
	require.Equal(t, score.Extent{First: first, Head: head}, extent, "nothing is final")
	h.Final = func(context.Context) (evidence.Ref, bool, error) { return evidence.Ref{}, false, fault.Err }
	_, err = h.Extent(ctx)
	require.ErrorIs(t, err, fault.Err)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	err = h.History(ended, acme.ID, alice, first, head, extent, func(uint64, []score.Execution) bool { return true })
	require.ErrorIs(t, err, context.Canceled)
}
