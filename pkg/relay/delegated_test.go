package relay_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
)

// delegate has the first lane's signer be delegated to some code (EIP-7702).
func (w *world) delegate() {
	w.t.Helper()
	ctx, node, chainID := w.t.Context(), w.geth.Client(), uint256.NewInt(devnet.ChainID)
	authority, err := node.NonceAt(ctx, devnet.Address(laneAccount), nil)
	require.NoError(w.t, err)
	authorization, err := types.SignSetCode(devnet.Key(laneAccount), types.SetCodeAuthorization{ChainID: *chainID, Address: common.Address{0x77}, Nonce: authority})
	require.NoError(w.t, err)
	nonce, err := node.NonceAt(ctx, devnet.Address(adminAccount), nil)
	require.NoError(w.t, err)
	tx, err := types.SignNewTx(devnet.Key(adminAccount), types.LatestSignerForChainID(chainID.ToBig()), &types.SetCodeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: uint256.NewInt(1e9), GasFeeCap: uint256.NewInt(20e9), Gas: 200_000,
		To: devnet.Address(adminAccount), AuthList: []types.SetCodeAuthorization{authorization},
	})
	require.NoError(w.t, err)
	require.NoError(w.t, node.SendTransaction(ctx, tx))
	w.geth.Commit()
	code, err := node.CodeAt(ctx, devnet.Address(laneAccount), nil)
	require.NoError(w.t, err)
	require.NotEmpty(w.t, code)
}

// TestADelegatedSignerSendsOneTransactionABlock, since pools take no more of it: the lane says so once, and most of what it sends is taken.
func TestADelegatedSignerSendsOneTransactionABlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	logged := w.logged()
	w.delegate()
	deps, registry := w.deps(), prometheus.NewRegistry()
	deps.Metrics = registry
	w.create(1)
	w.accept(some(1, 0, 400)...) // 20 batches
	w.start(w.config(), deps)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 400}, w.audit())
	require.Equal(t, 1, strings.Count(logged(), "is delegated (EIP-7702)"))
	sends := counted(t, registry, "sends_total")
	require.Positive(t, sends["delegated"])
	require.Less(t, sends["delegated"], sends["added"]+sends["known"], "%v", sends)
	require.Zero(t, sends["nonce_high"])
}
