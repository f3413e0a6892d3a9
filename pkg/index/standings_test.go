package index_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/standings"
)

// boards is a store of standings in a Redis of the test's own.
type boards struct {
	*standings.Store

	client  *redisdb.Client
	process atomic.Pointer[string] // what Process says instead of Redis
}

func newBoards(t *testing.T) *boards {
	t.Helper()
	fresh.NeedsRedisServer(t)
	client, err := redisdb.Open(fresh.Redis(t).URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout, client.Pause = time.Minute, time.Millisecond
	return &boards{Store: standings.New(client, standings.Config{Source: "test"}), client: client}
}

func (b *boards) Process(ctx context.Context) (string, error) {
	if name := b.process.Load(); name != nil {
		return *name, nil
	}
	return b.Store.Process(ctx)
}

// reader remembers nothing.
func (b *boards) reader() *standings.Store {
	return standings.New(b.client, standings.Config{Source: "test"})
}

// dump is what Redis holds, but for the checkpoint.
func (b *boards) dump(t *testing.T) map[string]string {
	t.Helper()
	keys, err := b.client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	dumped := map[string]string{}
	for _, key := range keys {
		if !strings.HasSuffix(key, ":checkpoint") {
			dumped[key] = b.client.Dump(t.Context(), key).Val()
		}
	}
	return dumped
}

// lose takes Redis back to a dump, as a replica does that lacks what came last.
func (b *boards) lose(t *testing.T, to map[string]string) {
	t.Helper()
	for key := range b.dump(t) {
		require.NoError(t, b.client.Del(t.Context(), key).Err())
	}
	for key, value := range to {
		require.NoError(t, b.client.RestoreReplace(t.Context(), key, 0, value).Err())
	}
}

func (l *facts) standings(s index.Standings) *index.StandingsFold {
	return &index.StandingsFold{
		Deployment: l.deployment, Chain: l, Source: l.source, Projects: created{l.world}, Standings: s, Log: discard(), Metrics: prometheus.NewRegistry(),
	}
}

// created are all projects that there are, not only in final blocks, as in a directory that is ahead.
type created struct{ *world }

func (c created) each(fn func(registry.Event)) {
	c.events(c.top().Number, registry.ProjectTopics(), func(event registry.Event, _ *types.Log) { fn(event) })
}

func (c created) Beyond(context.Context, uint64) (ids []score.ProjectID, err error) {
	c.each(func(event registry.Event) {
		if e, ok := event.(registry.ProjectCreated); ok {
			ids = append(ids, e.Project.ID)
		}
	})
	return ids, nil
}

func (c created) Project(_ context.Context, id score.ProjectID) (record *score.Record, err error) {
	c.each(func(event registry.Event) {
		switch e := event.(type) {
		case registry.ProjectCreated:
			if e.Project.ID == id {
				record = score.RecordOf(&e.Project)
			}
		case registry.ActionAdded:
			if e.Project == id {
				record.Actions = append(record.Actions, e.Action)
			}
		}
	})
	return record, nil
}

// told is what the chain itself tells of a project up to a block.
type told struct {
	executions []score.Execution
	applied    uint64
	wallets    map[common.Address]bool
}

func (w *world) told(id score.ProjectID, to uint64) told {
	w.t.Helper()
	all := told{wallets: map[common.Address]bool{}}
	w.events(to, registry.UpdateTopics(), func(event registry.Event, log *types.Log) {
		updates, outcomes := []score.Update{}, []score.Outcome{score.Applied}
		switch e := event.(type) {
		case registry.BatchApplied:
			updates, outcomes = e.Batch.Updates(), e.Outcomes
		case registry.ScoreUpdated:
			updates = append(updates, e.Update)
		}
		for j, u := range updates {
			if u.Project != id || outcomes[j] == score.UnknownProject {
				continue
			}
			all.executions = append(all.executions, score.Execution{Update: u, Outcome: outcomes[j], Tx: log.TxHash, Block: log.BlockNumber})
			if outcomes[j] == score.Applied {
				all.applied++
				all.wallets[u.Target] = true
			}
		}
	})
	return all
}

// requireStandings compares the standings with the contract's own scores and its logs, as of the ledger's end.
func (l *facts) requireStandings(b *boards, projects ...*score.Project) {
	l.t.Helper()
	w := l.world
	ctx, reader := w.t.Context(), b.reader()
	end, err := l.source.End(ctx)
	require.NoError(w.t, err)
	final := end.Block
	at, err := b.Checkpoint(ctx)
	require.NoError(w.t, err)
	require.Equal(w.t, final, evidence.Ref{Number: at.Block, Hash: at.Hash})
	require.False(w.t, at.Rebuilding())
	call := func(ctx context.Context, data []byte) ([]byte, error) {
		return w.Call(ctx, evidence.Call{To: w.deployment.Contract, Data: data}, final.Hash)
	}
	for _, p := range projects {
		want := w.told(p.ID, final.Number)
		info, err := registry.ReadProject(p.ID).Do(ctx, call)
		require.NoError(w.t, err)
		if !info.Exists() {
			_, _, err := reader.Scores(ctx, p.ID, 2, []common.Address{{1}})
			require.ErrorIs(w.t, err, score.ErrNotProjected)
			continue
		}
		for target := range want.wallets {
			own, err := registry.ReadWalletScores(p.ID, target).Do(ctx, call)
			require.NoError(w.t, err)
			kept, asOf, err := reader.Scores(ctx, p.ID, len(own), []common.Address{target})
			require.NoError(w.t, err)
			require.Equal(w.t, own, kept[0], "project %s, wallet %s", p.ID, target)
			require.Equal(w.t, final.Number, asOf.Block)
		}
		summaries, _, err := reader.Summaries(ctx, []score.ProjectID{p.ID})
		require.NoError(w.t, err)
		require.Equal(w.t, want.applied, summaries[0].Updates)
		require.EqualValues(w.t, len(want.wallets), summaries[0].Wallets)
		kept, _, err := reader.Recent(ctx, p.ID)
		require.NoError(w.t, err)
		slices.Reverse(kept)
		require.Len(w.t, kept, len(want.executions))
		for i := range kept {
			require.NotZero(w.t, kept[i].Gas)
			require.NotZero(w.t, kept[i].Fee)
			require.NotZero(w.t, kept[i].Time.Unix())
			kept[i].Gas, kept[i].Fee, kept[i].Points, kept[i].Time = 0, 0, 0, time.Time{}
			require.Equal(w.t, want.executions[i], kept[i])
		}
	}
}

// all makes every kind of execution in three projects, two of which it creates, and returns them.
func (w *world) all() []*score.Project {
	w.t.Helper()
	p, only, later := project(1), project(2), project(3)
	only.SignedOnly = true
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.call(relayerKey, registry.EncodeCreateProject(only))
	u, group, early := w.fresh(p, 30), w.fresh(only, 20), w.fresh(later, 4)
	bad := slices.Clone(u[20:24])
	bad[0].Action, bad[1].ScoreType, bad[2].Signer = 9, 9, devnet.Address(strangerKey)
	w.relay(u[:10]...)
	w.relay(append(append(slices.Clone(u[8:20]), bad...), early...)...) // with duplicates, rejections, and of a project that is created later
	w.direct(u[25])
	forged := w.signed(score.KindFree, group[10:])
	forged.Signature[3] ^= 1
	w.relayGroups(
		w.signed(score.KindFree, group[:10]), forged, w.signed(score.KindFree, group[5:15]),
		batch.Group{Project: p.ID, Signer: u[26].Signer, Kind: score.KindFree, Updates: u[26:28]},
	)
	w.call(relayerKey, registry.EncodeCreateProject(later))
	w.relay(early[:2]...)
	w.call(ownerKey, calls.AddAction(later.ID, score.Action{Name: "more", Points: score.MaxPoints}))
	early[2].Action = 2
	w.relay(early[2:3]...)
	return []*score.Project{p, only, later}
}

func TestStandings(t *testing.T) {
	t.Parallel()
	w, b, ctx := newWorld(t), newBoards(t), t.Context()
	l := w.followed()
	w.depth.Store(2)
	reg := prometheus.NewRegistry()
	fold := l.standings(b)
	fold.Metrics = reg
	p := l.hand(fold)
	require.NoError(t, p.catchUp(), "nothing is there yet")
	projects := w.all()
	require.NoError(t, p.catchUp())
	l.requireStandings(b, projects...)
	w.relay(w.fresh(projects[0], 3)...)
	w.requireLag(b, 1)
	require.NoError(t, p.catchUp())
	l.requireStandings(b, projects...)
	w.blocks(2)
	require.NoError(t, p.catchUp())
	l.requireStandings(b, projects...)
	before := counted(t, reg, "scorelay_standings_executions_total")

	// Another process continues, and writes only what is new.
	w.relay(w.fresh(projects[2], 5)...)
	w.blocks(2)
	next := l.standings(b)
	next.Metrics = prometheus.NewRegistry()
	require.NoError(t, l.hand(next).catchUp())
	l.requireStandings(b, projects...)
	require.InDelta(t, 5, counted(t, next.Metrics.(*prometheus.Registry), "scorelay_standings_executions_total"), 0)
	require.InDelta(t, 1, counted(t, reg, "scorelay_standings_rebuilds_total"), 0)
	require.Greater(t, before, 50.0)
	require.Zero(t, counted(t, reg, "scorelay_standings_differences_total"))

	// What transactions cost is dealt out to all their updates.
	used := map[common.Hash]uint64{}
	for _, p := range projects {
		executions, _, err := b.reader().Recent(ctx, p.ID)
		require.NoError(t, err)
		for i := range executions {
			used[executions[i].Tx] += executions[i].Gas
		}
	}
	for tx, gas := range used {
		receipt, err := w.node.Client().TransactionReceipt(ctx, tx)
		require.NoError(t, err)
		unprojected := uint64(0)
		if event, err := registry.ParseLog(receipt.Logs[0]); err == nil {
			if e, ok := event.(registry.BatchApplied); ok {
				for _, o := range e.Outcomes {
					if o == score.UnknownProject {
						unprojected++
					}
				}
			}
		}
		if unprojected == 0 {
			require.Equal(t, receipt.GasUsed, gas)
		} else {
			require.Less(t, gas, receipt.GasUsed)
		}
	}
}

// requireLag requires that the checkpoint is so many blocks behind the final one.
func (w *world) requireLag(b *boards, blocks uint64) {
	w.t.Helper()
	final, _ := heads{w}.Final()
	at, err := b.Checkpoint(w.t.Context())
	require.NoError(w.t, err)
	require.Equal(w.t, final.Number, at.Block+blocks)
}

// TestStandingsAgainstTheContract plays updates, reorgs, flushes and restarts at random.
func TestStandingsAgainstTheContract(t *testing.T) {
	t.Parallel()
	const rounds = 4 // two of them do not notice a fold that ignores rewinds
	var said fresh.Log
	var failed atomic.Int64
	t.Cleanup(func() { // behind all rounds
		require.Greater(t, strings.Count(said.String(), "Redis is new or was flushed"), rounds, "each round begins so")
		require.Contains(t, said.String(), "a reorg deeper than finality")
		require.Positive(t, failed.Load())
	})
	for i := range uint64(rounds) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(testrand.Seed(t), i))
			w, b := newWorld(t), newBoards(t)
			l := w.followed()
			begin := func(s index.Standings) *hand {
				fold := l.standings(s)
				fold.Log = slog.New(slog.NewTextHandler(&said, nil))
				return l.hand(fold)
			}
			w.depth.Store(3)
			projects := w.all()
			act := func() {
				p := projects[[]int{0, 2}[random.IntN(2)]]
				if random.IntN(4) == 0 {
					w.direct(w.fresh(p, 1)[0])
				} else {
					w.relay(w.fresh(p, 1+random.IntN(8))...)
				}
			}
			w.blocks(3)
			oldest := w.top().Number
			faulty := faultyStandings{b, &fault.Plan{}}
			p := begin(faulty)
			for range 25 {
				switch random.IntN(9) {
				case 0:
					w.blocks(1 + random.IntN(3))
				case 1: // shallow
					w.reorg(w.top().Number-uint64(1+random.IntN(2)), act)
				case 2: // deeper than finality
					w.reorg(max(oldest, w.top().Number-uint64(4+random.IntN(6))), act)
				case 3:
					if random.IntN(2) == 0 {
						require.NoError(t, b.client.FlushAll(t.Context()).Err())
					} else { // as the runbook says, where an operator wants a rebuild
						require.NoError(t, b.client.Del(t.Context(), "scorelay:standings:checkpoint").Err())
					}
				case 4:
					p = begin(faulty)
				case 5:
					l.purge(uint64(random.IntN(3)))
					l.again()
				default:
					act()
				}
				if random.IntN(2) == 0 {
					faulty.Set(fault.Random(random, 3, random.IntN(3)))
					_ = p.catchUp()
					failed.Add(int64(faulty.Failures()))
				}
			}
			faulty.Set(nil)
			w.blocks(1)
			p.eventually()
			l.requireStandings(b, projects...)
		})
	}
}

