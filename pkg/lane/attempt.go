package lane

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Attempt is one exact signed transaction.
type Attempt struct {
	Raw    []byte
	Hash   common.Hash
	Gas    uint64 // limit
	Tip    uint64 // wei per gas; for a legacy transaction the same as Cap
	Cap    uint64 // wei per gas
	Legacy bool
	Cancel bool // carries no work
}

// decodeAttempt reads signed bytes. What an attempt says of itself is taken from its bytes alone, so that a journal
// cannot disagree with what is sent.
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
		Gas:    tx.Gas(),
		Tip:    tx.GasTipCap().Uint64(),
		Cap:    tx.GasFeeCap().Uint64(),
		Legacy: tx.Type() == types.LegacyTxType,
		Cancel: len(tx.Data()) == 0,
	}, tx, nil
}

func decodeTx(raw []byte) (*types.Transaction, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, fmt.Errorf("%w: it holds bytes that are no transaction: %w", ErrCorrupt, err)
	}
	return tx, nil
}
