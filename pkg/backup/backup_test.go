package backup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/jsm.go"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/backup"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

var kept = backup.Kept{Streams: stream.BackedUp(), Steady: stream.Lanes, Subjects: stream.Steady(), CreatedKey: stream.CreatedKey}

// setUp makes a deployment with some messages, of which the first are purged.
func setUp(t *testing.T, js jetstream.JetStream, replicas int) {
	t.Helper()
	require.Eventually(t, func() bool { // servers of a cluster find each other first
		return stream.Setup(t.Context(), js, stream.Config{
			Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}, Replicas: replicas,
		}) == nil
	}, 3*time.Minute, 100*time.Millisecond)
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	for n := range byte(9) {
		require.NoError(t, s.PublishEnvelope(t.Context(), fmt.Sprint(n), []score.Update{{ID: score.UpdateID{n}}}, nil))
	}
	require.NoError(t, s.Purge(t.Context(), 4))
}

// held is all that the stream of accepted updates holds, and what it is.
func held(t *testing.T, js jetstream.JetStream) (messages []score.Message, state score.StreamState) {
	t.Helper()
	s, err := stream.Open(t.Context(), js)
	require.NoError(t, err)
	state, err = s.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, state.Created, s.Created())
	require.Eventually(t, func() bool { // any server of a cluster may answer, also one that has not purged yet
		messages = nil
		err := s.ReadAll(t.Context(), func(m score.Message) error {
			messages = append(messages, m)
			return nil
		})
		return err == nil && uint64(len(messages)) == state.Messages
	}, time.Minute, 20*time.Millisecond)
	return messages, state
}

func ignored(backup.Stream) {}

// again repeats a restore of a cluster while its servers elect who leads.
func again(ctx context.Context, js jetstream.JetStream, dir string, replicas int, restored func(backup.Stream)) (err error) {
	for broken := true; broken; broken = errors.Is(err, nats.ErrNoResponders) {
		_, err = kept.Restore(ctx, js.Conn(), dir, replicas, restored)
	}
	return err
}

// deleteAll deletes all that a backup holds.
func deleteAll(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	for _, name := range stream.BackedUp() {
		require.NoError(t, js.DeleteStream(t.Context(), name))
	}
}

// same expects the stream of accepted updates to be what it was, and each stream to have so many copies.
func same(t *testing.T, js jetstream.JetStream, messages []score.Message, state score.StreamState, copies int) {
	t.Helper()
	restored, is := held(t, js)
	require.Equal(t, messages, restored)
	require.True(t, state.Created.Equal(is.Created))
	require.Equal(t, []uint64{state.FirstSeq, state.LastSeq, state.Messages}, []uint64{is.FirstSeq, is.LastSeq, is.Messages})
	for _, name := range stream.BackedUp() {
		info, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, copies, info.CachedInfo().Config.Replicas, name)
	}
}

// TestARestoredStreamIsTheSame: its identity, its sequences and times, through a restore of a cluster that was broken off before; in
// .ci/deep through two.
func TestARestoredStreamIsTheSame(t *testing.T) {
	t.Parallel()
	servers, _ := fresh.NATSServers(t, 3, nil)
	js := fresh.JetStreamAt(t, servers[0].URL)
	setUp(t, js, 3)
	messages, state := held(t, js)
	require.Len(t, messages, 6)
	for range long.Size(1, 2) {
		dir := filepath.Join(t.TempDir(), "backup")
		m, err := kept.Write(t.Context(), js.Conn(), dir)
		require.NoError(t, err)
		require.Equal(t, stream.Name, m.Streams[len(m.Streams)-1].Name)
		require.Equal(t, state.LastSeq, m.Streams[len(m.Streams)-1].Last)
		deleteAll(t, js)
		began, err := os.ReadFile(filepath.Join(dir, stream.Name, jsm.SnapshotMetaFile))
		require.NoError(t, err)
		_, err = js.Conn().Request("$JS.API.STREAM.RESTORE."+stream.Name, began, time.Minute) // by a program that was killed
		require.NoError(t, err)

		ctx, cancel := context.WithCancel(t.Context())
		broken := again(ctx, js, dir, 0, func(backup.Stream) { cancel() }) // one is whole, the next was begun
		require.ErrorIs(t, broken, context.Canceled)
		require.ErrorContains(t, again(t.Context(), js, dir, 0, ignored), "delete what it left")
		require.NoError(t, js.DeleteStream(t.Context(), stream.Name))
		require.NoError(t, again(t.Context(), js, dir, 0, ignored))
		same(t, js, messages, state, 3)
	}
}