// TestABrokenOffPartOutlivesAReorg: parts are stored and the checkpoint is not; then their blocks are replaced, and the
// ledger does not show that.
func TestABrokenOffPartOutlivesAReorg(t *testing.T) {
	t.Parallel()
	for _, rebuild := range []bool{true, false} {
		for _, kept := range []uint64{0, 1, 100} { // messages of the ledger
			for _, another := range []bool{false, true} { // process continues
				t.Run(fmt.Sprintf("rebuild %t, kept %d, another %t", rebuild, kept, another), func(t *testing.T) {
					t.Parallel()
					w, b := newWorld(t), newBoards(t)
					l := w.followed()
					w.depth.Store(2)
					projects := w.all()
					w.blocks(3)
					faulty := faultyStandings{b, &fault.Plan{}}
					p := l.hand(l.standings(faulty))
					if !rebuild {
						require.NoError(t, p.catchUp())
					}
					stays := w.top().Number
					lost := w.fresh(projects[0], 6)
					w.relay(lost...)
					w.blocks(2)
					faulty.Set(fault.Of("checkpoint", fault.Always(fault.Failed)))
					require.ErrorIs(t, p.catchUp(), fault.Err)
					faulty.Set(nil)
					w.reorg(stays, func() { w.relay(w.fresh(projects[2], 1)...); w.blocks(2) })
					l.purge(kept)
					l.again()
					if another {
						p = l.hand(l.standings(faulty))
					}
					w.blocks(1)
					p.eventually()
					l.requireStandings(b, projects...)
				})
			}
		}
	}
}

