package overview

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const firstAccount = 4 // of the lanes' signers

// rig is a deployment of three lanes: two were driven, one never was. Nothing runs.
type rig struct {
	*Deployment
	journals *stream.Journal
	roster   roster.Roster
	redis    *devnet.RedisServer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOn(t, fresh.JetStream(t), 1)
}

// newRigOn is newRig on these NATS servers, each of which keeps a copy.
func newRigOn(t *testing.T, js jetstream.JetStream, copies int) *rig {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	geth, err := devnet.StartChain(devnet.ChainOptions{Interval: 100 * time.Millisecond, Alloc: types.GenesisAlloc{{1}: {Code: []byte{1}, Balance: new(big.Int)}}})
	require.NoError(t, err)
	t.Cleanup(geth.Close)
	client, err := chain.Dial(t.Context(), chain.Config{URLs: []string{geth.URL}}, quiet, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	server := fresh.Redis(t)
	redis, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = redis.Close() })
	redis.Timeout = 10 * time.Second // of one call, where a machine is busy
	held := standings.New(redis, standings.Config{})
	begun, err := held.Begin(t.Context(), 0, 1)
	require.NoError(t, err)
	advance(t, held, begun, 1)
	require.Eventually(t, func() bool { // servers of a cluster find each other first
		return stream.Setup(t.Context(), js, stream.Config{
			Deployment: score.Deployment{Lanes: 3, ChainID: 1337, Contract: common.Address{1}, DeployBlock: 1}, Replicas: copies,
		}) == nil
	}, 3*time.Minute, 100*time.Millisecond)
	opened, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	r := &rig{Deployment: &Deployment{JS: js, Stream: opened, Chain: client, Redis: redis, Standings: held, Log: quiet}, redis: server}
	r.roster, err = roster.First([]common.Address{devnet.Address(firstAccount), devnet.Address(firstAccount + 1), devnet.Address(firstAccount + 2)})
	require.NoError(t, err)
	lanes, err := kv.OpenRoster(t.Context(), js)
	require.NoError(t, err)
	_, err = lanes.Create(t.Context(), r.roster)
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "$KV.LEASES.ledger", []byte("relayer-a TOKEN"))
	require.NoError(t, err)
	r.journals, err = stream.OpenJournal(t.Context(), js)
	require.NoError(t, err)
	for id := range score.Lane(2) {
		_, err = r.journals.Append(t.Context(), id, 0, lane.Entry{
			Version: lane.Version, Epoch: 1, Time: time.Now(),
			Open: &lane.Open{Replica: "a", Identity: lane.Identity{Signer: r.roster.Lanes[id].Signer}, Buckets: r.roster.Wanted(id)},
		})
		require.NoError(t, err)
	}
	return r
}

// advance has the standings be of a block.
func advance(t *testing.T, held *standings.Store, from score.Checkpoint, block uint64) score.Checkpoint {
	t.Helper()
	to := from
	to.Block, to.Hash, to.Time = block, common.Hash{byte(block)}, time.Now()
	require.NoError(t, held.Advance(t.Context(), from, to))
	return to
}

// project is one of a lane's.
func (r *rig) project(id score.Lane) (p score.ProjectID) {
	for p[0] = 1; r.roster.Owners[score.BucketOf(p)] != id; p[0]++ {
	}
	return p
}

// accept stores an envelope of n updates of a project.
func (r *rig) accept(t *testing.T, p score.ProjectID, n int) {
	t.Helper()
	updates := make([]score.Update, n)
	for i := range updates {
		updates[i] = score.Update{Project: p, ID: score.UpdateID{31: byte(i)}, Target: common.Address{1}, Signer: common.Address{2}}
	}
	require.NoError(t, r.Stream.PublishEnvelope(t.Context(), fmt.Sprintf("%x %d", p[:4], n), updates, nil))
}

