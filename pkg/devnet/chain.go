package devnet

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

const ChainID = 1337

const (
	DefaultAccounts = 16
	DefaultGasLimit = 60_000_000
)

// ChainOptions configures StartChain. The zero value is a chain in memory, on a free port, with blocks only on
// Commit.
type ChainOptions struct {
	Port     int
	Interval time.Duration
	Accounts int                                   // of Key's accounts, funded with a million ether; 0: DefaultAccounts
	GasLimit uint64                                // of a block; 0: DefaultGasLimit
	Dir      string                                // keeps the chain over restarts and kills
	Alloc    types.GenesisAlloc                    // further accounts
	Adjust   func(*node.Config, *ethconfig.Config) // changes geth's settings last; may be nil
}

// Chain is a geth with its own beacon. With ChainOptions.Dir, a block is on disk before the next one is made, so a
// kill loses at most the newest block, and the pool. Safe for concurrent use.
type Chain struct {
	URL string

	mu     sync.Mutex // the beacon takes one call at a time
	beacon *catalyst.SimulatedBeacon
	sync   func() error // makes writes durable; nil in memory
	stack  *node.Node
	client *ethclient.Client
	done   chan struct{}
	mining sync.WaitGroup
	close  sync.Once
}

// StartChain starts a chain under Osaka's rules. Its `finalized` tag advances at every 32nd block.
func StartChain(opts ChainOptions) (*Chain, error) {
	return OnPort(opts.Port, func(port int) (*Chain, error) {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) // before a node is made in vain
		if err != nil {
			return nil, fmt.Errorf("couldn't start a chain: %w", err)
		}
		_ = l.Close()
		opts.Port = port
		return startChain(opts)
	})
}

func startChain(opts ChainOptions) (*Chain, error) {
	nodeConf, ethConf := chainConfig(opts)
	stack, err := node.New(nodeConf)
	if err != nil {
		return nil, fmt.Errorf("couldn't make a chain: %w", err)
	}
	c := &Chain{stack: stack, done: make(chan struct{})}
	if err := c.start(ethConf, opts.Dir != ""); err != nil {
		return nil, errors.Join(fmt.Errorf("couldn't start a chain: %w", err), stack.Close())
	}
	c.URL = stack.HTTPEndpoint()
	c.client = ethclient.NewClient(stack.Attach())
	if opts.Interval > 0 {
		c.mining.Go(func() { c.mine(opts.Interval) })
	}
	return c, nil
}

func chainConfig(opts ChainOptions) (*node.Config, *ethconfig.Config) {
	if opts.Accounts == 0 {
		opts.Accounts = DefaultAccounts
	}
	if opts.GasLimit == 0 {
		opts.GasLimit = DefaultGasLimit
	}
	nodeConf := node.DefaultConfig
	nodeConf.Name, nodeConf.DataDir = "geth", opts.Dir
	nodeConf.P2P = p2p.Config{NoDiscovery: true}
	nodeConf.HTTPHost = "127.0.0.1"
	nodeConf.HTTPPort = opts.Port
	nodeConf.HTTPModules = []string{"eth", "net", "web3", "txpool", "debug"}
	nodeConf.HTTPCors = []string{"*"} // for browsers' wallets

	alloc := core.SystemContractAllocs()
	million := new(big.Int).Mul(big.NewInt(1_000_000), big.NewInt(params.Ether))
	for i := range opts.Accounts {
		alloc[Address(i)] = types.Account{Balance: million}
	}
	for address, account := range opts.Alloc {
		alloc[address] = account
	}
	ethConf := ethconfig.Defaults
	// geth's development chains also enable forks that are live nowhere and price new state several times higher.
	rules := *params.AllDevChainProtocolChanges
	rules.AmsterdamTime, rules.BogotaTime = nil, nil
	ethConf.Genesis = &core.Genesis{
		Config: &rules, GasLimit: opts.GasLimit, Alloc: alloc,
		BaseFee: big.NewInt(params.GWei),
	}
	ethConf.Miner.GasCeil = opts.GasLimit
	ethConf.SyncMode = ethconfig.FullSync
	ethConf.TxPool.NoLocals = true
	ethConf.LogNoHistory = true // a short chain needs no log index
	ethConf.RPCTxFeeCap = 0     // unlimited; the relayer has its own limit
	ethConf.DatabaseCache, ethConf.TrieCleanCache, ethConf.TrieDirtyCache, ethConf.SnapshotCache = 16, 16, 64, 16
	if opts.Dir != "" {
		// Otherwise geth writes the newest states only when it exits, so a kill would undo hours. An archive node
		// writes each state with its block.
		ethConf.StateScheme, ethConf.NoPruning, ethConf.SnapshotCache = rawdb.HashScheme, true, 0
	}
	if opts.Adjust != nil {
		opts.Adjust(&nodeConf, &ethConf)
	}
	return &nodeConf, &ethConf
}

// start follows simulated.NewBackend, but keeps the node for its HTTP endpoint.
func (c *Chain) start(conf *ethconfig.Config, kept bool) error {
	backend, err := eth.New(c.stack, conf)
	if err != nil {
		return err
	}
	c.stack.RegisterAPIs([]rpc.API{{
		Namespace: "eth",
		Service:   filters.NewFilterAPI(filters.NewFilterSystem(backend.APIBackend, filters.Config{})),
	}})
	if err := c.stack.Start(); err != nil {
		return err
	}
	if c.beacon, err = catalyst.NewSimulatedBeacon(0, common.Address{}, backend); err != nil {
		return err
	}
	if kept {
		c.sync = backend.ChainDb().SyncKeyValue
		return c.sync()
	}
	return c.beacon.Fork(backend.BlockChain().GetCanonicalHash(0))
}

func (c *Chain) mine(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-ticker.C:
			c.Commit()
		}
	}
}

func (c *Chain) Client() *ethclient.Client { return c.client }

func (c *Chain) Commit() common.Hash {
	c.mu.Lock()
	defer c.mu.Unlock()
	hash := c.beacon.Commit()
	if c.sync != nil {
		if err := c.sync(); err != nil {
			// Continuing would replace final blocks.
			panic(fmt.Sprintf("devnet: couldn't write a block to disk: %v", err))
		}
	}
	return hash
}

// Fork makes the next Commit build on parent, an earlier block. It fails while transactions are pending. Transactions
// of the abandoned blocks return to the pool.
func (c *Chain) Fork(parent common.Hash) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.beacon.Fork(parent); err != nil {
		return fmt.Errorf("couldn't fork the chain: %w", err)
	}
	return nil
}

// Rollback empties the pool.
func (c *Chain) Rollback() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beacon.Rollback()
}

func (c *Chain) Close() {
	c.close.Do(func() {
		close(c.done)
		c.mining.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.client.Close()
		_ = c.beacon.Stop()
		_ = c.stack.Close()
	})
}

// Key returns the i-th development account's private key. Anyone can compute it, so never use it on a public chain.
func Key(i int) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "scorelay development account %d", i)))
	if err != nil {
		panic(fmt.Sprintf("devnet: account %d has no key: %v", i, err)) // one in 2^128
	}
	return key
}

func Address(i int) common.Address { return crypto.PubkeyToAddress(Key(i).PublicKey) }
