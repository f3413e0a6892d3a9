package stack

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// clusterSize is the number of servers of a NATS cluster.
const clusterSize = 3

type options struct {
	programs      string
	dir           string
	fresh         bool
	apis          int
	relayers      int
	lanes         int
	port          int // of the first API; 0: free
	rpcPort       int
	natsPort      int // of the first server; 0: free
	natsServers   int
	natsRoutes    []string
	chainRPC      string
	chainKey      string
	confirmations uint64
	blockTime     time.Duration
	set           []string
}

// anvilKey is that of anvil's first account.
const anvilKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("stack", flag.ContinueOnError)
	flags.StringVar(&o.programs, "programs", "", "folder with the programs api, relayer, scorelay and stack; a process that is restarted runs what is there then")
	flags.StringVar(&o.dir, "data-dir", ".scorelay-stack", "where the stack is kept, with dev.json and logs")
	flags.BoolVar(&o.fresh, "fresh", false, "forget what the data directory keeps")
	flags.IntVar(&o.apis, "apis", 1, "number of APIs")
	flags.IntVar(&o.relayers, "relayers", 1, "number of relayers")
	flags.IntVar(&o.lanes, "lanes", 4, "number of lanes; fixed from the first start on")
	flags.IntVar(&o.port, "port", 0, "port of the first API; others follow. Ports, once chosen, are kept; 0: free ones")
	flags.IntVar(&o.rpcPort, "rpc-port", 0, "port of the chain's JSON-RPC; 0: a free one")
	flags.IntVar(&o.natsPort, "nats-port", 0, "port of the first NATS server; 0: a free one")
	flags.IntVar(&o.natsServers, "nats-servers", 1, "number of NATS servers: 1, or 3 for a cluster; fixed from the first start on")
	flags.StringVar(&o.chainRPC, "chain-rpc", "", "use this chain, such as anvil, instead of starting one; several endpoints are separated by commas")
	flags.StringVar(&o.chainKey, "chain-key", anvilKey, "key of an account with money on that chain; by default anvil's first")
	flags.Uint64Var(&o.confirmations, "confirmations", 2, "blocks, its own included, after which a transaction is final; 0: by the chain's finalized tag")
	flags.DurationVar(&o.blockTime, "block-time", time.Second, "how often the chain makes a block")
	several(flags, "set", &o.set, "`ROLE:VARIABLE=VALUE`, a setting for processes of a role, as relayer:SCORELAY_WINDOW=4, or for one, as relayer.0:SCORELAY_WINDOW=4; may be repeated")
	several(flags, "nats-route", &o.natsRoutes, "`PORT=HOST:PORT+HOST:PORT`, a NATS server's cluster port and its peers; once for each server")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	return o, o.validate(flags.NArg())
}

func several(flags *flag.FlagSet, name string, values *[]string, usage string) {
	flags.Func(name, usage, func(value string) error {
		*values = append(*values, value)
		return nil
	})
}

func (o *options) validate(arguments int) error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(arguments == 0, "nothing may follow the flags")
	check(o.programs != "" && o.dir != "", "--programs and --data-dir must be set")
	check(o.apis >= 1 && o.relayers >= 1, "--apis and --relayers must be at least 1")
	check(o.lanes >= 1 && o.lanes <= score.MaxLanes, "--lanes must be from 1 to %d, is %d", score.MaxLanes, o.lanes)
	check(o.natsServers == 1 || o.natsServers == clusterSize, "--nats-servers must be 1 or %d, is %d", clusterSize, o.natsServers)
	check(o.blockTime >= 10*time.Millisecond, "--block-time must be at least 10ms, is %s", o.blockTime)
	for _, text := range o.natsRoutes {
		check(route.MatchString(text), "--nats-route must be like 6222=127.0.0.1:6223+127.0.0.1:6224, is %q", text)
	}
	for _, text := range o.set {
		check(setting.MatchString(text), "--set must be like relayer:SCORELAY_WINDOW=4 or api.0:SCORELAY_RATE=10, is %q", text)
	}
	return errors.Join(errs...)
}

var (
	route   = regexp.MustCompile(`^([0-9]+)=([0-9.:+]+)$`)
	setting = regexp.MustCompile(`^(api|relayer)(\.[0-9]+)?:(SCORELAY_[A-Z_]+=.*)$`)
)

// settings returns those of --set for a role's i-th process.
func (o *options) settings(role string, i int) (environ []string) {
	for _, text := range o.set {
		m := setting.FindStringSubmatch(text)
		if m[1] == role && (m[2] == "" || m[2] == "."+strconv.Itoa(i)) {
			environ = append(environ, m[3])
		}
	}
	return environ
}

func (o *options) endpoints() []string {
	if o.chainRPC == "" {
		return nil
	}
	return strings.Split(o.chainRPC, ",")
}
