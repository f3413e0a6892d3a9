package index_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func (w *world) directory() *kv.Projects {
	w.t.Helper()
	d, err := kv.OpenProjects(w.t.Context(), w.js)
	require.NoError(w.t, err)
	return d
}

// emptied is the directory after an operator emptied it.
func (w *world) emptied() *kv.Projects {
	w.t.Helper()
	kv, err := w.js.KeyValue(w.t.Context(), stream.ProjectsBucket)
	require.NoError(w.t, err)
	keys, err := kv.Keys(w.t.Context())
	if !errors.Is(err, jetstream.ErrNoKeysFound) {
		require.NoError(w.t, err)
	}
	for _, key := range keys {
		require.NoError(w.t, kv.Purge(w.t.Context(), key))
	}
	return w.directory()
}

func (l *facts) directoryFold(d index.Directory) *index.DirectoryFold {
	return &index.DirectoryFold{Deployment: l.deployment, Chain: heads{l.world}, Source: l.source, Directory: d, Log: discard(), Metrics: prometheus.NewRegistry()}
}

// editSigned sends what the owner signed, in the transaction of an account without any role.
func (w *world) editSigned(project score.ProjectID, nonce uint64, edits ...score.Edit) {
	w.t.Helper()
	edit := &score.ProjectEdit{Project: project, Edits: edits, Nonce: nonce, Deadline: math.MaxUint64}
	digest := wallet.NewDomain(w.deployment.ChainID, w.deployment.Contract).EditDigest(*edit)
	raw, err := crypto.Sign(digest[:], devnet.Key(ownerKey))
	require.NoError(w.t, err)
	signature, err := wallet.ParseSignature(raw)
	require.NoError(w.t, err)
	w.call(strangerKey, registry.EncodeEditBySignature(edit, devnet.Address(ownerKey), signature.Compact()))
}

// TestDirectoryOfSignedEdits: they make the record that the owner's own calls make.
func TestDirectoryOfSignedEdits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, l := w.directory(), w.followed()
	p, q := project(1), project(2)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.call(relayerKey, registry.EncodeCreateProject(q))
	want := w.edit(p)
	stranger := common.Address{9}
	w.editSigned(q.ID, 0,
		score.Edit{Operation: score.AddAction, Name: "buy", Points: 50},
		score.Edit{Operation: score.AddScoreType, Name: "luck"},
		score.Edit{Operation: score.AddOwner, Member: stranger})
	w.editSigned(q.ID, 1)
	w.editSigned(q.ID, 2,
		score.Edit{Operation: score.AddUpdater, Member: stranger},
		score.Edit{Operation: score.RemoveUpdater, Member: devnet.Address(updaterKey)},
		score.Edit{Operation: score.RequireSignedGroups})
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	w.requireRecord(d, want)
	want.ID, want.Name = q.ID, q.Name
	w.requireRecord(d, want)
}

// edit makes every kind of edit of a project and returns the record it leads to.
func (w *world) edit(p *score.Project) *score.Record {
	w.t.Helper()
	stranger := common.Address{9}
	action := score.Action{Name: "buy", Points: 50}
	w.call(ownerKey, calls.AddAction(p.ID, action))
	w.call(ownerKey, calls.AddScoreType(p.ID, "luck"))
	w.call(ownerKey, calls.AddOwner(p.ID, stranger))
	w.call(ownerKey, calls.AddUpdater(p.ID, stranger))
	w.call(ownerKey, calls.RemoveUpdater(p.ID, devnet.Address(updaterKey)))
	w.call(ownerKey, calls.SetSignedOnly(p.ID, !p.SignedOnly))
	want := score.RecordOf(p)
	want.SignedOnly = !p.SignedOnly
	want.Actions = append(want.Actions[:len(want.Actions):len(want.Actions)], action)
	want.ScoreTypes = append(want.ScoreTypes[:len(want.ScoreTypes):len(want.ScoreTypes)], "luck")
	want.Members[stranger] = score.Owner | score.Updater
	delete(want.Members, devnet.Address(updaterKey))
	return want
}

