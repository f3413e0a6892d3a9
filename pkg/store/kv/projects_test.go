package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

func openProjects(t *testing.T, js jetstream.JetStream) *Projects {
	t.Helper()
	_, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: projectsBucket, History: 1})
	require.NoError(t, err)
	p, err := OpenProjects(t.Context(), js)
	require.NoError(t, err)
	return p
}

// empty empties the bucket, as an operator may.
func empty(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	kv, err := js.KeyValue(t.Context(), projectsBucket)
	require.NoError(t, err)
	keys, err := kv.Keys(t.Context())
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return
	}
	require.NoError(t, err)
	for _, key := range keys {
		require.NoError(t, kv.Purge(t.Context(), key))
	}
}

func project(n byte, name string) *score.Record {
	return &score.Record{
		ID: score.ProjectID{31: n}, Name: name,
		Actions:    []score.Action{{Name: "buy", Points: 5}, {Name: "burn", Points: 2147483647, Direction: score.Subtract}},
		ScoreTypes: []string{"reputation"},
		Members:    map[common.Address]score.Role{{1}: score.Owner, {2}: score.Updater, {3}: score.Owner | score.Updater},
		SignedOnly: n%2 == 1,
	}
}

var followedTo20 = score.Followed{
	ChainID: 1337, Contract: common.Address{7}, Position: "3-20-1400000000000000-0", Block: 20, Hash: common.Hash{20}, Gaps: true,
}

// as is a record as of an event.
func as(r *score.Record, block uint64, logIndex uint) score.DatedRecord {
	return score.DatedRecord{Record: r, Created: 1, Block: block, LogIndex: logIndex}
}

// follow sets a checkpoint and returns its revision.
func follow(t *testing.T, d *Projects) uint64 {
	t.Helper()
	_, revision, err := d.Followed(t.Context())
	require.NoError(t, err)
	revision, err = d.SetFollowed(t.Context(), revision, followedTo20)
	require.NoError(t, err)
	return revision
}

func TestPutAndRemove(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := openProjects(t, fresh.JetStream(t))
	id := score.ProjectID{31: 1}
	rec, err := d.Project(ctx, id)
	require.NoError(t, err)
	require.Nil(t, rec)

	revision := follow(t, d)
	for i, name := range []string{"a", "b", "lower"} {
		require.NoError(t, d.Put(ctx, revision, as(project(1, name), uint64(10-i), uint(i))))
		dated, err := d.Dated(ctx, id)
		require.NoError(t, err)
		require.Equal(t, as(project(1, name), uint64(10-i), uint(i)), dated)
	}
	require.NoError(t, d.Put(ctx, revision, as(project(2, "b"), 11, 0)))
	for from, want := range map[uint64]int{0: 2, 8: 2, 9: 1, 11: 1, 12: 0} {
		ids, err := d.Beyond(ctx, from)
		require.NoError(t, err)
		require.Len(t, ids, want)
	}
	require.NoError(t, d.Remove(ctx, revision, id))
	require.NoError(t, d.Remove(ctx, revision, id))
	rec, err = d.Project(ctx, id)
	require.NoError(t, err)
	require.Nil(t, rec)
	ids, err := d.Beyond(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, []score.ProjectID{{31: 2}}, ids)
	require.NoError(t, d.Put(ctx, revision, as(project(1, "again"), 5, 0)))
}

// TestAMovedCheckpointFencesEveryWrite: what was decided under an older checkpoint is not stored.
func TestAMovedCheckpointFencesEveryWrite(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := openProjects(t, fresh.JetStream(t))
	require.ErrorIs(t, d.Put(ctx, 7, as(project(1, "without a checkpoint"), 1, 0)), score.ErrFoldMoved)
	late := follow(t, d)
	require.NoError(t, d.Put(ctx, late, as(project(1, "a"), 1, 0)))
	now := follow(t, d)
	require.ErrorIs(t, d.Put(ctx, late, as(project(1, "late"), 99, 0)), score.ErrFoldMoved)
	require.ErrorIs(t, d.Remove(ctx, late, score.ProjectID{31: 1}), score.ErrFoldMoved)
	_, err := d.SetFollowed(ctx, late, score.Followed{})
	require.ErrorIs(t, err, score.ErrFoldMoved)
	_, err = d.SetFollowed(ctx, 0, score.Followed{})
	require.ErrorIs(t, err, score.ErrFoldMoved)
	rec, err := d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "a", rec.Name)
	require.NoError(t, d.Put(ctx, now, as(project(1, "b"), 1, 0)))
}

// TestWritersUnderRaces: of writers of one revision each moves the checkpoint at most once, and a record is always of the
// one that moved it.
func TestWritersUnderRaces(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	d := openProjects(t, js)
	const writers, moves = 4, 30
	var moved atomic.Int32
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				f, revision, err := d.Followed(t.Context())
				if err != nil || f.Block >= moves {
					return
				}
				f.Block++
				if revision, err = d.SetFollowed(t.Context(), revision, f); err == nil {
					moved.Add(1)
					err = d.Put(t.Context(), revision, as(project(1, fmt.Sprint(f.Block)), f.Block, 0))
				}
				if err != nil && !errors.Is(err, score.ErrFoldMoved) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f, revision, err := d.Followed(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(moves), f.Block)
	require.EqualValues(t, moves, moved.Load())
	require.NoError(t, d.Put(t.Context(), revision, as(project(1, "last"), moves, 0)))
	rec, err := d.Project(t.Context(), score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "last", rec.Name)
}

