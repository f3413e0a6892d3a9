package httpapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/ledger/rig"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// follower obeys docs/events.md: it takes an event of each id once, and drops what a reorg voids.
type follower struct {
	mu      sync.Mutex
	order   []string
	blocks  map[string]uint64 // of what it holds, by id
	rewinds atomic.Int32
	came    atomic.Int32
}

func (f *follower) take(e *sdk.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.came.Add(1)
	switch data := e.Data.(type) {
	case *sdk.RewindData:
		f.rewinds.Add(1)
		f.order = slices.DeleteFunc(f.order, func(id string) bool {
			void := f.blocks[id] > data.Block
			if void {
				delete(f.blocks, id)
			}
			return void
		})
	case *sdk.ChangeData:
		f.keep(e.ID, data.Block)
	case *sdk.UpdateData:
		f.keep(e.ID, data.Block)
	}
}

func (f *follower) keep(id string, block uint64) {
	if f.blocks == nil {
		f.blocks = map[string]uint64{}
	}
	if _, seen := f.blocks[id]; !seen {
		f.blocks[id] = block
		f.order = append(f.order, id)
	}
}

func (f *follower) holds(ids []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Equal(ids, f.order)
}

// webhooks are endpoints of the bench's project, whose events followers take, in POSTs of so many.
func (b *bench) webhooks(n, batch int, events webhook.Events) []*follower {
	b.t.Helper()
	nc, err := nats.Connect(b.nats.URL, nats.Timeout(time.Minute))
	require.NoError(b.t, err)
	b.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(30*time.Second))
	require.NoError(b.t, err)
	store, err := webhook.Open(b.t.Context(), js)
	require.NoError(b.t, err)
	all := make([]*follower, n)
	for i := range all {
		f := &follower{}
		all[i] = f
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			var body struct {
				Data struct {
					Events []sdk.Event `json:"events"`
				} `json:"data"`
			}
			if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
				b.t.Error(err)
			}
			for j := range body.Data.Events {
				f.take(&body.Data.Events[j])
			}
		}))
		b.t.Cleanup(server.Close)
		_, _, err := store.Add(b.t.Context(), webhook.Endpoint{Project: b.project.ID, URL: server.URL, Batch: batch}, webhook.Move{From: &event.Cursor{}})
		require.NoError(b.t, err)
	}
	d := webhook.New(webhook.Config{Store: store, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Log: slog.New(slog.DiscardHandler), TryAgain: 50 * time.Millisecond})
	b.beside(func(ctx context.Context) { _ = d.Watch(ctx) })
	b.beside(func(ctx context.Context) { d.Run(ctx, events) })
	return all
}

// beside runs something until the test ends.
func (b *bench) beside(run func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	b.t.Cleanup(func() { cancel(); running.Wait() })
}

// streams are followers of the bench's project by the SDK.
func (b *bench) streams(n int) []*follower {
	all := make([]*follower, n)
	client := sdk.NewClient(b.url, b.secret.Reveal(), nil)
	for i := range all {
		f := &follower{}
		all[i] = f
		b.beside(func(ctx context.Context) {
			for e, err := range client.Events(ctx, b.project.ID, sdk.EventOptions{After: sdk.Start}) {
				if err != nil {
					if ctx.Err() == nil {
						b.t.Error(err)
					}
					return
				}
				f.take(&e)
			}
		})
	}
	return all
}