func (w *world) requireRecord(d *kv.Projects, want *score.Record) {
	w.t.Helper()
	rec, err := d.Project(w.t.Context(), want.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, want, rec)
}

func (w *world) requireUnknown(d *kv.Projects, id score.ProjectID) {
	w.t.Helper()
	rec, err := d.Project(w.t.Context(), id)
	require.NoError(w.t, err)
	require.Nil(w.t, rec)
}

// requireDirectory compares all records with what the node's own events say, as of the ledger's end.
func (l *facts) requireDirectory(d *kv.Projects) {
	l.t.Helper()
	end, err := l.source.End(l.t.Context())
	require.NoError(l.t, err)
	want := map[score.ProjectID]*score.Record{}
	l.events(end.Position.Block, registry.ProjectTopics(), func(event registry.Event, _ *types.Log) {
		switch e := event.(type) {
		case registry.ProjectCreated:
			want[e.Project.ID] = score.RecordOf(&e.Project)
		case registry.ActionAdded:
			want[e.Project].Actions = append(want[e.Project].Actions, e.Action)
		case registry.ScoreTypeAdded:
			want[e.Project].ScoreTypes = append(want[e.Project].ScoreTypes, e.Name)
		case registry.MemberChanged:
			want[e.Project].Members[e.Member] = e.Roles
			if e.Roles == 0 {
				delete(want[e.Project].Members, e.Member)
			}
		case registry.SignedOnlySet:
			want[e.Project].SignedOnly = e.SignedOnly
		}
	})
	got := map[score.ProjectID]*score.Record{}
	require.NoError(l.t, d.Each(l.t.Context(), func(id score.ProjectID, dated score.DatedRecord) error {
		got[id] = dated.Record
		return nil
	}))
	require.Equal(l.t, want, got)
	followed, _, err := d.Followed(l.t.Context())
	require.NoError(l.t, err)
	require.False(l.t, followed.Gaps)
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, l := w.directory(), w.followed()
	f := l.hand(l.directoryFold(d))
	require.NoError(t, f.catchUp())
	followed, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	require.NotZero(t, revision)
	end, err := l.source.End(ctx)
	require.NoError(t, err)
	require.Equal(t, end.Position.Block, followed.Block)

	p, q := project(1), project(2)
	q.SignedOnly = true
	w.depth.Store(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, f.catchUp())
	w.requireUnknown(d, p.ID) // it is not final
	w.call(relayerKey, registry.EncodeCreateProject(q))
	require.NoError(t, f.catchUp())
	w.requireRecord(d, score.RecordOf(p))

	w.depth.Store(0)
	want := w.edit(p)
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp(), "another one continues where the first was")
	w.requireRecord(d, want)
	w.requireRecord(d, score.RecordOf(q))
	w.call(ownerKey, calls.SetSignedOnly(q.ID, false))
	w.call(ownerKey, calls.SetSignedOnly(q.ID, true))
	w.call(ownerKey, calls.SetSignedOnly(q.ID, false))
	require.NoError(t, f.catchUp())
	q.SignedOnly = false
	w.requireRecord(d, score.RecordOf(q))

	require.NoError(t, w.js.DeleteKeyValue(ctx, stream.ProjectsBucket))
	_, err = w.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: stream.ProjectsBucket})
	require.NoError(t, err)
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	w.requireRecord(d, want)
	w.requireRecord(d, score.RecordOf(q))
	l.requireDirectory(d)
}

// TestDirectoryIsIdleWhereNothingHappens: the checkpoint is not written for each block, and the fold finds out that the bucket was emptied.
func TestDirectoryIsIdleWhereNothingHappens(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, l := w.directory(), w.followed()
	f := l.hand(l.directoryFold(d))
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, f.catchUp())
	_, before, err := d.Followed(ctx)
	require.NoError(t, err)
	for range 5 {
		w.relay(w.fresh(p, 2)...)
		require.NoError(t, f.catchUp())
	}
	_, after, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, before, after)
	w.emptied()
	w.call(ownerKey, calls.AddScoreType(p.ID, "luck"))
	require.NoError(t, f.catchUp())
	l.requireDirectory(d)
}

