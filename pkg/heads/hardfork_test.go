package heads_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// forkRig is a tracker on a real geth, through endpoints that can tell of a hard fork. Its clock stands unless it is moved.
type forkRig struct {
	*gethRig
	told    []*rpcproxy.Emulator // by endpoint
	proxies []*rpcproxy.Proxy
	urls    []string
	depth   uint64 // confirmations; 0: by the tag
	now     time.Time
	log     *fresh.Log
	reg     *prometheus.Registry
}

// forkAfter is the first block that a test can give other headers; blocks far below it are known then.
const forkAfter = 61

// newForkRig has endpoints tell these chains, or the node's own where that is nil; endpoints of one chain share an emulator.
func newForkRig(t *testing.T, unchecked time.Duration, told ...*rpcproxy.Emulator) *forkRig {
	r := &forkRig{gethRig: &gethRig{t: t, node: fresh.NewChain(t)}, told: told, depth: 2, now: time.Unix(1_700_000_000, 0)}
	for i, e := range told {
		p, err := rpcproxy.Start(r.node.URL, uint64(i))
		require.NoError(t, err)
		t.Cleanup(p.Close)
		if e != nil {
			p.Add(e.Fault())
		}
		r.proxies, r.urls = append(r.proxies, p), append(r.urls, p.URL)
	}
	for range forkAfter - 1 {
		r.node.Commit()
	}
	r.start(unchecked)
	return r
}

// commit makes a block, which all endpoints have told of when it returns.
func (r *forkRig) commit() {
	r.node.Commit()
	want, err := r.node.Client().BlockNumber(r.t.Context())
	require.NoError(r.t, err)
	for _, url := range r.urls {
		c, err := ethclient.DialContext(r.t.Context(), url)
		require.NoError(r.t, err)
		require.Eventually(r.t, func() bool {
			n, err := c.BlockNumber(r.t.Context())
			return err == nil && n == want
		}, time.Minute, 5*time.Millisecond)
		c.Close()
	}
}

// start begins as another process does.
func (r *forkRig) start(unchecked time.Duration) {
	r.log, r.reg = &fresh.Log{}, prometheus.NewRegistry()
	log := slog.New(slog.NewTextHandler(r.log, nil))
	client, err := chain.Dial(r.t.Context(), chain.Config{URLs: r.urls, Timeout: time.Minute, Grace: time.Minute, Unchecked: unchecked}, log, r.reg)
	require.NoError(r.t, err)
	r.t.Cleanup(client.Close)
	r.client = client
	r.Tracker = heads.New(heads.Config{Confirmations: r.depth, Now: func() time.Time { return r.now }}, client, log, r.reg)
}

// reach makes rounds until the head is as wanted.
func (r *forkRig) reach(wanted func(head evidence.Block) bool) evidence.Block {
	var head evidence.Block
	require.Eventually(r.t, func() bool {
		_ = r.Round(r.t.Context())
		head, _ = r.Head()
		return wanted(head)
	}, 2*time.Minute, 5*time.Millisecond, "%s", r.log)
	return head
}

// refused makes rounds until one fails.
func (r *forkRig) refused() {
	require.Eventually(r.t, func() bool { return r.Round(r.t.Context()) != nil }, 2*time.Minute, 5*time.Millisecond)
}

func checked(number uint64) func(evidence.Block) bool {
	return func(b evidence.Block) bool { return b.Checked && b.Number >= number }
}

func unchecked(number uint64) func(evidence.Block) bool {
	return func(b evidence.Block) bool { return !b.Checked && b.Number >= number }
}

// TestAHardForkThatAddsAHeaderField: blocks above it are followed after a while, also by a process that starts then, and become final.
func TestAHardForkThatAddsAHeaderField(t *testing.T) {
	t.Parallel()
	for endpoints := 1; endpoints <= 2; endpoints++ {
		t.Run(fmt.Sprint(endpoints, " endpoints"), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			told := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
			r := newForkRig(t, time.Hour, []*rpcproxy.Emulator{told, told}[:endpoints]...)
			r.reach(checked(forkAfter - 1))
			first := told.Fork()
			for range 6 {
				r.node.Commit()
			}
			r.refused()
			for range 20 {
				require.Error(t, r.Round(ctx))
				head, _ := r.Head()
				require.Less(t, head.Number, first)
			}

			r.start(time.Hour) // all endpoints answer, and none has another newest block
			r.reach(unchecked(first + 5))
			early, err := r.client.BlockByNumber(ctx, 5)
			require.NoError(t, err)
			require.True(t, early.Checked)
			s := r.Subscribe(devnet.Address(0), 0)
			tx := r.tx(0, common.Address{1})
			s.Watch(0, tx.Hash(), 0)
			r.send(tx)
			r.until(s, func(v evidence.View) bool { return v.Final.Number > first && len(v.Included) == 1 })
			require.Equal(t, 1, strings.Count(r.log.String(), "upgrade Scorelay"))
			require.Contains(t, r.log.String(), "unknown_fields=["+rpcproxy.UnknownField+"]")
			require.InDelta(t, 1, gauge(t, r.reg, "scorelay_chain_headers_unchecked"), 0)
			block, ok := r.Block(first + 1)
			require.True(t, ok)

			remove := r.proxies[0].Add(rpcproxy.Reverted())
			_, _, err = r.client.Events(ctx, []evidence.Block{block}, common.Address{1}, nil)
			require.NoError(t, err)
			remove()
			r.proxies[0].Add(rpcproxy.WrongHash())
			lied, err := r.client.Blocks(ctx, strings.TrimPrefix(r.urls[0], "http://"), 5, 5)
			require.ErrorIs(t, err, evidence.ErrContradiction, "%v", lied)
		})
	}
}

