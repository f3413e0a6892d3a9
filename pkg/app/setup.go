package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// SetupPlan describes a deployment.
type SetupPlan struct {
	// Relayers are the lanes' signers, in the order of the lanes, and get the relayer role. None: the existing
	// deployment's.
	Relayers    []common.Address
	Admin       common.Address // grants and revokes that role; zero: the deployer
	AdminDelay  time.Duration  // delay of a change of the admin
	Contract    common.Address // of an existing registry; zero: deploy one
	DeployBlock uint64
	Replicas    int   // of the streams: 1, 3 or 5; 0: 1, or unchanged
	MaxBytes    int64 // bound of the stream of accepted updates, bytes; 0: its default, or unchanged
}

// Setup creates a deployment. It deploys the contract, grants the signers the relayer role, creates the streams and
// buckets with the deployment in their metadata, and writes the roster of lanes. For an existing deployment it
// compares the plan, grants missing roles and raises the bound of the stream of updates to the plan's, so it can be
// repeated. A crash between the contract and the streams leaves an unused contract; the next run deploys another.
func Setup(ctx context.Context, js jetstream.JetStream, c *chain.Client, deployer chain.TxSigner, plan SetupPlan,
	log *slog.Logger,
) (score.Deployment, error) {
	if err := stream.LeadReads(ctx, js); err != nil {
		return score.Deployment{}, err
	}
	existing, err := stream.Open(ctx, js)
	switch {
	case err == nil:
		if err := compareStream(ctx, js, plan); err != nil {
			return existing.Deployment(), err
		}
		if err := setUpLanes(ctx, js, existing.Deployment(), plan); err != nil {
			return existing.Deployment(), err
		}
		if err := completeSetup(ctx, c, deployer, existing.Deployment(), plan, log); err != nil {
			return existing.Deployment(), err
		}
		return existing.Deployment(), raiseBound(ctx, js, plan.MaxBytes, log)
	case !errors.Is(err, stream.ErrNotSetUp):
		return score.Deployment{}, err
	}
	if _, err := roster.First(plan.Relayers); err != nil { // before creating anything
		return score.Deployment{}, err
	}
	chainID, err := c.ChainID(ctx)
	if err != nil {
		return score.Deployment{}, err
	}
	d := score.Deployment{Lanes: len(plan.Relayers), ChainID: chainID, Contract: plan.Contract, DeployBlock: plan.DeployBlock}
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
	return d, setUpLanes(ctx, js, d, plan)
}

// setUpLanes writes the first roster. It never changes an existing one, and fails if the plan has other signers.
func setUpLanes(ctx context.Context, js jetstream.JetStream, d score.Deployment, plan SetupPlan) error {
	lanes, err := kv.OpenRoster(ctx, js)
	if err != nil {
		return err
	}
	is, err := lanes.Get(ctx)
	if errors.Is(err, kv.ErrNoRoster) && len(plan.Relayers) != d.Lanes {
		return fmt.Errorf("the deployment was begun with %d lanes and %d signers are named: name those it was begun with", d.Lanes, len(plan.Relayers))
	}
	if errors.Is(err, kv.ErrNoRoster) {
		var first roster.Roster
		if first, err = roster.First(plan.Relayers); err != nil {
			return err
		}
		is, err = lanes.Create(ctx, first)
	}
	if err != nil || len(plan.Relayers) == 0 {
		return err
	}
	return compareLanes(is, plan.Relayers)
}

// compareLanes returns an error with the commands that align lanes and signers.
func compareLanes(is roster.Roster, signers []common.Address) error {
	var differ []error
	for _, signer := range signers {
		switch l, found := is.BySigner(signer); {
		case !found:
			differ = append(differ, fmt.Errorf("%s signs for no lane: run `scorelay lanes add --signer %s`, or `scorelay lanes replace LANE --signer %s`",
				signer, signer, signer))
		case l.State != roster.Active:
			differ = append(differ, fmt.Errorf("%s is the signer of lane %d, which is %s: name another, a signer has one lane for life",
				signer, l.ID, l.State))
		}
	}
	for _, l := range is.Lanes {
		if l.State == roster.Active && !slices.Contains(signers, l.Signer) {
			differ = append(differ, fmt.Errorf("lane %d is active and its signer %s is not named: name it, or run `scorelay lanes remove %d`",
				l.ID, l.Signer, l.ID))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("the deployment has other lanes, which setup does not change (`scorelay lanes list` shows them):\n%w", errors.Join(differ...))
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

// compareStream fails if the plan asks for other replicas of the existing streams, or for a lower bound of the stream
// of updates, which could refuse updates. A bound of zero or less is unlimited.
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
	if plan.MaxBytes != 0 && (plan.MaxBytes < is.MaxBytes || is.MaxBytes <= 0) {
		differ = append(differ, fmt.Errorf("the stream %s is bounded to %d bytes, asked for %d: setup does not lower a bound; ask for that number or none",
			stream.Name, is.MaxBytes, plan.MaxBytes))
	}
	return errors.Join(differ...)
}

// raiseBound raises the bound of the stream of updates to most bytes. It leaves a higher or unlimited bound (0 or
// less): someone may have raised it since the plan was compared.
func raiseBound(ctx context.Context, js jetstream.JetStream, most int64, log *slog.Logger) error {
	s, err := js.Stream(ctx, stream.Name)
	if err != nil {
		return fmt.Errorf("couldn't read the settings of the stream %s: %w", stream.Name, err)
	}
	config := s.CachedInfo().Config
	before := config.MaxBytes
	if before <= 0 || most <= before {
		return nil
	}
	config.MaxBytes = most
	if _, err := js.UpdateStream(ctx, config); err != nil {
		return fmt.Errorf("couldn't raise the bound of the stream %s from %d to %d bytes: %w", stream.Name, before, most, err)
	}
	log.Info("raised the bound of the stream", "stream", stream.Name, "bytes", most, "before", before)
	return nil
}

// completeSetup aligns an existing deployment with the plan, as far as that is safe.
func completeSetup(ctx context.Context, c *chain.Client, deployer chain.TxSigner, d score.Deployment, plan SetupPlan,
	log *slog.Logger,
) error {
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
		if err := grantRelayer(ctx, c, deployer, d.Contract, relayer, log); err != nil {
			return err
		}
	}
	return nil
}