func TestDirectoryFoldsAtOnce(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, l := w.directory(), w.followed()
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	stop := l.run(l.directoryFold(d), l.directoryFold(d), l.directoryFold(d))
	want := w.edit(p)
	head := heads{w}.head()
	require.Eventually(t, func() bool {
		followed, _, err := d.Followed(ctx)
		return err == nil && followed.Hash == head.Hash
	}, testPatience, testPoll)
	stop()
	w.requireRecord(d, want)
}

// faultyDirectory is a directory whose writes follow a plan.
type faultyDirectory struct {
	*kv.Projects
	*fault.Plan
}

func (d faultyDirectory) Put(ctx context.Context, revision uint64, dated score.DatedRecord) error {
	return d.Write("put", func() error { return d.Projects.Put(ctx, revision, dated) })
}

func (d faultyDirectory) Remove(ctx context.Context, revision uint64, id score.ProjectID) error {
	return d.Write("remove", func() error { return d.Projects.Remove(ctx, revision, id) })
}

func (d faultyDirectory) SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error) {
	return fault.Value(d.Plan, "checkpoint", func() (uint64, error) { return d.Projects.SetFollowed(ctx, revision, f) })
}

// TestDirectoryDiesAtEveryWrite: whichever write fails, stored or not, and whether the same process continues or another, the end is the same; also of writes
// that take records back.
func TestDirectoryDiesAtEveryWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, l := w.directory(), w.followed()
	p, next := project(1), byte(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	fault.AtEachWrite(t, 9, func(crash fault.Crash) {
		begin := func() ledger.Fold { return l.directoryFold(faultyDirectory{d, crash.Plan}) }
		f := l.hand(begin())
		moved, gone := project(next+1), project(next+2)
		next += 2
		w.call(relayerKey, registry.EncodeCreateProject(moved))
		common := w.top().Number
		w.call(ownerKey, calls.AddUpdater(p.ID, wallets(next)))
		w.call(relayerKey, registry.EncodeCreateProject(gone))
		w.call(ownerKey, calls.SetSignedOnly(moved.ID, true))
		f.over(crash, begin())
		l.requireDirectory(d)
		w.reorg(common, func() { w.call(ownerKey, calls.AddUpdater(moved.ID, wallets(next))) })
		f.over(crash, begin())
		l.requireDirectory(d)
		w.requireUnknown(d, gone.ID)
	})
}

// tooBig refuses one project.
type tooBig struct {
	*kv.Projects

	id score.ProjectID
}

func (d *tooBig) Put(ctx context.Context, revision uint64, dated score.DatedRecord) error {
	if dated.ID == d.id && len(dated.Actions) > 2 {
		return score.ErrTooBig
	}
	return d.Projects.Put(ctx, revision, dated)
}

// TestDirectorySkips: one project that grew too big does not stop the others.
func TestDirectorySkips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.followed()
	p, q := project(1), project(2)
	d := &tooBig{w.directory(), p.ID}
	f := l.hand(l.directoryFold(d))
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, f.catchUp())
	w.edit(p)
	require.NoError(t, f.catchUp())
	w.call(ownerKey, calls.AddAction(p.ID, score.Action{Name: "more", Points: 1}))
	w.call(relayerKey, registry.EncodeCreateProject(q))
	require.NoError(t, f.catchUp())
	w.requireRecord(d.Projects, score.RecordOf(q))
}

