package dev

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/stream"
)

func (b *builder) setUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	natsSettings, chainSettings := b.natsSettings(), chainSettings(b.rpcURLs)
	conn, js, err := app.Connector{Log: b.log}.NATS(ctx, &natsSettings, "scorelay-dev")
	if err != nil {
		return err
	}
	b.close = append(b.close, conn.Close)
	c, err := app.DialChain(ctx, &chainSettings, b.log, prometheus.NewRegistry())
	if err != nil {
		return err
	}
	b.close = append(b.close, c.Close)
	chainID, err := app.Connector{Log: b.log}.ChainID(ctx, c)
	if err != nil {
		return err
	}
	if b.kept.Ready {
		if err := b.verify(ctx, js, c); err != nil {
			return err
		}
		if err := b.dir.writeKept(b.kept); err != nil { // settings that the command line changed
			return err
		}
	}
	keys, err := b.keys(firstSigner + b.kept.Lanes)
	if err != nil {
		return err
	}
	if err := b.fund(ctx, c, chainID, keys); err != nil {
		return err
	}
	var plan app.SetupPlan
	if !b.kept.Ready { // later, `scorelay lanes` may have changed the signers
		for _, key := range keys[firstSigner:] {
			plan.Relayers = append(plan.Relayers, key.Address())
		}
	}
	plan.Replicas = max(b.kept.Servers, 1)
	deployment, err := b.setUpStreams(ctx, js, c, keys[accountAdmin].For(chainID), plan)
	if err != nil {
		return err
	}
	opened, err := stream.Open(ctx, js)
	if err != nil {
		return err
	}
	store, err := apikey.Open(ctx, js)
	if err != nil {
		return err
	}
	if err := b.apiKey(ctx, store); err != nil {
		return err
	}
	b.describe(deployment)
	auditor, err := app.NewAuditor(ctx, js, opened, c, b.opts.Confirmations)
	if err != nil {
		return err
	}
	b.stack = &Stack{
		Auditor: auditor, Options: b.opts, Redis: b.redis,
		Lanes: b.kept.Lanes, DataDir: b.dir.path, chain: c, say: b.say,
	}
	return b.countWaiting(ctx)
}

// setUpStreams creates the deployment. In a cluster it retries, with the same contract, until the servers have found
// each other.
func (b *builder) setUpStreams(ctx context.Context, js jetstream.JetStream, c *chain.Client, admin chain.TxSigner, plan app.SetupPlan) (d score.Deployment, err error) {
	tries := 1
	if b.kept.Servers > 1 {
		tries = math.MaxInt
	}
	err = whileNATSIsAway(ctx, func(ctx context.Context) error { _, err := stream.Open(ctx, js); return err })
	if err != nil && !errors.Is(err, stream.ErrNotSetUp) {
		return d, err
	}
	err = retry.Do(ctx, tries, 250*time.Millisecond, func() (err error) {
		d, err = app.Setup(ctx, js, c, admin, plan, b.log)
		if d.DeployBlock > 0 {
			plan.Contract, plan.DeployBlock = d.Contract, d.DeployBlock
		}
		return err
	})
	return d, err
}

// countWaiting counts the backlog of earlier runs, so it must run before any relayer starts.
func (b *builder) countWaiting(ctx context.Context) error {
	if !b.kept.Ready {
		return nil
	}
	report, err := b.stack.Auditor.Audit(ctx)
	if err != nil {
		return fmt.Errorf("couldn't count the updates that wait: %w", err)
	}
	b.waiting = report.Updates.Pending
	return nil
}

func (b *builder) apiKey(ctx context.Context, store *apikey.Store) error {
	keys, err := store.List(ctx)
	if err != nil {
		return err
	}
	usable := func(key apikey.Key) bool { return key.ID == b.kept.APIKeyID && key.Revoked == nil }
	if slices.ContainsFunc(keys, usable) {
		return nil
	}
	secret, key, err := store.Create(ctx, "scorelay dev", apikey.Terms{})
	if err != nil {
		return err
	}
	b.kept.APIKey, b.kept.APIKeyID = secret.Reveal(), key.ID
	return b.dir.writeKept(b.kept)
}

// describe fills in dev.json, except the project.
func (b *builder) describe(d score.Deployment) {
	info := &b.info.info
	for _, port := range b.kept.Ports.API {
		info.APIURLs = append(info.APIURLs, httpURL(port))
	}
	for _, port := range append(append([]int{}, b.kept.Ports.APIAdmin...), b.kept.Ports.RelayerAdmin...) {
		info.AdminURLs = append(info.AdminURLs, httpURL(port))
	}
	info.APIURL, info.APIKey = info.APIURLs[0], b.kept.APIKey
	info.Confirmations = b.opts.Confirmations
	info.RPCURL, info.ChainID, info.Contract = b.rpcURLs[0], d.ChainID, d.Contract.Hex()
	nats := b.natsSettings()
	info.NATSURL, info.MonitorURL, info.RedisURL = nats.NATSURL.Reveal(), nats.NATSMonitorURL, b.redisURL()
	info.OwnerKey = hexutil.Encode(crypto.FromECDSA(devnet.Key(accountOwner)))
	info.UpdaterKey = hexutil.Encode(crypto.FromECDSA(devnet.Key(accountUpdater)))
}

