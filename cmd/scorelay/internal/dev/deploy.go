package dev

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"syscall"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/params"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// setUp connects, compares kept data with the chain, makes whatever the deployment and the API key lack, and fills in
// Info.
func (s *Stack) setUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	natsSettings, chainSettings := s.natsSettings(), chainSettings(s.rpc)
	connector := app.Connector{Log: s.log}
	conn, js, err := connector.NATS(ctx, &natsSettings, "scorelay-dev")
	if err != nil {
		return err
	}
	s.close = append(s.close, conn.Close)
	if s.client, err = app.DialChain(ctx, &chainSettings, s.log, prometheus.NewRegistry()); err != nil {
		return err
	}
	s.close = append(s.close, s.client.Close)
	chainID, err := connector.ChainID(ctx, s.client)
	if err != nil {
		return err
	}
	if s.kept.Ready {
		if err := s.verify(ctx, js); err != nil {
			return err
		}
	}
	admin, err := signer.FromHex(devnet.HexKey(devnet.AccountAdmin), slog.New(slog.DiscardHandler)) // no warning: it is for development
	if err != nil {
		return err
	}
	accounts, plan := []common.Address{admin.Address()}, app.SetupPlan{Replicas: 1}
	for lane := range s.Lanes {
		account := devnet.AccountSigner + lane
		accounts, s.signers = append(accounts, devnet.Address(account)), append(s.signers, app.Secret(devnet.HexKey(account)))
	}
	if err := s.fund(ctx, chainID, accounts); err != nil {
		return err
	}
	if !s.kept.Ready { // later, `scorelay lanes` may have changed the signers
		plan.Relayers = accounts[1:]
	}
	deployment, err := app.Setup(ctx, js, s.client, admin.For(chainID), plan, s.log)
	if err != nil {
		return err
	}
	opened, err := stream.Open(ctx, js)
	if err != nil {
		return err
	}
	if err := s.apiKey(ctx, js); err != nil {
		return err
	}
	if s.Auditor, err = app.NewAuditor(ctx, js, opened, s.client, s.Options.Confirmations); err != nil {
		return err
	}
	info := &s.Info
	for range 2 { // of API and relayer
		port, err := devnet.FreePort()
		if err != nil {
			return err
		}
		info.AdminURLs = append(info.AdminURLs, "http://"+loopback(port))
	}
	info.APIURL, info.APIKey, info.Confirmations = "http://"+loopback(s.kept.Port), s.kept.APIKey, s.Options.Confirmations
	info.APIURLs = []string{info.APIURL}
	info.RPCURL, info.ChainID, info.Contract = s.rpc[0], deployment.ChainID, deployment.Contract.Hex()
	info.NATSURL, info.MonitorURL, info.RedisURL = s.nats.URL, s.nats.MonitorURL, s.redis.URL
	return nil
}

func (s *Stack) disconnect(context.Context) error {
	for _, one := range slices.Backward(s.close) {
		one()
	}
	return nil
}

// verify compares kept data with the chain, before any relayer would wait for blocks that never come. NATS must have a
// deployment, and the chain its contract. Our own chain must also have the newest final block in NATS, unlike a public
// chain, which may have replaced that block.
func (s *Stack) verify(ctx context.Context, js jetstream.JetStream) error {
	opened, err := stream.Open(ctx, js)
	if err != nil {
		return s.damaged(fmt.Errorf("NATS has no complete deployment: %w", err))
	}
	projects, err := kv.OpenProjects(ctx, js)
	if err != nil {
		return s.damaged(fmt.Errorf("NATS has no complete deployment: %w", err))
	}
	followed, _, err := projects.Followed(ctx)
	if err != nil {
		return s.damaged(fmt.Errorf("NATS has no complete deployment: %w", err))
	}
	if err := (app.Connector{Log: s.log}).VerifyChain(ctx, s.client, opened.Deployment()); err != nil {
		return s.damaged(err)
	}
	if s.chain == nil || followed.Block == 0 {
		return nil
	}
	block, err := s.client.BlockByNumber(ctx, followed.Block)
	if err != nil && !errors.Is(err, ethereum.NotFound) {
		return err
	}
	if err != nil || block.Hash != followed.Hash {
		return s.damaged(fmt.Errorf("the chain does not hold block %d, %s, which NATS calls final", followed.Block, followed.Hash))
	}
	return nil
}

// damaged adds the fix to an error of a stack that was complete before, except to transient ones.
func (s *Stack) damaged(err error) error {
	if err == nil || !s.kept.Ready || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, node.ErrDatadirUsed) {
		return err
	}
	check := ""
	if s.chain == nil && len(s.kept.ChainRPC) > 0 {
		check = "check --chain-rpc; "
	}
	return fmt.Errorf("couldn't go on with the stack in %s: %w; %sif its data is damaged, or its chain was reset, begin again with --fresh",
		s.dir.path, err, check)
}

// fundEach pays for many days of development.
var fundEach = new(big.Int).Mul(big.NewInt(100), big.NewInt(params.Ether))

// fund pays the accounts that send transactions on an outside chain; our own chain's genesis funds them.
func (s *Stack) fund(ctx context.Context, chainID uint64, accounts []common.Address) error {
	if s.chain != nil {
		return nil
	}
	funder, err := signer.FromHex(s.Options.ChainKey.Reveal(), s.log)
	if err != nil {
		return fmt.Errorf("SCORELAY_DEV_CHAIN_KEY: %w", err)
	}
	for _, account := range accounts {
		if err := s.client.Pay(ctx, funder.For(chainID), account, fundEach); err != nil {
			return fmt.Errorf("couldn't fund %s from %s on chain %d: %w", account, funder.Address(), chainID, err)
		}
	}
	s.say(fmt.Sprintf("funded the relayer's accounts from %s on chain %d", funder.Address(), chainID))
	return nil
}

// apiKey issues an API key, unless the kept one can be used.
func (s *Stack) apiKey(ctx context.Context, js jetstream.JetStream) error {
	store, err := apikey.Open(ctx, js)
	if err != nil {
		return err
	}
	keys, err := store.List(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(keys, func(key apikey.Key) bool { return key.ID == s.kept.APIKeyID && key.Revoked == nil }) {
		return nil
	}
	secret, key, err := store.Create(ctx, "scorelay dev", apikey.Terms{})
	s.kept.APIKey, s.kept.APIKeyID = secret.Reveal(), key.ID
	return err
}

func randomWord() (word [32]byte) {
	_, _ = rand.Read(word[:])
	return word
}
