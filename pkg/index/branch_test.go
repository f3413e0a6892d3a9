package index_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// blocks makes empty blocks.
func (w *world) blocks(n int) {
	for range n {
		w.node.Commit()
	}
	w.news()
}

func (w *world) requireUnknown(d *directory.Directory, id score.ProjectID) {
	w.t.Helper()
	rec, _, _, err := d.Project(w.t.Context(), id)
	require.NoError(w.t, err)
	require.Nil(w.t, rec)
}

func counted(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("no metric " + name)
	return 0
}

// TestFollowerAfterADeepReorg: final blocks are replaced by others with other events. All that the old ones said is gone,
// what the new ones say is there, and what is older than both stays.
func TestFollowerAfterADeepReorg(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		name         string
		recent       uint64
		before, deep int // empty blocks before, and within what is replaced
	}{
		{"shallow", 100, 0, 0},
		{"deeper than the recent blocks", 3, 12, 9},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			w, ctx := newWorld(t), t.Context()
			d, reg := w.directory(), prometheus.NewRegistry()
			f := w.follower(d)
			f.Recent, f.Metrics, f.Idle = of.recent, reg, time.Nanosecond
			old, p, gone, moved := project(1), project(2), project(3), project(4)
			w.call(relayerKey, registry.EncodeCreateProject(old))
			w.call(relayerKey, registry.EncodeCreateProject(p))
			for range of.before {
				w.blocks(1)
				require.NoError(t, f.CatchUp(ctx))
			}
			common := w.top().Number
			require.NoError(t, f.CatchUp(ctx))

			w.edit(p)
			w.call(relayerKey, registry.EncodeCreateProject(moved))
			w.call(relayerKey, registry.EncodeCreateProject(gone))
			for range of.deep {
				w.blocks(1)
				require.NoError(t, f.CatchUp(ctx))
			}
			require.NoError(t, f.CatchUp(ctx))
			w.requireRecord(d, score.RecordOf(gone))
			view := d.NewView(discard())
			viewing, cancel := context.WithCancel(ctx)
			var running sync.WaitGroup
			running.Go(func() { _ = view.Run(viewing) })
			defer running.Wait()
			defer cancel()
			require.Eventually(t, func() bool { return view.Len() == 4 }, testPatience, testPoll)
			_, late, err := d.Followed(ctx)
			require.NoError(t, err)

			want := score.RecordOf(p)
			w.reorg(common, func() {
				action := score.Action{Name: "other", Points: 9}
				w.call(ownerKey, registry.EncodeAddAction(p.ID, action))
				want.Actions = append(want.Actions, action)
				w.call(relayerKey, registry.EncodeCreateProject(moved))
			})
			w.keep.Store(100)
			require.Eventually(t, func() bool { return f.CatchUp(ctx) == nil && counted(t, reg, "scorelay_index_reorgs_total") > 0 }, testPatience, testPoll)
			require.NoError(t, f.CatchUp(ctx))
			w.requireRecord(d, want)
			w.requireRecord(d, score.RecordOf(old))
			w.requireRecord(d, score.RecordOf(moved))
			w.requireUnknown(d, gone.ID)
			require.Eventually(t, func() bool { _, ok := view.Project(gone.ID); return !ok && view.Len() == 3 }, testPatience, testPoll)
			require.InDelta(t, 1, counted(t, reg, "scorelay_index_reorgs_total"), 0)
			require.Zero(t, counted(t, reg, "scorelay_index_holes_total"))

			require.ErrorIs(t, d.Put(ctx, late, score.RecordOf(gone), 99, 0), evidence.ErrMoved, "a writer of the old branch")
			require.ErrorIs(t, d.Remove(ctx, late, old.ID), evidence.ErrMoved)
			_, err = d.SetFollowed(ctx, late, evidence.Followed{})
			require.ErrorIs(t, err, evidence.ErrMoved)
		})
	}
}

// TestFollowersAfterADeepReorg: of several replicas one takes the directory back, and none undoes it.
func TestFollowersAfterADeepReorg(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keep.Store(100)
	d := w.directory()
	p, gone := project(1), project(2)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	common := w.top().Number
	w.call(relayerKey, registry.EncodeCreateProject(gone))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 4 {
		f := w.follower(d)
		f.Recent = 50
		running.Go(func() { require.NoError(t, f.Run(ctx)) })
	}
	require.Eventually(t, func() bool { rec, _, _, err := d.Project(ctx, gone.ID); return err == nil && rec != nil }, testPatience, testPoll)
	want := score.RecordOf(p)
	w.reorg(common, func() {
		w.call(ownerKey, registry.EncodeAddScoreType(p.ID, "luck"))
		want.ScoreTypes = append(want.ScoreTypes, "luck")
	})
	head := heads{w}.head()
	require.Eventually(t, func() bool {
		followed, _, err := d.Followed(ctx)
		rec, _, _, _ := d.Project(ctx, gone.ID)
		return err == nil && followed.At.Number >= head.Number-1 && followed.Ahead == nil && !followed.Suspect && rec == nil
	}, testPatience, testPoll)
	cancel()
	running.Wait()
	w.requireRecord(d, want)
	w.requireUnknown(d, gone.ID)
}