// lease gives relayers the leases of lanes, from lane 0 on.
func (r *rig) lease(t *testing.T, relayers ...string) {
	t.Helper()
	for id, name := range relayers {
		_, err := r.JS.Publish(t.Context(), fmt.Sprintf("$KV.LEASES.lane.%d", id), []byte(name+" TOKEN"))
		require.NoError(t, err)
	}
}

func (r *rig) look(t *testing.T) *Document {
	t.Helper()
	doc, err := r.Look(t.Context())
	require.NoError(t, err)
	return doc
}

// TestWhatIsStoredIsToldWithoutRelayers: each lane of the roster, by its journal, its lease, the stream and the chain.
func TestWhatIsStoredIsToldWithoutRelayers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	doc := r.look(t)
	require.False(t, doc.OK)
	require.Equal(t, "3 of 3 lanes wait; lane 0: no relayer drives it; one that runs and has its key takes it by itself", doc.Verdict)
	require.Len(t, doc.Lanes, 3)
	require.Equal(t, "no relayer has its key, or none runs", doc.Lanes[2].Why)
	for i, l := range doc.Lanes {
		require.Equal(t, devnet.Address(firstAccount+i), l.Signer)
		require.NotEmpty(t, l.BalanceWei)
		require.Zero(t, *l.Nonces.Chain)
		require.Nil(t, l.LastsSeconds, "nothing was spent")
	}
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	for _, list := range []string{`"replicas":[]`, `"backlog":[]`, `"behind":[]`} {
		require.Contains(t, string(text), list, "an empty list is a list")
	}

	busy, other := r.project(0), r.project(2)
	r.accept(t, busy, 5)
	r.accept(t, other, 2)
	bucket := score.BucketOf(busy)
	_, err = r.journals.Append(t.Context(), 0, 1, lane.Entry{Version: lane.Version, Epoch: 1, Time: time.Now(), Pass: &lane.Pass{Moves: []lane.Move{
		{Bucket: bucket, Floor: score.Position{Seq: 1, Index: 2}, Passed: 2, Bound: score.Positions{{Position: score.Position{Seq: 1}, Count: 2}}},
	}}})
	require.NoError(t, err)
	doc = r.look(t)
	require.True(t, doc.BacklogWhole)
	require.Equal(t, []uint64{3, 0, 2}, []uint64{doc.Lanes[0].Waiting, doc.Lanes[1].Waiting, doc.Lanes[2].Waiting})
	require.Len(t, doc.Backlog, 2)
	require.Equal(t, busy, doc.Backlog[0].Project)
	require.Equal(t, score.Lane(2), doc.Backlog[1].Lane)
	require.Equal(t, uint64(2), doc.Backlog[1].Updates)
	require.NotNil(t, doc.Backlog[0].OldestSeconds)
	require.NotNil(t, doc.Lanes[2].OldestSeconds)
	require.Nil(t, doc.Lanes[1].OldestSeconds)
}

// newMovingRig is a rig in which a relayer has the leases of all lanes, and says that they move.
func newMovingRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.lease(t, "relayer-a", "relayer-a", "relayer-a")
	r.moving(t)
	return r
}

// moving has the relayer say that all lanes move.
func (r *rig) moving(t *testing.T) {
	t.Helper()
	require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{Role: relayer, Name: "relayer-a", Lanes: map[score.Lane]kv.LaneReport{0: {}, 1: {}, 2: {}}}))
}

