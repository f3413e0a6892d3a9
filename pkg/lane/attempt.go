package lane

import (
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Attempt is one exact signed transaction. Its JSON form is Raw alone.
type Attempt struct {
	Raw    []byte
	Hash   common.Hash
	Nonce  uint64
	Gas    uint64 // limit
	Tip    uint64 // wei per gas, as in Fees
	Cap    uint64 // wei per gas
	Cancel bool   // carries no work
}

// decodeAttempt takes all fields from the signed bytes, so the journal always matches the transaction sent.
func decodeAttempt(raw []byte) (Attempt, *types.Transaction, error) {
	tx, err := decodeTx(raw)
	if err != nil {
		return Attempt{}, nil, err
	}
	if !tx.GasFeeCap().IsUint64() || !tx.GasTipCap().IsUint64() {
		return Attempt{}, nil, fmt.Errorf("%w: transaction %s has a price beyond 2^64 wei", ErrCorrupt, tx.Hash())
	}
	return Attempt{
		Raw:    raw,
		Hash:   tx.Hash(),
		Nonce:  tx.Nonce(),
		Gas:    tx.Gas(),
		Tip:    tx.GasTipCap().Uint64(),
		Cap:    tx.GasFeeCap().Uint64(),
		Cancel: len(tx.Data()) == 0,
	}, tx, nil
}

func (a Attempt) MarshalJSON() ([]byte, error) { return json.Marshal(a.Raw) }

func (a *Attempt) UnmarshalJSON(b []byte) error {
	var raw []byte
	err := json.Unmarshal(b, &raw)
	if err == nil {
		*a, _, err = decodeAttempt(raw)
	}
	return err
}

func decodeTx(raw []byte) (*types.Transaction, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, fmt.Errorf("%w: it holds bytes that are no transaction: %w", ErrCorrupt, err)
	}
	return tx, nil
}
