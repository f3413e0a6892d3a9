package model

import (
	"maps"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// account's balance is never changed in place.
type account struct {
	nonce   uint64
	balance *big.Int
}

// state is the state after a block, immutable once the block is made.
type state struct {
	accounts map[common.Address]account
	registry *registryState
	trie     *trie.Trie // of accounts; nil until the block is made
}

func (s *state) clone() *state {
	return &state{accounts: maps.Clone(s.accounts), registry: s.registry}
}

func (s *state) of(a common.Address) account {
	if found, ok := s.accounts[a]; ok {
		return found
	}
	return account{balance: new(big.Int)}
}

func (s *state) seal() common.Hash {
	s.trie = trie.NewEmpty(nil)
	for address, a := range s.accounts {
		value, err := rlp.EncodeToBytes(&types.StateAccount{
			Nonce: a.nonce, Balance: uint256.MustFromBig(a.balance), Root: types.EmptyRootHash, CodeHash: types.EmptyCodeHash[:],
		})
		if err != nil {
			panic(err)
		}
		s.trie.MustUpdate(crypto.Keccak256(address[:]), value)
	}
	return s.trie.Hash()
}

// proof returns the Merkle proof of an account or its absence.
func (s *state) proof(address common.Address) (nodes [][]byte) {
	found := memorydb.New()
	if err := s.trie.Prove(crypto.Keccak256(address[:]), found); err != nil {
		panic(err)
	}
	it := found.NewIterator(nil, nil)
	defer it.Release()
	for it.Next() {
		nodes = append(nodes, common.CopyBytes(it.Value()))
	}
	return nodes
}
