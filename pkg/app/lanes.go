package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
)

// PrepareSigner verifies that an account can sign for a lane: it has funds and the relayer role. The role must be in
// the final block, so that no reorg revokes it after the lane owns buckets. If admin is not nil, it grants a missing
// role, and PrepareSigner waits until the grant is final. The error contains the fix for everything missing.
func PrepareSigner(ctx context.Context, c *chain.Client, admin chain.TxSigner, contract, account common.Address, confirmations uint64, log *slog.Logger) error {
	balance, err := c.Balance(ctx, account)
	if err != nil {
		return fmt.Errorf("couldn't read the balance of %s: %w", account, err)
	}
	var missing []error
	if balance.Sign() == 0 {
		missing = append(missing, fmt.Errorf("%s has no funds to pay for transactions: send it some and run the command again", account))
	}
	latest := func(ctx context.Context, data []byte) ([]byte, error) { return c.View(ctx, contract, data) }
	for waits := false; ; waits = true {
		has, err := registry.ReadIsRelayer(account).Do(ctx, latest)
		switch {
		case err != nil:
			return fmt.Errorf("couldn't read the roles of %s: %w", account, err)
		case !has && admin == nil:
			missing = append(missing, fmt.Errorf("%s does not have the relayer role: run the command again with --deployer-keystore of the contract's admin, "+
				"or have the admin send %#x to the contract %s", account, registry.EncodeGrantRelayer(account), contract))
		}
		if len(missing) > 0 {
			return errors.Join(missing...)
		}
		if !has {
			if err := grantRelayer(ctx, c, admin, contract, account, log); err != nil {
				return err
			}
		}
		if final, err := isFinalRelayer(ctx, c, contract, account, confirmations); err != nil || final {
			return err
		}
		if !waits {
			log.Info("waiting until the signer's role is final; the lane is entered then", "signer", account)
		}
		if err := retry.Sleep(ctx, roleEvery); err != nil {
			return fmt.Errorf("stopped waiting until the role of %s is final, and the lane is not entered; run the command again: %w", account, err)
		}
	}
}

const roleEvery = 500 * time.Millisecond

func isFinalRelayer(ctx context.Context, c *chain.Client, contract, account common.Address, confirmations uint64) (bool, error) {
	block, err := c.FinalBlock(ctx, confirmations)
	if errors.Is(err, ethereum.NotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("couldn't read the final block: %w", err)
	}
	return isRelayer(ctx, c, contract, account, block)
}

func isRelayer(ctx context.Context, c *chain.Client, contract, account common.Address, block evidence.Block) (bool, error) {
	has, err := registry.ReadIsRelayer(account).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return c.Call(ctx, evidence.Call{To: contract, Data: data}, block.Hash)
	})
	if err != nil {
		return false, fmt.Errorf("couldn't read the roles of %s in block %d: %w", account, block.Number, err)
	}
	return has, nil
}

func grantRelayer(ctx context.Context, c *chain.Client, admin chain.TxSigner, contract, account common.Address, log *slog.Logger) error {
	if _, err := c.Transact(ctx, admin, &contract, registry.EncodeGrantRelayer(account)); err != nil {
		return fmt.Errorf("couldn't grant the relayer role to %s (only the contract's admin can): %w", account, err)
	}
	log.Info("granted the relayer role", "signer", account)
	return nil
}
