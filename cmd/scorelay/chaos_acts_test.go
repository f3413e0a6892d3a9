package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/scorelay/scorelay/pkg/devnet/rpcproxy"
)

// act is one thing that TestChaos does.
type act struct {
	at    time.Duration // from the beginning
	lasts time.Duration
	kind  *actKind
	whom  int              // an index; which processes that is depends on how many live
	depth int              // of a reorg, blocks; or which change of lanes
	lie   []rpcproxy.Fault // at once
	wide  int              // for lies: 0 one endpoint, 1 the first of every relayer, 2 both of one relayer, 3 all
}

// String tells an act in the log.
func (a act) String() string {
	text := a.kind.name
	if a.kind.lies {
		text += fmt.Sprintf(" %q, at %s", a.lie[len(a.lie)-1].Name, [...]string{"one endpoint", "the first of each relayer", "both of one relayer", "all"}[a.wide])
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
	do                   func(c *chaos, a act) (did bool) // whether there was something to do it to
}

var actKinds = []*actKind{
	{name: "kill a relayer", weight: 10, do: func(c *chaos, a act) bool { return c.signal("relayer", a.whom, syscall.SIGKILL) }},
	{name: "SIGTERM a relayer", weight: 4, do: func(c *chaos, a act) bool {
		c.mu.Lock()
		c.asked++
		c.mu.Unlock()
		return c.signal("relayer", a.whom, syscall.SIGTERM)
	}},
	{name: "kill an API", weight: 5, do: func(c *chaos, a act) bool { return c.signal("api", a.whom, syscall.SIGKILL) }},
	{name: "kill NATS", weight: 3, do: func(c *chaos, _ act) bool { return c.signal("nats", 0, syscall.SIGKILL) }},
	{name: "kill Redis", weight: 2, do: func(c *chaos, _ act) bool { return c.signal("redis", 0, syscall.SIGKILL) }},
	{name: "flush Redis", weight: 4, do: func(c *chaos, _ act) bool { return c.flush(c.t) }},
	{name: "pause a relayer", weight: 10, lasting: true, do: func(c *chaos, a act) bool { return c.stopFor("relayer", a) }},
	{name: "pause an API", weight: 3, lasting: true, do: func(c *chaos, a act) bool { return c.stopFor("api", a) }},
	{name: "reorg", weight: 8, reorg: true, do: func(c *chaos, a act) bool { return c.reorg(a.depth) }},
	{name: "wipe the pool", weight: 5, do: func(c *chaos, _ act) bool {
		waiting, err := pooled(c.ctx, c.anvil)
		if err == nil {
			err = c.anvil.DropAll(c.ctx)
		}
		if err != nil {
			c.t.Logf("couldn't wipe the pool: %v", err)
		}
		return err == nil && waiting > 0
	}},
	{name: "cut a relayer off NATS", weight: 8, lasting: true, do: func(c *chaos, a act) bool {
		l := c.links[a.whom%len(c.links)]
		l.Sever()
		c.pause(a.lasts)
		l.Restore()
		return c.process("relayer", a.whom) != 0
	}},
	{name: "cut a relayer off the chain", weight: 6, lasting: true, do: func(c *chaos, a act) bool {
		cut, before := c.chain[a.whom%len(c.chain)][:], 0
		for _, p := range cut {
			before += p.Stats().Told[rpcproxy.Drop().Name]
			defer p.Add(rpcproxy.Drop())()
		}
		c.pause(a.lasts)
		for _, p := range cut {
			before -= p.Stats().Told[rpcproxy.Drop().Name]
		}
		return before < 0
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
var lies = [][]rpcproxy.Fault{
	list(rpcproxy.NoReceipts()), list(rpcproxy.NoReceipts().Sometimes(0.5)), list(rpcproxy.Partial(rpcproxy.BlockReceipts)),
	list(rpcproxy.Empty(rpcproxy.BlockReceipts)), list(rpcproxy.Missing(rpcproxy.Proof), rpcproxy.Nonces(3)),
	list(rpcproxy.Missing(rpcproxy.Proof), rpcproxy.Nonces(-3)), list(rpcproxy.WrongHash()), list(rpcproxy.Sibling()),
	list(rpcproxy.Ahead(1000)), list(rpcproxy.Behind(5)), list(rpcproxy.Behind(12)), list(rpcproxy.Behind(5).OneOf(0.5)),
	list(rpcproxy.Delay(250 * time.Millisecond)), list(rpcproxy.Page(403)), list(rpcproxy.Page(429, "Retry-After", "1")),
	list(rpcproxy.Page(502)), list(rpcproxy.Page(503).OneOf(0.3)), list(rpcproxy.Drop()), list(rpcproxy.Lost()),
	list(rpcproxy.Hang(false)), list(rpcproxy.Hang(true)), list(rpcproxy.Truncated()), list(rpcproxy.Garbage()),
	list(rpcproxy.NoBatches(1)), list(rpcproxy.Swallow()), list(rpcproxy.Missing(rpcproxy.Proof, rpcproxy.BlockReceipts)),
	list(rpcproxy.Refuse(-32000, "internal error").For(rpcproxy.SendRawTransaction)), list(rpcproxy.Lost().For(rpcproxy.SendRawTransaction)),
}

// schedule is what TestChaos does, by its seed alone. The last acts end before the duration does, but for lies that were not delivered.
func schedule(seed uint64, duration time.Duration, kinds []*actKind) (plan []act) {
	dice := rand.New(rand.NewPCG(seed, 1))
	var weighted []*actKind
	var deck []int // lies that were not told yet; when all were, it is shuffled again
	for _, kind := range kinds {
		weighted = append(weighted, slices.Repeat([]*actKind{kind}, kind.weight)...)
	}
	const longest = 8 * time.Second
	for at := time.Second; at < duration-longest; {
		a := act{
			at: at, lasts: time.Second + time.Duration(dice.Int64N(int64(longest-time.Second))),
			kind: weighted[dice.IntN(len(weighted))], whom: dice.IntN(1 << 10), depth: 1 + dice.IntN(5), wide: dice.IntN(4),
		}
		if a.kind.lies {
			if len(deck) == 0 {
				deck = dice.Perm(len(lies))
			}
			a.lie, deck = lies[deck[0]], deck[1:]
		}
		plan = append(plan, a)
		at += 500*time.Millisecond + time.Duration(dice.Int64N(int64(2500*time.Millisecond)))
	}
	return plan
}

// do acts, and counts what it is that was done.
func (a act) do(c *chaos) {
	did := a.kind.do(c, a)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned[a.kind.name]++
	if did {
		c.did[a.kind.name]++
	}
}

const (
	chaosEnough = 4                // how often an act is tried until it is a fault of the test's that it had no effect
	lieLonger   = 30 * time.Second // until a lie is delivered that was not in its time
)

// deliveries logs how often acts and lies had an effect, and fails where a kind of act never had any. What becomes of each lie, lie judges.
func (c *chaos) deliveries() {
	for _, p := range c.proxies {
		for name, n := range p.Stats().Told {
			c.did["lie: "+name] += n
		}
	}
	c.t.Logf("what had an effect: %v; acts: %v", c.did, c.planned)
	for name, n := range c.planned {
		if n >= chaosEnough && c.did[name] == 0 {
			c.errorf("%q was tried %d times and never delivered", name, n)
		}
	}
}

// process is the whom-th living process of a role; 0 when there is none now.
func (c *chaos) process(role string, whom int) int {
	living := c.info(c.t).PIDs[role]
	if len(living) == 0 {
		return 0
	}
	return living[whom%len(living)]
}

// signal reports whether there was such a process.
func (c *chaos) signal(role string, whom int, signal syscall.Signal) bool {
	pid := c.process(role, whom)
	return pid != 0 && syscall.Kill(pid, signal) == nil // it may have ended meanwhile
}

// stopFor has a process do nothing for a while.
func (c *chaos) stopFor(role string, a act) bool {
	pid := c.process(role, a.whom)
	if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	c.mu.Lock()
	c.paused[pid] = true
	c.mu.Unlock()
	c.pause(a.lasts)
	c.resume(pid)
	return true
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

// reorg replaces the last blocks by empty ones.
func (c *chaos) reorg(depth int) bool {
	err := c.anvil.Reorg(c.ctx, depth)
	if err != nil {
		c.t.Logf("couldn't reorg: %v", err)
	}
	return err == nil
}

// lie has endpoints of relayers fail. Those that ask them may be dead, cut off or turned to other endpoints: a lie that was not delivered in
// its time is told by all endpoints until it is. It is a fault of the test's if it never is.
func (c *chaos) lie(a act) bool {
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
	name := a.lie[len(a.lie)-1].Name
	tell := func(targets []*rpcproxy.Proxy, wait func(delivered func() bool)) bool {
		told := func() (n int) {
			for _, p := range targets {
				n += p.Stats().Told[name]
			}
			return n
		}
		before := told()
		delivered := func() bool { return told() > before }
		for _, p := range targets {
			defer p.Add(a.lie...)()
		}
		wait(delivered)
		return delivered()
	}
	if tell(targets, func(func() bool) { c.pause(a.lasts) }) {
		return true
	}
	c.t.Logf("%s: was not delivered, so all endpoints tell it", a)
	if tell(c.proxies, func(delivered func() bool) { c.until(lieLonger, delivered) }) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() == nil {
		c.errorf("%s: was not delivered, nor by all endpoints in %s", a, lieLonger)
	}
	return false
}
