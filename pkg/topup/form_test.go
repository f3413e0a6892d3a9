package topup_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/topup"
)

// TestStoredForm: what other versions read and write.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(topup.Record{
		Version: topup.Version, Account: common.Address{1}, Day: "2027-01-02", SpentWei: big.NewInt(3), Stopped: "it reverted",
		Transfer: &topup.Transfer{Lane: 4, Raw: []hexutil.Bytes{{5}}, Since: 6, Ended: &evidence.Ref{Number: 7, Hash: common.Hash{8}}},
	})
	require.NoError(t, err)
	require.Equal(t, `{"version":1,"account":"0x0100000000000000000000000000000000000000","day":"2027-01-02","spentWei":3,"transfer":{"lane":4,"raw":["0x05"],"since":6,"ended":{"number":7,"hash":"0x0800000000000000000000000000000000000000000000000000000000000000"}},"stopped":"it reverted"}`, string(data))
}
