package index_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func (w *world) directory() *directory.Directory {
	w.t.Helper()
	d, err := directory.Open(w.t.Context(), w.js)
	require.NoError(w.t, err)
	return d
}

func (w *world) follower(d index.Directory) *index.Follower {
	return &index.Follower{
		Deployment: w.deployment, Chain: w, Heads: heads{w}, Blocks: heads{w}, Directory: d,
		Recent: 4, Poll: time.Millisecond, Log: discard(),
	}
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

// TestFollowerOfSignedEdits: they make the record that the owner's own calls make.
func TestFollowerOfSignedEdits(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
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
	require.NoError(t, w.follower(d).CatchUp(ctx))
	w.requireRecord(d, want)
	want.ID, want.Name = q.ID, q.Name
	w.requireRecord(d, want)
}

// edit makes every kind of edit of a project and returns the record it leads to.
func (w *world) edit(p *score.Project) *score.Record {
	w.t.Helper()
	stranger := common.Address{9}
	action := score.Action{Name: "buy", Points: 50}
	w.call(ownerKey, registry.EncodeAddAction(p.ID, action))
	w.call(ownerKey, registry.EncodeAddScoreType(p.ID, "luck"))
	w.call(ownerKey, registry.EncodeAddOwner(p.ID, stranger))
	w.call(ownerKey, registry.EncodeAddUpdater(p.ID, stranger))
	w.call(ownerKey, registry.EncodeRemoveUpdater(p.ID, devnet.Address(updaterKey)))
	w.call(ownerKey, registry.EncodeSetSignedOnly(p.ID, !p.SignedOnly))
	want := score.RecordOf(p)
	want.SignedOnly = !p.SignedOnly
	want.Actions = append(want.Actions[:len(want.Actions):len(want.Actions)], action)
	want.ScoreTypes = append(want.ScoreTypes[:len(want.ScoreTypes):len(want.ScoreTypes)], "luck")
	want.Members[stranger] = score.Owner | score.Updater
	delete(want.Members, devnet.Address(updaterKey))
	return want
}

func (w *world) requireRecord(d *directory.Directory, want *score.Record) {
	w.t.Helper()
	rec, _, _, err := d.Project(w.t.Context(), want.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, want, rec)
}

func TestFollower(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
	f := w.follower(d)
	require.NoError(t, f.CatchUp(ctx))
	followed, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	require.NotZero(t, revision)
	require.Equal(t, w.deployment.DeployBlock, followed.At.Number)

	p, q := project(1), project(2)
	q.SignedOnly = true
	w.depth.Store(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, f.CatchUp(ctx))
	rec, _, _, err := d.Project(ctx, p.ID)
	require.NoError(t, err)
	require.Nil(t, rec, "it is not final")
	w.call(relayerKey, registry.EncodeCreateProject(q))
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d, score.RecordOf(p))

	w.depth.Store(0)
	want := w.edit(p)
	require.NoError(t, w.follower(d).CatchUp(ctx), "another one continues where the first was")
	w.requireRecord(d, want)
	w.requireRecord(d, score.RecordOf(q))
	w.call(ownerKey, registry.EncodeSetSignedOnly(q.ID, false))
	w.call(ownerKey, registry.EncodeSetSignedOnly(q.ID, true))
	w.call(ownerKey, registry.EncodeSetSignedOnly(q.ID, false))
	require.NoError(t, f.CatchUp(ctx))
	q.SignedOnly = false
	w.requireRecord(d, score.RecordOf(q))

	require.NoError(t, w.js.DeleteKeyValue(ctx, directory.Bucket))
	_, err = w.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: directory.Bucket})
	require.NoError(t, err)
	require.NoError(t, w.follower(d).CatchUp(ctx))
	w.requireRecord(d, want)
	w.requireRecord(d, score.RecordOf(q))
}

func TestFollowersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.directory()
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 3 {
		f := w.follower(d)
		running.Go(func() { require.NoError(t, f.Run(ctx)) })
	}
	want := w.edit(p)
	head := heads{w}.head()
	require.Eventually(t, func() bool {
		followed, _, err := d.Followed(ctx)
		return err == nil && followed.At == head.Ref() && followed.Ahead == nil
	}, testPatience, testPoll)
	cancel()
	running.Wait()
	w.requireRecord(d, want)
}

// faultyDirectory fails every other write, half of them after storing.
type faultyDirectory struct {
	*directory.Directory

	writes int
}

func (d *faultyDirectory) fault(write func() error) error {
	d.writes++
	switch d.writes % 4 {
	case 1:
		return errFault
	case 3:
		return errors.Join(errFault, write())
	}
	return write()
}

func (d *faultyDirectory) Put(ctx context.Context, revision uint64, rec *score.Record, block uint64, logIndex uint) error {
	return d.fault(func() error { return d.Directory.Put(ctx, revision, rec, block, logIndex) })
}

func (d *faultyDirectory) SetFollowed(ctx context.Context, revision uint64, f evidence.Followed) (next uint64, err error) {
	err = d.fault(func() error {
		next, err = d.Directory.SetFollowed(ctx, revision, f)
		return err
	})
	return next, err
}

func TestFollowerWithFaults(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := &faultyDirectory{Directory: w.directory()}
	f := w.follower(d)
	p := project(1)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	want := w.edit(p)
	faults := 0
	for f.CatchUp(ctx) != nil {
		faults++
		require.Less(t, faults, 100)
	}
	require.Greater(t, faults, 2)
	w.requireRecord(d.Directory, want)
}

// tooBig refuses one project.
type tooBig struct {
	*directory.Directory

	id score.ProjectID
}

func (d *tooBig) Put(ctx context.Context, revision uint64, rec *score.Record, block uint64, logIndex uint) error {
	if rec.ID == d.id && len(rec.Actions) > 2 {
		return score.ErrTooBig
	}
	return d.Directory.Put(ctx, revision, rec, block, logIndex)
}

// TestFollowerSkips: one project that grew too big does not stop the others.
func TestFollowerSkips(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	p, q := project(1), project(2)
	d := &tooBig{w.directory(), p.ID}
	f := w.follower(d)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	require.NoError(t, f.CatchUp(ctx))
	w.edit(p)
	require.NoError(t, f.CatchUp(ctx))
	w.call(ownerKey, registry.EncodeAddAction(p.ID, score.Action{Name: "more", Points: 1}))
	w.call(relayerKey, registry.EncodeCreateProject(q))
	require.NoError(t, f.CatchUp(ctx))
	w.requireRecord(d.Directory, score.RecordOf(q))
}

func TestFollowerRefuses(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	d := w.directory()
	w.call(relayerKey, registry.EncodeCreateProject(project(1)))
	require.NoError(t, w.follower(d).CatchUp(ctx))

	other := w.follower(d)
	other.Deployment.Contract = common.Address{1}
	require.ErrorIs(t, other.Run(ctx), index.ErrOtherDeployment)
	other.Deployment = w.deployment
	other.Deployment.ChainID++
	require.ErrorIs(t, other.Run(ctx), index.ErrOtherDeployment)
}