// TestWhatReplicasSayIsTold: why a lane waits, versions, and how endpoints do.
func TestWhatReplicasSayIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.lease(t, "relayer-a", "relayer-b", "relayer-b")
	doc := r.look(t)
	require.False(t, doc.OK, "a lease alone may be one that NATS cannot end")
	require.Equal(t, "3 of 3 lanes wait; lane 0: its relayer says nothing of it; if it died, another that has its key takes the lane by itself", doc.Verdict)
	require.Equal(t, []Replica{{Role: relayer, Name: "relayer-a", Lanes: 1}, {Role: relayer, Name: "relayer-b", Lanes: 2}}, doc.Replicas, "of a version that says nothing")

	began := time.Now().Add(-time.Hour).UTC()
	lasts, dry := 7200.5, 0.0
	tell := func(wait lane.Wait) {
		require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{
			Role: relayer, Name: "relayer-b", Version: "v1.4.0 (go1.26)", Began: began,
			Endpoints: []kv.EndpointReport{{Name: "node:8545", Why: "throttling", Newest: 9}},
			Lately:    &kv.Lately{Seconds: 50, Counts: kv.Counts{Final: 2_000, Gas: 40_000_000, Fees: 0.1, BlockGas: 3_000, BlockLimit: 12_000}},
			Lanes:     map[score.Lane]kv.LaneReport{1: {Since: began, Lasts: &lasts}, 2: {Wait: string(wait), Since: began, Lasts: &dry, Lacks: big.NewInt(123_400_000_000_000_001)}},
		}))
	}
	tell(lane.WaitFunds)
	doc = r.look(t)
	require.Equal(t, "2 of 3 lanes wait; lane 0: its relayer says nothing of it; if it died, another that has its key takes the lane by itself", doc.Verdict)
	require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{
		Role: relayer, Name: "relayer-a", Version: "v1.3.0", Began: began, Lanes: map[score.Lane]kv.LaneReport{0: {Since: began}},
	}))
	require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{
		Role: "api", Name: "api-1", Version: "v1.4.0", Began: began, Lately: &kv.Lately{Seconds: 10, Counts: kv.Counts{Accepted: 1_234}},
	}))
	doc = r.look(t)
	require.False(t, doc.OK)
	require.Equal(t, "lane 2 waits: its signer cannot pay for another transaction; fund it: "+devnet.Address(firstAccount+2).Hex()+" needs 0.13 ETH more at least", doc.Verdict)
	require.Equal(t, "123400000000000001", doc.Lanes[2].LacksWei)
	require.Equal(t, lane.WaitFunds, doc.Lanes[2].Wait)
	require.True(t, doc.Lanes[1].Moves)
	require.Equal(t, int64(7200), *doc.Lanes[1].LastsSeconds)
	require.Zero(t, *doc.Lanes[2].LastsSeconds)
	require.Nil(t, doc.Lanes[0].LastsSeconds, "it is not known")
	require.Equal(t, began, doc.Lanes[2].Since.UTC())
	require.InDelta(t, 123.4, doc.Rates.AcceptedPerSecond, 0.01)
	require.InDelta(t, 40, doc.Rates.FinalPerSecond, 0.01)
	require.InDelta(t, 20_000, *doc.Rates.GasPerUpdate, 0.01)
	require.InDelta(t, 2.5, *doc.Rates.GasPriceGwei, 0.001)
	require.InDelta(t, 0.25, *doc.Rates.BlockFill, 0.001)
	require.Equal(t, map[string][]string{"node:8545": {"throttling for relayer relayer-b"}}, doc.Down())
	require.Equal(t, []string{"v1.4.0", "v1.3.0", "v1.4.0 (go1.26)"}, []string{doc.Replicas[0].Version, doc.Replicas[1].Version, doc.Replicas[2].Version})

	tell(lane.WaitWindow)
	doc = r.look(t)
	require.True(t, doc.OK, "it waits for what it sent")
	require.Empty(t, doc.Lanes[2].Why)
	require.Equal(t, "all lanes move; endpoints that are left alone: node:8545", doc.Verdict)

	for _, name := range []string{"api-1", "api-2"} {
		require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{Role: "api", Name: name, Version: "v1.4.0", Began: began, Redis: "OOM command not allowed"}))
	}
	doc = r.look(t)
	require.False(t, doc.OK, "it answers, and does not do what it is asked")
	require.Equal(t, "all lanes move; Redis refuses calls of api api-1: OOM command not allowed", doc.Verdict)
	require.Len(t, doc.Redis.Refused, 2)

	require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{
		Role: "api", Name: "api-1", Version: "v1.4.0", Began: began, Lately: &kv.Lately{Seconds: 60, Counts: kv.Counts{NotDurable: 7}},
	}))
	doc = r.look(t)
	require.False(t, doc.OK, "lanes without work move also where nothing can be stored")
	require.Equal(t, "NATS stored 7 posts of the last minute not in time, or not at all", doc.Verdict)
}

