// Package opgeth runs op-geth, the node of OP Stack chains, in this process, under the rules of Jovian. A sequencer
// drives it by the engine API. Every block begins with a deposit (type 0x7E) that sets L1's attributes, so
// transactions pay an L1 fee. Some blocks also contain a user's deposit.
//
// The package is in the module of the benchmark's peer, where op-geth replaces go-ethereum. The test builds the
// product's programs from the main module, without the fork.
package opgeth

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

// ChainID is unused by public chains.
const ChainID = 90_777_111

// OP Stack chains make a block every 1 or 2 seconds; `safe` is minutes behind, `finalized` 15 to 20 minutes. Here,
// both lags are shorter.
const (
	// Interval is the time between blocks. If it were less, timestamps (whole seconds) would run ahead.
	Interval      = time.Second
	building      = 250 * time.Millisecond // part of Interval for adding transactions
	safeLag       = 3                      // blocks behind the head
	finalizedLag  = 6                      // blocks behind the head
	userDeposits  = 8                      // blocks per deposit of a user
	gasLimit      = 60_000_000             // per block
	minBaseFee    = 5_000_000              // wei
	denominator   = 250                    // of the base fee's change
	elasticity    = 6                      // gas limit over gas target
	depositGas    = 1_000_000              // limit
	daFootprint   = 400                    // block gas per estimated compressed byte
	baseFeeScalar = 2_269                  // Base's
	blobFeeScalar = 1_055_762              // Base's
)

// L1's fees, wei.
var (
	l1BaseFee     = big.NewInt(2 * params.GWei)
	l1BlobBaseFee = big.NewInt(1 * params.GWei)
)

type Chain struct {
	URL    string      // with the namespaces of public endpoints
	Client *rpc.Client // in process, with all namespaces

	stack  *node.Node
	chain  []common.Hash // by number
	time   uint64        // of the head, Unix seconds
	failed chan error    // the sequencer's result, once
	stop   context.CancelFunc
}

// Start starts a chain on a free port. Each account has a million ether.
func Start(dir string, accounts ...common.Address) (*Chain, error) {
	nodeConf := node.DefaultConfig
	nodeConf.Name, nodeConf.DataDir = "op-geth", dir // the directory contains the engine API's secret
	nodeConf.P2P = p2p.Config{NoDiscovery: true, NoDial: true}
	nodeConf.IPCPath = ""
	nodeConf.HTTPHost, nodeConf.HTTPPort = "127.0.0.1", 0
	nodeConf.AuthAddr, nodeConf.AuthPort = "127.0.0.1", 0
	nodeConf.HTTPModules = []string{"eth", "net", "web3"}
	stack, err := node.New(&nodeConf)
	if err != nil {
		return nil, fmt.Errorf("couldn't make a node: %w", err)
	}
	c := &Chain{stack: stack, failed: make(chan error, 1)}
	if err := c.start(accounts); err != nil {
		return nil, errors.Join(fmt.Errorf("couldn't start op-geth: %w", err), stack.Close())
	}
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	go func() { c.failed <- c.sequence(ctx) }()
	return c, nil
}

func (c *Chain) start(accounts []common.Address) error {
	genesis, err := genesis(accounts)
	if err != nil {
		return err
	}
	conf := ethconfig.Defaults
	conf.Genesis, conf.NetworkId = genesis, ChainID
	conf.Miner.GasCeil = gasLimit
	conf.SyncMode = ethconfig.FullSync
	conf.TxPool.NoLocals = true
	conf.LogNoHistory = true // a short chain needs no index
	conf.DatabaseCache, conf.TrieCleanCache, conf.TrieDirtyCache, conf.SnapshotCache = 16, 16, 64, 16
	backend, err := eth.New(c.stack, &conf)
	if err != nil {
		return err
	}
	c.stack.RegisterAPIs([]rpc.API{{
		Namespace: "eth",
		Service:   filters.NewFilterAPI(filters.NewFilterSystem(backend.APIBackend, filters.Config{})),
	}})
	if err := catalyst.Register(c.stack, backend); err != nil {
		return err
	}
	if err := c.stack.Start(); err != nil {
		return err
	}
	c.URL, c.Client = c.stack.HTTPEndpoint(), c.stack.Attach()
	head := backend.BlockChain().CurrentBlock()
	c.chain, c.time = []common.Hash{head.Hash()}, head.Time
	return nil
}

// Close also returns the sequencer's error, if any.
func (c *Chain) Close() error {
	c.stop()
	err := <-c.failed
	c.Client.Close()
	return errors.Join(err, c.stack.Close())
}

// genesis has every fork from the beginning.
func genesis(accounts []common.Address) (*core.Genesis, error) {
	rules := *params.OptimismTestConfig
	rules.ChainID = big.NewInt(ChainID)
	alloc, err := predeploys()
	if err != nil {
		return nil, err
	}
	million := new(big.Int).Mul(big.NewInt(1_000_000), big.NewInt(params.Ether))
	for _, account := range accounts {
		alloc[account] = types.Account{Balance: million}
	}
	return &core.Genesis{
		Config: &rules, GasLimit: gasLimit, Alloc: alloc, Difficulty: new(big.Int), BaseFee: big.NewInt(2 * minBaseFee),
		Timestamp: uint64(time.Now().Unix()) - 1,
		ExtraData: eip1559.EncodeJovianExtraData(denominator, elasticity, minBaseFee),
	}, nil
}

