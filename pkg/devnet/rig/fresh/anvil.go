package fresh

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const anvilStartTimeout = 2 * time.Minute

// AnvilOptions configures StartAnvil. The zero value is a chain on a free port with blocks only on Mine.
type AnvilOptions struct {
	Port      int
	BlockTime time.Duration
	GasLimit  uint64 // 0: devnet.DefaultGasLimit
	Accounts  int    // number of Key's accounts, as in devnet.ChainOptions; 0: devnet.DefaultAccounts
}

// Anvil is an anvil process with chain id devnet.ChainID. Unlike Chain's, its reorgs drop the transactions of removed
// blocks.
type Anvil struct {
	URL string
	PID int

	rpc     *rpc.Client
	process *devnet.Process

	// making serializes changes of blocks. Anvil's own timer is off: if it mines during a reorg, anvil loses blocks
	// for good.
	making sync.RWMutex
	every  chan time.Duration
}

// StartAnvil starts AnvilProgram or, if unset, the pinned anvil, which it installs if missing.
func StartAnvil(opts AnvilOptions) (*Anvil, error) {
	path, err := anvilPath()
	if err != nil {
		return nil, err
	}
	a, err := devnet.OnPort(opts.Port, func(port int) (*Anvil, error) { return tryAnvil(path, port, opts) })
	if err != nil {
		return nil, fmt.Errorf("couldn't start anvil (%s): %w", path, err)
	}
	return a, nil
}

func tryAnvil(path string, port int, opts AnvilOptions) (*Anvil, error) {
	mark := 1_000_000 + rand.Uint64N(1<<32)
	p, err := devnet.StartProcess(exec.Command(path, anvilArgs(port, mark, opts)...))
	if err != nil {
		return nil, err
	}
	a := &Anvil{URL: "http://127.0.0.1:" + strconv.Itoa(port), PID: p.PID(), process: p, every: make(chan time.Duration)}
	if err := a.open(mark, opts); err != nil {
		a.Close()
		return nil, p.Said(err)
	}
	go a.mine(opts.BlockTime)
	return a, nil
}

func (a *Anvil) mine(every time.Duration) {
	timer := time.NewTicker(time.Hour)
	defer timer.Stop()
	set := func(every time.Duration) {
		timer.Stop()
		if every > 0 {
			timer.Reset(every)
		}
	}
	set(every)
	for {
		select {
		case <-a.process.Exited():
			return
		case every = <-a.every:
			set(every)
		case <-timer.C:
			_ = a.make(context.Background(), "evm_mine") // fails only when the process ends
		}
	}
}

func (a *Anvil) make(ctx context.Context, method string, args ...any) error {
	a.making.Lock()
	defer a.making.Unlock()
	return a.do(ctx, method, args...)
}

var anvilFirst = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

// anvilArgs makes anvil fund its own accounts with mark ether. By that amount, open identifies this process.
func anvilArgs(port int, mark uint64, opts AnvilOptions) []string {
	if opts.GasLimit == 0 {
		opts.GasLimit = devnet.DefaultGasLimit
	}
	return []string{
		"--port", strconv.Itoa(port), "--chain-id", strconv.Itoa(devnet.ChainID), "--silent", "--no-request-size-limit", "--no-mining",
		"--balance", strconv.FormatUint(mark, 10), "--gas-limit", strconv.FormatUint(opts.GasLimit, 10),
	}
}

func (a *Anvil) open(mark uint64, opts AnvilOptions) error {
	ctx, cancel := context.WithTimeout(context.Background(), anvilStartTimeout)
	defer cancel()
	var err error
	if a.rpc, err = rpc.DialContext(ctx, a.URL); err != nil {
		return err
	}
	ours := new(big.Int).Mul(new(big.Int).SetUint64(mark), big.NewInt(params.Ether))
	err = a.process.Await(ctx, func(ctx context.Context) error {
		var balance hexutil.Big
		err := a.rpc.CallContext(ctx, &balance, "eth_getBalance", anvilFirst, "0x0")
		if err == nil && balance.ToInt().Cmp(ours) != 0 {
			err = devnet.ErrOther
		}
		return err
	})
	if err != nil {
		return err
	}
	if opts.Accounts == 0 {
		opts.Accounts = devnet.DefaultAccounts
	}
	million := new(big.Int).Mul(big.NewInt(1_000_000), big.NewInt(params.Ether))
	batch := make([]rpc.BatchElem, opts.Accounts)
	for i := range batch {
		batch[i] = rpc.BatchElem{Method: "anvil_setBalance", Args: []any{devnet.Address(i), (*hexutil.Big)(million)}, Result: new(any)}
	}
	if err := a.rpc.BatchCallContext(ctx, batch); err != nil {
		return fmt.Errorf("couldn't fund the accounts: %w", err)
	}
	for _, elem := range batch {
		if elem.Error != nil {
			return fmt.Errorf("couldn't fund the accounts: %w", elem.Error)
		}
	}
	return nil
}

// Close ends the process and loses the chain.
func (a *Anvil) Close() {
	a.process.Stop(0)
	if a.rpc != nil {
		a.rpc.Close()
	}
}

func (a *Anvil) Exited() <-chan struct{} { return a.process.Exited() }

// Between runs do while no block is made. Unlike a real node, anvil may prove the state of the unfinished block if
// asked for a proof in its newest block (by hash).
func (a *Anvil) Between(do func()) {
	a.making.RLock()
	defer a.making.RUnlock()
	do()
}

func (a *Anvil) Client() *rpc.Client { return a.rpc }

func (a *Anvil) Mine(ctx context.Context, n int) error {
	return a.make(ctx, "anvil_mine", hexutil.Uint64(n))
}

// Interval sets the time between blocks; 0: blocks only on Mine.
func (a *Anvil) Interval(ctx context.Context, every time.Duration) error {
	select {
	case a.every <- every:
		return nil
	case <-a.process.Exited():
		return errors.New("anvil is gone")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reorg replaces the last depth blocks. The first new block contains txs, each as signed bytes.
func (a *Anvil) Reorg(ctx context.Context, depth int, txs ...[]byte) error {
	inclusions := make([]any, len(txs))
	for i, tx := range txs {
		inclusions[i] = []any{hexutil.Bytes(tx), 0}
	}
	return a.make(ctx, "anvil_reorg", depth, inclusions)
}

func (a *Anvil) Rollback(ctx context.Context, depth int) error {
	return a.make(ctx, "anvil_rollback", depth)
}

func (a *Anvil) Drop(ctx context.Context, tx common.Hash) error {
	return a.do(ctx, "anvil_dropTransaction", tx)
}

func (a *Anvil) DropAll(ctx context.Context) error { return a.do(ctx, "anvil_dropAllTransactions") }

func (a *Anvil) SetNextBaseFee(ctx context.Context, wei uint64) error {
	return a.do(ctx, "anvil_setNextBlockBaseFeePerGas", hexutil.Uint64(wei))
}

func (a *Anvil) SetBalance(ctx context.Context, account common.Address, wei *big.Int) error {
	return a.do(ctx, "anvil_setBalance", account, (*hexutil.Big)(wei))
}

func (a *Anvil) do(ctx context.Context, method string, args ...any) error {
	if err := a.rpc.CallContext(ctx, nil, method, args...); err != nil {
		return fmt.Errorf("anvil refuses %s: %w", method, err)
	}
	return nil
}
