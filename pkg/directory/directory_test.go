package directory_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/score"
)

func connect(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	return js
}

func open(t *testing.T, js jetstream.JetStream) *directory.Directory {
	t.Helper()
	_, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: directory.Bucket})
	require.NoError(t, err)
	d, err := directory.Open(t.Context(), js)
	require.NoError(t, err)
	return d
}

func record(n byte, name string) *score.Record {
	return &score.Record{
		ID: score.ProjectID{31: n}, Name: name,
		Actions:    []score.Action{{Name: "buy", Points: 5}, {Name: "burn", Points: 2147483647, Direction: score.Subtract}},
		ScoreTypes: []string{"reputation"},
		Members:    map[common.Address]score.Role{{1}: score.Owner, {2}: score.Updater, {3}: score.Owner | score.Updater},
		SignedOnly: n%2 == 1,
	}
}

func TestOpenWithoutBucket(t *testing.T) {
	t.Parallel()
	_, err := directory.Open(t.Context(), connect(t, devnet.NATS(t).URL))
	require.ErrorIs(t, err, jetstream.ErrBucketNotFound)
	require.ErrorContains(t, err, "setup")
}

func TestPutKeepsTheNewest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := open(t, connect(t, devnet.NATS(t).URL))

	rec, _, _, err := d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Nil(t, rec)

	for _, step := range []struct {
		name  string
		block uint64
		index uint
		want  string
	}{
		{"a", 10, 3, "a"},
		{"same position", 10, 3, "a"},
		{"earlier log", 10, 2, "a"},
		{"earlier block", 9, 99, "a"},
		{"b", 10, 4, "b"},
		{"c", 11, 0, "c"},
		{"late zombie", 10, 4, "c"},
	} {
		require.NoError(t, d.Put(ctx, record(1, step.name), step.block, step.index))
		rec, block, index, err := d.Project(ctx, score.ProjectID{31: 1})
		require.NoError(t, err)
		require.Equal(t, record(1, step.want), rec)
		if step.want == step.name {
			require.Equal(t, step.block, block)
			require.Equal(t, step.index, index)
		}
	}
}

func TestPutUnderRaces(t *testing.T) {
	t.Parallel()
	js := connect(t, devnet.NATS(t).URL)
	d := open(t, js)
	const writers, last = 4, 30
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for _, block := range rand.Perm(last + 1) {
				for {
					if err := d.Put(t.Context(), record(1, fmt.Sprint(block)), uint64(block), 0); err == nil {
						break
					}
				}
			}
		})
	}
	wg.Wait()
	rec, block, _, err := d.Project(t.Context(), score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, uint64(last), block)
	require.Equal(t, fmt.Sprint(last), rec.Name)
}

func TestCheckpointAndReset(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := open(t, connect(t, devnet.NATS(t).URL))
	require.NoError(t, d.Reset(ctx)) // of an empty bucket

	_, _, _, _, ok, err := d.Checkpoint(ctx)
	require.NoError(t, err)
	require.False(t, ok)
	contract := common.Address{7}
	require.NoError(t, d.SetCheckpoint(ctx, 1337, contract, 20, common.Hash{20}))
	require.NoError(t, d.SetCheckpoint(ctx, 1337, contract, 19, common.Hash{19})) // a late writer
	chainID, at, block, hash, ok, err := d.Checkpoint(ctx)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, uint64(1337), chainID)
	require.Equal(t, contract, at)
	require.Equal(t, uint64(20), block)
	require.Equal(t, common.Hash{20}, hash)

	require.NoError(t, d.Put(ctx, record(1, "a"), 20, 0))
	require.NoError(t, d.Reset(ctx))
	_, _, _, _, ok, err = d.Checkpoint(ctx)
	require.NoError(t, err)
	require.False(t, ok)
	rec, _, _, err := d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Nil(t, rec)
	require.NoError(t, d.Put(ctx, record(1, "again"), 5, 0)) // positions start over
	rec, _, _, err = d.Project(ctx, score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "again", rec.Name)
}

