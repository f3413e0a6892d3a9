package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// devDir names a running `scorelay dev`, which supplies the addresses missing in flags.
type devDir struct {
	DataDir string `name:"data-dir" default:".scorelay" placeholder:"DIR" help:"Data directory of a running 'scorelay dev'; used for what is not set otherwise."`
}

type natsFlags struct {
	devDir  `embed:""`
	NATSURL app.Secret    `name:"nats-url" env:"SCORELAY_NATS_URL" placeholder:"URL" help:"NATS servers, separated by commas."`
	Creds   string        `name:"nats-credentials" env:"SCORELAY_NATS_CREDENTIALS" placeholder:"FILE" help:"NATS credentials file."`
	Wait    time.Duration `name:"start-timeout" env:"SCORELAY_START_TIMEOUT" default:"30s" help:"How long to wait for NATS and the chain to come up (${default})."`
}

type chainFlags struct {
	ChainRPC []app.Secret  `name:"chain-rpc" env:"SCORELAY_CHAIN_RPC" placeholder:"URL" help:"JSON-RPC endpoints of the chain (http, https, ws or wss), separated by commas."`
	Timeout  time.Duration `name:"chain-timeout" env:"SCORELAY_CHAIN_TIMEOUT" default:"10s" help:"Deadline of one call to an endpoint of the chain (${default})."`

	finalTag string // set by commands that read final blocks
}

type finalityFlags struct {
	Confirmations *uint64 `name:"confirmations" env:"SCORELAY_CONFIRMATIONS" placeholder:"N" help:"Blocks, its own included, after which a transaction is final; 0: by the chain's tag. By default as the running 'scorelay dev' has it, or 0."`
	Finality      string  `name:"finality" env:"SCORELAY_FINALITY" enum:"finalized,safe" default:"finalized" help:"The chain's tag by which blocks are final if --confirmations is 0: finalized or safe (${default})."`
}

func (f *finalityFlags) confirmations(d devDir) uint64 {
	if f.Confirmations != nil {
		return *f.Confirmations
	}
	if info, err := d.running("--confirmations"); err == nil {
		return info.Confirmations
	}
	return 0
}

type apiFlags struct {
	devDir `embed:""`

	API string     `name:"api" env:"SCORELAY_API" placeholder:"URL" help:"Address of an API; of several, separated by commas, the first is used. By default that of a running 'scorelay dev', with its key."`
	Key app.Secret `name:"api-key" env:"SCORELAY_API_KEY" placeholder:"KEY" help:"API key; used with --api."`
}

func (f *apiFlags) client() (*sdk.Client, error) {
	url, key := f.API, f.Key.Reveal()
	if url == "" {
		info, err := f.running("--api")
		if err != nil {
			return nil, err
		}
		url, key = info.APIURLs[0], info.APIKey
	}
	first, _, _ := strings.Cut(url, ",")
	return sdk.NewClient(first, key, nil), nil
}

// domainFlags name the deployment that signatures are for.
type domainFlags struct {
	ChainID  uint64 `name:"chain-id" placeholder:"N" help:"Id of the deployment's chain, for what is signed; by default that of a running 'scorelay dev'."`
	Contract string `name:"contract" placeholder:"ADDRESS" help:"The deployment's contract, for what is signed; by default that of a running 'scorelay dev'."`
}

func (f *domainFlags) domain(of *devDir) (wallet.Domain, error) {
	if f.ChainID == 0 && f.Contract == "" {
		info, err := of.running("--chain-id and --contract")
		if err != nil {
			return wallet.Domain{}, err
		}
		return info.Domain(), nil
	}
	contract, err := wallet.ParseAddress(f.Contract)
	if err != nil {
		return wallet.Domain{}, fmt.Errorf("--contract %w", err)
	}
	if f.ChainID == 0 {
		return wallet.Domain{}, errors.New("--contract needs --chain-id")
	}
	return wallet.NewDomain(f.ChainID, contract), nil
}

// clientFor returns a client that accepts only the deployment of the flags or of a running 'scorelay dev', and that
// deployment's domain. Otherwise a lying API could obtain a signature for another deployment. If the flags name an API
// alone, the client accepts any domain, and the domain is zero.
func (f *apiFlags) clientFor(deployment *domainFlags) (*sdk.Client, wallet.Domain, error) {
	client, err := f.client()
	if err != nil || f.API != "" && *deployment == (domainFlags{}) {
		return client, wallet.Domain{}, err
	}
	domain, err := deployment.domain(&f.devDir)
	if err != nil {
		return nil, domain, err
	}
	return client.Expecting(domain), domain, nil
}

func commandLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return app.LogAttr(groups, a)
	}}))
}

// running reads the dev.json of a running `scorelay dev`. If there is none, the error suggests flag.
func (d devDir) running(flag string) (*devnet.Info, error) {
	info, err := devnet.ReadInfo(d.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("say where the deployment is with %s, or start one with `scorelay dev` (there is none in %s; --data-dir names another folder)", flag, d.DataDir)
	}
	return info, err
}

// connect connects to NATS within Wait. The caller calls the returned function to close.
func (f *natsFlags) connect(ctx context.Context, log *slog.Logger) (jetstream.JetStream, func(), error) {
	settings := app.NATS{NATSURL: f.NATSURL, NATSCredentials: f.Creds}
	if f.NATSURL == "" {
		info, err := f.running("--nats-url")
		if err != nil {
			return nil, nil, err
		}
		settings.NATSURL = app.Secret(info.NATSURL)
	}
	ctx, cancel := context.WithTimeout(ctx, f.Wait)
	defer cancel()
	conn, js, err := app.Connector{Log: log}.NATS(ctx, &settings, "scorelay")
	if err != nil {
		return nil, nil, err
	}
	return js, conn.Close, nil
}

// open also opens the deployment's streams.
func (f *natsFlags) open(ctx context.Context, log *slog.Logger) (jetstream.JetStream, *stream.Stream, func(), error) {
	js, closeNATS, err := f.connect(ctx, log)
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := stream.Open(ctx, js)
	if err != nil {
		closeNATS()
		return nil, nil, nil, err
	}
	return js, s, closeNATS, nil
}

// dial returns a client that the caller closes.
func (f *chainFlags) dial(ctx context.Context, d devDir, log *slog.Logger) (*chain.Client, error) {
	settings := app.Chain{ChainRPC: f.ChainRPC, ChainTimeout: f.Timeout, FinalTag: f.finalTag}
	if len(f.ChainRPC) == 0 {
		info, err := d.running("--chain-rpc")
		if err != nil {
			return nil, err
		}
		settings.ChainRPC = []app.Secret{app.Secret(info.RPCURL)}
	}
	return app.DialChain(ctx, &settings, log, prometheus.NewRegistry())
}
