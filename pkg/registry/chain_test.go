package registry_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethclient/simulated"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// chain is geth in this process, under the rules of some fork, with a deployed contract.
type chain struct {
	t        testing.TB
	sim      *simulated.Backend
	registry common.Address
	admin    *account
	relayer  *account
	rules    registry.GasRules
}

type account struct {
	key   *ecdsa.PrivateKey
	addr  common.Address
	nonce uint64
}

const chainID = 1337 // of geth's simulated chain

// testAccount is the same for the same n, in every run.
func testAccount(n uint64) *account {
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("account"), binary.BigEndian.AppendUint64(nil, n)))
	if err != nil {
		panic(err)
	}
	return &account{key: key, addr: crypto.PubkeyToAddress(key.PublicKey)}
}

const funded = 8 // accounts 0 … 7 have ether; 0 is the admin, 1 the relayer

func newChain(t testing.TB) *chain { return newChainUnder(t, registry.Osaka()) }

func newChainUnder(t testing.TB, rules registry.GasRules) *chain {
	t.Helper()
	alloc := types.GenesisAlloc{}
	for i := range uint64(funded) {
		alloc[testAccount(i).addr] = types.Account{Balance: new(big.Int).Lsh(big.NewInt(1), 100)}
	}
	sim := simulated.NewBackend(alloc, simulated.WithBlockGasLimit(60_000_000), under(rules))
	t.Cleanup(func() { _ = sim.Close() })
	c := &chain{t: t, sim: sim, admin: testAccount(0), relayer: testAccount(1), rules: rules}
	receipt := c.send(c.admin, nil, registry.DeployData(0, c.admin.addr, []common.Address{c.relayer.addr}), deployGas(rules))
	require.Equal(t, types.ReceiptStatusSuccessful, receipt.Status)
	c.registry = receipt.ContractAddress
	return c
}

// under lifts the fee cap of geth's RPC and takes back the rules geth's development chain applies beyond those asked for: they price
// storage differently.
func under(rules registry.GasRules) func(*node.Config, *ethconfig.Config) {
	return func(_ *node.Config, conf *ethconfig.Config) {
		conf.RPCTxFeeCap = 0
		config := *conf.Genesis.Config
		config.AmsterdamTime, config.BogotaTime = nil, nil
		if rules.Name == "amsterdam" {
			config.AmsterdamTime = new(uint64)
		}
		conf.Genesis.Config = &config
	}
}

// deployGas is enough to deploy the contract: its code is state, too.
func deployGas(rules registry.GasRules) uint64 {
	if rules.Name == "amsterdam" {
		return 5 * registry.DeployGas
	}
	return registry.DeployGas
}

// send mines one transaction in a block of its own and returns its receipt.
func (c *chain) send(from *account, to *common.Address, data []byte, gas uint64) *types.Receipt {
	c.t.Helper()
	return c.receipt(c.submit(from, to, data, gas))
}

func (c *chain) submit(from *account, to *common.Address, data []byte, gas uint64) common.Hash {
	c.t.Helper()
	tx := types.MustSignNewTx(from.key, types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(chainID), Nonce: from.nonce, GasTipCap: big.NewInt(1_000_000_000), GasFeeCap: big.NewInt(20_000_000_000),
		Gas: gas, To: to, Data: data,
	})
	require.NoError(c.t, c.sim.Client().SendTransaction(c.t.Context(), tx))
	from.nonce++
	return tx.Hash()
}

// receipt mines blocks until the transaction is in one and geth has indexed it.
func (c *chain) receipt(tx common.Hash) (receipt *types.Receipt) {
	c.t.Helper()
	var err error
	for range 20 {
		if receipt, err = c.sim.Client().TransactionReceipt(c.t.Context(), tx); err == nil {
			return receipt
		}
		c.sim.Commit()
	}
	require.NoError(c.t, err, "not mined")
	return nil
}

// transact sends a call to the contract that must succeed.
func (c *chain) transact(from *account, data []byte) *types.Receipt {
	c.t.Helper()
	receipt := c.send(from, &c.registry, data, min(c.rules.MaxGas, 50_000_000))
	require.Equal(c.t, types.ReceiptStatusSuccessful, receipt.Status, "transaction reverted")
	return receipt
}

// refused is the revert of a call; it fails the test if the call succeeds.
func (c *chain) refused(from common.Address, data []byte) *registry.Revert {
	c.t.Helper()
	_, err := c.sim.Client().CallContract(c.t.Context(), ethereum.CallMsg{From: from, To: &c.registry, Data: data}, nil)
	require.Error(c.t, err)
	return revertOf(c.t, err)
}

func revertOf(t testing.TB, err error) *registry.Revert {
	t.Helper()
	var withData rpc.DataError
	require.Truef(t, errors.As(err, &withData), "no revert data: %v", err)
	text, ok := withData.ErrorData().(string)
	require.Truef(t, ok, "no revert data: %v", err)
	return registry.DecodeRevert(hexutil.MustDecode(text))
}

func read[T any](c *chain, r registry.Read[T]) T {
	c.t.Helper()
	out, err := r.Do(c.t.Context(), c.call)
	require.NoError(c.t, err)
	return out
}

func (c *chain) call(ctx context.Context, data []byte) ([]byte, error) {
	return c.sim.Client().CallContract(ctx, ethereum.CallMsg{To: &c.registry, Data: data}, nil)
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