func TestCheckpointAndReset(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	js := fresh.JetStream(t)
	d := openProjects(t, js)
	empty(t, js) // of an empty bucket

	_, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Zero(t, revision)
	set := follow(t, d)
	got, revision, err := d.Followed(ctx)
	require.NoError(t, err)
	require.Equal(t, set, revision)
	require.Equal(t, followedTo20, got)

	require.NoError(t, d.Put(ctx, revision, as(project(1, "a"), 20, 0)))
	empty(t, js)
	_, revision, err = d.Followed(ctx)
	require.NoError(t, err)
	require.Zero(t, revision)
	require.ErrorIs(t, d.Put(ctx, set, as(project(1, "late"), 20, 0)), score.ErrFoldMoved)
	rec, err := d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Nil(t, rec)
	require.NoError(t, d.Put(ctx, follow(t, d), as(project(1, "again"), 5, 0))) // positions start over
	rec, err = d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "again", rec.Name)
}

func TestTooBigKeepsTheDocument(t *testing.T) {
	t.Parallel()
	d := openProjects(t, fresh.JetStream(t))
	revision := follow(t, d)
	require.NoError(t, d.Put(t.Context(), revision, as(project(1, "small"), 1, 0)))
	big := project(1, "big")
	for i := range uint32(30_000) {
		big.Members[common.Address(binary.BigEndian.AppendUint32(make([]byte, 16), i))] = score.Updater
	}
	require.ErrorIs(t, d.Put(t.Context(), revision, as(big, 2, 0)), score.ErrTooBig)
	rec, err := d.Project(t.Context(), score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "small", rec.Name)
}

// run keeps a view of the server's directory until the test ends.
func runProjects(t *testing.T, d *Projects) *ProjectView {
	t.Helper()
	view := d.View(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- view.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	return view
}

func TestViewListsInOrder(t *testing.T) {
	t.Parallel()
	d := openProjects(t, fresh.JetStream(t))
	revision := follow(t, d)
	for _, n := range []byte{7, 0xa1, 3, 0, 9, 0x1a} {
		require.NoError(t, d.Put(t.Context(), revision, as(project(n, "each"), 10, uint(n))))
	}
	view := runProjects(t, d)
	caughtUp(t, view.View)
	after := func(id *score.ProjectID, most int) (ids []byte) {
		for _, rec := range view.After(id, most) {
			require.EqualValues(t, 1, rec.Created)
			ids = append(ids, rec.ID[31])
		}
		return ids
	}
	require.Equal(t, []byte{0, 3, 7, 9, 0x1a, 0xa1}, after(nil, 100))
	require.Equal(t, []byte{0, 3}, after(nil, 2))
	require.Equal(t, []byte{9, 0x1a, 0xa1}, after(&score.ProjectID{31: 7}, 3))
	require.Equal(t, []byte{9}, after(&score.ProjectID{31: 8}, 1))
	require.Empty(t, after(&score.ProjectID{31: 0xa1}, 1))
	require.Empty(t, after(nil, 0))
}

// checkpointRevision is the revision of the checkpoint, readable or not.
func checkpointRevision(t *testing.T, kv jetstream.KeyValue) uint64 {
	t.Helper()
	entry, err := kv.Get(t.Context(), "checkpoint")
	require.NoError(t, err)
	return entry.Revision()
}

func TestViewIgnoresRubbish(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	d := openProjects(t, js)
	kv, err := js.KeyValue(t.Context(), projectsBucket)
	require.NoError(t, err)
	revision := follow(t, d)
	require.NoError(t, d.Put(t.Context(), revision, as(project(1, "a"), 10, 0)))
	view := runProjects(t, d)
	caughtUp(t, view.View)
	for _, key := range []string{"rubbish", project(1, "").ID.String()[2:], "checkpoint"} {
		_, err := kv.Put(t.Context(), key, []byte("{"))
		require.NoError(t, err)
	}
	for _, foreign := range []string{`{"projectId":"` + project(3, "").ID.String() + `","members":{}}`, `{"projectId":"` + project(1, "").ID.String() + `","members":null}`} {
		_, err = kv.Put(t.Context(), project(1, "").ID.String()[2:], []byte(foreign))
		require.NoError(t, err)
		_, err = d.Project(t.Context(), score.ProjectID{31: 1})
		require.ErrorIs(t, err, ErrInvalid)
	}
	require.NoError(t, d.Put(t.Context(), checkpointRevision(t, kv), as(project(2, "b"), 10, 1)))
	require.Eventually(t, func() bool { return view.Len() == 2 }, 2*time.Minute, 5*time.Millisecond)
	rec, _ := view.Project(score.ProjectID{31: 1})
	require.Equal(t, "a", rec.Name)
}