func TestDirectoryRefusesAnotherDeployment(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, l := w.directory(), w.followed()
	w.call(relayerKey, registry.EncodeCreateProject(project(1)))
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())

	other := l.directoryFold(d)
	require.NoError(t, other.Verify(ctx))
	other.Deployment.Contract = common.Address{1}
	require.ErrorIs(t, other.Verify(ctx), index.ErrOtherDeployment)
	other.Deployment = w.deployment
	other.Deployment.ChainID++
	_, err := other.Begin(ctx, false)
	require.ErrorIs(t, err, index.ErrOtherDeployment)
}

// TestDirectoryAfterADeepReorg: final blocks are replaced by others with other events. All that the old ones said is gone,
// what the new ones say is there, and what is older than both stays.
func TestDirectoryAfterADeepReorg(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		name string
		deep int // empty blocks within what is replaced
		harm func(l *facts, f *hand)
	}{
		{"shallow", 0, func(*facts, *hand) {}},
		{"deep", 40, func(*facts, *hand) {}},
		{"while the fold is away", 0, func(_ *facts, f *hand) { f.begun = false }},
		{"the ledger's Rewind is lost, too", 0, func(l *facts, f *hand) {
			l.append()
			l.purge(0)
			l.again()
			f.begun = false
		}},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			w, ctx := newWorld(t), t.Context()
			d, l, reg := w.directory(), w.followed(), prometheus.NewRegistry()
			fold := l.directoryFold(d)
			fold.Metrics = reg
			f := l.hand(fold)
			old, p, gone, moved := project(1), project(2), project(3), project(4)
			w.call(relayerKey, registry.EncodeCreateProject(old))
			w.call(relayerKey, registry.EncodeCreateProject(p))
			common := w.top().Number
			require.NoError(t, f.catchUp())

			w.edit(p)
			w.call(relayerKey, registry.EncodeCreateProject(moved))
			w.blocks(of.deep)
			w.call(relayerKey, registry.EncodeCreateProject(gone))
			require.NoError(t, f.catchUp())
			w.requireRecord(d, score.RecordOf(gone))
			view := d.View(discard())
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
				w.call(ownerKey, calls.AddAction(p.ID, action))
				want.Actions = append(want.Actions, action)
				w.call(relayerKey, registry.EncodeCreateProject(moved))
			})
			of.harm(l, f)
			require.NoError(t, f.catchUp())
			w.requireRecord(d, want)
			w.requireRecord(d, score.RecordOf(old))
			w.requireRecord(d, score.RecordOf(moved))
			w.requireUnknown(d, gone.ID)
			l.requireDirectory(d)
			require.Eventually(t, func() bool { _, ok := view.Project(gone.ID); return !ok && view.Len() == 3 }, testPatience, testPoll)
			require.InDelta(t, 1, counted(t, reg, "scorelay_index_reorgs_total"), 0)
			require.Zero(t, counted(t, reg, "scorelay_index_holes_total"))

			require.ErrorIs(t, d.Put(ctx, late, score.DatedRecord{Record: score.RecordOf(gone), Block: 99}), score.ErrFoldMoved, "a writer of the old branch")
			require.ErrorIs(t, d.Remove(ctx, late, old.ID), score.ErrFoldMoved)
			_, err = d.SetFollowed(ctx, late, score.Followed{})
			require.ErrorIs(t, err, score.ErrFoldMoved)
		})
	}
}

func wallets(n byte) common.Address { return common.Address{0x77, n} }

// TestDirectoryFoldsAfterADeepReorg: of several replicas one takes the directory back, and none undoes it.
func TestDirectoryFoldsAfterADeepReorg(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d, l := w.directory(), w.followed()
	p, gone := project(1), project(2)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	common := w.top().Number
	w.call(relayerKey, registry.EncodeCreateProject(gone))
	stop := l.run(l.directoryFold(d), l.directoryFold(d), l.directoryFold(d), l.directoryFold(d))
	require.Eventually(t, func() bool { rec, err := d.Project(ctx, gone.ID); return err == nil && rec != nil }, testPatience, testPoll)
	w.reorg(common, func() {
		w.call(ownerKey, calls.AddScoreType(p.ID, "luck"))
	})
	require.Eventually(t, func() bool {
		rec, err := d.Project(ctx, p.ID)
		left, failed := d.Project(ctx, gone.ID)
		return err == nil && failed == nil && rec != nil && left == nil && slices.Contains(rec.ScoreTypes, "luck")
	}, testPatience, testPoll)
	stop()
	l.requireDirectory(d)
	w.requireUnknown(d, gone.ID)
}

