package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rpcproxy"
)

// act is one thing that TestChaos does.
type act struct {
	at    time.Duration // from the beginning
	lasts time.Duration
	kind  *actKind
	whom  int // an index; which processes that is depends on how many live
	depth int // of a reorg, blocks; or which change of lanes
	fault rpcproxy.Fault
	wide  int // for lies: 0 one endpoint, 1 the first of every relayer, 2 both of one relayer, 3 all
}

// String tells an act in the log.
func (a act) String() string {
	text := a.kind.name
	if a.kind.lies {
		text += fmt.Sprintf(" %q, at %s", a.fault.Name, [...]string{"one endpoint", "the first of each relayer", "both of one relayer", "all"}[a.wide])
	}
	if a.depth > 0 && a.kind.reorg {
		text += fmt.Sprintf(" of %d blocks", a.depth)
	}
	if a.kind.lasting {
		text += fmt.Sprintf(", %s", a.lasts.Round(100*time.Millisecond))
	}
	return fmt.Sprintf("%s (%d)", text, a.whom)
}

// actKind is what an act can be.
type actKind struct {
	name                 string
	weight               int
	lasting, lies, reorg bool
	do                   func(c *chaos, a act)
}

var actKinds = []*actKind{
	{name: "kill a relayer", weight: 10, do: func(c *chaos, a act) { c.signal("relayer", a.whom, syscall.SIGKILL) }},
	{name: "SIGTERM a relayer", weight: 4, do: func(c *chaos, a act) {
		c.mu.Lock()
		c.asked++
		c.mu.Unlock()
		c.signal("relayer", a.whom, syscall.SIGTERM)
	}},
	{name: "kill an API", weight: 5, do: func(c *chaos, a act) { c.signal("api", a.whom, syscall.SIGKILL) }},
	{name: "kill NATS", weight: 3, do: func(c *chaos, a act) { c.signal("nats", 0, syscall.SIGKILL) }},
	{name: "kill Redis", weight: 2, do: func(c *chaos, a act) { c.signal("redis", 0, syscall.SIGKILL) }},
	{name: "flush Redis", weight: 4, do: func(c *chaos, _ act) { c.flush() }},
	{name: "pause a relayer", weight: 10, lasting: true, do: func(c *chaos, a act) { c.stopFor("relayer", a) }},
	{name: "pause an API", weight: 3, lasting: true, do: func(c *chaos, a act) { c.stopFor("api", a) }},
	{name: "reorg", weight: 8, reorg: true, do: func(c *chaos, a act) { c.reorg(a.depth) }},
	{name: "wipe the pool", weight: 5, do: func(c *chaos, _ act) {
		if err := c.anvil.DropAll(c.ctx); err != nil {
			c.t.Logf("couldn't wipe the pool: %v", err)
		}
	}},
	{name: "cut a relayer off NATS", weight: 8, lasting: true, do: func(c *chaos, a act) {
		l := c.links[a.whom%len(c.links)]
		l.Sever()
		c.pause(a.lasts)
		l.Restore()
	}},
	{name: "cut a relayer off the chain", weight: 6, lasting: true, do: func(c *chaos, a act) {
		for _, p := range c.chain[a.whom%len(c.chain)] {
			defer p.Add(rpcproxy.Drop())()
		}
		c.pause(a.lasts)
	}},
	{name: "change lanes", weight: 10, do: (*chaos).changeLanes},
	{name: "lie", weight: 24, lasting: true, lies: true, do: (*chaos).lie},
}

// laneKinds are those of TestChaosOfLanes.
var laneKinds = slices.Concat(
	[]*actKind{{name: "change lanes", weight: 50, do: (*chaos).changeLanes}},
	slices.DeleteFunc(slices.Clone(actKinds), func(k *actKind) bool { return k.lies || k.reorg || strings.Contains(k.name, "API") }),
)

