package evidence_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestSender: transactions without a chain id are in blocks, too, and anyone can put one there.
func TestSender(t *testing.T) {
	t.Parallel()
	key, err := crypto.ToECDSA(common.LeftPadBytes([]byte{1}, 32))
	require.NoError(t, err)
	for _, signer := range []types.Signer{types.FrontierSigner{}, types.HomesteadSigner{}, types.NewEIP155Signer(big.NewInt(7)), types.LatestSignerForChainID(big.NewInt(7))} {
		tx, err := types.SignNewTx(key, signer, &types.LegacyTx{To: &common.Address{1}, Gas: 21_000, GasPrice: big.NewInt(1)})
		require.NoError(t, err)
		from, err := evidence.Sender(tx)
		require.NoError(t, err)
		require.Equal(t, crypto.PubkeyToAddress(key.PublicKey), from)
	}
	for _, v := range []int64{0, 1, 26, 29, 35, 36} {
		_, err := evidence.Sender(types.NewTx(&types.LegacyTx{V: big.NewInt(v), R: big.NewInt(1), S: big.NewInt(1)}))
		require.Error(t, err, "v is %d", v)
	}
	_, err = evidence.Sender(types.NewTx(&types.DynamicFeeTx{ChainID: new(big.Int), V: new(big.Int), R: big.NewInt(1), S: big.NewInt(1)}))
	require.Error(t, err)
}