// TestDirectoryRepairsHoles: logs are empty while history is read. An event that does not follow shows it, and all comes back
// from the chain as soon as that tells. Other projects become known meanwhile.
func TestDirectoryRepairsHoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, l, reg := w.directory(), w.followed(), prometheus.NewRegistry()
	p, other, next := project(1), project(2), project(3)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.call(relayerKey, registry.EncodeCreateProject(other))
	w.call(ownerKey, calls.AddScoreType(other.ID, "karma2"))
	w.blocks(8)
	l.append()
	w.noLogs.Store(true)
	fold := l.directoryFold(d)
	fold.Metrics = reg
	f := l.hand(fold)
	require.NoError(t, f.catchUp())
	w.requireUnknown(d, p.ID)
	w.keep.Store(100) // the writer proves what it reads
	want := w.edit(p)
	w.call(relayerKey, registry.EncodeCreateProject(next))
	require.NoError(t, f.catchUp())
	w.requireUnknown(d, p.ID)
	w.requireRecord(d, score.RecordOf(next))
	require.Positive(t, counted(t, reg, "scorelay_index_holes_total"))
	gaps := func() bool {
		followed, _, err := d.Followed(t.Context())
		require.NoError(t, err)
		return followed.Gaps
	}
	require.True(t, gaps())
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp(), "another relayer makes all again at once, and has no more events")
	w.requireRecord(d, score.RecordOf(next))

	w.noLogs.Store(false)
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	w.requireRecord(d, want)
	require.False(t, gaps())
	w.call(ownerKey, calls.AddAction(other.ID, score.Action{Name: "more", Points: 1}))
	require.NoError(t, f.catchUp())
	l.requireDirectory(d)
}

// TestDirectoryKeepsWhatEndpointsLeaveOut: records that cannot be made again stay as they are, also where blocks were replaced; no event is folded
// into one that may be of these.
func TestDirectoryKeepsWhatEndpointsLeaveOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, l := w.directory(), w.followed()
	old, p, gone := project(1), project(2), project(3)
	w.keep.Store(100) // the writer proves what it reads
	f := l.hand(l.directoryFold(d))
	w.call(relayerKey, registry.EncodeCreateProject(old))
	w.call(relayerKey, registry.EncodeCreateProject(p))
	common := w.top().Number
	want := w.edit(p)
	w.call(relayerKey, registry.EncodeCreateProject(gone))
	require.NoError(t, f.catchUp())
	w.noLogs.Store(true)
	w.reorg(common, func() { w.call(ownerKey, calls.AddScoreType(old.ID, "luck")) })
	require.NoError(t, f.catchUp())
	w.requireRecord(d, score.RecordOf(old))
	w.requireRecord(d, want)
	w.requireUnknown(d, gone.ID)
	w.call(ownerKey, calls.AddScoreType(p.ID, "luck"))
	for range 2 {
		f = l.hand(l.directoryFold(d)) // one that makes all again at once
		require.NoError(t, f.catchUp())
		w.requireRecord(d, want)
	}
	w.noLogs.Store(false)
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	l.requireDirectory(d)
}