func TestTooBigKeepsTheDocument(t *testing.T) {
	t.Parallel()
	d := open(t, connect(t, devnet.NATS(t).URL))
	require.NoError(t, d.Put(t.Context(), record(1, "small"), 1, 0))
	big := record(1, "big")
	for i := range uint32(30_000) {
		big.Members[common.Address(binary.BigEndian.AppendUint32(make([]byte, 16), i))] = score.Updater
	}
	require.ErrorIs(t, d.Put(t.Context(), big, 2, 0), directory.ErrTooBig)
	rec, _, _, err := d.Project(t.Context(), score.ProjectID{31: 1})
	require.NoError(t, err)
	require.Equal(t, "small", rec.Name)
}

// run keeps a view of the server's directory until the test ends.
func run(t *testing.T, d *directory.Directory) *directory.View {
	t.Helper()
	view := d.NewView(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- view.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	return view
}

func caughtUp(t *testing.T, view *directory.View) {
	t.Helper()
	select {
	case <-view.CaughtUp():
	case <-time.After(10 * time.Second):
		t.Fatal("the view did not catch up")
	}
}

func TestViewFollows(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := open(t, connect(t, devnet.NATS(t).URL))

	empty := run(t, d)
	caughtUp(t, empty)
	require.Zero(t, empty.Len())

	require.NoError(t, d.Put(ctx, record(1, "a"), 10, 0))
	require.NoError(t, d.Put(ctx, record(2, "b"), 10, 1))
	require.NoError(t, d.SetCheckpoint(ctx, 1337, common.Address{7}, 12, common.Hash{12}))

	view := run(t, d)
	caughtUp(t, view)
	rec, ok := view.Project(score.ProjectID{31: 1})
	require.True(t, ok)
	require.Equal(t, record(1, "a"), rec)
	require.Equal(t, 2, view.Len())
	require.Equal(t, uint64(12), view.Followed())

	require.NoError(t, d.Put(ctx, record(1, "a2"), 11, 0))
	for _, v := range []*directory.View{empty, view} {
		require.Eventually(t, func() bool {
			rec, ok := v.Project(score.ProjectID{31: 1})
			return ok && rec.Name == "a2"
		}, 10*time.Second, 5*time.Millisecond)
	}
	require.NoError(t, d.Reset(ctx))
	require.Eventually(t, func() bool { return view.Len() == 0 && view.Followed() == 0 }, 10*time.Second, 5*time.Millisecond)
}

func TestViewIgnoresRubbish(t *testing.T) {
	t.Parallel()
	js := connect(t, devnet.NATS(t).URL)
	d := open(t, js)
	kv, err := js.KeyValue(t.Context(), directory.Bucket)
	require.NoError(t, err)
	require.NoError(t, d.Put(t.Context(), record(1, "a"), 10, 0))
	view := run(t, d)
	caughtUp(t, view)
	for _, key := range []string{"rubbish", record(1, "").ID.String()[2:], "checkpoint"} {
		_, err := kv.Put(t.Context(), key, []byte("{"))
		require.NoError(t, err)
	}
	require.NoError(t, d.Put(t.Context(), record(2, "b"), 10, 1))
	require.Eventually(t, func() bool { return view.Len() == 2 }, 10*time.Second, 5*time.Millisecond)
	rec, _ := view.Project(score.ProjectID{31: 1})
	require.Equal(t, "a", rec.Name)
}

// A view must go on, and miss nothing, when NATS is killed and comes back with its data.
func TestViewSurvivesARestartOfNATS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := devnet.StartNATS(dir, devnet.NATSOptions{})
	require.NoError(t, err)
	var port int
	_, err = fmt.Sscanf(server.URL, "nats://127.0.0.1:%d", &port)
	require.NoError(t, err)
	d := open(t, connect(t, server.URL))
	require.NoError(t, d.Put(t.Context(), record(1, "a"), 10, 0))
	view := run(t, d)
	caughtUp(t, view)

	for round := range 2 {
		server.Close()
		require.Equal(t, 1+round, view.Len()) // keeps what it knew
		server, err = devnet.StartNATS(dir, devnet.NATSOptions{Port: port})
		require.NoError(t, err)
		next := record(byte(10+round), "after")
		require.Eventually(t, func() bool { return d.Put(t.Context(), next, 11, 0) == nil }, 20*time.Second, 20*time.Millisecond)
		require.Eventually(t, func() bool {
			_, ok := view.Project(next.ID)
			return ok
		}, 30*time.Second, 20*time.Millisecond)
	}
	server.Close()
}
