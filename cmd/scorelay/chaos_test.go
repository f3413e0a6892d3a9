package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/load"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	chaosDuration = flag.Duration("chaos.duration", 0, "how long TestChaos disturbs the stack; 0 skips it")
	chaosKeep     = flag.String("chaos.keep", "", "folder that gets the logs and the data of a TestChaos that failed")
)

// Sizes of the stack in TestChaos.
const (
	chaosRelayers = 4
	chaosLanes    = 8
	chaosAPIs     = 2
	chaosRate     = 100.0 // updates a second
	chaosBlock    = 500 * time.Millisecond
)

// chaos is the stack of TestChaos and what stands between its processes.
type chaos struct {
	*rig
	t        *testing.T
	began    time.Time
	links    []*fresh.Link // to NATS, by relayer
	apiProxy *rpcproxy.Proxy
	chain    [chaosRelayers][2]*rpcproxy.Proxy // by relayer

	mu      sync.Mutex
	paused  map[int]bool   // processes
	entered int            // signers of lanes that came later
	asked   int            // relayers that were asked to end; one that is cut off may then say that it could not do so cleanly
	faults  []string       // what was wrong
	planned map[string]int // acts, by kind
	did     map[string]int // those that had an effect
}

// TestChaos does at random what a stack must survive, all at once, under load: kills and pauses of processes, flushes of
// Redis, reorgs, partitions, lies, lanes that come and go. It ends with calm: then everything that got a 200 is applied exactly once by the
// contract's own events, statuses say so, and the audit agrees.
//
// What happens to whom and when follows from the seed alone. When processes get to run does not, so the same seed may
// find something once and not again.
//
//	SCORELAY_TEST_SEED=7 go test ./cmd/scorelay -run TestChaos$ -timeout 30m -args -chaos.duration=10m
func TestChaos(t *testing.T) { disturb(t, actKinds) }

// TestChaosOfLanes is the same with little else than lanes that come and go, and kills.
//
//	SCORELAY_TEST_SEED=7 go test ./cmd/scorelay -run TestChaosOfLanes -timeout 30m -args -chaos.duration=10m
func TestChaosOfLanes(t *testing.T) { disturb(t, laneKinds) }

// disturb has a stack live through what is drawn of these kinds.
func disturb(t *testing.T, kinds []*actKind) {
	t.Helper()
	if *chaosDuration == 0 {
		t.Skip("explores: .ci/deep runs it, with -args -chaos.duration=1m")
	}
	seed := testrand.Seed(t)
	ctx, cancel := context.WithTimeout(t.Context(), *chaosDuration+15*time.Minute)
	defer cancel()
	var c *chaos
	t.Cleanup(func() { // after all other clean-up, so that what is wrong is the last that the log says
		if t.Failed() && c != nil {
			t.Logf("seed %d: %s", seed, strings.Join(c.faults, "\n"))
		}
	})
	c = startChaos(ctx, t, seed)
	stop := c.load(chaosRate)
	require.True(t, c.applied(50, 3*time.Minute), "the stack works before the chaos")
	sampled := c.sample()
	c.run(schedule(seed, *chaosDuration, kinds))
	c.calm()
	c.pause(3 * time.Second) // of load in calm
	stop()
	mistold := sampled()

	ended, promised := time.Now(), c.tally.Promised()
	final, err := c.settled(promised, 5*time.Minute)
	require.NotNil(t, final, err)
	if !c.until(3*time.Minute, c.lanesAtRest) {
		c.errorf("the lanes did not come to rest: %s", c.lanesTable())
	}
	counts := c.tally.Counts()
	t.Logf("promised %d, retries %d, settled %s after the end; %d duplicates found by the contract",
		len(promised), counts.Retries, time.Since(ended).Round(100*time.Millisecond), final.duplicates)
	if err != nil {
		c.errorf("lost in calm: %v: %s", err, c.lost(promised, final))
	}
	if n := final.doubled(); n > 0 {
		c.errorf("doubled: %d", n)
	}
	if counts.Wrong > 0 || counts.Failed > 0 {
		c.errorf("the API refused %d valid updates (%v) and left %d unanswered", counts.Wrong, counts.Refusals, counts.Failed)
	}
	if len(mistold) > 0 {
		c.errorf("statuses mistold during the chaos: %v", mistold)
	}
	c.statuses(promised, final)
	c.wasted(final)
	c.deliveries()
	c.ended()
	if out, told, err := c.scorelay("audit", "--wait", "3m", "--chain-rpc", c.node); err != nil || !strings.Contains(out, "lost 0, doubled 0") {
		c.errorf("the audit fails: %s %s", out, told)
	}
	if t.Failed() {
		c.faults = append(c.faults, fmt.Sprintf("warnings and errors of the relayers: %v", c.complaints()))
		if *chaosKeep != "" {
			t.Logf("keeping the stack's folder: %v", os.CopyFS(*chaosKeep, os.DirFS(c.dir)))
		}
	}
}

// errorf is t.Errorf, and is repeated at the end of the log.
func (c *chaos) errorf(format string, args ...any) {
	c.t.Helper()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
	c.t.Error(c.faults[len(c.faults)-1])
}

// lost tells of some updates that are not applied where they would be, and what their statuses say.
func (c *chaos) lost(promised map[load.Key]time.Time, final *events) (text string) {
	const most = 5
	n := 0
	for key, at := range promised {
		if final.applied[key] > 0 {
			continue
		}
		status, err := c.client.Update(c.ctx, key.Project, key.ID)
		text += fmt.Sprintf("\n  project %s, bucket %d, id %s, promised at %.1f s: %+v %v",
			key.Project, score.BucketOf(key.Project), key.ID, at.Sub(c.began).Seconds(), status, err)
		if n++; n == most {
			break
		}
	}
	return text
}