// faultyStandings are standings whose writes follow a plan.
type faultyStandings struct {
	*boards
	*fault.Plan
}

func (f faultyStandings) Begin(ctx context.Context, after, target uint64) (score.Checkpoint, error) {
	return fault.Value(f.Plan, "begin", func() (score.Checkpoint, error) { return f.boards.Begin(ctx, after, target) })
}

func (f faultyStandings) Advance(ctx context.Context, from, to score.Checkpoint) error {
	return f.Write("checkpoint", func() error { return f.boards.Advance(ctx, from, to) })
}

func (f faultyStandings) Reach(ctx context.Context, generation uint64, from, to string) error {
	return f.Write("reach", func() error { return f.boards.Reach(ctx, generation, from, to) })
}

func (f faultyStandings) Create(ctx context.Context, generation uint64, project score.ProjectID, at score.Mark) error {
	return f.Write("create", func() error { return f.boards.Create(ctx, generation, project, at) })
}

func (f faultyStandings) Append(ctx context.Context, generation uint64, part score.Part) error {
	return f.Write("append", func() error { return f.boards.Append(ctx, generation, part) })
}

// TestStandingsDieAtEveryWrite: whichever write fails, done or not, and whether the same process continues or another, the end is the same.
func TestStandingsDieAtEveryWrite(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newBoards(t)
	l := w.followed()
	projects := w.all()
	fault.AtEachWrite(t, 4, func(crash fault.Crash) {
		require.NoError(t, b.client.FlushAll(t.Context()).Err())
		begin := func() ledger.Fold { return l.standings(faultyStandings{b, crash.Plan}) }
		l.hand(begin()).over(crash, begin())
		l.requireStandings(b, projects...)
	})
}

