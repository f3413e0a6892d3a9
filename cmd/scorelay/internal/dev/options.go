package dev

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/score"
)

// Options are a stack's flags. nil means the kept value or, if there is none, the default.
type Options struct {
	DataDir       string        `name:"data-dir" default:".scorelay" placeholder:"DIR" help:"Where the stack is kept over restarts: chain, NATS, Redis, API key, project and ports, besides dev.json and logs (${default}). A folder of ours, an empty one or a new one."`
	Fresh         bool          `name:"fresh" help:"Forget what the data directory keeps and begin again, with a new API key, project and chain."`
	Port          *int          `name:"port" placeholder:"N" help:"Port of the API; 0 takes free ones for everything. Without it the one kept in the data directory, or 8080."`
	RPCPort       *int          `name:"rpc-port" placeholder:"N" help:"Port of the chain's JSON-RPC; 0 takes a free one. Without it the one kept, or 8545."`
	APIs          int           `name:"apis" default:"1" help:"Number of APIs (${default})."`
	Relayers      int           `name:"relayers" default:"1" help:"Number of relayers (${default})."`
	Lanes         *int          `name:"lanes" placeholder:"N" help:"Number of lanes of a new data directory; fixed from then on. Without it 4."`
	Separate      bool          `name:"separate" help:"Run APIs, relayers, NATS and Redis as processes of their own, each started again when it dies."`
	NATSServers   *int          `name:"nats-servers" placeholder:"N" help:"Number of NATS servers of a new data directory, 1 or 3; fixed from then on. Three are a cluster in which each keeps all streams; they need --separate. Without it 1."`
	NATSPort      *int          `name:"nats-port" placeholder:"N" help:"Port of NATS, of its first server; 0 takes a free one. Without it the one kept, or a free one."`
	ChainRPC      []string      `name:"chain-rpc" placeholder:"URL" help:"Use this chain, such as anvil, instead of starting one; several endpoints are separated by commas. It is kept."`
	ChainKey      app.Secret    `name:"chain-key" env:"SCORELAY_DEV_CHAIN_KEY" privatekey:"" default:"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80" placeholder:"KEY" help:"Key of an account with money on that chain; by default anvil's first. Never as an argument."`
	Confirmations uint64        `name:"confirmations" default:"2" help:"Blocks, its own included, after which a transaction is final (${default}); 0 waits for the chain's finalized tag."`
	BlockTime     time.Duration `name:"block-time" default:"1s" help:"How often the chain makes a block (${default})."`
	OTLPEndpoint  string        `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"An OpenTelemetry collector, such as http://127.0.0.1:4318, that gets a trace of every request."`
	Set           []string      `name:"set" sep:"none" placeholder:"ROLE:VARIABLE=VALUE" help:"With --separate: a setting for processes of a role, as 'relayer:SCORELAY_WINDOW=4', or for one of them, as 'relayer.0:SCORELAY_WINDOW=4'. May be repeated."`

	// NATSRoutes is for tests: each NATS server's cluster port and its peers, as PORT=HOST:PORT+HOST:PORT.
	NATSRoutes []string `name:"nats-route" hidden:"" sep:"none"`

	LogTo io.Writer `kong:"-"` // second destination of the log; may be nil
}

const DefaultLanes = 4

func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.DataDir != "", "--data-dir must not be empty")
	check(o.APIs >= 1 && o.APIs <= 32, "--apis must be from 1 to 32, is %d", o.APIs)
	check(o.Relayers >= 1 && o.Relayers <= 32, "--relayers must be from 1 to 32, is %d", o.Relayers)
	within := func(flag string, asked *int, least, most int) {
		if asked != nil {
			check(*asked >= least && *asked <= most, "%s must be from %d to %d, is %d", flag, least, most, *asked)
		}
	}
	within("--lanes", o.Lanes, 1, score.MaxLanes)
	within("--port", o.Port, 0, 65536-o.APIs)
	within("--rpc-port", o.RPCPort, 0, 65535)
	within("--nats-port", o.NATSPort, 0, 65535)
	if o.NATSServers != nil {
		check(*o.NATSServers == 1 || *o.NATSServers == clusterSize, "--nats-servers must be 1 or %d, is %d", clusterSize, *o.NATSServers)
		check(*o.NATSServers == 1 || o.Separate, "--nats-servers %d needs --separate", *o.NATSServers)
	}
	for _, text := range o.NATSRoutes {
		check(route.MatchString(text), "--nats-route must be like 6222=127.0.0.1:6223+127.0.0.1:6224, is %q", text)
	}
	for _, text := range o.Set {
		check(override.MatchString(text), "--set must be like relayer:SCORELAY_WINDOW=4 or api.0:SCORELAY_RATE=10, is %q", text)
	}
	check(len(o.Set) == 0 || o.Separate, "--set needs --separate")
	check(o.BlockTime >= 10*time.Millisecond, "--block-time must be at least 10ms, is %s", o.BlockTime)
	return errors.Join(errs...)
}

const clusterSize = 3

var route = regexp.MustCompile(`^([0-9]+)=([0-9.:+]+)$`)

var override = regexp.MustCompile(`^(api|relayer)(\.[0-9]+)?:(SCORELAY_[A-Z_]+=.*)$`)

func (o *Options) overrides(role string, i int) (environ []string) {
	for _, text := range o.Set {
		m := override.FindStringSubmatch(text)
		if m[1] == role && (m[2] == "" || m[2] == "."+strconv.Itoa(i)) {
			environ = append(environ, m[3])
		}
	}
	return environ
}
