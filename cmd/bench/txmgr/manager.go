package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"sync/atomic"
	"time"

	opcrypto "github.com/ethereum-optimism/optimism/op-service/crypto"
	"github.com/ethereum-optimism/optimism/op-service/txmgr"
	"github.com/ethereum-optimism/optimism/op-service/txmgr/metrics"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/log"
)

const blockTime = time.Second

// newManager's intervals suit blocks of one second. Those that matter in the absence of errors (receipt queries every
// 100 ms, one confirmation) favour the peer.
func newManager(ctx context.Context, o *order) (txmgr.TxManager, error) {
	client, err := ethclient.DialContext(ctx, o.URL)
	if err != nil {
		return nil, fmt.Errorf("couldn't reach the node: %w", err)
	}
	chainID, err := client.ChainID(ctx)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the chain's id: %w", err)
	}
	key, err := crypto.HexToECDSA(o.Key)
	if err != nil {
		return nil, fmt.Errorf("couldn't read the key: %w", err)
	}
	config := &txmgr.Config{
		Backend: client, ChainID: chainID, From: crypto.PubkeyToAddress(key.PublicKey),
		Signer:           opcrypto.SignerFnFromBind(opcrypto.PrivateKeySignerFn(key, chainID)),
		NumConfirmations: 1, NetworkTimeout: 5 * time.Second, ReceiptQueryInterval: 100 * time.Millisecond,
		TxNotInMempoolTimeout: time.Minute, SafeAbortNonceTooLowCount: 3, RetryInterval: 50 * time.Millisecond, MaxRetries: 10,
	}
	config.ResubmissionTimeout.Store(int64(10 * time.Second))
	config.RebroadcastInterval.Store(int64(5 * time.Second))
	config.FeeLimitMultiplier.Store(5)
	config.MinBlobTxFee.Store(big.NewInt(1e9))
	if o.CachedFees {
		fees := &cachedFees{}
		if err := fees.refresh(ctx, client); err != nil {
			return nil, err
		}
		go fees.run(ctx, client)
		config.GasPriceEstimatorFn = fees.estimate
	}
	logger := log.NewLogger(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	manager, err := txmgr.NewSimpleTxManagerFromConfig("bench", logger, &metrics.NoopTxMetrics{}, config)
	if err != nil {
		return nil, fmt.Errorf("couldn't make the transaction manager: %w", err)
	}
	return manager, nil
}

// cachedFees keeps the last block's fees.
type cachedFees struct{ last atomic.Pointer[fees] }

type fees struct{ tip, base, blobBase *big.Int }

// run reads the fees once per block until ctx ends. A failed read keeps the last ones.
func (c *cachedFees) run(ctx context.Context, client *ethclient.Client) {
	ticker := time.NewTicker(blockTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := c.refresh(ctx, client); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "txmgr: "+err.Error())
			}
		}
	}
}

func (c *cachedFees) refresh(ctx context.Context, client *ethclient.Client) error {
	tip, base, blobBase, err := txmgr.DefaultGasPriceEstimatorFn(ctx, client)
	if err != nil {
		return fmt.Errorf("couldn't read fees: %w", err)
	}
	c.last.Store(&fees{tip, base, blobBase})
	return nil
}

func (c *cachedFees) estimate(context.Context, txmgr.ETHBackend) (tip, base, blobBase *big.Int, err error) {
	last := c.last.Load()
	if last == nil {
		return nil, nil, nil, errors.New("no fees were read yet")
	}
	return new(big.Int).Set(last.tip), new(big.Int).Set(last.base), new(big.Int).Set(last.blobBase), nil
}
