package horizon

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

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// machine is a state in memory with the deployed contract, and geth's EVM under the rules of Osaka to change it.
type machine struct {
	config   params.ChainConfig
	state    *state.StateDB
	relayer  *ecdsa.PrivateKey
	contract common.Address
	sent     int // transactions
}

var (
	errFailed  = errors.New("transaction failed")
	errOutcome = errors.New("an update was not applied")
)

func newMachine() (*machine, error) {
	disk := rawdb.NewMemoryDatabase()
	empty, err := state.New(types.EmptyRootHash, state.NewMPTDatabase(triedb.NewDatabase(disk, nil), state.NewCodeDB(disk)))
	if err != nil {
		return nil, fmt.Errorf("couldn't make a state: %w", err)
	}
	m := &machine{config: *params.MainnetChainConfig, state: empty, relayer: devnet.Key(0)}
	m.config.AmsterdamTime, m.config.BogotaTime = nil, nil
	relayer := crypto.PubkeyToAddress(m.relayer.PublicKey)
	receipt, err := m.send(nil, registry.DeployData(0, relayer, []common.Address{relayer}), registry.DeployGas)
	if err != nil {
		return nil, fmt.Errorf("couldn't deploy the contract: %w", err)
	}
	m.contract = receipt.ContractAddress
	return m, nil
}

// fork is an independent copy.
func (m *machine) fork() *machine {
	out := *m
	out.state = m.state.Copy()
	return &out
}

// apply sends the batch with the gas that it needs at worst, and wants all of it applied.
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

// blockNumber is beyond every fork that mainnet had by number.
const blockNumber = 25_000_000

// send applies a transaction that must succeed. It costs its sender nothing: the base fee is 0.
func (m *machine) send(to *common.Address, data []byte, gas uint64) (*types.Receipt, error) {
	tx, err := types.SignNewTx(m.relayer, types.LatestSignerForChainID(m.config.ChainID), &types.DynamicFeeTx{
		ChainID: m.config.ChainID, Nonce: m.state.GetNonce(crypto.PubkeyToAddress(m.relayer.PublicKey)), Gas: gas, To: to, Data: data,
		GasTipCap: new(big.Int), GasFeeCap: new(big.Int), Value: new(big.Int),
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't sign: %w", err)
	}
	header := &types.Header{
		Number: big.NewInt(blockNumber), Time: *m.config.BPO2Time, GasLimit: params.MaxTxGas, BaseFee: new(big.Int), Difficulty: new(big.Int),
	}
	block := core.NewEVMBlockContext(header, nil, &common.Address{19: 0xc0})
	block.Random, block.BlobBaseFee = &common.Hash{}, big.NewInt(1)
	m.state.SetTxContext(tx.Hash(), m.sent, uint32(m.sent+1))
	m.sent++
	evm := vm.NewEVM(block, m.state, &m.config, vm.Config{})
	receipt, _, err := core.ApplyTransaction(context.Background(), evm, core.NewGasPool(params.MaxTxGas), m.state, header, tx)
	if err != nil {
		return nil, fmt.Errorf("couldn't apply a transaction: %w", err)
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		return nil, fmt.Errorf("%w: it used %d of %d gas", errFailed, receipt.GasUsed, gas)
	}
	return receipt, nil
}