// TestStandingsOfSeveralFoldsAtOnce: that one of them runs only saves work.
func TestStandingsOfSeveralFoldsAtOnce(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newBoards(t)
	l := w.followed()
	stop := l.run(l.standings(b), l.standings(b), l.standings(b))
	projects := w.all()
	for range 10 {
		w.relay(w.fresh(projects[0], 3)...)
		w.relay(w.fresh(projects[2], 3)...)
	}
	final, _ := heads{w}.Final()
	require.Eventually(t, func() bool {
		at, err := b.Checkpoint(t.Context())
		return err == nil && at.Hash == final.Hash && !at.Rebuilding()
	}, testPatience, testPoll)
	stop()
	l.requireStandings(b, projects...)
}

// TestStandingsAfterRedisLostWrites, the newest ones, as a replica does that becomes the master.
func TestStandingsAfterRedisLostWrites(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newBoards(t)
	l := w.followed()
	projects := w.all()
	same := func(before map[string]string) map[string]string { return before }
	none := func(map[string]string) map[string]string { return nil }
	for _, of := range []struct {
		name     string
		noticed  bool          // Redis is another process
		reread   time.Duration // negative: what the newest writes wrote
		rebuilds float64
		to       func(before map[string]string) map[string]string
	}{
		{"noticed", true, 0, 1, same},
		{"the newest ones, noticed", true, -1, 1, same},
		{"not noticed", false, -1, 1, same},
		{"all, noticed", true, 0, 1, none}, // they were written not long ago
		{"all, not noticed", false, 0, 2, none},
		{"what is older than is read again", true, -1, 2, none},
	} {
		t.Run(of.name, func(t *testing.T) {
			require.NoError(t, b.client.FlushAll(t.Context()).Err())
			b.process.Store(nil)
			reg := prometheus.NewRegistry()
			fold := l.standings(b)
			fold.Metrics, fold.Reread = reg, of.reread
			p := l.hand(fold)
			require.NoError(t, p.catchUp())
			before := b.dump(t)
			w.relay(w.fresh(projects[0], 7)...)
			w.relay(w.fresh(projects[2], 7)...)
			require.NoError(t, p.catchUp())
			l.requireStandings(b, projects...)
			b.lose(t, of.to(before))
			if of.noticed {
				another := "another"
				b.process.Store(&another)
			} else {
				w.relay(w.fresh(projects[0], 2)...)
			}
			require.NoError(t, p.catchUp())
			l.requireStandings(b, projects...)
			require.InDelta(t, of.rebuilds, counted(t, reg, "scorelay_standings_rebuilds_total"), 0)
			w.relay(w.fresh(projects[2], 1)...)
			require.NoError(t, p.catchUp())
			l.requireStandings(b, projects...)
			require.InDelta(t, of.rebuilds, counted(t, reg, "scorelay_standings_rebuilds_total"), 0)
		})
	}
}