// TestTopUpsAreTold, and what is in their way, where no relayer could pay.
func TestTopUpsAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.lease(t, "relayer-a", "relayer-a", "relayer-a")
	one := score.Lane(1)
	tell := func(name string, up kv.TopUpReport) *Document {
		driven := map[score.Lane]kv.LaneReport{0: {}, 1: {}, 2: {}}
		require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{Role: relayer, Name: name, Lanes: driven, TopUp: &up}))
		return r.look(t)
	}
	doc := tell("relayer-b", kv.TopUpReport{Account: common.Address{7}, Wait: "funds", SpentWei: big.NewInt(0), PerDayWei: big.NewInt(2e18)})
	require.Nil(t, doc.TopUp.Lane)
	doc = tell("relayer-a", kv.TopUpReport{Account: common.Address{7}, Wait: "stopped", Stopped: "its key is used elsewhere", BalanceWei: big.NewInt(3e18)})
	require.False(t, doc.OK)
	require.Contains(t, doc.Verdict, "all lanes move; their signers are not topped up: ")
	doc = tell("relayer-b", kv.TopUpReport{Account: common.Address{7}, Wait: "stopped", Stopped: "its key is used elsewhere"})
	require.Equal(t, "all lanes move; their signers are not topped up: its key is used elsewhere; then: scorelay topup resume", doc.Verdict)
	doc = tell("relayer-b", kv.TopUpReport{Account: common.Address{7}, BalanceWei: big.NewInt(3e18), SpentWei: big.NewInt(15e17), PerDayWei: big.NewInt(2e18), Lane: &one})
	require.True(t, doc.OK, doc.Verdict)
	require.Equal(t, &TopUp{Account: common.Address{7}, BalanceWei: "3000000000000000000", SpentWei: "1500000000000000000", PerDayWei: "2000000000000000000", Lane: &one}, doc.TopUp)
}

// TestWhatIsPausedIsTold, also where no relayer runs that would say so.
func TestWhatIsPausedIsTold(t *testing.T) {
	t.Parallel()
	r := newMovingRig(t)
	pauses, err := kv.OpenPauses(t.Context(), r.JS)
	require.NoError(t, err)
	set := func(change func(kv.Pauses) kv.Pauses) *Document {
		_, err := pauses.Update(t.Context(), change)
		require.NoError(t, err)
		doc := r.look(t)
		require.False(t, doc.OK)
		return doc
	}
	one := score.Lane(1)
	doc := set(func(p kv.Pauses) kv.Pauses {
		return p.With(kv.Scope{Lane: &one}, kv.Pause{At: time.Now(), Reason: "its node moves"})
	})
	require.Equal(t, "lane 1 waits: an operator paused it; it resumes by scorelay resume (its node moves)", doc.Verdict)
	require.Nil(t, doc.Lanes[0].Paused)
	require.True(t, doc.Lanes[0].Moves)
	require.Equal(t, "its node moves", doc.Lanes[1].Paused.Reason)
	require.Equal(t, lane.WaitPaused, doc.Lanes[1].Wait)
	doc = set(func(p kv.Pauses) kv.Pauses { return p.With(kv.Scope{}, kv.Pause{At: time.Now()}) })
	require.Equal(t, "an operator paused all lanes, and accepting continues", doc.Verdict)
	require.False(t, doc.Lanes[0].Moves)
	doc = set(func(p kv.Pauses) kv.Pauses {
		return p.With(kv.Scope{}, kv.Pause{At: time.Now(), Refuses: true, Reason: "an upgrade"})
	})
	require.Equal(t, "an operator paused everything: nothing is accepted (an upgrade)", doc.Verdict)
	leases, err := r.JS.KeyValue(t.Context(), stream.LeasesBucket)
	require.NoError(t, err)
	require.NoError(t, leases.Delete(t.Context(), "lane.2"))
	doc = r.look(t)
	require.Equal(t, "lane 2 waits: no relayer has its key, or none runs; and an operator paused it; "+
		"an operator paused everything: nothing is accepted (an upgrade)", doc.Verdict)
	require.NotNil(t, doc.Lanes[2].Paused)
}

