package dev

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet"
)

const (
	DefaultPort    = 8080
	DefaultRPCPort = 8545
)

// portPatience allows a stack that was just killed to free its ports.
const portPatience = time.Second

type ports struct {
	API          []int `json:"api"`
	APIAdmin     []int `json:"apiAdmin"`
	RelayerAdmin []int `json:"relayerAdmin"`
	RPC          int   `json:"rpc"`
	NATS         int   `json:"nats"`
	NATSMonitor  int   `json:"natsMonitor"`
	Redis        int   `json:"redis"`

	NATSRoute int         `json:"natsRoute,omitempty"` // of a cluster's first server
	NATSMore  []natsPorts `json:"natsMore,omitempty"`  // of the cluster's other servers
}

type natsPorts struct {
	Client  int `json:"client"`
	Monitor int `json:"monitor"`
	Route   int `json:"route"`
}

func (p *ports) natsServers() []natsPorts {
	return append([]natsPorts{{p.NATS, p.NATSMonitor, p.NATSRoute}}, p.NATSMore...)
}

// chooser listens on each chosen port until all are chosen, so that they differ.
type chooser struct {
	say  func(string)
	held []net.Listener
	errs []error
}

// choosePorts stores the chosen ports in k. It returns an error if a port requested by number is taken, since
// clients' settings contain the number. Other ports are those in k if free, else any. Until release, other stacks and
// tests on this machine avoid the ports, since some servers start seconds later, or restart.
func choosePorts(k *kept, apis, relayers int, say func(string)) (release func(), err error) {
	c := &chooser{say: say}
	was, now := k.Ports, ports{}
	for i := range apis {
		asked := 0
		if k.Port != 0 {
			asked = k.Port + i
		}
		now.API = append(now.API, c.port(asked, at(was.API, i), "the API", "--port"))
	}
	if len(k.ChainRPC) == 0 {
		now.RPC = c.port(k.RPCPort, was.RPC, "the chain's JSON-RPC", "--rpc-port")
	}
	now.NATS = c.port(k.NATSPort, was.NATS, "NATS", "--nats-port")
	for i := range apis {
		now.APIAdmin = append(now.APIAdmin, c.again(at(was.APIAdmin, i), "an API's admin listener"))
	}
	for i := range relayers {
		now.RelayerAdmin = append(now.RelayerAdmin, c.again(at(was.RelayerAdmin, i), "a relayer's admin listener"))
	}
	now.NATSMonitor, now.Redis = c.again(was.NATSMonitor, "NATS's monitor"), c.again(was.Redis, "Redis")
	if k.Servers > 1 {
		now.NATSRoute = c.again(was.NATSRoute, "NATS's cluster")
	}
	for i := range k.Servers - 1 {
		var before natsPorts
		if i < len(was.NATSMore) {
			before = was.NATSMore[i]
		}
		now.NATSMore = append(now.NATSMore, natsPorts{
			c.again(before.Client, "NATS"), c.again(before.Monitor, "NATS's monitor"), c.again(before.Route, "NATS's cluster"),
		})
	}
	k.Ports = now
	release = c.hold()
	if err = errors.Join(c.errs...); err != nil {
		release()
	}
	return release, err
}

func (c *chooser) port(asked, before int, what, flag string) int {
	if asked == 0 {
		return c.again(before, what)
	}
	taken, err := c.take(asked)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("port %d for %s is taken (%w): end what listens there, choose another with %s, "+
			"or let a free one be taken with %s 0", asked, what, err, flag, flag))
	}
	return taken
}

func (c *chooser) again(port int, what string) int {
	taken, err := c.take(port)
	if err == nil {
		return taken
	}
	taken, free := c.take(0)
	if free != nil {
		c.errs = append(c.errs, fmt.Errorf("couldn't find a free port for %s: %w", what, free))
		return 0
	}
	c.say(fmt.Sprintf("port %d, kept for %s, is taken by another program; using %d", port, what, taken))
	return taken
}

func (c *chooser) take(port int) (int, error) {
	deadline := time.Now().Add(portPatience)
	for {
		l, err := listen(port)
		if err == nil {
			c.held = append(c.held, l)
			return l.Addr().(*net.TCPAddr).Port, nil
		}
		ours := slices.ContainsFunc(c.held, func(l net.Listener) bool { return l.Addr().(*net.TCPAddr).Port == port })
		if ours || time.Now().After(deadline) {
			return 0, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// listen listens on the port. For 0, it chooses one that stays free while its process restarts.
func listen(port int) (net.Listener, error) {
	if port == 0 {
		return devnet.FreeListener()
	}
	return net.Listen("tcp", loopback(port))
}

func (c *chooser) hold() (release func()) {
	var held []func()
	for _, l := range c.held {
		_ = l.Close()
		one, err := devnet.HoldPort(l.Addr().(*net.TCPAddr).Port)
		if err != nil {
			c.errs = append(c.errs, err)
			continue
		}
		held = append(held, one)
	}
	return func() {
		for _, one := range held {
			one()
		}
	}
}

func at(ports []int, i int) int {
	if i < len(ports) {
		return ports[i]
	}
	return 0
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func httpURL(port int) string { return "http://" + loopback(port) }