// TestFollowerOfAShorterChain: a chain that was begun again is followed when no other writer moves the checkpoint: it may
// be only this process's endpoint that lags.
func TestFollowerOfAShorterChain(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
	w.call(relayerKey, registry.EncodeCreateProject(project(1)))
	w.blocks(5)
	require.NoError(t, w.follower(d).CatchUp(ctx))
	was := w.deployment
	w.startChain() // with the same contract at the same address
	require.Equal(t, was, w.deployment)
	w.call(relayerKey, registry.EncodeCreateProject(project(2)))
	f := w.follower(d)
	f.Recent = 100
	require.NoError(t, f.CatchUp(ctx))
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d, score.RecordOf(project(1)))
	f.Patience = time.Nanosecond
	require.Eventually(t, func() bool {
		require.NoError(t, f.CatchUp(ctx))
		rec, _, _, err := d.Project(ctx, project(2).ID)
		return err == nil && rec != nil
	}, testPatience, testPoll)
	w.requireUnknown(d, project(1).ID)
}

// TestFollowerDoubtsASingleAnswer: below the recent blocks an endpoint's other hash is believed only if it stays.
func TestFollowerDoubtsASingleAnswer(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
	w.call(relayerKey, registry.EncodeCreateProject(project(1)))
	require.NoError(t, w.follower(d).CatchUp(ctx))
	before, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	w.blocks(9)
	f := w.follower(d)
	f.Poll = time.Hour
	w.lie.Store(&evidence.Block{Number: before.At.Number, Hash: common.Hash{1}})
	for range 3 {
		require.ErrorContains(t, f.CatchUp(ctx), "another block")
	}
	_, after, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, revision, after)
	w.lie.Store(nil)
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d, score.RecordOf(project(1)))
}

// TestFollowerRepairsHoles: logs are empty while history is read. What is in the recent blocks is found missing, and comes back
// from the chain as soon as that tells.
func TestFollowerRepairsHoles(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, reg := w.directory(), prometheus.NewRegistry()
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.blocks(8)
	w.noLogs.Store(true)
	f := w.follower(d)
	f.Recheck, f.Metrics = time.Nanosecond, reg
	require.NoError(t, f.CatchUp(ctx))
	w.requireUnknown(d, p.ID)
	want := w.edit(p)
	require.NoError(t, f.CatchUp(ctx))
	w.requireUnknown(d, p.ID)
	require.InDelta(t, 1, counted(t, reg, "scorelay_index_holes_total"), 0)
	w.noLogs.Store(false)
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d, want)

	t.Run("in the middle of a record", func(t *testing.T) {
		_, revision, err := d.Followed(ctx)
		require.NoError(t, err)
		rec, block, logIndex, err := d.Project(ctx, p.ID)
		require.NoError(t, err)
		rec.Members[common.Address{77}] = score.Updater
		delete(rec.Members, devnet.Address(ownerKey))
		require.NoError(t, d.Put(ctx, revision, rec, block, logIndex+1)) // as if after an event that is not there
		w.call(ownerKey, registry.EncodeAddOwner(p.ID, common.Address{5}))
		want.Members[common.Address{5}] = score.Owner
		again := w.follower(d)
		again.Recent, again.Metrics = 100, prometheus.NewRegistry()
		require.NoError(t, again.CatchUp(ctx))
		w.requireRecord(d, want)
	})
}

// TestFollowerNeedsProof: a block whose bloom says that an event is in it is not passed before its receipts were seen, and
// one that has none costs nothing.
func TestFollowerNeedsProof(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
	f := w.follower(d)
	f.Recent, f.Idle = 100, time.Hour
	w.blocks(3)
	require.NoError(t, f.CatchUp(ctx))
	asked := w.proofs.Load()
	before, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	for range 5 {
		w.blocks(1)
		require.NoError(t, f.CatchUp(ctx))
	}
	require.Equal(t, asked, w.proofs.Load())
	_, after, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, revision, after, "nothing happened, nothing is written")

	w.noProof.Store(true)
	w.noLogs.Store(true)
	w.call(relayerKey, registry.EncodeCreateProject(project(1)))
	w.blocks(1)
	require.ErrorIs(t, f.CatchUp(ctx), errFault)
	w.noProof.Store(false)
	now, _, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, before, now)
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d, score.RecordOf(project(1)))
	now, _, err = d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, w.top(), now.At)
	require.Nil(t, now.Ahead)
	require.NotEmpty(t, now.Trail)
}

// TestFollowerTakesOverWhatAnotherAnnounced: a replica died after it announced a block, and maybe wrote records of it.
func TestFollowerTakesOverWhatAnotherAnnounced(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		w, ctx := newWorld(t), t.Context()
		w.keep.Store(100)
		d := w.directory()
		f := w.follower(d)
		f.Recent = 100
		w.blocks(2)
		require.NoError(t, f.CatchUp(ctx))
		common := w.top().Number
		p := project(1)
		w.call(relayerKey, registry.EncodeCreateProject(p))
		ahead := w.top()
		followed, revision, err := d.Followed(ctx)
		require.NoError(t, err)
		followed.Ahead = &ahead
		revision, err = d.SetFollowed(ctx, revision, followed)
		require.NoError(t, err)
		require.NoError(t, d.Put(ctx, revision, score.RecordOf(p), ahead.Number, 0))
		if replaced {
			w.reorg(common, func() {})
		}
		require.NoError(t, w.follower(d).CatchUp(ctx))
		followed, _, err = d.Followed(ctx)
		require.NoError(t, err)
		require.Nil(t, followed.Ahead)
		if replaced {
			require.False(t, followed.Suspect)
			w.requireUnknown(d, p.ID)
		} else {
			require.Equal(t, w.top(), followed.At)
			w.requireRecord(d, score.RecordOf(p))
		}
	}
}