// TestAForkIsWaitedFor where a process has seen it, or starts right after it.
func TestAForkIsWaitedFor(t *testing.T) {
	t.Parallel()
	told := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	r := newForkRig(t, 500*time.Millisecond, told)
	r.reach(checked(forkAfter - 1))
	first := told.Fork()
	r.node.Commit()
	r.refused()
	r.now = r.now.Add(2 * time.Minute)
	r.reach(unchecked(first))
	require.Equal(t, 1, strings.Count(r.log.String(), "upgrade Scorelay"))

	r.start(500 * time.Millisecond)
	require.Error(t, r.Round(t.Context()), "a checked block is among the newest")
	r.now = r.now.Add(2 * time.Minute)
	r.reach(unchecked(first))
}

// TestOneEndpointMakesNoFork: what it tells is not followed however long, while another gives checked blocks, or did so lately.
func TestOneEndpointMakesNoFork(t *testing.T) {
	t.Parallel()
	liar, honest := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"}), rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	r := newForkRig(t, time.Nanosecond, liar, honest)
	r.reach(checked(forkAfter - 1))
	liar.Fork()
	for i := range 20 {
		r.node.Commit()
		r.now = r.now.Add(2 * time.Minute)
		for range 5 {
			_ = r.Round(t.Context())
			head, _ := r.Head()
			require.True(t, head.Checked)
		}
		head, err := r.client.Head(t.Context())
		require.True(t, err != nil || head.Checked)
		b, err := r.client.BlockByNumber(t.Context(), uint64(forkAfter+i))
		require.True(t, err != nil || b.Checked)
	}
	r.reach(checked(forkAfter + 19))

	remove := r.proxies[1].Add(rpcproxy.Drop())
	for range 10 {
		r.node.Commit()
		r.now = r.now.Add(2 * time.Second)
		_ = r.Round(t.Context())
		head, _ := r.Head()
		require.True(t, head.Checked)
	}
	remove()
	r.reach(checked(forkAfter + 29))

	remove = r.proxies[1].Add(rpcproxy.Drop())
	r.start(time.Hour) // all that answer at the first contact is the lie
	r.refused()
	for range 10 {
		require.Error(t, r.Round(t.Context()))
		_, ok := r.Head()
		require.False(t, ok)
	}
	remove()
	r.reach(checked(forkAfter + 29))
}

// TestAForkThatOneEndpointDoesNotTake: neither its branch nor the other becomes final above the last block that both have, however long. The one
// that was checked is followed.
func TestAForkThatOneEndpointDoesNotTake(t *testing.T) {
	t.Parallel()
	for _, depth := range []uint64{2, 0} {
		t.Run(fmt.Sprint(depth, " confirmations"), func(t *testing.T) {
			t.Parallel()
			old, upgraded := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"}), rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
			r := newForkRig(t, time.Minute, old, upgraded)
			r.depth = depth
			r.start(time.Minute)
			r.reach(checked(forkAfter - 1))
			first := upgraded.Fork()
			for range 40 {
				r.commit()
				r.now = r.now.Add(20 * time.Second)
				for range 3 {
					_ = r.Round(t.Context())
				}
				final, _ := r.Final()
				require.Less(t, final.Number, first, "%s", r.log)
			}
			r.reach(checked(first + 30))
			final, ok := r.Final()
			require.True(t, ok)
			require.Equal(t, first-1, final.Number)
			require.Contains(t, r.log.String(), "nothing more becomes final until they agree")
		})
	}
}

// TestAnEndpointThatDropsAHeaderField has the right hashes and nothing that can be checked: it holds nothing back.
func TestAnEndpointThatDropsAHeaderField(t *testing.T) {
	t.Parallel()
	for _, depth := range []uint64{2, 0} {
		t.Run(fmt.Sprint(depth, " confirmations"), func(t *testing.T) {
			t.Parallel()
			drops, whole := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"}), rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
			drops.Finalize(4)
			whole.Finalize(2)
			r := newForkRig(t, time.Minute, drops, whole)
			r.depth = depth
			r.start(time.Minute)
			r.reach(checked(forkAfter - 1))
			r.proxies[0].Add(rpcproxy.Fault{Name: "a field less", Methods: []string{rpcproxy.BlockByNumber, rpcproxy.BlockByHash}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
				a.Result = bytes.Replace(a.Result, []byte(`"withdrawalsRoot"`), []byte(`"withdrawals_root"`), 1)
			}})
			for range 30 {
				r.commit()
				r.now = r.now.Add(5 * time.Second)
				for range 3 {
					_ = r.Round(t.Context())
				}
			}
			head, _ := r.Head()
			require.EqualValues(t, forkAfter+29, head.Number)
			final, _ := r.Final()
			require.GreaterOrEqual(t, final.Number, head.Number-8, "%s", r.log)
			require.True(t, final.Checked)
		})
	}
}

