package evidence

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Sender recovers a transaction's signer. A transaction may lack a chain id (before EIP-155), which the signers of
// later forks do not accept.
func Sender(tx *types.Transaction) (common.Address, error) {
	if tx.ChainId().Sign() <= 0 {
		return types.Sender(types.HomesteadSigner{}, tx)
	}
	return types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
}
