package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// DepositTx is the type of transactions by which an OP Stack chain imports those of L1.
const DepositTx = 0x7e

// Receipt is as in eth_getTransactionReceipt.
type Receipt struct {
	types.Receipt

	// Unverified claims of the endpoint, like EffectiveGasPrice:
	To    *common.Address // the called account; nil for a creation
	L1Fee *big.Int        // wei, for the transaction's bytes on L1 (OP Stack), if any

	deposit []any // the OP Stack's depositNonce and depositReceiptVersion, if the receipts root covers them
}

func (r *Receipt) UnmarshalJSON(raw []byte) error {
	var more struct {
		To    *common.Address `json:"to"`
		L1Fee json.RawMessage `json:"l1Fee"`
		Nonce *hexutil.Uint64 `json:"depositNonce"`
		// Version is absent before Canyon; then the receipts root also excludes Nonce.
		Version *hexutil.Uint64 `json:"depositReceiptVersion"`
	}
	*r = Receipt{}
	if err := errors.Join(r.Receipt.UnmarshalJSON(raw), json.Unmarshal(raw, &more)); err != nil {
		return err
	}
	r.To = more.To
	// A fee of another form counts as absent, since only reports use it.
	if fee := (hexutil.Big{}); json.Unmarshal(more.L1Fee, &fee) == nil {
		r.L1Fee = (*big.Int)(&fee)
	}
	if more.Version != nil {
		r.deposit = []any{more.Nonce, more.Version}
	}
	return nil
}

// Fee returns the transaction's fee, in wei. If the receipt lacks the gas price, only L1Fee counts.
func (r *Receipt) Fee() *big.Int {
	fee := new(big.Int)
	if r.EffectiveGasPrice != nil {
		fee.Mul(r.EffectiveGasPrice, new(big.Int).SetUint64(r.GasUsed))
	}
	if r.L1Fee != nil {
		fee.Add(fee, r.L1Fee)
	}
	return fee
}

// Receipts are a block's, in order: the leaves of the trie under its receiptsRoot.
type Receipts []*Receipt

func (rs Receipts) Len() int { return len(rs) }

// EncodeIndex writes a receipt as the trie holds it (EIP-2718). Types unknown to go-ethereum, such as Arbitrum's
// 0x64 to 0x6A and Polygon's 0x7F, have the form of the known ones. DepositTx has more fields.
func (rs Receipts) EncodeIndex(i int, w *bytes.Buffer) {
	r := rs[i]
	if r.Type <= types.SetCodeTxType {
		types.Receipts{&r.Receipt}.EncodeIndex(0, w)
		return
	}
	fields := []any{r.Status, r.CumulativeGasUsed, r.Bloom, r.Logs}
	if r.Type == DepositTx {
		fields = append(fields, r.deposit...)
	}
	w.WriteByte(r.Type)
	_ = rlp.Encode(w, fields) // an error leads to another root
}