// TestAnEndpointThatHaltsAtAFork holds up what the other says above it, also where it is said to be a fork: it is named, and removed by a person.
func TestAnEndpointThatHaltsAtAFork(t *testing.T) {
	t.Parallel()
	upgraded := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	r := newForkRig(t, time.Nanosecond, nil, upgraded)
	r.reach(checked(forkAfter - 1))
	r.proxies[0].Add(rpcproxy.Stuck(forkAfter - 1))
	upgraded.Fork()
	for range 20 {
		r.commit()
		r.now = r.now.Add(time.Minute)
		for range 3 {
			_ = r.Round(t.Context())
		}
		head, _ := r.Head()
		require.EqualValues(t, forkAfter-1, head.Number)
	}
	require.Contains(t, r.log.String(), "upgrade Scorelay")
	require.Contains(t, r.log.String(), "no other endpoint has the block")
}

// TestAReorgAtAHardFork puts blocks of the new form in place of the last ones of the old form.
func TestAReorgAtAHardFork(t *testing.T) {
	t.Parallel()
	const deep, more = 100, 50
	for endpoints := 1; endpoints <= 2; endpoints++ {
		t.Run(fmt.Sprint(endpoints, " endpoints"), func(t *testing.T) {
			t.Parallel()
			told := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
			r := newForkRig(t, time.Nanosecond, []*rpcproxy.Emulator{told, told}[:endpoints]...)
			r.depth = deep + 20
			r.start(time.Nanosecond)
			for range deep {
				r.node.Commit()
			}
			r.reach(checked(forkAfter - 1 + deep))
			told.ForkAt(forkAfter)
			fresh.Reorg(t, r.node, forkAfter-1, func() {
				for range deep + more {
					r.node.Commit()
				}
			})
			r.now = r.now.Add(2 * time.Minute)
			r.reach(unchecked(forkAfter - 1 + deep + more))
			require.Eventually(t, func() bool {
				_ = r.Round(t.Context())
				final, _ := r.Final()
				return !final.Checked && final.Number == forkAfter+deep+more-r.depth
			}, time.Minute, 5*time.Millisecond)
		})
	}
}

// TestBothEndpointsSayTheSameOfABlock whose header cannot be checked: a right hash with another root is not believed.
func TestBothEndpointsSayTheSameOfABlock(t *testing.T) {
	t.Parallel()
	told := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	r := newForkRig(t, time.Nanosecond, told, told)
	r.reach(checked(forkAfter - 1))
	first := told.Fork()
	r.node.Commit()
	r.now = r.now.Add(2 * time.Minute)
	r.reach(unchecked(first))
	remove := r.proxies[0].Add(rpcproxy.Fault{Name: "another root", Methods: []string{rpcproxy.BlockByNumber}, Answer: func(_ *rpcproxy.Node, _ *rpcproxy.Call, a *rpcproxy.Answer) {
		a.Result = bytes.Replace(a.Result, []byte(`"receiptsRoot":"0x5`), []byte(`"receiptsRoot":"0x6`), 1)
	}})
	r.node.Commit()
	for range 10 {
		_ = r.Round(t.Context())
		head, _ := r.Head()
		require.Equal(t, first, head.Number)
	}
	remove()
	r.reach(unchecked(first + 1))
}

// TestBelowAForkHeadersAreChecked also by a process that has seen none of them: an endpoint has one below them that does not hash.
func TestBelowAForkHeadersAreChecked(t *testing.T) {
	t.Parallel()
	told := rpcproxy.NewEmulator(rpcproxy.Rules{Name: "Ethereum"})
	r := newForkRig(t, time.Hour, told)
	r.reach(checked(forkAfter - 1))
	first := told.Fork()
	for range 30 {
		r.node.Commit()
	}
	r.start(time.Hour)
	r.proxies[0].Add(rpcproxy.Fault{Name: "another root", Methods: []string{rpcproxy.BlockByNumber}, Answer: func(_ *rpcproxy.Node, c *rpcproxy.Call, a *rpcproxy.Answer) {
		if string(c.Args()[0]) == `"0x5"` {
			a.Result = bytes.Replace(a.Result, []byte(`"receiptsRoot":"0x5`), []byte(`"receiptsRoot":"0x6`), 1)
		}
	}})
	r.reach(unchecked(first + 29))
	name := strings.TrimPrefix(r.urls[0], "http://")
	blocks, err := r.client.Blocks(t.Context(), name, 3, first+3)
	require.ErrorIs(t, err, evidence.ErrContradiction)
	require.LessOrEqual(t, len(blocks), 3)
	_, err = r.client.BlockByNumber(t.Context(), 5)
	require.ErrorIs(t, err, evidence.ErrContradiction)
}

func gauge(t *testing.T, reg *prometheus.Registry, name string) (value float64) {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			value = family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	return value
}
