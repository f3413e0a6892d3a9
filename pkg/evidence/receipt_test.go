package evidence_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// TestAReceiptsFee is what its gas cost and, on the OP Stack, its bytes on L1.
func TestAReceiptsFee(t *testing.T) {
	t.Parallel()
	zeros := func(bytes int) string { return "0x" + strings.Repeat("00", bytes) }
	for more, want := range map[string]int64{
		``:                           0, // a node that does not name the price
		`,"effectiveGasPrice":"0x5"`: 500,
		`,"l1Fee":"0x7"`:             7,
		`,"effectiveGasPrice":"0x5","l1Fee":"0x7"`:  507,
		`,"effectiveGasPrice":"0x5","l1Fee":"-0x7"`: 500,
		`,"effectiveGasPrice":"0x5","l1Fee":7`:      500,
	} {
		raw := `{"status":"0x1","cumulativeGasUsed":"0x64","gasUsed":"0x64","logs":[],"logsBloom":"` + zeros(256) +
			`","transactionHash":"` + zeros(32) + `"` + more + `}`
		var r evidence.Receipt
		require.NoError(t, json.Unmarshal([]byte(raw), &r))
		require.Equal(t, big.NewInt(want).String(), r.Fee().String(), more)
	}
}