// TestStandingsFindADifference: Redis has another score than the contract.
func TestStandingsFindADifference(t *testing.T) {
	t.Parallel()
	w, b, reg := newWorld(t), newBoards(t), prometheus.NewRegistry()
	l := w.followed()
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	fold := l.standings(b)
	fold.Metrics = reg
	f := l.hand(fold)
	u := w.fresh(p, 2)
	for i := range u {
		u[i].Target, u[i].ScoreType = common.Address{7}, 0
	}
	w.relay(u[0])
	require.NoError(t, f.catchUp())
	for key := range b.dump(t) {
		if strings.HasSuffix(key, ":total") {
			require.NoError(t, b.client.ZIncrBy(t.Context(), key, 1, string(u[0].Target[:])).Err())
		}
	}
	w.relay(u[1])
	require.NoError(t, f.catchUp())
	l.requireStandings(b, p)
	require.InDelta(t, 2, counted(t, reg, "scorelay_standings_rebuilds_total"), 0)
	require.InDelta(t, 1, counted(t, reg, "scorelay_standings_differences_total"), 0)
}

// TestARebuildEndsWhereTheLedgerBecameShorter: a reorg deeper than finality takes back the block at which the rebuild was
// to be done, and the new chain executes less. The rebuild is done at the new end, and not before.
func TestARebuildEndsWhereTheLedgerBecameShorter(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newBoards(t)
	l := w.followed()
	projects, begin := w.all(), w.top().Number
	for name, is := range map[string]struct {
		folded int    // before the reorg: up to a block that stands (1), or that does not (2)
		keeps  uint64 // messages of the ledger, then; what is older the fold reads from the chain
		meets  bool   // the Rewind
	}{
		"before the first block":                     {folded: 0, keeps: 1},
		"at a block that stands":                     {folded: 1, keeps: 3},
		"at a block that stands; the Rewind is kept": {folded: 1, keeps: 3, meets: true},
		"at a block that was replaced":               {folded: 2, keeps: 1, meets: true},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, b.client.FlushAll(t.Context()).Err())
			l.again()
			began := time.Now()
			l.writer.Now = func() time.Time { return began } // it appends no blocks without events
			for (w.top().Number-begin)%logRange != 0 {
				w.blocks(1) // which blocks come at once is the same each time
			}
			stays := w.top().Number
			for range 3 {
				w.relay(w.fresh(projects[0], 2)...)
			}
			was := l.append().Block.Number
			l.purge(is.keeps)
			p := l.hand(l.standings(b))
			var err error
			p.at, err = p.fold.Begin(t.Context(), false)
			require.NoError(t, err)
			p.begun = true
			for is.folded == 1 && p.at.Block == 0 || is.folded == 2 && p.at.Block <= stays {
				some, err := p.source.Next(t.Context(), p.at)
				require.NoError(t, err)
				require.NoError(t, p.fold.Apply(t.Context(), some))
				p.at = some[len(some)-1].Position
			}
			require.Equal(t, is.folded == 2, p.at.Block > stays)
			require.Less(t, p.at.Block, was)
			w.reorg(stays, func() { w.relay(w.fresh(projects[0], 1)...) })
			require.Less(t, l.append().Block.Number, was)
			if !is.meets {
				l.purge(1)
			}
			require.NoError(t, p.fold.(*index.StandingsFold).Check(t.Context()))
			at, err := b.Checkpoint(t.Context())
			require.NoError(t, err)
			require.True(t, at.Rebuilding())
			require.NoError(t, p.catchUp())
			l.requireStandings(b, projects...)
		})
	}
}