// TestNeitherAStreamNorAWebhookTellsWhatOneEndpointCallsFinal while another one is on another branch: the relayers do not call that final, and there is one
// rule.
func TestNeitherAStreamNorAWebhookTellsWhatOneEndpointCallsFinal(t *testing.T) {
	t.Parallel()
	var urls []string
	var proxies []*rpcproxy.Proxy
	for range 2 {
		p, err := rpcproxy.Start(shared.chain.URL, 1)
		require.NoError(t, err)
		t.Cleanup(p.Close)
		proxies, urls = append(proxies, p), append(urls, p.URL)
	}
	log := slog.New(slog.DiscardHandler)
	client, err := chain.Dial(t.Context(), chain.Config{URLs: urls, Timeout: time.Minute}, log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	const confirmations = 2
	tracker := heads.New(heads.Config{Confirmations: confirmations, PollInterval: 20 * time.Millisecond}, client, log, prometheus.NewRegistry())
	b := newBench(t, nil)
	b.beside(tracker.Run)
	b.beside(func(ctx context.Context) { _ = b.reader.Source.Run(ctx) })
	w := &ledger.Writer{Deployment: b.stream.Deployment(), Heads: tracker, Chain: client, Letters: b.stream, Ledger: b.reader.Source.Ledger, Log: log}
	b.beside(func(ctx context.Context) { _ = w.Run(ctx) })
	b.finalize = func() {
		for range confirmations {
			require.NoError(t, transact(nil, nil)) // blocks
		}
	}
	relay := b.executing()
	all := append(b.streams(1), b.webhooks(1, 10, b.reader)...)
	relay("one")
	b.finalize()
	told := func(n int) bool {
		return !slices.ContainsFunc(all, func(f *follower) bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.order) != n })
	}
	require.Eventually(t, func() bool { return told(1) }, 2*time.Minute, 10*time.Millisecond)

	agree := proxies[1].Add(rpcproxy.Sibling())
	relay("two")
	at, err := shared.chain.Client().BlockNumber(t.Context())
	require.NoError(t, err)
	b.finalize()
	require.Eventually(t, func() bool {
		final, err := client.FinalBlock(t.Context(), confirmations)
		return err == nil && final.Number >= at
	}, 2*time.Minute, 10*time.Millisecond, "one endpoint calls it so")
	require.Never(t, func() bool { return !told(1) }, 3*time.Second, 20*time.Millisecond)
	final, ok := tracker.Final()
	require.True(t, ok)
	require.Less(t, final.Number, at)
	agree()
	b.finalize()
	require.Eventually(t, func() bool { return told(2) }, 2*time.Minute, 10*time.Millisecond)
}

// TestReadersInTheMiddleOfDeepReorgs go on by themselves: streams by the SDK, and webhooks. At the end each holds exactly the contract's events.
func TestReadersInTheMiddleOfDeepReorgs(t *testing.T) {
	t.Parallel()
	const streams, webhooks, longest = 200, 20, 5000
	model := rig.NewChain(score.Deployment{Lanes: 2, ChainID: 1, Contract: shared.contract}, score.ProjectID{})
	b := newBench(t, func(s *setup) {
		s.config.MaxStreams, s.config.RatePerSecond, s.config.LookUpsPerSecond = 4*streams, 1e6, 1e6
		s.config.MaxConnections, s.config.MaxPerAddress, s.config.MaxPerKey = 10*streams, 10*streams, 10*streams
		s.deps = func(d *httpapi.Deps) {
			r := d.Events.(*event.Reader)
			r.Chain, r.Deployment, r.Source.Chain, r.Source.Deployment = model, model.Deployment, model, model.Deployment
		}
	})
	model.Project = b.project.ID
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	w := &ledger.Writer{Deployment: model.Deployment, Heads: model, Chain: model, Letters: rig.NoLetters{}, Ledger: b.reader.Source.Ledger, Log: slog.New(slog.DiscardHandler)}
	b.beside(func(ctx context.Context) { _ = b.reader.Source.Run(ctx) })
	mine := func(blocks int) {
		for i := range blocks {
			model.Mine(max(0, 3-i%50))
		}
		model.Mine(1)
		model.Finalize()
		require.NoError(t, w.CatchUp(t.Context()))
	}
	mine(10) // the ledger begins with the contract
	mine(longest + 200)
	all := append(b.streams(streams), b.webhooks(webhooks, 50, b.reader)...)
	reached := func(n int32) {
		require.Eventually(t, func() bool {
			return slices.ContainsFunc(all, func(f *follower) bool { return f.came.Load() > n })
		}, 5*time.Minute, time.Millisecond)
	}
	for _, depth := range []int{1, 100, longest} {
		reached(50)
		model.Cut(depth)
		mine(depth)
	}
	want := model.EventIDs()
	var rewinds int32
	for i, f := range all {
		require.Eventually(t, func() bool { return f.holds(want) }, 5*time.Minute, 5*time.Millisecond, "follower %d", i)
		rewinds += f.rewinds.Load()
	}
	t.Logf("%d events each, %d rewinds were told", len(want), rewinds)
	require.Positive(t, rewinds)
}
