package gas

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/registry"
)

// machine is not safe for concurrent use.
type machine struct {
	rules     Rules
	evm       *evm.Machine
	contract  common.Address
	deployGas uint64
}

var errReverted = errors.New("transaction failed")

var (
	adminKey   = keyOf("admin")
	relayerKey = keyOf("relayer")
)

func keyOf(name string) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("gas " + name)))
	if err != nil {
		panic(fmt.Sprintf("gas: account %s has no key: %v", name, err)) // one in 2^128
	}
	return key
}

func addressOf(key *ecdsa.PrivateKey) common.Address { return crypto.PubkeyToAddress(key.PublicKey) }

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

func (m *machine) fork() *machine {
	out := *m
	out.evm = m.evm.Fork()
	return &out
}

func (m *machine) call(from *ecdsa.PrivateKey, data []byte) (*types.Receipt, error) {
	return m.send(from, &m.contract, data)
}

// send applies a transaction, and returns errReverted with the receipt if it reverts.
func (m *machine) send(from *ecdsa.PrivateKey, to *common.Address, data []byte) (*types.Receipt, error) {
	receipt, err := m.try(from, to, data)
	if err == nil && receipt.Status != types.ReceiptStatusSuccessful {
		err = fmt.Errorf("%w: it used %d gas", errReverted, receipt.GasUsed)
	}
	return receipt, err
}

// try applies a transaction, which may revert. It returns evm.ErrTooLong, or an error if the transaction is invalid.
func (m *machine) try(from *ecdsa.PrivateKey, to *common.Address, data []byte) (*types.Receipt, error) {
	return m.evm.Apply(from, to, data, m.rules.txGas)
}
