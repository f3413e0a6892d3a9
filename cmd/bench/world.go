package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/params"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/registry"
)

// wide is more gas per block than any leg uses; narrow is usual.
const (
	wide   = 300_000_000
	narrow = 30_000_000
)

// world is a leg's chain with the contract, a project per lane, and the senders' endpoint.
type world struct {
	dir      string
	anvil    *fresh.Anvil // its URL is for measurements
	eth      *ethclient.Client
	endpoint *endpoint
	contract common.Address
	deployed uint64     // block
	projects []*project // one per lane
	nonce    uint64     // of the admin
	watch    *watch
}

type worldOptions struct {
	lanes    int
	gasLimit uint64
	random   bool    // ids are random
	wallets  int     // per project; 0: batchSize
	zipf     float64 // a wallet's popularity is 1/rank^zipf; 0: each in turn
}

// newWorld starts the chain of a leg. Close the result.
func (b *bench) newWorld(ctx context.Context, leg string, o worldOptions) (w *world, err error) {
	w = &world{dir: filepath.Join(b.dir, leg), projects: newProjects(o)}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return nil, fmt.Errorf("couldn't make the directory of the leg: %w", err)
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	w.anvil, err = fresh.StartAnvil(fresh.AnvilOptions{BlockTime: time.Second, GasLimit: o.gasLimit})
	if err != nil {
		return w, err
	}
	if w.eth, err = ethclient.DialContext(ctx, strings.Replace(w.anvil.URL, "http", "ws", 1)); err != nil {
		return w, fmt.Errorf("couldn't reach the node: %w", err)
	}
	if err := w.prepare(ctx); err != nil {
		return w, err
	}
	for _, p := range w.projects {
		p.begin(o.zipf)
	}
	if w.endpoint, err = newEndpoint(w.anvil.URL, b.rtt); err != nil {
		return w, err
	}
	w.watch, err = newWatch(ctx, w)
	return w, err
}

func (w *world) close() {
	if w.watch != nil {
		w.watch.close()
	}
	if w.endpoint != nil {
		w.endpoint.proxy.Close()
	}
	if w.eth != nil {
		w.eth.Close()
	}
	if w.anvil != nil {
		w.anvil.Close()
	}
}

func (w *world) prepare(ctx context.Context) error {
	relayers := []common.Address{devnet.Address(accountAdmin), devnet.Address(accountPeer)}
	for lane := range w.projects {
		relayers = append(relayers, w.signer(lane))
	}
	receipt, err := w.transact(ctx, nil, registry.DeployData(48*time.Hour, devnet.Address(accountAdmin), relayers))
	if err != nil {
		return fmt.Errorf("couldn't deploy the contract: %w", err)
	}
	w.contract, w.deployed = receipt.ContractAddress, receipt.BlockNumber.Uint64()
	for _, p := range w.projects {
		if _, err := w.transact(ctx, &w.contract, registry.EncodeCreateProject(&p.Project)); err != nil {
			return fmt.Errorf("couldn't create a project: %w", err)
		}
		for left := len(p.wallets); left > 0; left -= batchSize {
			first, err := encode(p.next(min(left, batchSize)))
			if err != nil {
				return err
			}
			if _, err := w.transact(ctx, &w.contract, first.data); err != nil {
				return fmt.Errorf("couldn't give wallets scores: %w", err)
			}
		}
	}
	return nil
}

// transact sends and mines a transaction of the admin.
func (w *world) transact(ctx context.Context, to *common.Address, data []byte) (*types.Receipt, error) {
	chainID := big.NewInt(devnet.ChainID)
	tx, err := types.SignNewTx(devnet.Key(accountAdmin), types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: w.nonce, To: to, Data: data, Gas: 16_000_000,
		GasTipCap: big.NewInt(params.GWei), GasFeeCap: big.NewInt(10 * params.GWei),
	})
	if err != nil {
		return nil, fmt.Errorf("couldn't sign: %w", err)
	}
	if err := w.eth.SendTransaction(ctx, tx); err != nil {
		return nil, fmt.Errorf("the node refuses the transaction: %w", err)
	}
	w.nonce++
	for range 10 { // a block without the transaction may have been under way
		if err := w.anvil.Mine(ctx, 1); err != nil {
			return nil, err
		}
		if receipt, err := w.eth.TransactionReceipt(ctx, tx.Hash()); err == nil {
			if receipt.Status != types.ReceiptStatusSuccessful {
				return nil, fmt.Errorf("transaction %s failed", tx.Hash())
			}
			return receipt, nil
		}
	}
	return nil, errors.New("the transaction is in none of ten blocks")
}

func (w *world) signer(lane int) common.Address { return devnet.Address(firstSigner + lane) }

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }
