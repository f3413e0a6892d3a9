package evidence_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestHolesAreContradictions: JSON's null in a list becomes nil.
func TestHolesAreContradictions(t *testing.T) {
	t.Parallel()
	b := &evidence.Block{Number: 7, Hash: common.Hash{1}, Checked: true}
	holed := &evidence.Receipt{Receipt: types.Receipt{BlockHash: b.Hash, BlockNumber: big.NewInt(7), Logs: []*types.Log{nil}}}
	require.ErrorIs(t, evidence.CheckReceipt(b, holed), evidence.ErrContradiction)
	require.ErrorIs(t, evidence.CheckReceipt(b, nil), evidence.ErrContradiction)
	require.ErrorIs(t, evidence.CheckReceipts(b, evidence.Receipts{holed}), evidence.ErrContradiction)
	require.ErrorIs(t, evidence.CheckReceipts(b, evidence.Receipts{nil}), evidence.ErrContradiction)
}

// TestAStatusThatTheRootDoesNotCover is a contradiction: go-ethereum encodes any but 0 as 1, and a state root in its place.
func TestAStatusThatTheRootDoesNotCover(t *testing.T) {
	t.Parallel()
	receipt := func(status uint64, root []byte) *evidence.Receipt {
		return &evidence.Receipt{Receipt: types.Receipt{
			Type: types.DynamicFeeTxType, Status: status, PostState: root, Logs: []*types.Log{}, BlockHash: common.Hash{1}, BlockNumber: big.NewInt(7),
		}}
	}
	b := &evidence.Block{Number: 7, Hash: common.Hash{1}, TxRoot: common.Hash{2}, Checked: true}
	for _, honest := range []*evidence.Receipt{receipt(0, nil), receipt(1, nil)} {
		b.ReceiptsRoot = types.DeriveSha(evidence.Receipts{honest}, trie.NewStackTrie(nil))
		require.NoError(t, evidence.CheckReceipts(b, evidence.Receipts{honest}))
		for _, lie := range []*evidence.Receipt{receipt(1-honest.Status, nil), receipt(2, nil), receipt(0, []byte{1}), receipt(1, []byte{1})} {
			require.ErrorIs(t, evidence.CheckReceipts(b, evidence.Receipts{lie}), evidence.ErrContradiction)
		}
	}
	require.NoError(t, evidence.CheckReceipt(b, receipt(1, nil)))
	b.TxRoot = types.EmptyTxsHash
	require.ErrorIs(t, evidence.CheckReceipt(b, receipt(1, nil)), evidence.ErrContradiction, "a block without transactions")
}
