package gas

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet/evm"
	"github.com/scorelay/scorelay/pkg/registry"
)

// machine is a state in memory with the deployed contract, and the EVM of some rules to change it. It is not safe for
// concurrent use.
type machine struct {
	rules     Rules
	evm       *evm.Machine
	contract  common.Address
	deployGas uint64
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
	empty, err := evm.New(rules.config, rules.time)
	if err != nil {
		return nil, err
	}
	m := &machine{rules: rules, evm: empty}
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
	out.evm = m.evm.Fork()
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

// try applies a transaction, whether it succeeds or not.
func (m *machine) try(from *ecdsa.PrivateKey, to *common.Address, data []byte) (*types.Receipt, error) {
	return m.evm.Apply(from, to, data, m.rules.txGas)
}
