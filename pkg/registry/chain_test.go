package registry_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/evm"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// chain is geth's EVM under the rules of some fork, with a deployed contract. It has no blocks: whole nodes are in the tests of pkg/relay.
type chain struct {
	*evm.Machine
	t        testing.TB
	config   *params.ChainConfig
	time     uint64 // of its blocks, s since 1970
	registry common.Address
	admin    *account
	relayer  *account
	rules    registry.GasRules
	logs     []*types.Log // of all transactions
}

type account struct {
	key  *ecdsa.PrivateKey
	addr common.Address
}

const chainID = 1337 // of geth's development chains

// testAccount is the same for the same n, in every run.
func testAccount(n uint64) *account {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("account"), binary.BigEndian.AppendUint64(nil, n)))
	if err != nil {
		panic(err)
	}
	return &account{key: key, addr: crypto.PubkeyToAddress(key.PublicKey)}
}

const players = 8 // that tests play with: 0 is the admin, 1 the relayer

func newChain(t testing.TB) *chain { return newChainUnder(t, registry.Osaka()) }

func newChainUnder(t testing.TB, rules registry.GasRules) *chain {
	t.Helper()
	config := *params.AllDevChainProtocolChanges
	config.AmsterdamTime, config.BogotaTime = nil, nil
	if rules.Name == "amsterdam" {
		config.AmsterdamTime = new(uint64)
	}
	c := &chain{t: t, config: &config, admin: testAccount(0), relayer: testAccount(1), rules: rules}
	c.setTime(1_800_000_000)
	c.registry = c.deploy(0, c.relayer.addr).ContractAddress
	return c
}

// setTime has all that follows happen at that time.
func (c *chain) setTime(time uint64) {
	c.t.Helper()
	machine, err := evm.New(c.config, time)
	require.NoError(c.t, err)
	if c.Machine != nil {
		machine.State = c.State
	}
	c.Machine, c.time = machine, time
}

// deploy makes another contract. Its code is state, too, which Amsterdam prices by itself.
func (c *chain) deploy(adminDelay time.Duration, relayers ...common.Address) *types.Receipt {
	c.t.Helper()
	gas := uint64(registry.DeployGas)
	if c.rules.Name == "amsterdam" {
		gas *= 5
	}
	return c.send(c.admin, nil, registry.DeployData(adminDelay, c.admin.addr, relayers), gas)
}

// send applies a transaction with so much gas, which must suffice; what says which one it is.
func (c *chain) send(from *account, to *common.Address, data []byte, gas uint64, what ...any) *types.Receipt {
	c.t.Helper()
	receipt, err := c.Apply(from.key, to, data, gas)
	require.NoError(c.t, err)
	require.Equalf(c.t, types.ReceiptStatusSuccessful, receipt.Status, "it reverted, or %d gas do not suffice: %v", gas, what)
	c.logs = append(c.logs, receipt.Logs...)
	return receipt
}

// transact sends a call to the contract.
func (c *chain) transact(from *account, data []byte) *types.Receipt {
	c.t.Helper()
	return c.send(from, &c.registry, data, min(c.rules.MaxGas, 50_000_000))
}

// sendBatch sends a batch with so much gas, all of whose updates must be applied, and returns the gas used.
func (c *chain) sendBatch(b batch.Batch, gas uint64, what ...any) uint64 {
	c.t.Helper()
	receipt := c.send(c.relayer, &c.registry, registry.EncodeBatch(b), gas, what...)
	outcomes, err := registry.Outcomes(b, c.registry, receipt)
	require.NoError(c.t, err)
	require.Equal(c.t, make([]score.Outcome, b.Len()), outcomes)
	return receipt.GasUsed
}

// callFrom is what a call of the contract returns, or reverts with. It changes nothing.
func (c *chain) callFrom(from common.Address, data []byte) ([]byte, error) {
	before := c.State.Snapshot()
	defer c.State.RevertToSnapshot(before)
	const gas = 50_000_000
	header := &types.Header{
		Number: big.NewInt(evm.BlockNumber), Time: c.time, GasLimit: gas, BaseFee: new(big.Int), Difficulty: new(big.Int),
	}
	block := core.NewEVMBlockContext(header, nil, &common.Address{})
	block.Random = &common.Hash{} // as all forks since the merge have it
	returned, _, err := vm.NewEVM(block, c.State, c.config, vm.Config{}).Call(from, c.registry, data, vm.NewGasBudget(gas, 0), new(uint256.Int))
	return returned, err
}

// refused is the revert of a call; it fails the test if the call succeeds.
func (c *chain) refused(from common.Address, data []byte) *registry.Revert {
	c.t.Helper()
	returned, err := c.callFrom(from, data)
	require.ErrorIs(c.t, err, vm.ErrExecutionReverted)
	return registry.DecodeRevert(returned)
}

func read[T any](c *chain, r registry.Read[T]) T {
	c.t.Helper()
	out, err := r.Do(c.t.Context(), func(_ context.Context, data []byte) ([]byte, error) { return c.callFrom(common.Address{}, data) })
	require.NoError(c.t, err)
	return out
}

// clone is a deep copy, by way of JSON.
func clone(t testing.TB, p *score.Project) *score.Project {
	t.Helper()
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	out := new(score.Project)
	require.NoError(t, json.Unmarshal(raw, out))
	return out
}

func hash(parts ...any) (h [32]byte) {
	raw, err := json.Marshal(parts)
	if err != nil {
		panic(err)
	}
	return crypto.Keccak256Hash(raw)
}

func wallet(n int) common.Address {
	h := hash("wallet", n)
	return common.Address(slices.Clone(h[:20]))
}
