package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/registry"
)

// PrepareSigner sees to it that an account can sign for a lane: that it has funds, and the relayer role, which admin grants where
// it is missing; a nil admin grants nothing. The error says, of everything that is missing, what to do.
func PrepareSigner(ctx context.Context, c *chain.Client, admin chain.TxSigner, contract, account common.Address, log *slog.Logger) error {
	view := func(ctx context.Context, data []byte) ([]byte, error) { return c.View(ctx, contract, data) }
	balance, err := c.Balance(ctx, account)
	if err != nil {
		return fmt.Errorf("couldn't read the balance of %s: %w", account, err)
	}
	var missing []error
	if balance.Sign() == 0 {
		missing = append(missing, fmt.Errorf("%s has no funds to pay for transactions: send it some and run the command again", account))
	}
	has, err := registry.ReadIsRelayer(account).Do(ctx, view)
	switch {
	case err != nil:
		return fmt.Errorf("couldn't read the roles of %s: %w", account, err)
	case has:
	case admin == nil:
		missing = append(missing, fmt.Errorf("%s does not have the relayer role: run the command again with --deployer-keystore of the contract's admin, "+
			"or have the admin send %#x to the contract %s", account, registry.EncodeGrantRelayer(account), contract))
	case len(missing) == 0:
		return grantRelayer(ctx, c, admin, contract, account, log)
	}
	return errors.Join(missing...)
}

func grantRelayer(ctx context.Context, c *chain.Client, admin chain.TxSigner, contract, account common.Address, log *slog.Logger) error {
	if _, err := c.Transact(ctx, admin, &contract, registry.EncodeGrantRelayer(account)); err != nil {
		return fmt.Errorf("couldn't grant the relayer role to %s (only the contract's admin can): %w", account, err)
	}
	log.Info("granted the relayer role", "signer", account)
	return nil
}