// TestAPausedProjectIsTold and nothing cries: its lane waits for nothing, and what waits of it is told by itself, also what its lane told of
// before all that is read here.
func TestAPausedProjectIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.lease(t, "relayer-a", "relayer-a", "relayer-a")
	busy := r.project(0)
	r.accept(t, busy, 5)
	bucket := score.BucketOf(busy)
	last := uint64(1)
	for _, e := range []lane.Entry{
		{Park: &lane.Park{Bucket: bucket, Project: busy}},
		{Pass: &lane.Pass{Moves: []lane.Move{{Bucket: bucket, Floor: score.Position{Seq: 2}}}}},
	} {
		e.Version, e.Epoch, e.Time = lane.Version, 1, time.Now()
		var err error
		last, err = r.journals.Append(t.Context(), 0, last, e)
		require.NoError(t, err)
	}
	pauses, err := kv.OpenPauses(t.Context(), r.JS)
	require.NoError(t, err)
	told, err := kv.OpenBacklogs(t.Context(), r.JS, r.Log)
	require.NoError(t, err)
	require.NoError(t, told.Tell(t.Context(), 0, map[score.ProjectID]score.Backlog{busy: {Waiting: 5, Read: 2}}))
	for i := range 5 {
		one := busy
		one[31] = byte(i)
		_, err = pauses.Update(t.Context(), func(p kv.Pauses) kv.Pauses {
			return p.With(kv.Scope{Project: &one}, kv.Pause{At: time.Now(), Reason: "a wrong price, of which the cause is not found out so far"})
		})
		require.NoError(t, err)
	}
	r.moving(t)
	doc := r.look(t)
	require.True(t, doc.OK)
	require.Equal(t, "all lanes move; paused by an operator: 5 of the projects", doc.Verdict)
	require.Len(t, doc.PausedProjects, 5)
	require.Zero(t, doc.Lanes[0].Waiting)
	require.Nil(t, doc.Lanes[0].OldestSeconds)
	require.Len(t, doc.Backlog, 1)
	require.Equal(t, uint64(5), doc.Backlog[0].Updates)
	require.Contains(t, doc.PausedProjects, doc.Backlog[0].Project)
	r.accept(t, busy, 2)
	doc = r.look(t)
	require.Zero(t, doc.Lanes[0].Waiting)
	doc.NATS.Bytes = doc.NATS.Bound
	doc.judge()
	require.Contains(t, doc.Verdict, "it keeps what waits of 5 paused projects", "which may be why")
}

