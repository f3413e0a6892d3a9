package evidence

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

type Account struct {
	Nonce   uint64   // transactions executed up to and including block At
	Balance *big.Int // wei
	At      Ref
	Proved  bool // by a proof under the block's state root; else the endpoints' claim
}

// CheckAccount verifies a proof of eth_getProof (EIP-1186) and returns its account. An absent account is empty and
// also proved. Errors wrap ErrContradiction.
func CheckAccount(b *Block, address common.Address, proof [][]byte) (Account, error) {
	nodes := memorydb.New()
	for _, node := range proof {
		if err := nodes.Put(crypto.Keccak256(node), node); err != nil {
			return Account{}, err
		}
	}
	value, err := trie.VerifyProof(b.StateRoot, crypto.Keccak256(address[:]), nodes)
	if err != nil {
		return Account{}, fmt.Errorf("%w: the proof of account %s in block %d: %w", ErrContradiction, address, b.Number, err)
	}
	account := Account{Balance: new(big.Int), At: b.Ref(), Proved: b.Checked}
	if len(value) == 0 {
		return account, nil
	}
	var state types.StateAccount
	if err := rlp.DecodeBytes(value, &state); err != nil {
		return Account{}, fmt.Errorf("%w: the proof of account %s in block %d: %w", ErrContradiction, address, b.Number, err)
	}
	account.Nonce, account.Balance = state.Nonce, state.Balance.ToBig()
	return account, nil
}