// TestStandingsRebuiltFromTheChain: the ledger has forgotten what is older; and Redis fails over in the middle.
func TestStandingsRebuiltFromTheChain(t *testing.T) {
	t.Parallel()
	for _, failsOver := range []bool{false, true} {
		w, b, reg := newWorld(t), newBoards(t), prometheus.NewRegistry()
		l := w.followed()
		projects := w.all()
		l.append()
		l.purge(2)
		plan := &fault.Plan{}
		if failsOver {
			plan.Set(fault.Nth(8, fault.Failed))
		}
		fold := l.standings(faultyStandings{b, plan})
		fold.Metrics = reg
		p := l.hand(fold)
		if failsOver {
			require.ErrorIs(t, p.catchUp(), fault.Err)
			at, err := b.Checkpoint(t.Context())
			require.NoError(t, err)
			require.True(t, at.Rebuilding() && at.Block > 0)
			b.lose(t, nil)
			another := "another"
			b.process.Store(&another)
		}
		require.NoError(t, p.catchUp())
		l.requireStandings(b, projects...)
		require.InDelta(t, 1, counted(t, reg, "scorelay_standings_rebuilds_total"), 0)
	}
}

// failsOver is a store that loses what it can, once, right before it tells marks.
type failsOver struct {
	*boards

	t    *testing.T
	to   map[string]string
	done bool
}