func (b *builder) disconnect(context.Context) error {
	for i := len(b.close) - 1; i >= 0; i-- {
		b.close[i]()
	}
	return nil
}

// keys returns n development keys, and sets b.secrets to those of the lanes' signers.
func (b *builder) keys(n int) ([]*signer.Key, error) {
	keys := make([]*signer.Key, n)
	b.secrets = nil
	for i := range keys {
		raw := hexutil.Encode(crypto.FromECDSA(devnet.Key(i)))
		key, err := signer.FromHex(raw, slog.New(slog.DiscardHandler)) // no warning: these are development keys
		if err != nil {
			return nil, err
		}
		keys[i] = key
		if i >= firstSigner {
			b.secrets = append(b.secrets, app.Secret(raw))
		}
	}
	return keys, nil
}

var fundEach = new(big.Int).Mul(big.NewInt(100), big.NewInt(params.Ether))

// fund pays the accounts that send transactions on an outside chain; our own chain's genesis funds them.
func (b *builder) fund(ctx context.Context, c *chain.Client, chainID uint64, keys []*signer.Key) error {
	if len(b.opts.ChainRPC) == 0 {
		return nil
	}
	funder, err := signer.FromHex(b.opts.ChainKey.Reveal(), b.log)
	if err != nil {
		return fmt.Errorf("SCORELAY_DEV_CHAIN_KEY: %w", err)
	}
	for i, key := range keys {
		if i != accountAdmin && i < firstSigner {
			continue
		}
		if err := c.Pay(ctx, funder.For(chainID), key.Address(), fundEach); err != nil {
			return fmt.Errorf("couldn't fund %s from %s on chain %d: %w", key.Address(), funder.Address(), chainID, err)
		}
	}
	b.say(fmt.Sprintf("funded the relayer's accounts from %s on chain %d", funder.Address(), chainID))
	return nil
}

func (b *builder) ready(all context.Context) error {
	ctx, cancel := context.WithTimeout(all, readyTimeout)
	defer cancel()
	info := &b.info.info
	for _, url := range info.AdminURLs {
		err := retry.Do(ctx, math.MaxInt, 50*time.Millisecond, func() error { return app.Healthcheck(ctx, strings.TrimPrefix(url, "http://")) })
		if err != nil {
			return fmt.Errorf("the process at %s did not become ready in time: %w", url, err)
		}
	}
	project := demoProject(b.kept.ProjectID)
	if !b.kept.Ready {
		ctx, cancel := b.stack.patient(all, readyTimeout)
		defer cancel()
		if err := createProject(ctx, sdk.NewClient(info.APIURL, info.APIKey, nil), project); err != nil {
			return err
		}
		b.kept.Ready, b.kept.ProjectID = true, common.Hash(project.ID)
		if err := b.dir.writeKept(b.kept); err != nil {
			return err
		}
	}
	b.stack.Project, b.stack.Meter = project.ID, NewMeter(info.AdminURLs, b.waiting)
	err := b.info.publish(func(info *Info) {
		info.ProjectID, info.ScoreType = project.ID.String(), demoScoreType
		for _, action := range demoActions {
			info.Actions = append(info.Actions, action.Name)
		}
	})
	b.stack.Info = b.info.info
	return err
}

var demoActions = []score.Action{
	{Name: "purchase", Points: 50}, {Name: "review", Points: 10}, {Name: "refund", Points: 25, Direction: score.Subtract},
}

const demoScoreType = "reputation"

// demoProject returns the demo project, with a new id if id is zero.
func demoProject(id common.Hash) *score.Project {
	p := &score.Project{
		ID: score.ProjectID(id), Name: "Scorelay demo", Actions: demoActions, ScoreTypes: []string{demoScoreType},
		Owners: []common.Address{devnet.Address(accountOwner)},
	}
	if id == (common.Hash{}) {
		_, _ = rand.Read(p.ID[:])
	}
	for _, account := range []int{accountUpdater, accountUpdater2, accountUpdater3} {
		p.Updaters = append(p.Updaters, devnet.Address(account))
	}
	return p
}

func randomAddresses(n int) []common.Address {
	addresses := make([]common.Address, n)
	for i := range addresses {
		_, _ = rand.Read(addresses[i][:])
	}
	return addresses
}

func createProject(ctx context.Context, client *sdk.Client, project *score.Project) error {
	if err := sdk.Retry(ctx, func() error { return client.CreateProject(ctx, project) }); err != nil {
		return fmt.Errorf("couldn't create the demo project: %w", err)
	}
	outcome := ""
	err := retry.Do(ctx, math.MaxInt, 100*time.Millisecond, func() error {
		state, err := client.Project(ctx, project.ID)
		if err != nil {
			return err
		}
		if !state.Final() {
			return errors.New("it is not final")
		}
		outcome = state.Outcome
		return nil
	})
	if err != nil {
		return fmt.Errorf("the demo project did not become final: %w", errors.Join(context.Cause(ctx), err))
	}
	if outcome != "" && outcome != score.Applied.String() {
		return fmt.Errorf("the demo project became final with outcome %s", outcome)
	}
	return nil
}