// lies are the faults of endpoints in TestChaos.
var lies = []rpcproxy.Fault{
	rpcproxy.NoReceipts(), rpcproxy.NoReceipts().Sometimes(0.5), rpcproxy.Partial(rpcproxy.BlockReceipts),
	rpcproxy.Empty(rpcproxy.Logs), rpcproxy.Nonces(3), rpcproxy.Nonces(-3), rpcproxy.WrongHash(), rpcproxy.Sibling(),
	rpcproxy.Ahead(1000), rpcproxy.Behind(5), rpcproxy.Behind(12), rpcproxy.Behind(5).OneOf(0.5), rpcproxy.Delay(250 * time.Millisecond),
	rpcproxy.Page(403), rpcproxy.Page(429, "Retry-After", "1"), rpcproxy.Page(502), rpcproxy.Page(503).OneOf(0.3),
	rpcproxy.Drop(), rpcproxy.Lost(), rpcproxy.Hang(false), rpcproxy.Hang(true), rpcproxy.Truncated(), rpcproxy.Garbage(),
	rpcproxy.NoBatches(1), rpcproxy.Swallow(), rpcproxy.Missing(rpcproxy.Proof, rpcproxy.BlockReceipts),
	rpcproxy.Refuse(-32000, "internal error").For(rpcproxy.SendRawTransaction),
	rpcproxy.Lost().For(rpcproxy.SendRawTransaction),
}

// schedule is what TestChaos does, by its seed alone. The last acts end before the duration does.
func schedule(seed uint64, duration time.Duration, kinds []*actKind) (plan []act) {
	dice := rand.New(rand.NewPCG(seed, 1))
	var weighted []*actKind
	for _, kind := range kinds {
		weighted = append(weighted, slices.Repeat([]*actKind{kind}, kind.weight)...)
	}
	const longest = 8 * time.Second
	for at := time.Second; at < duration-longest; {
		plan = append(plan, act{
			at: at, lasts: time.Second + time.Duration(dice.Int64N(int64(longest-time.Second))),
			kind: weighted[dice.IntN(len(weighted))], whom: dice.IntN(1 << 10), depth: 1 + dice.IntN(5),
			fault: lies[dice.IntN(len(lies))], wide: dice.IntN(4),
		})
		at += 500*time.Millisecond + time.Duration(dice.Int64N(int64(2500*time.Millisecond)))
	}
	return plan
}

// do acts.
func (a act) do(c *chaos) { a.kind.do(c, a) }

// process is the whom-th living process of a role; 0 when there is none now.
func (c *chaos) process(role string, whom int) int {
	living := c.info(c.t).PIDs[role]
	if len(living) == 0 {
		return 0
	}
	return living[whom%len(living)]
}

func (c *chaos) signal(role string, whom int, signal syscall.Signal) {
	if pid := c.process(role, whom); pid != 0 {
		_ = syscall.Kill(pid, signal) // it may have ended meanwhile
	}
}

// stopFor has a process do nothing for a while.
func (c *chaos) stopFor(role string, a act) {
	pid := c.process(role, a.whom)
	if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return
	}
	c.mu.Lock()
	c.paused[pid] = true
	c.mu.Unlock()
	c.pause(a.lasts)
	c.resume(pid)
}

func (c *chaos) resume(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused[pid] {
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
		delete(c.paused, pid)
	}
}

func (c *chaos) resumeAll() {
	c.mu.Lock()
	pids := make([]int, 0, len(c.paused))
	for pid := range c.paused {
		pids = append(pids, pid)
	}
	c.mu.Unlock()
	for _, pid := range pids {
		c.resume(pid)
	}
}

// flush empties Redis if it is up.
func (c *chaos) flush() {
	opts, err := redis.ParseURL(c.info(c.t).RedisURL)
	require.NoError(c.t, err)
	client := redis.NewClient(opts)
	defer func() { _ = client.Close() }()
	if err := client.FlushAll(c.ctx).Err(); err != nil {
		c.t.Logf("couldn't flush Redis: %v", err)
	}
}

// reorg replaces the last blocks by empty ones.
func (c *chaos) reorg(depth int) {
	if err := c.anvil.Reorg(c.ctx, depth); err != nil {
		c.t.Logf("couldn't reorg: %v", err)
	}
}

// lie has endpoints of relayers fail.
func (c *chaos) lie(a act) {
	whom := a.whom % len(c.chain)
	var targets []*rpcproxy.Proxy
	switch a.wide {
	case 0:
		targets = []*rpcproxy.Proxy{c.chain[whom][0]}
	case 1:
		for i := range c.chain {
			targets = append(targets, c.chain[i][0])
		}
	case 2:
		targets = c.chain[whom][:]
	default:
		targets = c.proxies
	}
	for _, p := range targets {
		defer p.Add(a.fault)()
	}
	c.pause(a.lasts)
}