// TestDirectoryBelievesNoOneWhoDied: a writer stored records and died before the checkpoint; then their blocks were replaced, and the ledger does not
// tell of it any more.
func TestDirectoryBelievesNoOneWhoDied(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*facts){
		"the ledger tells of it":    func(*facts) {},
		"the ledger does not":       func(l *facts) { l.append(); l.purge(1); l.again() },
		"the ledger was lost whole": func(l *facts) { l.append(); l.purge(0); l.again() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d, l := w.directory(), w.followed()
			p, gone := project(1), project(2)
			w.call(relayerKey, registry.EncodeCreateProject(p))
			require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
			common := w.top().Number
			w.call(ownerKey, calls.AddUpdater(p.ID, wallets(1)))
			w.call(relayerKey, registry.EncodeCreateProject(gone))
			f := l.hand(l.directoryFold(faultyDirectory{d, fault.NewPlan(fault.Nth(4, fault.Failed))})) // of Begin's, two records', and the checkpoint
			require.ErrorIs(t, f.catchUp(), fault.Err)
			w.requireRecord(d, score.RecordOf(gone))
			followed, _, err := d.Followed(t.Context())
			require.NoError(t, err)
			require.Equal(t, common, followed.Block)

			w.reorg(common, func() {
				w.blocks(1)
				w.call(ownerKey, calls.AddScoreType(p.ID, "luck"))
				w.blocks(1)
			})
			harm(l)
			require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
			l.requireDirectory(d)
		})
	}
}

// TestDirectoryAtRandom plays edits, reorgs, faults, purges and restarts at random.
func TestDirectoryAtRandom(t *testing.T) {
	t.Parallel()
	for i := range uint64(4) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(testrand.Seed(t), i))
			w := newWorld(t)
			d, l := w.directory(), w.followed()
			faulty := faultyDirectory{d, &fault.Plan{}}
			oldest, next := w.top().Number, byte(0)
			var known []score.ProjectID
			act := func() {
				if len(known) == 0 || random.IntN(5) == 0 {
					next++
					p := project(next)
					w.call(relayerKey, registry.EncodeCreateProject(p))
					known = append(known, p.ID)
					return
				}
				id, n := known[random.IntN(len(known))], byte(random.IntN(6))
				data := [][]byte{
					calls.AddAction(id, score.Action{Name: "more", Points: uint32(n)}), calls.AddUpdater(id, wallets(n)),
					calls.RemoveUpdater(id, wallets(n)), calls.SetSignedOnly(id, n%2 == 0),
				}[random.IntN(4)]
				if w.wouldPass(data) {
					w.call(ownerKey, data)
				}
			}
			folds := []*hand{l.hand(l.directoryFold(faulty)), l.hand(l.directoryFold(faulty))}
			for range 60 {
				switch random.IntN(12) {
				case 0:
					w.blocks(1 + random.IntN(3))
				case 1, 2:
					w.reorg(max(oldest, w.top().Number-min(w.top().Number, uint64(1+random.IntN(10)))), act)
				case 3:
					folds[random.IntN(2)] = l.hand(l.directoryFold(faulty))
				case 4:
					l.purge(uint64(random.IntN(3)))
					l.again()
				case 5:
					if random.IntN(3) == 0 {
						w.emptied()
					}
				default:
					act()
				}
				if random.IntN(2) == 0 {
					faulty.Set(fault.Random(random, 4, random.IntN(3)))
					_ = folds[random.IntN(2)].catchUp()
				}
			}
			faulty.Set(nil)
			w.call(relayerKey, registry.EncodeCreateProject(project(next+1))) // a write, which tells of an emptied bucket
			for _, f := range folds {
				f.eventually()
			}
			l.requireDirectory(d)
			t.Logf("%d of %d projects are left", count(t, d), next)
		})
	}
}

func count(t *testing.T, d *kv.Projects) (n int) {
	t.Helper()
	require.NoError(t, d.Each(t.Context(), func(score.ProjectID, score.DatedRecord) error { n++; return nil }))
	return n
}

// wouldPass reports whether the owner's call would not revert.
func (w *world) wouldPass(data []byte) bool {
	_, err := w.client.Call(w.t.Context(), evidence.Call{From: devnet.Address(ownerKey), To: w.deployment.Contract, Data: data}, w.top().Hash)
	return err == nil
}