// TestABackupOfAClusterIsRestoredToOneServer, as one copy of each stream, and back to three.
func TestABackupOfAClusterIsRestoredToOneServer(t *testing.T) {
	t.Parallel()
	long.Test(t)
	servers, _ := fresh.NATSServers(t, 3, nil)
	cluster, single := fresh.JetStreamAt(t, servers[0].URL), fresh.JetStream(t)
	setUp(t, cluster, 3)
	messages, state := held(t, cluster)
	dir := filepath.Join(t.TempDir(), "backup")
	_, err := kept.Write(t.Context(), cluster.Conn(), dir)
	require.NoError(t, err)
	_, err = kept.Restore(t.Context(), single.Conn(), dir, 0, ignored)
	require.ErrorContains(t, err, "it has 3 replicas in the backup, and this server is in no cluster; restore with --replicas 1")

	_, err = kept.Restore(t.Context(), single.Conn(), dir, 1, ignored)
	require.NoError(t, err)
	same(t, single, messages, state, 1)
	s, err := stream.Open(t.Context(), single)
	require.NoError(t, err)
	require.NoError(t, s.PublishEnvelope(t.Context(), "later", []score.Update{{ID: score.UpdateID{99}}}, nil))
	messages, state = held(t, single)

	dir = filepath.Join(t.TempDir(), "again")
	_, err = kept.Write(t.Context(), single.Conn(), dir)
	require.NoError(t, err)
	deleteAll(t, cluster)
	require.NoError(t, again(t.Context(), cluster, dir, 3, ignored))
	same(t, cluster, messages, state, 3)
}

// TestABackupOfLanesThatChangeIsRefused: journals and roster would not fit each other.
func TestABackupOfLanesThatChangeIsRefused(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	setUp(t, js, 1)
	for key, refused := range map[string]error{"roster": backup.ErrChanged, "paused": backup.ErrChanged, "topup": nil} {
		require.ErrorIs(t, whileWritten(t, js, key), refused, key)
	}
}

// whileWritten makes a backup while a key beside the roster is written again and again.
func whileWritten(t *testing.T, js jetstream.JetStream, key string) error {
	t.Helper()
	lanes, err := js.KeyValue(t.Context(), stream.LanesBucket)
	require.NoError(t, err)
	stop := make(chan struct{})
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				_, _ = lanes.Put(t.Context(), key, []byte(fmt.Sprint(n)))
			}
		}
	}()
	_, err = kept.Write(t.Context(), js.Conn(), filepath.Join(t.TempDir(), "backup"))
	close(stop)
	<-changed
	return err
}

// TestAStreamThatCannotBeReadIsNotCalledAnother: what is there may be what the backup holds.
func TestAStreamThatCannotBeReadIsNotCalledAnother(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	setUp(t, js, 1)
	dir := filepath.Join(t.TempDir(), "backup")
	_, err := kept.Write(t.Context(), js.Conn(), dir)
	require.NoError(t, err)
	updates, err := js.Stream(t.Context(), stream.Name)
	require.NoError(t, err)
	config := updates.CachedInfo().Config
	config.Metadata[stream.CreatedKey] = "yesterday"
	_, err = js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	_, err = kept.Restore(t.Context(), js.Conn(), dir, 0, ignored)
	require.ErrorContains(t, err, "yesterday")
	require.NotErrorIs(t, err, backup.ErrExists)
}

// TestARestoreContinuesAfterLeasesExpired: the first try brought their bucket, in which the server noted their ends.
func TestARestoreContinuesAfterLeasesExpired(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	setUp(t, js, 1)
	leases, err := js.KeyValue(t.Context(), stream.LeasesBucket)
	require.NoError(t, err)
	_, err = leases.Create(t.Context(), "lane.0", []byte("a"), jetstream.KeyTTL(time.Second))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "backup")
	m, err := kept.Write(t.Context(), js.Conn(), dir)
	require.NoError(t, err)
	deleteAll(t, js)
	var names []string
	restore := func() {
		names = nil
		_, err = kept.Restore(t.Context(), js.Conn(), dir, 0, func(s backup.Stream) { names = append(names, s.Name) })
		require.NoError(t, err)
	}
	restore()
	require.Len(t, names, len(m.Streams))
	require.Eventually(t, func() bool {
		_, err := leases.Get(t.Context(), "lane.0")
		return errors.Is(err, jetstream.ErrKeyNotFound) // it ended after the restore, or, on a slow machine, before
	}, 2*time.Minute, 20*time.Millisecond)
	restore()
	require.Empty(t, names)
}