func (f *failsOver) Marks(ctx context.Context, generation uint64, projects []score.ProjectID) ([]*score.Mark, error) {
	if !f.done {
		f.done = true
		f.lose(f.t, f.to)
		another := "another"
		f.process.Store(&another)
	}
	return f.boards.Marks(ctx, generation, projects)
}

// TestStandingsMeetALoss between the fold's look at Redis and the marks of projects that it did not write before.
func TestStandingsMeetALoss(t *testing.T) {
	t.Parallel()
	w, b := newWorld(t), newBoards(t)
	l := w.followed()
	projects := w.all()
	require.NoError(t, l.hand(l.standings(b)).catchUp())
	before := b.dump(t)
	f := &failsOver{boards: b, t: t, to: before, done: true}
	p := l.hand(l.standings(f))
	require.NoError(t, p.catchUp())
	w.relay(w.fresh(projects[0], 7)...)
	require.NoError(t, l.hand(l.standings(b)).catchUp()) // another one writes what the first one does not know of
	w.relay(w.fresh(projects[0], 2)...)
	f.done = false
	require.NoError(t, p.catchUp())
	require.True(t, f.done)
	l.requireStandings(b, projects...)
}

// unknowing is a directory that has not come to any project.
type unknowing struct{ created }

func (unknowing) Project(context.Context, score.ProjectID) (*score.Record, error) { return nil, nil }

// TestStandingsBelieveFinalActionsOnly: the contract's newest block knows an action that is replaced later.
func TestStandingsBelieveFinalActionsOnly(t *testing.T) {
	t.Parallel()
	w, b, reg := newWorld(t), newBoards(t), prometheus.NewRegistry()
	l := w.followed()
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.blocks(5)
	require.NoError(t, l.hand(l.standings(b)).catchUp())
	w.depth.Store(2)
	fold := l.standings(b) // which did not see the creation
	fold.Projects, fold.Metrics = unknowing{created{w}}, reg
	f := l.hand(fold)
	w.relay(w.fresh(p, 1)...)
	above := w.top().Number
	w.blocks(1)
	w.call(ownerKey, calls.AddAction(p.ID, score.Action{Name: "gift", Points: 100}))
	require.NoError(t, f.catchUp())
	l.requireStandings(b, p)
	u := w.fresh(p, 1)
	u[0].Action = uint8(len(p.Actions))
	w.reorg(above, func() {
		w.call(ownerKey, calls.AddAction(p.ID, score.Action{Name: "gift", Points: 1}))
		w.relay(u...)
	})
	w.blocks(2)
	require.NoError(t, f.catchUp())
	l.requireStandings(b, p)
	require.Zero(t, counted(t, reg, "scorelay_standings_differences_total"), "a comparison of a few wallets found what is wrong with all")
}
