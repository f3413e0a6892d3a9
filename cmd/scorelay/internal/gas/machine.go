package gas

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
	"github.com/ethereum/go-ethereum/triedb"

	"github.com/scorelay/scorelay/pkg/registry"
)

// machine is a state in memory with the deployed contract, and the EVM of some rules to change it. It is not safe for
// concurrent use.
type machine struct {
	rules     Rules
	state     *state.StateDB
	contract  common.Address
	deployGas uint64
	sent      int // transactions so far
}

// errReverted says that a transaction was applied and failed.
var errReverted = errors.New("transaction failed")

// Accounts of every machine.
var (
	adminKey   = keyOf("admin")
	relayerKey = keyOf("relayer")
)

// keyOf is the private key of an account of that name.
func keyOf(name string) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("gas " + name)))
	if err != nil {
		panic(fmt.Sprintf("gas: account %s has no key: %v", name, err)) // one in 2^128
	}
	return key
}

func addressOf(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

// newMachine deploys the contract under the rules.
func newMachine(rules Rules) (*machine, error) {
	disk := rawdb.NewMemoryDatabase()
	db := state.NewMPTDatabase(triedb.NewDatabase(disk, nil), state.NewCodeDB(disk))
	empty, err := state.New(types.EmptyRootHash, db)
	if err != nil {
		return nil, fmt.Errorf("couldn't make a state: %w", err)
	}
	m := &machine{rules: rules, state: empty}
	receipt, err := m.send(adminKey, nil, registry.DeployData(0, addressOf(adminKey), []common.Address{addressOf(relayerKey)}))
	if err != nil {
		return nil, fmt.Errorf("couldn't deploy: %w", err)
	}
	m.contract, m.deployGas = receipt.ContractAddress, receipt.GasUsed
	return m, nil
}

// fork is an independent copy of the machine.
func (m *machine) fork() *machine {
	out := *m
	out.state = m.state.Copy()
	return &out
}

// call sends the contract a transaction that must succeed.
func (m *machine) call(from *ecdsa.PrivateKey, data []byte) (*types.Receipt, error) {
	return m.send(from, &m.contract, data)
}

// send applies a transaction that must succeed and fit what nodes take.
func (m *machine) send(from *ecdsa.PrivateKey, to *common.Address, data []byte) (*types.Receipt, error) {
	receipt, err := m.try(from, to, data)
	if err == nil && receipt.Status != types.ReceiptStatusSuccessful {
		err = fmt.Errorf("%w: it used %d gas", errReverted, receipt.GasUsed)
	}
	return receipt, err
}

// maxTxBytes is the size of the largest transaction that pools take.
const maxTxBytes = 128 << 10

var errTooLong = errors.New("transaction longer than pools take")

// try applies a transaction, whether it succeeds or not. It costs its sender nothing: the base fee is 0.
func (m *machine) try(from *ecdsa.PrivateKey, to *common.Address, data []byte) (*types.Receipt, error) {
	chain := m.rules.config.ChainID
	tx, err := types.SignNewTx(from, types.LatestSignerForChainID(chain), &types.DynamicFeeTx{
		ChainID: chain, Nonce: m.state.GetNonce(addressOf(from)), Gas: m.rules.txGas, To: to, Data: data,
		GasTipCap: new(big.Int), GasFeeCap: new(big.Int), Value: new(big.Int),
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't sign: %w", err)
	}
	if tx.Size() > maxTxBytes {
		return nil, fmt.Errorf("%w: %d bytes", errTooLong, tx.Size())
	}
	header := &types.Header{
		Number: big.NewInt(blockNumber), Time: m.rules.time, GasLimit: m.rules.txGas, BaseFee: new(big.Int), Difficulty: new(big.Int),
	}
	block := core.NewEVMBlockContext(header, nil, &common.Address{19: 0xc0})
	block.Random, block.BlobBaseFee = &common.Hash{}, big.NewInt(1)
	m.state.SetTxContext(tx.Hash(), m.sent, uint32(m.sent+1))
	m.sent++
	evm := vm.NewEVM(block, m.state, m.rules.config, vm.Config{})
	receipt, _, err := core.ApplyTransaction(context.Background(), evm, core.NewGasPool(m.rules.txGas), m.state, header, tx)
	if err != nil {
		return nil, fmt.Errorf("couldn't apply a transaction: %w", err)
	}
	return receipt, nil
}

// blockNumber is beyond every fork that mainnet had by number.
const blockNumber = 25_000_000
