// Package evm measures gas: geth's EVM applies single transactions to a state in memory, under chosen fork rules.
package evm

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/triedb"
)

// BlockNumber is the block of all transactions, after every fork that mainnet scheduled by number.
const BlockNumber = 25_000_000

// MaxTxBytes is the largest transaction that pools accept.
const MaxTxBytes = 128 << 10

// ErrTooLong means that a transaction exceeds MaxTxBytes and was not applied.
var ErrTooLong = errors.New("transaction longer than pools take")

// Machine is not safe for concurrent use.
type Machine struct {
	State *state.StateDB

	config *params.ChainConfig
	time   uint64 // of blocks, s since 1970
	sent   int
}

// New returns a machine with an empty state, under config's rules at a time.
func New(config *params.ChainConfig, time uint64) (*Machine, error) {
	disk := rawdb.NewMemoryDatabase()
	empty, err := state.New(types.EmptyRootHash, state.NewMPTDatabase(triedb.NewDatabase(disk, nil), state.NewCodeDB(disk)))
	if err != nil {
		return nil, fmt.Errorf("couldn't make a state: %w", err)
	}
	return &Machine{State: empty, config: config, time: time}, nil
}

func (m *Machine) Fork() *Machine {
	out := *m
	out.State = m.State.Copy()
	return &out
}

// Apply signs and applies a transaction, also if it reverts. A nil to creates a contract. Gas is free: base fee and
// tip are 0. The error is ErrTooLong or the reason why the transaction is invalid.
func (m *Machine) Apply(from *ecdsa.PrivateKey, to *common.Address, data []byte, gas uint64) (*types.Receipt, error) {
	tx, err := types.SignNewTx(from, types.LatestSignerForChainID(m.config.ChainID), &types.DynamicFeeTx{
		ChainID: m.config.ChainID, Nonce: m.State.GetNonce(crypto.PubkeyToAddress(from.PublicKey)), Gas: gas, To: to, Data: data,
		GasTipCap: new(big.Int), GasFeeCap: new(big.Int), Value: new(big.Int),
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't sign: %w", err)
	}
	if tx.Size() > MaxTxBytes {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLong, tx.Size())
	}
	header := &types.Header{
		Number: big.NewInt(BlockNumber), Time: m.time, GasLimit: gas, BaseFee: new(big.Int), Difficulty: new(big.Int),
	}
	block := core.NewEVMBlockContext(header, nil, &common.Address{19: 0xc0})
	block.Random, block.BlobBaseFee = &common.Hash{}, big.NewInt(1)
	m.State.SetTxContext(tx.Hash(), m.sent, uint32(m.sent+1))
	m.sent++
	machine := vm.NewEVM(block, m.State, m.config, vm.Config{})
	receipt, _, err := core.ApplyTransaction(context.Background(), machine, core.NewGasPool(gas), m.State, header, tx)
	if err != nil {
		return nil, fmt.Errorf("couldn't apply a transaction: %w", err)
	}
	return receipt, nil
}