// TestTheLedgerIsTold: up to which block it goes, what it holds, and who writes it.
func TestTheLedgerIsTold(t *testing.T) {
	t.Parallel()
	r := newMovingRig(t)
	doc := r.look(t)
	require.True(t, doc.OK)
	require.Equal(t, Ledger{Writer: "relayer-a"}, doc.Ledger, "no process made it")
	facts, err := r.Stream.Ledger(t.Context(), &stream.Retention{Age: time.Hour, Bytes: 16 << 20})
	require.NoError(t, err)
	require.Equal(t, Ledger{Writer: "relayer-a", Bound: 16 << 20}, r.look(t).Ledger, "it is empty")

	require.Eventually(t, func() bool { b, err := r.Chain.Head(t.Context()); return err == nil && b.Number > 5 }, time.Minute, 10*time.Millisecond)
	final, err := r.Chain.BlockByNumber(t.Context(), 5)
	require.NoError(t, err)
	deployment := r.Stream.Deployment()
	deployment.DeployBlock = final.Number
	writer := &ledger.Writer{Deployment: deployment, Heads: heads{final}, Chain: r.Chain, Letters: r.Stream, Ledger: facts, Log: r.Log}
	require.NoError(t, writer.CatchUp(t.Context()))
	doc = r.look(t)
	require.True(t, doc.OK)
	require.Equal(t, []uint64{4, 4, 4}, []uint64{doc.Ledger.Block, doc.Ledger.Oldest, doc.Chain.Final}, "it begins with the block before the deployment's")
	require.Positive(t, doc.Ledger.Bytes)
	require.Equal(t, doc.Chain.Head-4, *doc.Ledger.BehindBlocks)
	require.Equal(t, doc.Chain.At.Sub(*doc.Ledger.At).Seconds(), *doc.Ledger.BehindSeconds)

	leases, err := r.JS.KeyValue(t.Context(), stream.LeasesBucket)
	require.NoError(t, err)
	require.NoError(t, leases.Delete(t.Context(), ledger.Lease))
	doc = r.look(t)
	require.False(t, doc.OK)
	require.Contains(t, doc.Verdict, "all lanes move; no relayer writes the ledger of final blocks")
}

// heads is a ledger.Heads whose final block stays.
type heads struct{ final evidence.Block }

func (h heads) Final() (evidence.Block, bool)       { return h.final, true }
func (h heads) Block(uint64) (evidence.Block, bool) { return evidence.Block{}, false }
func (h heads) Changed() <-chan struct{}            { return nil }

// TestARebuildIsTold, and needs no operator.
func TestARebuildIsTold(t *testing.T) {
	t.Parallel()
	r := newMovingRig(t)
	held := standings.New(r.Redis, standings.Config{Prefix: "flushed:"})
	r.Standings = held
	told := func() *Document {
		doc := r.look(t)
		require.True(t, doc.OK, doc.Verdict)
		return doc
	}
	const rebuilt = "all lanes move; leaderboards, histories and statistics are being rebuilt: "
	require.Equal(t, rebuilt+"not begun yet; a relayer begins by itself", told().Verdict)
	begun, err := held.Begin(t.Context(), 0, 9)
	require.NoError(t, err)
	begun = advance(t, held, begun, 8)
	require.Equal(t, rebuilt+"at block 8 of 9", told().Verdict)
	advance(t, held, begun, 9)
	require.Equal(t, "all lanes move", told().Verdict)
}

