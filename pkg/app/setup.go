package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// SetupPlan says what a deployment shall be.
type SetupPlan struct {
	Lanes       int
	Relayers    []common.Address // get the relayer role: the lanes' signers
	Admin       common.Address   // grants and revokes that role; zero means the deployer
	AdminDelay  time.Duration    // how long a change of the admin must wait
	Contract    common.Address   // of a registry that is deployed already; zero deploys one
	DeployBlock uint64           // of that registry
	Replicas    int              // of the streams: 1, 3 or 5; 0 means 1, or what is there
	MaxBytes    int64            // bound of the stream of accepted updates, bytes; 0 means its default, or what is there
}

// Setup makes a deployment: it deploys the contract, gives the signers the relayer role, and creates the streams and
// buckets, which remember all that. Where a deployment is already, it checks that it is the one planned and grants the
// roles that are missing; so it may be repeated, after a crash too. A crash between the contract and the streams leaves
// an unused contract; the next run deploys another.
func Setup(ctx context.Context, js jetstream.JetStream, c *chain.Client, deployer chain.TxSigner, plan SetupPlan,
	log *slog.Logger,
) (score.Deployment, error) {
	existing, err := stream.Open(ctx, js)
	switch {
	case err == nil:
		if err := compareStream(ctx, js, plan); err != nil {
			return existing.Deployment(), err
		}
		return existing.Deployment(), completeSetup(ctx, c, deployer, existing.Deployment(), plan, log)
	case !errors.Is(err, stream.ErrNotSetUp):
		return score.Deployment{}, err
	}
	chainID, err := c.ChainID(ctx)
	if err != nil {
		return score.Deployment{}, err
	}
	d := score.Deployment{Lanes: plan.Lanes, ChainID: chainID, Contract: plan.Contract, DeployBlock: plan.DeployBlock}
	if plan.Contract == (common.Address{}) {
		if err := deploy(ctx, c, deployer, plan, &d); err != nil {
			return d, err
		}
		log.Info("deployed the contract", "contract", d.Contract, "block", d.DeployBlock, "chain", d.ChainID)
	} else if err := completeSetup(ctx, c, deployer, d, plan, log); err != nil {
		return d, err
	}
	err = stream.Setup(ctx, js, stream.Config{Deployment: d, Replicas: plan.Replicas, MaxBytes: plan.MaxBytes})
	if err != nil {
		return d, err
	}
	log.Info("created the streams", "lanes", d.Lanes)
	return d, nil
}

func deploy(ctx context.Context, c *chain.Client, deployer chain.TxSigner, plan SetupPlan, d *score.Deployment) error {
	admin := plan.Admin
	if admin == (common.Address{}) {
		admin = deployer.Address()
	}
	receipt, err := c.Transact(ctx, deployer, nil, registry.DeployData(plan.AdminDelay, admin, plan.Relayers))
	if err != nil {
		return fmt.Errorf("couldn't deploy the contract: %w", err)
	}
	d.Contract, d.DeployBlock = receipt.ContractAddress, receipt.BlockNumber.Uint64()
	return nil
}

// compareStream refuses a plan that asks for other settings of a stream that is there: setup does not change it.
func compareStream(ctx context.Context, js jetstream.JetStream, plan SetupPlan) error {
	s, err := js.Stream(ctx, stream.Name)
	if err != nil {
		return fmt.Errorf("couldn't read the settings of the stream %s: %w", stream.Name, err)
	}
	is := s.CachedInfo().Config
	var differ []error
	if plan.Replicas != 0 && plan.Replicas != is.Replicas {
		differ = append(differ, fmt.Errorf("the streams have %d replicas, asked for %d: change them with `nats stream edit`, "+
			"of every stream, and ask for that number or none", is.Replicas, plan.Replicas))
	}
	if plan.MaxBytes != 0 && plan.MaxBytes != is.MaxBytes {
		differ = append(differ, fmt.Errorf("the stream %s is bounded to %d bytes, asked for %d: change it with `nats stream edit`, "+
			"and ask for that number or none", stream.Name, is.MaxBytes, plan.MaxBytes))
	}
	return errors.Join(differ...)
}

// completeSetup brings a deployment that exists in line with the plan, as far as that can be done safely.
func completeSetup(ctx context.Context, c *chain.Client, deployer chain.TxSigner, d score.Deployment, plan SetupPlan,
	log *slog.Logger,
) error {
	if d.Lanes != plan.Lanes {
		return fmt.Errorf("the deployment has %d lanes, asked for %d: the number of lanes is fixed when it is set up", d.Lanes, plan.Lanes)
	}
	if plan.Contract != (common.Address{}) && plan.Contract != d.Contract {
		return fmt.Errorf("the deployment's contract is %s, asked for %s", d.Contract, plan.Contract)
	}
	if plan.Contract != (common.Address{}) && plan.DeployBlock != d.DeployBlock {
		return fmt.Errorf("the deployment's contract was deployed in block %d, asked for %d", d.DeployBlock, plan.DeployBlock)
	}
	if err := (Connector{Log: log}).VerifyChain(ctx, c, d); err != nil {
		return err
	}
	view := func(ctx context.Context, data []byte) ([]byte, error) { return c.View(ctx, d.Contract, data) }
	if plan.Admin != (common.Address{}) {
		is, err := registry.ReadAdmin().Do(ctx, view)
		if err != nil {
			return fmt.Errorf("couldn't read the contract's admin: %w", err)
		}
		if is != plan.Admin {
			return fmt.Errorf("the contract's admin is %s, asked for %s: only that admin can transfer the role, on the contract", is, plan.Admin)
		}
	}
	for _, relayer := range plan.Relayers {
		has, err := registry.ReadIsRelayer(relayer).Do(ctx, view)
		if err != nil {
			return fmt.Errorf("couldn't read the roles of %s: %w", relayer, err)
		}
		if has {
			continue
		}
		if _, err := c.Transact(ctx, deployer, &d.Contract, registry.EncodeGrantRelayer(relayer)); err != nil {
			return fmt.Errorf("couldn't grant the relayer role to %s (only the contract's admin can): %w", relayer, err)
		}
		log.Info("granted the relayer role", "signer", relayer)
	}
	return nil
}
