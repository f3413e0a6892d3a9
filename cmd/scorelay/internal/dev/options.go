package dev

import (
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Options of a stack.
type Options struct {
	DataDir       string
	Port          int // of the first API; the others follow. 0 takes free ones
	RPCPort       int // of the chain. 0 takes a free one
	NATSPort      int // 0 takes a free one
	APIs          int
	Relayers      int
	Lanes         int
	Separate      bool
	ChainRPC      []string      // an external chain's endpoints; empty starts one
	ChainKey      string        // of an account with money there
	Confirmations uint64        // blocks that make one final; 0: the chain's finalized tag
	BlockTime     time.Duration // of the chain that is started
	Set           []string      // settings of APIs and relayers with Separate: ROLE[.INDEX]:VARIABLE=VALUE
	LogTo         io.Writer     // gets what this process logs, besides its file; may be nil
}

// Validate checks what the command line may get wrong.
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
	check(o.Lanes >= 1 && o.Lanes <= score.MaxLanes, "--lanes must be from 1 to %d, is %d", score.MaxLanes, o.Lanes)
	check(o.Port >= 0 && o.Port+o.APIs <= 65536, "--port must be from 0 to %d, is %d", 65536-o.APIs, o.Port)
	check(o.RPCPort >= 0 && o.RPCPort <= 65535, "--rpc-port must be from 0 to 65535, is %d", o.RPCPort)
	check(o.NATSPort >= 0 && o.NATSPort <= 65535, "--nats-port must be from 0 to 65535, is %d", o.NATSPort)
	for _, text := range o.Set {
		check(override.MatchString(text), "--set must be like relayer:SCORELAY_WINDOW=4 or api.0:SCORELAY_RATE=10, is %q", text)
	}
	check(len(o.Set) == 0 || o.Separate, "--set needs --separate")
	check(o.BlockTime >= 10*time.Millisecond, "--block-time must be at least 10ms, is %s", o.BlockTime)
	return errors.Join(errs...)
}

// override is one of Options.Set.
var override = regexp.MustCompile(`^(api|relayer)(\.[0-9]+)?:(SCORELAY_[A-Z_]+=.*)$`)

// overrides are the variables that Set has for the i-th process of a role.
func (o *Options) overrides(role string, i int) (environ []string) {
	for _, text := range o.Set {
		m := override.FindStringSubmatch(text)
		if m[1] == role && (m[2] == "" || m[2] == "."+strconv.Itoa(i)) {
			environ = append(environ, m[3])
		}
	}
	return environ
}

// ports are where everything of a stack listens, chosen before anything starts so that whatever is started again
// comes back where it was.
type ports struct {
	api          []int
	apiAdmin     []int
	relayerAdmin []int
	rpc          int
	nats         int
	natsMonitor  int
	redis        int
}

// choosePorts takes the ports asked for, which must be free, and free ones for everything else.
func choosePorts(o *Options) (ports, error) {
	var p ports
	var errs []error
	var held []net.Listener // until all are chosen, so that no two are the same
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	wanted := func(port int, what, flag string) int {
		l, err := net.Listen("tcp", loopback(port))
		if err != nil {
			errs = append(errs, fmt.Errorf("port %d for %s is taken (%w): end what listens there, choose another with %s, "+
				"or let a free one be taken with %s 0", port, what, err, flag, flag))
			return 0
		}
		held = append(held, l)
		return l.Addr().(*net.TCPAddr).Port
	}
	free := func() int { return wanted(0, "the stack's own use", "--port") }
	for i := range o.APIs {
		port := 0
		if o.Port != 0 {
			port = o.Port + i
		}
		p.api = append(p.api, wanted(port, "the API", "--port"))
		p.apiAdmin = append(p.apiAdmin, free())
	}
	for range o.Relayers {
		p.relayerAdmin = append(p.relayerAdmin, free())
	}
	if len(o.ChainRPC) == 0 {
		rpc := o.RPCPort
		if o.Port == 0 && rpc == DefaultRPCPort {
			rpc = 0 // --port 0 asks for free ports altogether
		}
		p.rpc = wanted(rpc, "the chain's JSON-RPC", "--rpc-port")
	}
	p.nats, p.natsMonitor, p.redis = wanted(o.NATSPort, "NATS", "--nats-port"), free(), free()
	return p, errors.Join(errs...)
}

// Defaults of the ports people type.
const (
	DefaultPort    = 8080
	DefaultRPCPort = 8545
)

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func httpURL(port int) string { return "http://" + loopback(port) }