// TestWhatIsAwayIsNamed: Redis first, then also the chain.
func TestWhatIsAwayIsNamed(t *testing.T) {
	t.Parallel()
	r := newMovingRig(t)
	r.redis.Close()
	require.Contains(t, r.look(t).Verdict, "Redis does not answer here")
	away, err := chain.Dial(t.Context(), chain.Config{URLs: []string{"http://127.0.0.1:1"}}, r.Log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(away.Close)
	r.Chain = away
	doc := r.look(t)
	require.Contains(t, doc.Verdict, "the chain cannot be used here: ")
	require.Empty(t, doc.Lanes[0].BalanceWei)
	require.Nil(t, doc.Lanes[0].Nonces.Chain)
}

// TestAChainThatBeganAgainIsNamed, and not first what follows from it: no signer has anything there.
func TestAChainThatBeganAgainIsNamed(t *testing.T) {
	t.Parallel()
	r := newMovingRig(t)
	require.NoError(t, kv.PutReport(t.Context(), r.JS, kv.Report{Role: relayer, Name: "relayer-a", Lanes: map[score.Lane]kv.LaneReport{0: {Wait: string(lane.WaitFunds)}, 1: {}, 2: {}}}))
	again, err := devnet.StartChain(devnet.ChainOptions{})
	require.NoError(t, err)
	t.Cleanup(again.Close)
	r.Chain, err = chain.Dial(t.Context(), chain.Config{URLs: []string{again.URL}}, r.Log, prometheus.NewRegistry())
	require.NoError(t, err)
	t.Cleanup(r.Chain.Close)
	require.Regexp(t, "^the chain cannot be used here: 0x0100000000000000000000000000000000000000 has no code: .*began again.*`scorelay dev --fresh`; lane 0 waits: its signer", r.look(t).Verdict)
}

// TestHoldersAreAsJournalsSay: what was given is the taker's before and after it takes it.
func TestHoldersAreAsJournalsSay(t *testing.T) {
	t.Parallel()
	known, err := roster.First([]common.Address{{1}, {2}})
	require.NoError(t, err)
	require.Equal(t, score.Lane(1), holders(known, nil)[3].lane)
	floor := score.Position{Seq: 9}
	given := lane.Handover{N: 1, Buckets: map[score.Bucket]lane.Holding{3: {Extent: lane.Extent{Floor: floor}}}}
	giver := &lane.State{Given: map[score.Lane]lane.Given{0: {N: 1, Open: []lane.Handover{given}}}}
	taker := &lane.State{}
	held := holders(known, map[score.Lane]*lane.State{0: taker, 1: giver})
	require.Equal(t, holder{lane.Holding{Extent: lane.Extent{Floor: floor}}, 0}, held[3])
	taker.Took, taker.Buckets = map[score.Lane]uint64{1: 1}, map[score.Bucket]lane.Holding{3: {Extent: lane.Extent{Floor: score.Position{Seq: 12}}}}
	require.Equal(t, uint64(12), holders(known, map[score.Lane]*lane.State{0: taker, 1: giver})[3].Floor.Seq)
}

// TestEveryReasonHasASentence, and each fits a line below its lane.
func TestEveryReasonHasASentence(t *testing.T) {
	t.Parallel()
	for _, reason := range lane.Waits() {
		require.NotEmpty(t, sentences[reason], reason)
	}
}

// TestWhatIsLackingIsEnough: it is rounded up, be it little or much.
func TestWhatIsLackingIsEnough(t *testing.T) {
	t.Parallel()
	for wei, want := range map[string]string{
		"123": "0.00000000000000013", "123456789": "0.00000000013", "999999999999999999": "1.0", "400000000000000000": "0.40", "12300000000000000001": "13", "1234000000000000000000": "1300",
	} {
		n, _ := new(big.Int).SetString(wei, 10)
		require.Equal(t, want, etherUp(n), wei)
	}
}

// TestADeadServerOfAClusterHidesNothing: the others answer, whether it is the one that the look is connected to or not, and the document
// names it.
func TestADeadServerOfAClusterHidesNothing(t *testing.T) {
	t.Parallel()
	long.Test(t)
	servers, mesh := fresh.NATSServers(t, 3, nil)
	js := fresh.JetStreamAt(t, servers[0].URL+","+servers[1].URL, nats.DontRandomize())
	r := newRigOn(t, js, 3)
	shared := NewShared(r.Deployment)
	looks := func() {
		t.Helper()
		require.Eventually(t, func() bool { // how long servers take to choose leaders is the machine's
			shared.at = time.Time{}
			_, err := shared.Look(t.Context())
			return err == nil
		}, 3*time.Minute, time.Millisecond)
		for range 5 {
			shared.at = time.Time{}
			_, err := shared.Look(t.Context())
			require.NoError(t, err)
		}
	}
	behind := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			doc, err := shared.Look(t.Context())
			return err == nil && slices.Equal(want, doc.NATS.Behind)
		}, 2*time.Minute, time.Second)
	}
	behind()
	mesh.Isolate(2)
	looks()
	behind(devnet.NATSName(2))
	mesh.Heal(2)
	behind()
	mesh.Isolate(0)                                         // which the look is connected to
	r.Elsewhere = func() { _ = js.Conn().ForceReconnect() } // as `scorelay status` does, and the guard of an API
	looks()
	behind(devnet.NATSName(0))
}
