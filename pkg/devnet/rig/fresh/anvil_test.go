package fresh_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

func TestAnvilForgetsWhatAReorgRemoves(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a := fresh.NewAnvil(t, fresh.AnvilOptions{GasLimit: 9_000_000})
	c := ethclient.NewClient(a.Client())
	id, err := c.ChainID(ctx)
	require.NoError(t, err)
	require.EqualValues(t, devnet.ChainID, id.Uint64())
	require.NoError(t, a.SetNextBaseFee(ctx, 2*params.GWei))
	tx := send(t, c, 0)
	require.NoError(t, a.Mine(ctx, 1))
	head, err := c.HeaderByNumber(ctx, nil)
	require.NoError(t, err)
	require.EqualValues(t, 9_000_000, head.GasLimit)
	require.EqualValues(t, 2*params.GWei, head.BaseFee.Uint64())
	_, err = c.TransactionReceipt(ctx, tx.Hash())
	require.NoError(t, err)

	require.NoError(t, a.Reorg(ctx, 1))
	_, _, err = c.TransactionByHash(ctx, tx.Hash())
	require.Error(t, err, "gone from the pool, too")
	raw, err := tx.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, a.Reorg(ctx, 1, raw))
	receipt, err := c.TransactionReceipt(ctx, tx.Hash())
	require.NoError(t, err)
	require.EqualValues(t, 1, receipt.BlockNumber.Uint64())
	require.NoError(t, a.Rollback(ctx, 1))
	n, err := c.BlockNumber(ctx)
	require.NoError(t, err)
	require.Zero(t, n)

	dropped := send(t, c, 0)
	require.NoError(t, a.Drop(ctx, dropped.Hash()))
	send(t, c, 1)
	require.NoError(t, a.DropAll(ctx))
	require.NoError(t, a.Interval(ctx, time.Second))
	require.Eventually(t, func() bool {
		n, err := c.BlockNumber(ctx)
		return err == nil && n > 0
	}, 2*time.Minute, 10*time.Millisecond)
	nonce, err := c.NonceAt(ctx, devnet.Address(0), nil)
	require.NoError(t, err)
	require.Zero(t, nonce)
	a.Close()
	<-a.Exited()
}

func TestAnvilSaysWhyItDoesNotStart(t *testing.T) {
	a := fresh.NewAnvil(t, fresh.AnvilOptions{})
	_, err := fresh.StartAnvil(fresh.AnvilOptions{Port: fresh.Port(t, a.URL)})
	require.ErrorContains(t, err, "couldn't start anvil")
	t.Setenv(fresh.AnvilProgram, "no-such-anvil")
	_, err = fresh.StartAnvil(fresh.AnvilOptions{})
	require.ErrorContains(t, err, fresh.AnvilProgram)
}

// send sends a wei of the first account, of which the test knows the nonce.
func send(t *testing.T, client *ethclient.Client, nonce uint64) *types.Transaction {
	t.Helper()
	to := devnet.Address(1)
	tx, err := types.SignNewTx(devnet.Key(0), types.LatestSignerForChainID(big.NewInt(devnet.ChainID)), &types.DynamicFeeTx{
		Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000, GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(10 * params.GWei),
	})
	require.NoError(t, err)
	require.NoError(t, client.SendTransaction(t.Context(), tx))
	return tx
}
