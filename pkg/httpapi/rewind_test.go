package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/ledger/rig"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// follower obeys docs/events.md: it takes an event of each id once, and drops what a reorg voids.
type follower struct {
	mu      sync.Mutex
	order   []string
	blocks  map[string]uint64 // of what it holds, by id
	kinds   map[string]string // of these
	rewinds atomic.Int32
	middle  chan struct{} // not nil: it takes no more than some events before that is closed
}

// gated is how many events a follower takes before it waits in the middle.
const gated = 60

func (f *follower) take(e *sdk.Event) {
	f.mu.Lock()
	waits := f.middle != nil && len(f.order) == gated
	f.mu.Unlock()
	if waits {
		<-f.middle
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch data := e.Data.(type) {
	case *sdk.RewindData:
		f.rewinds.Add(1)
		f.drop(data.Block + 1)
	case *sdk.ChangeData:
		f.keep(e, data.Block)
	case *sdk.UpdateData:
		f.keep(e, data.Block)
	case *sdk.ProjectData:
		f.keep(e, data.Block)
	case *sdk.EditData:
		f.keep(e, data.Block)
	}
}

func (f *follower) keep(e *sdk.Event, block uint64) {
	if f.blocks == nil {
		f.blocks, f.kinds = map[string]uint64{}, map[string]string{}
	}
	if _, seen := f.blocks[e.ID]; !seen {
		f.blocks[e.ID], f.kinds[e.ID] = block, e.Type
		f.order = append(f.order, e.ID)
	}
}

// held are the ids that it holds, of one type or, of "", all; those of the contract's events, or those without a block.
func (f *follower) held(kind event.Type, ofContract bool) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := []string{}
	for _, id := range f.order {
		if (kind == "" || f.kinds[id] == string(kind)) && (f.blocks[id] > 0) == ofContract {
			ids = append(ids, id)
		}
	}
	return ids
}

// drop forgets what it was told of blocks from one on; mu is held, or nothing is told.
func (f *follower) drop(from uint64) {
	f.order = slices.DeleteFunc(f.order, func(id string) bool {
		void := f.blocks[id] >= from
		if void {
			delete(f.blocks, id)
		}
		return void
	})
}

func (f *follower) holds(ids []string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Equal(ids, f.order)
}

// newest is the id of what it was told last, if that is of a block from one on.
func (f *follower) newest(from uint64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.order); n > 0 && f.blocks[f.order[n-1]] >= from {
		return f.order[n-1]
	}
	return ""
}

func (f *follower) has(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.order, id)
}

// webhooks are endpoints of the bench's project, whose events followers take, in POSTs of so many.
func (b *bench) webhooks(n, batch int, events webhook.Events) []*follower {
	return b.endpoints(events, slices.Repeat([]webhook.Endpoint{{Batch: batch}}, n)...)
}

func (b *bench) endpoints(events webhook.Events, endpoints ...webhook.Endpoint) (all []*follower) {
	b.t.Helper()
	store := b.webhookStore()
	for _, to := range endpoints {
		f, _ := b.endpoint(store, to)
		all = append(all, f)
	}
	b.deliver(store, events)
	return all
}

func (b *bench) webhookStore() *webhook.Store {
	b.t.Helper()
	store, err := webhook.Open(b.t.Context(), b.js)
	require.NoError(b.t, err)
	return store
}

// endpoint adds one that takes batches of the project's events, from its beginning on.
func (b *bench) endpoint(store *webhook.Store, to webhook.Endpoint) (f *follower, id string) {
	b.t.Helper()
	f = &follower{middle: b.middle}
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
	to.Project, to.URL = b.project.ID, server.URL
	added, _, err := store.Add(b.t.Context(), to, webhook.Move{From: &event.Cursor{}})
	require.NoError(b.t, err)
	return f, added.ID
}

// deliver is a relayer that delivers.
func (b *bench) deliver(store *webhook.Store, events webhook.Events) (stop func()) {
	d := webhook.New(webhook.Config{Store: store, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Log: slog.New(slog.DiscardHandler), TryAgain: 50 * time.Millisecond})
	watched, delivered := b.beside(func(ctx context.Context) { _ = d.Watch(ctx) }), b.beside(func(ctx context.Context) { d.Run(ctx, events) })
	return func() { delivered(); watched() }
}

