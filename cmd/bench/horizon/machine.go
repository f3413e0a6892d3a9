package horizon

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// machine is the deployed contract in geth's EVM under the rules of Osaka.
type machine struct {
	evm      *evm.Machine
	relayer  *ecdsa.PrivateKey
	contract common.Address
}

var (
	errFailed  = errors.New("transaction failed")
	errOutcome = errors.New("an update was not applied")
)

func newMachine() (*machine, error) {
	config := *params.MainnetChainConfig
	config.AmsterdamTime, config.BogotaTime = nil, nil
	empty, err := evm.New(&config, *config.BPO2Time)
	if err != nil {
		return nil, err
	}
	m := &machine{evm: empty, relayer: devnet.Key(0)}
	relayer := crypto.PubkeyToAddress(m.relayer.PublicKey)
	receipt, err := m.send(nil, registry.DeployData(0, relayer, []common.Address{relayer}), registry.DeployGas)
	if err != nil {
		return nil, fmt.Errorf("couldn't deploy the contract: %w", err)
	}
	m.contract = receipt.ContractAddress
	return m, nil
}

func (m *machine) fork() *machine {
	out := *m
	out.evm = m.evm.Fork()
	return &out
}

// apply fails unless every update is applied.
func (m *machine) apply(b batch.Batch, gas uint64) (used uint64, err error) {
	receipt, err := m.send(&m.contract, registry.EncodeBatch(b), gas)
	if err != nil {
		return 0, err
	}
	outcomes, err := registry.Outcomes(b, m.contract, receipt)
	if err != nil {
		return 0, fmt.Errorf("couldn't read the outcomes of a batch: %w", err)
	}
	for _, outcome := range outcomes {
		if outcome != score.Applied {
			return 0, fmt.Errorf("%w: %s", errOutcome, outcome)
		}
	}
	return receipt.GasUsed, nil
}

// send fails unless the transaction succeeds.
func (m *machine) send(to *common.Address, data []byte, gas uint64) (*types.Receipt, error) {
	receipt, err := m.evm.Apply(m.relayer, to, data, gas)
	if err == nil && receipt.Status != types.ReceiptStatusSuccessful {
		err = fmt.Errorf("%w: it used %d of %d gas", errFailed, receipt.GasUsed, gas)
	}
	return receipt, err
}
