package evidence_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
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