func (c *Chain) sequence(ctx context.Context) error {
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := c.block(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("couldn't make block %d: %w", len(c.chain), err)
		}
	}
}

func (c *Chain) forkchoice() map[string]common.Hash {
	behind := func(lag int) common.Hash { return c.chain[max(0, len(c.chain)-1-lag)] }
	return map[string]common.Hash{
		"headBlockHash": behind(0), "safeBlockHash": behind(safeLag), "finalizedBlockHash": behind(finalizedLag),
	}
}

type payloadStatus struct {
	Status string  `json:"status"`
	Error  *string `json:"validationError"`
}

func (s *payloadStatus) err() error {
	if s.Status == "VALID" {
		return nil
	}
	if s.Error != nil {
		return fmt.Errorf("%s: %s", s.Status, *s.Error)
	}
	return errors.New(s.Status)
}

func (c *Chain) block(ctx context.Context) error {
	number := uint64(len(c.chain))
	now := max(uint64(time.Now().Unix()), c.time+1) // timestamps must differ by a second
	root := crypto.Keccak256Hash(binary.BigEndian.AppendUint64([]byte("beacon root"), number))
	deposits, err := c.deposits(number, now)
	if err != nil {
		return err
	}
	var begun struct {
		Status    payloadStatus  `json:"payloadStatus"`
		PayloadID *hexutil.Bytes `json:"payloadId"` // nil if no block is to be built
	}
	err = c.Client.CallContext(ctx, &begun, "engine_forkchoiceUpdatedV3", c.forkchoice(), map[string]any{
		"timestamp": hexutil.Uint64(now), "prevRandao": root, "suggestedFeeRecipient": feeVault, "withdrawals": []any{},
		"parentBeaconBlockRoot": root, "transactions": deposits, "gasLimit": hexutil.Uint64(gasLimit),
		"eip1559Params": hexutil.Bytes(eip1559.EncodeHolocene1559Params(denominator, elasticity)), "minBaseFee": minBaseFee,
	})
	if err := errors.Join(err, begun.Status.err()); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(building):
	}
	var built struct {
		Payload  json.RawMessage `json:"executionPayload"`
		Requests []hexutil.Bytes `json:"executionRequests"`
	}
	if err := c.Client.CallContext(ctx, &built, "engine_getPayloadV4", begun.PayloadID); err != nil {
		return err
	}
	var checked payloadStatus
	err = c.Client.CallContext(ctx, &checked, "engine_newPayloadV4", built.Payload, []common.Hash{}, root,
		append([]hexutil.Bytes{}, built.Requests...))
	if err := errors.Join(err, checked.err()); err != nil {
		return err
	}
	var header struct {
		Hash common.Hash `json:"blockHash"`
	}
	if err := json.Unmarshal(built.Payload, &header); err != nil {
		return err
	}
	c.chain, c.time = append(c.chain, header.Hash), now
	err = c.Client.CallContext(ctx, &begun, "engine_forkchoiceUpdatedV3", c.forkchoice(), nil)
	return errors.Join(err, begun.Status.err())
}

// deposits returns a block's first transactions: L1's attributes, and in some blocks a user's deposit. A user's
// deposit brings ether from L1 and sends part of it on. Every other user's deposit fails, but is still in the block.
func (c *Chain) deposits(number, now uint64) ([]hexutil.Bytes, error) {
	origin := crypto.Keccak256Hash(binary.BigEndian.AppendUint64([]byte("L1 block"), number))
	// source returns a deposit's source hash, from its kind (domain) and its origin on L1.
	source := func(domain, index uint64) common.Hash {
		return crypto.Keccak256Hash(common.BigToHash(new(big.Int).SetUint64(domain)).Bytes(),
			crypto.Keccak256(origin[:], common.BigToHash(new(big.Int).SetUint64(index)).Bytes()))
	}
	all := []*types.DepositTx{{
		SourceHash: source(1, 0), From: depositor, To: &types.L1BlockAddr, Value: new(big.Int), Gas: depositGas,
		Data: attributes(number, now, origin),
	}}
	if number%userDeposits == 0 {
		user := common.BytesToAddress(origin[:20])
		value := big.NewInt(params.GWei)
		if number%(2*userDeposits) == 0 {
			value = big.NewInt(2 * params.Ether) // more than is minted
		}
		all = append(all, &types.DepositTx{
			SourceHash: source(0, number), From: user, To: &feeVault, Mint: big.NewInt(params.Ether), Value: value,
			Gas:  depositGas,
			Data: origin[:],
		})
	}
	var out []hexutil.Bytes
	for _, deposit := range all {
		raw, err := types.NewTx(deposit).MarshalBinary()
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return out, nil
}