// startChaos wires every relayer through links and endpoints of its own, and the rest through one endpoint.
func startChaos(ctx context.Context, t *testing.T, seed uint64) *chaos {
	t.Helper()
	c := &chaos{t: t, paused: map[int]bool{}, planned: map[string]int{}, did: map[string]int{}}
	port, err := devnet.FreePort()
	require.NoError(t, err)
	c.rig = startRig(ctx, t, rigOptions{
		endpoints: 1 + 2*chaosRelayers, lanes: chaosLanes, signers: chaosSigners, block: chaosBlock, seed: seed,
		args: []string{"--relayers", fmt.Sprint(chaosRelayers), "--apis", fmt.Sprint(chaosAPIs), "--nats-port", fmt.Sprint(port)},
		wire: func(proxies []string) []string {
			args := []string{"--chain-rpc", proxies[0]}
			for i := range chaosRelayers {
				l, err := fresh.StartLink(fmt.Sprintf("127.0.0.1:%d", port))
				require.NoError(t, err)
				t.Cleanup(l.Close)
				c.links = append(c.links, l)
				nats := url.URL{Scheme: "nats", Host: l.Addr}
				args = append(args, "--set", fmt.Sprintf("relayer.%d:SCORELAY_NATS_URL=%s", i, nats.String()),
					"--set", fmt.Sprintf("relayer.%d:SCORELAY_CHAIN_RPC=%s", i, strings.Join(proxies[1+2*i:3+2*i], ",")),
					"--set", fmt.Sprintf("relayer.%d:%s", i, chaosKeys()))
			}
			return args
		},
	})
	c.apiProxy = c.proxies[0]
	for i := range c.chain {
		c.chain[i] = [2]*rpcproxy.Proxy(c.proxies[1+2*i : 3+2*i])
	}
	return c
}

// run does what is planned, when it is.
func (c *chaos) run(plan []act) {
	c.began = time.Now()
	var acts sync.WaitGroup
	for _, a := range plan {
		c.pause(a.at - time.Since(c.began))
		if c.ctx.Err() != nil {
			break
		}
		c.t.Logf("%6.1f s: %s", time.Since(c.began).Seconds(), a)
		acts.Go(func() { a.do(c) })
	}
	acts.Wait()
	c.pause(*chaosDuration - time.Since(c.began))
}

// calm ends everything that is still wrong. A reorg may have been deeper than finality and have taken a role back: the lane says so,
// and the operator grants it again.
func (c *chaos) calm() {
	c.resumeAll()
	for _, l := range c.links {
		l.Restore()
	}
	for _, d := range c.laneList() {
		if d.State == roster.Active || d.State == roster.Leaving {
			c.lanesCommand("add", "--chain-rpc", c.node, "--signer", d.Signer.Hex())
		}
	}
}

// sample asks for statuses of promised updates all the while. stop returns what was reported as final of updates that did
// not get that outcome: by the contract's events, all of them are applied.
func (c *chaos) sample() (stop func() map[string]int) {
	stopping, done := make(chan struct{}), make(chan struct{})
	wrong := map[string]int{}
	go func() {
		defer close(done)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-c.ctx.Done():
				return
			case <-stopping:
				return
			case <-ticker.C:
			}
			for key := range c.tally.Promised() { // in random order
				status, err := c.client.Update(c.ctx, key.Project, key.ID)
				if err == nil && status.Final() && status.Outcome != "applied" {
					wrong[status.Outcome]++
				}
				break
			}
		}
	}()
	return func() map[string]int {
		close(stopping)
		<-done
		return wrong
	}
}

// statuses holds what the API tells of a sample against the events.
func (c *chaos) statuses(promised map[load.Key]time.Time, final *events) {
	const most = 1000
	sample := map[load.Key]time.Time{}
	for key, at := range promised {
		if final.applied[key] > 0 && len(sample) < most {
			sample[key] = at
		}
	}
	if reported := c.reported(sample, 2*time.Minute); reported["final applied"] != len(sample) {
		c.errorf("of %d applied updates the API reports %v", len(sample), reported)
	}
}

// wasted tells how many transactions did nothing. Under chaos that is a figure, not a failure.
func (c *chaos) wasted(final *events) {
	all, err := c.judge.transactions(c.ctx, 1, final.through)
	if err != nil {
		c.errorf("couldn't read the transactions: %v", err)
		return
	}
	n := 0
	for _, tx := range all {
		if !final.useful[tx.hash] {
			n++
		}
	}
	c.t.Logf("%d of %d transactions are wasted", n, len(all))
}

// ended expects that no process ended with an error but those that were asked to end.
func (c *chaos) ended() {
	raw, err := os.ReadFile(filepath.Join(c.dir, "logs", "dev.log"))
	require.NoError(c.t, err)
	ends := map[string]int{}
	for _, line := range strings.Split(string(raw), "\n") {
		if strings.Contains(line, "ended by itself") && strings.Contains(line, "exit status") {
			role := regexp.MustCompile(`"role":"(\w+)"`).FindStringSubmatch(line)
			if len(role) > 1 {
				ends[role[1]]++
			}
		}
	}
	if ends["relayer"] -= c.asked; ends["relayer"] <= 0 {
		delete(ends, "relayer")
	}
	for _, role := range slices.Sorted(maps.Keys(ends)) {
		c.errorf("processes of role %s ended with errors %d times", role, ends[role])
	}
}
