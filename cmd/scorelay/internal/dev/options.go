package dev

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/app"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
)

// Options are the flags. nil means the kept value or, if there is none, the default.
type Options struct {
	DataDir       string        `name:"data-dir" default:".scorelay" placeholder:"DIR" help:"Where everything is kept over restarts: chain, NATS, Redis, API key and project, besides dev.json and logs (${default}). A folder of ours, an empty one or a new one."`
	Fresh         bool          `name:"fresh" help:"Forget what the data directory keeps and begin again, with a new API key, project and chain."`
	Port          *int          `name:"port" placeholder:"N" help:"Port of the API; 0: a free one, also for the chain unless --rpc-port is set. Without it the one of the last start, or 8080."`
	RPCPort       *int          `name:"rpc-port" placeholder:"N" help:"Port of the chain's JSON-RPC; 0 takes a free one. Without it the one of the last start, or 8545."`
	Lanes         *int          `name:"lanes" placeholder:"N" help:"Number of lanes of a new data directory; fixed from then on. Without it 4."`
	ChainRPC      []string      `name:"chain-rpc" placeholder:"URL" help:"Use this chain, such as anvil, instead of starting one; several endpoints are separated by commas. It is kept."`
	ChainKey      app.Secret    `name:"chain-key" env:"SCORELAY_DEV_CHAIN_KEY" privatekey:"" default:"0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80" placeholder:"KEY" help:"Key of an account with money on that chain; by default anvil's first. Never as an argument."`
	Confirmations uint64        `name:"confirmations" default:"2" help:"Blocks, its own included, after which a transaction is final (${default}); 0 waits for the chain's finalized tag."`
	BlockTime     time.Duration `name:"block-time" default:"1s" help:"How often the chain makes a block (${default})."`
	OTLPEndpoint  string        `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"An OpenTelemetry collector, such as http://127.0.0.1:4318, that gets a trace of every request."`

	LogTo io.Writer `kong:"-"` // second destination of the log; may be nil
}

const (
	defaultLanes   = 4
	defaultPort    = 8080
	defaultRPCPort = 8545
)

func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.DataDir != "", "--data-dir must not be empty")
	within := func(flag string, asked *int, least, most int) {
		if asked != nil {
			check(*asked >= least && *asked <= most, "%s must be from %d to %d, is %d", flag, least, most, *asked)
		}
	}
	within("--lanes", o.Lanes, 1, score.MaxLanes)
	within("--port", o.Port, 0, 65535)
	within("--rpc-port", o.RPCPort, 0, 65535)
	check(o.BlockTime >= 10*time.Millisecond, "--block-time must be at least 10ms, is %s", o.BlockTime)
	return errors.Join(errs...)
}

const begin = "; begin again with --fresh, or choose another folder with --data-dir"

// merge returns the settings to keep: the command line's, else before's, else the defaults. before may be nil. A
// change that existing data forbids is an error.
func (o *Options) merge(before *kept) (*kept, error) {
	now := &kept{Port: defaultPort, RPCPort: defaultRPCPort, Lanes: defaultLanes, ChainRPC: o.ChainRPC}
	if before != nil {
		*now = *before
	}
	rpcPort := o.RPCPort
	if o.Port != nil && *o.Port == 0 && rpcPort == nil {
		rpcPort = o.Port
	}
	if o.Port != nil {
		now.Port = *o.Port
	}
	if rpcPort != nil {
		now.RPCPort = *rpcPort
	}
	if o.Lanes != nil && *o.Lanes != now.Lanes {
		if now.Ready {
			return nil, fmt.Errorf("--lanes is %d, but this data directory has %d lanes, and their number is fixed"+begin, *o.Lanes, now.Lanes)
		}
		now.Lanes = *o.Lanes
	}
	if len(o.ChainRPC) > 0 && !slices.Equal(o.ChainRPC, now.ChainRPC) {
		if now.Ready && len(now.ChainRPC) == 0 {
			return nil, errors.New("--chain-rpc asks for an outside chain, but this data directory has a chain of its own" + begin)
		}
		now.ChainRPC = o.ChainRPC
	}
	if !now.Ready {
		now.APIKey, now.APIKeyID, now.ProjectID = "", "", score.ProjectID{}
	}
	return now, nil
}

// portPatience allows a stack that was just killed to free its ports.
const portPatience = time.Second

// holdPort returns the port, or a free one for 0, and keeps others from taking it as a free one.
func (s *Stack) holdPort(port int, what, flag string) (int, error) {
	var err error
	if port == 0 {
		if port, err = devnet.FreePort(); err != nil {
			return 0, err
		}
	}
	for end := time.Now().Add(portPatience); ; time.Sleep(20 * time.Millisecond) {
		var l net.Listener
		if l, err = net.Listen("tcp", loopback(port)); err == nil {
			_ = l.Close()
			break
		}
		if time.Now().After(end) {
			return 0, fmt.Errorf("port %d for %s is taken (%w): end what listens there, choose another with %s, or let a free one be taken with %s 0",
				port, what, err, flag, flag)
		}
	}
	release, err := devnet.HoldPort(port)
	if err == nil {
		s.held = append(s.held, release)
	}
	return port, err
}

func (s *Stack) releasePorts() {
	for _, release := range s.held {
		release()
	}
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