// beside runs something until the test ends, or stop.
func (b *bench) beside(run func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	stop = func() { cancel(); running.Wait() }
	b.t.Cleanup(stop)
	return stop
}

// streams are followers of the bench's project by the SDK.
func (b *bench) streams(n int) []*follower {
	all := make([]*follower, n)
	for i := range all {
		all[i] = &follower{middle: b.middle}
		b.follow(all[i], sdk.Start)
	}
	return all
}

// follow has a follower read a stream from a cursor on.
func (b *bench) follow(f *follower, after string) {
	client := sdk.NewClient(b.url, b.secret.Reveal(), nil)
	b.beside(func(ctx context.Context) {
		for e, err := range client.Events(ctx, b.project.ID, sdk.EventOptions{After: after}) {
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

// TestReadersInTheMiddleOfDeepReorgs go on by themselves: streams by the SDK, and webhooks. At the end each holds exactly the contract's events.
func TestReadersInTheMiddleOfDeepReorgs(t *testing.T) {
	streams, webhooks, longest := long.Size(20, 200), long.Size(4, 20), long.Size(1000, 5000)
	if testing.Short() {
		streams, longest = min(streams, 40), 1000 // under the race detector, 200 are slower than a call's timeout
	}
	model := rig.NewChain(score.Deployment{Lanes: 2, ChainID: 1, Contract: shared.contract}, score.ProjectID{})
	b := newBench(t, func(s *setup) {
		s.nats = fresh.NATS(t)
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
	b.middle = make(chan struct{})
	all := append(b.webhooks(webhooks, 50, b.reader), b.streams(streams)...)
	goOn := sync.OnceFunc(func() { close(b.middle) })
	t.Cleanup(goOn)
	for _, depth := range []int{longest, 100, 1} { // while all are in the middle, some, few
		from, ids := uint64(model.Length()-depth), model.EventIDs()
		var ahead *follower // holds an event that the chain loses
		var lost string
		require.Eventually(t, func() bool {
			for _, ahead = range all {
				if lost = ahead.newest(from); lost != "" && slices.Contains(ids, lost) {
					return true
				}
			}
			return false
		}, 5*time.Minute, time.Millisecond, "none is where %d blocks go", depth)
		reading := 0
		for _, f := range all {
			if !f.holds(ids) {
				reading++
			}
		}
		model.Cut(depth)
		mine(depth)
		goOn()
		t.Logf("%d blocks went, while %d of %d followers read", depth, reading, len(all))
		require.Eventually(t, func() bool { return !ahead.has(lost) }, 5*time.Minute, 5*time.Millisecond, "a reorg of %d blocks is not told", depth)
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

// TestARewindIsToldOfEveryTypeOfEvent, to streams and webhooks, also to a webhook that asked for one type only, and to who comes back with a cursor of before: what
// of the contract's events is void goes, what holds comes, and what has no block stays.
func TestARewindIsToldOfEveryTypeOfEvent(t *testing.T) {
	t.Parallel()
	node, log := fresh.NewChain(t), slog.New(slog.DiscardHandler)
	created := fresh.Transact(t, node, 0, nil, registry.DeployData(0, devnet.Address(0), []common.Address{devnet.Address(0)}))
	of := score.Deployment{Lanes: 2, ChainID: devnet.ChainID, Contract: created.ContractAddress, DeployBlock: created.BlockNumber.Uint64()}
	client, err := chain.Dial(t.Context(), chain.Config{URLs: []string{node.URL}, Timeout: time.Minute}, log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	b := startBench(t, func(s *setup) {
		s.nats = fresh.NATS(t)
		s.deps = func(d *httpapi.Deps) {
			r := d.Events.(*event.Reader)
			r.Chain, r.Deployment, r.Source.Chain, r.Source.Deployment = client, of, client, of
		}
	})
	b.final.records.Store(b.project.ID, score.RecordOf(b.project))
	w := &ledger.Writer{Deployment: of, Heads: following{client}, Chain: client, Letters: b.stream, Ledger: b.reader.Source.Ledger, Log: log}
	b.beside(func(ctx context.Context) { _ = b.reader.Source.Run(ctx) })
	call := func(key int, data []byte) uint64 {
		return fresh.Transact(t, node, key, &of.Contract, data).BlockNumber.Uint64()
	}
	create := func() uint64 { return call(0, registry.EncodeCreateProject(b.project)) }
	relay := func(signer int, ids ...string) {
		call(0, registry.EncodeBatch(batch.Batch{Groups: []batch.Group{returned(b.project.ID, signer, ids...)}}))
	}
	create()
	relay(1, "stays")
	above := call(1, calls.AddScoreType(b.project.ID, "luck"))
	relay(1, "goes", "again", "goes")
	relay(7, "of no member")
	call(1, calls.AddUpdater(b.project.ID, devnet.Address(7)))
	never := score.Update{Project: b.project.ID, ID: updateID("never"), Signer: devnet.Address(1), Action: 1}
	edit := score.SignedEdit{ProjectEdit: score.ProjectEdit{Project: b.project.ID, Nonce: 4, Edits: []score.Edit{{Operation: score.AddScoreType, Name: "fame"}}}, Owner: devnet.Address(1)}
	require.NoError(t, b.stream.AddDeadLetters(t.Context(), []score.DeadLetter{
		{Update: &never, Work: 1, Outcome: score.Unprocessable}, {Project: b.project, Seq: 2, Outcome: score.ProjectExists}, {Edit: &edit, Seq: 3, Outcome: score.WrongEditNonce},
	}))
	require.NoError(t, b.stream.DeadLetters(t.Context(), func(d score.DeadLetter) error {
		if d.Edit != nil {
			return nil
		}
		return b.stream.MarkReplayed(t.Context(), d, time.Now())
	}))
	require.NoError(t, w.CatchUp(t.Context()))

	first := b.streams(1)[0]
	kinds := slices.DeleteFunc(event.Types(), func(kind event.Type) bool { return kind == event.ChainRewound })
	endpoints := []webhook.Endpoint{{Batch: 3}}
	for _, kind := range kinds {
		endpoints = append(endpoints, webhook.Endpoint{Batch: 3, Types: []event.Type{kind}})
	}
	webhooks := b.endpoints(b.reader, endpoints...)
	all, ofOne := webhooks[0], webhooks[1:]
	wanted := func() (ids []string) { // the contract's events, as the chain has them
		logs, err := node.Client().FilterLogs(t.Context(), ethereum.FilterQuery{
			Addresses: []common.Address{of.Contract}, FromBlock: new(big.Int).SetUint64(of.DeployBlock), Topics: [][]common.Hash{registry.Topics()},
		})
		require.NoError(t, err)
		for i := range logs {
			parsed, err := registry.ParseLog(&logs[i])
			require.NoError(t, err)
			updates := 0
			for range registry.ExecutedOf(parsed, b.project.ID) {
				updates++
			}
			for part := range max(1, updates) {
				ids = append(ids, fmt.Sprintf("%s-%d-%d", logs[i].BlockHash, logs[i].Index, part))
			}
		}
		return ids
	}
	hold := func(rewinds int32, followers ...*follower) {
		t.Helper()
		want := wanted()
		for i, f := range followers {
			require.Eventually(t, func() bool {
				return f.rewinds.Load() == rewinds && slices.Equal(want, f.held("", true)) && len(f.held("", false)) == 5
			}, time.Minute, 5*time.Millisecond, "follower %d: %d rewinds; wants %q, holds %q and %q", i, f.rewinds.Load(), want, f.held("", true), f.held("", false))
		}
		for i, f := range ofOne {
			kind := kinds[i]
			require.Eventually(t, func() bool {
				return f.rewinds.Load() == rewinds && slices.Equal(first.held(kind, true), f.held("", true)) && slices.Equal(first.held(kind, false), f.held("", false))
			}, time.Minute, 5*time.Millisecond, "%s: %d rewinds, %q and %q", kind, f.rewinds.Load(), f.held("", true), f.held("", false))
		}
	}
	hold(0, first, all)
	told := b.events("start").next(len(first.held("", true)) + len(first.held("", false)))
	cursors := map[event.Type]string{}
	for _, e := range told {
		cursors[event.Type(e.Type)] = e.cursor
	}
	require.Len(t, cursors, len(kinds), "one of each type at least")

	for rewinds, replace := range []func(){
		func() { fresh.Reorg(t, node, above, func() { relay(1, "again") }) },
		func() { fresh.Reorg(t, node, of.DeployBlock, func() { create(); relay(7, "again") }) },
	} {
		replace()
		require.NoError(t, w.CatchUp(t.Context()))
		back := []*follower{first, all}
		for kind, cursor := range cursors { // who comes back holds what came up to its cursor
			f := &follower{}
			for _, e := range told {
				raw, err := json.Marshal(e)
				require.NoError(t, err)
				var was sdk.Event
				require.NoError(t, json.Unmarshal(raw, &was))
				f.take(&was)
				if e.cursor == cursor {
					break
				}
			}
			require.NotEmpty(t, f.order, kind)
			b.follow(f, cursor)
			back = append(back, f)
		}
		hold(int32(rewinds+1), back...)
	}
	require.Empty(t, first.held(event.UpdateApplied, true), "no member did it in the end")
}

// TestWhatWebhooksOperatorsAreAdvisedWorks after a reorg deeper than finality that the ledger knows nothing of any more: the commands of the endpoint's reason, also
// with a time in place of start. The receiver drops what it was told, or what it was told of since that time.
func TestWhatWebhooksOperatorsAreAdvisedWorks(t *testing.T) {
	b, ctx, log := newBench(t, func(s *setup) { s.nats = fresh.NATS(t) }), t.Context(), slog.New(slog.DiscardHandler)
	model := rig.NewChain(score.Deployment{Lanes: 2, ChainID: 1, Contract: shared.contract}, b.project.ID)
	facts, err := b.stream.Ledger(ctx, nil)
	require.NoError(t, err)
	mine := func(blocks int) {
		for range blocks {
			model.Mine(2)
		}
		model.Finalize()
		w := &ledger.Writer{Deployment: model.Deployment, Heads: model, Chain: model, Letters: rig.NoLetters{}, Ledger: facts, Log: log}
		require.NoError(t, w.CatchUp(ctx))
	}
	reader := func() *event.Reader { // of a process that is new
		r := &event.Reader{
			Source:  &ledger.Source{Ledger: facts, Chain: model, Deployment: model.Deployment, Log: log},
			Letters: rig.NoLetters{}, Chain: model, Deployment: model.Deployment, Projects: b.final, Poll: 5 * time.Millisecond, Log: log,
		}
		b.beside(func(ctx context.Context) { _ = r.Source.Run(ctx) })
		return r
	}
	mine(20)
	store := b.webhookStore()
	whole, wholeID := b.endpoint(store, webhook.Endpoint{Batch: 10})
	since, sinceID := b.endpoint(store, webhook.Endpoint{Batch: 10})
	holds := func(f *follower) func() bool { return func() bool { return f.holds(model.EventIDs()) } }
	stop := b.deliver(store, reader())
	for _, f := range []*follower{whole, since} {
		require.Eventually(t, holds(f), time.Minute, 5*time.Millisecond)
	}
	stop()
	before := uint64(model.Length() - 8)
	at, err := model.BlockByNumber(ctx, before)
	require.NoError(t, err)

	of, err := b.js.Stream(ctx, stream.LedgerName)
	require.NoError(t, err)
	require.NoError(t, of.Purge(ctx))
	model.Cut(5)
	mine(7)
	b.deliver(store, reader())
	start := time.Unix(int64(at.Time), 0)
	for id, move := range map[string]webhook.Move{wholeID: {From: &event.Cursor{}}, sinceID: {Time: start}} {
		require.Eventually(t, func() bool {
			e, _, err := store.Get(ctx, id)
			return err == nil && e.Disabled != nil && strings.Contains(e.Disabled.Why,
				": run `scorelay webhooks redeliver "+id+" --from start` (or from a time before it), then `scorelay webhooks enable "+id+"`")
		}, time.Minute, 5*time.Millisecond)
		_, err := store.Move(ctx, id, move)
		require.NoError(t, err)
	}
	whole.drop(0)
	since.drop(before)
	for id, f := range map[string]*follower{wholeID: whole, sinceID: since} {
		require.NoError(t, store.Enable(ctx, id))
		require.Eventually(t, holds(f), time.Minute, 5*time.Millisecond)
	}
}
