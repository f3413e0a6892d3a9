package stream_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// cluster is three servers that hold a deployment's streams, and a connection to each alone.
type cluster struct {
	servers []*devnet.NATSServer
	mesh    *fresh.Mesh
	js      []jetstream.JetStream
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	c.servers, c.mesh = fresh.NATSServers(t, 3, nil)
	for _, s := range c.servers {
		c.js = append(c.js, connect(t, s.URL))
	}
	require.Eventually(t, func() bool {
		return within(t, 10*time.Second, func(ctx context.Context) error {
			return stream.Setup(ctx, c.js[0], stream.Config{Deployment: deployment, Replicas: 3})
		})
	}, 3*time.Minute, 100*time.Millisecond, "the cluster does not work")
	return c
}

// within reports whether an attempt, which may never be answered while leaders change, succeeds in time.
func within(t *testing.T, patience time.Duration, try func(ctx context.Context) error) bool {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return try(ctx) == nil
}

// leader is the index of the server that leads a stream, once one does.
func (c *cluster) leader(t *testing.T, name string) (leads int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var s jetstream.Stream
		if !within(t, 10*time.Second, func(ctx context.Context) (err error) { s, err = c.js[0].Stream(ctx, name); return err }) {
			return false
		}
		for leads = range c.servers {
			if s.CachedInfo().Cluster.Leader == devnet.NATSName(leads) {
				return true
			}
		}
		return false
	}, 3*time.Minute, 100*time.Millisecond, "no server leads %s", name)
	return leads
}

// TestACluster is one for all that needs one: to make the streams takes it most of the time.
func TestACluster(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *cluster)
	}{
		{"a stream that any copy answers for is refused", aStreamThatAnyCopyAnswersForIsRefused},
		{"publishes are stored once while leaders change", publishesAreStoredOnceWhileLeadersChange},
		{"a server that is cut off answers nothing that is past", aServerThatIsCutOffAnswersNothingThatIsPast}, // for good
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, c) })
	}
}

// aStreamThatAnyCopyAnswersForIsRefused, until setup has run again.
func aStreamThatAnyCopyAnswersForIsRefused(t *testing.T, c *cluster) {
	anyCopy := func(config *jetstream.StreamConfig) { config.AllowDirect = true }
	setting(t, c.js[0], stream.Name, anyCopy)
	_, err := stream.Open(t.Context(), c.js[0])
	require.ErrorIs(t, err, stream.ErrUnsafe)
	setting(t, c.js[0], "KV_"+stream.KeysBucket, anyCopy)
	_, err = kv.OpenMap[string](t.Context(), c.js[0], stream.KeysBucket, "*", "key")
	require.ErrorIs(t, err, kv.ErrAnyCopy)
	require.NoError(t, stream.LeadReads(t.Context(), c.js[0]))
	_, err = stream.Open(t.Context(), c.js[0])
	require.NoError(t, err)
	_, err = kv.OpenMap[string](t.Context(), c.js[0], stream.KeysBucket, "*", "key")
	require.NoError(t, err)
}

// publishesAreStoredOnceWhileLeadersChange: each publish is repeated under its message id until it is acknowledged. The stream
// never ends before what was acknowledged.
func publishesAreStoredOnceWhileLeadersChange(t *testing.T, c *cluster) {
	ctx := t.Context()
	opened := make([]*stream.Stream, len(c.js))
	for i, js := range c.js {
		var err error
		opened[i], err = stream.Open(ctx, js)
		require.NoError(t, err)
	}
	messages := long.Size(60, 400)
	const term = 20 // messages that a leader leads for, so that a slow machine has no more leaders than a fast one
	var changing sync.WaitGroup
	unclear := 0
	for n := range messages {
		if n%term == 0 {
			changing.Go(func() {
				assert.Eventually(t, func() bool {
					answer, err := c.js[0].Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream.Name, nil, 5*time.Second)
					return err == nil && strings.Contains(string(answer.Data), `"success":true`)
				}, 3*time.Minute, 100*time.Millisecond, "no leader steps down")
			})
		}
		for began, try := time.Now(), 0; ; try++ {
			call, cancel := context.WithTimeout(ctx, time.Duration(try+1)*500*time.Millisecond)
			s := opened[(n+try)%len(opened)]
			err := s.PublishEnvelope(call, fmt.Sprint(n), []score.Update{update(byte(n))}, nil)
			cancel()
			require.NotErrorIs(t, err, stream.ErrShorter)
			if err == nil {
				break
			}
			unclear++
			require.Less(t, time.Since(began), 3*time.Minute, "%v", err)
		}
		for _, s := range opened {
			s.Saw(opened[n%3].Seen()) // what one process knows, another asks for
		}
		asking, cancel := context.WithTimeout(ctx, 5*time.Second) // while leaders change, a question may never be answered
		state, err := opened[(n+1)%3].State(asking)
		cancel()
		if err == nil {
			require.GreaterOrEqual(t, state.LastSeq, opened[(n+1)%3].Seen())
		}
	}
	changing.Wait()
	t.Logf("%d attempts were unclear", unclear)
	var stored []byte
	require.Eventually(t, func() bool {
		stored = nil
		return within(t, time.Minute, func(ctx context.Context) error {
			return opened[0].ReadAll(ctx, func(m score.Message) error {
				stored = append(stored, m.Updates[0].ID[0])
				return nil
			})
		})
	}, 3*time.Minute, 100*time.Millisecond)
	require.Len(t, stored, messages)
	for n, id := range stored {
		require.Equal(t, byte(n), id)
	}
}

// aServerThatIsCutOffAnswersNothingThatIsPast: it has a copy of all, and would have it decide whether a creation exists, what a
// project's record says, and whether accepting halts.
func aServerThatIsCutOffAnswersNothingThatIsPast(t *testing.T, c *cluster) {
	long.Test(t) // other servers must come to lead first
	cut := (c.leader(t, stream.Name) + 1) % 3
	live := c.js[(cut+1)%3]
	s, err := stream.Open(t.Context(), live)
	require.NoError(t, err)
	buckets := []string{stream.KeysBucket, stream.ProjectsBucket, stream.HaltBucket, stream.LanesBucket}
	put := func(key string) {
		for _, name := range buckets {
			require.Eventually(t, func() bool { // another server may have to lead first
				return within(t, 2*time.Second, func(ctx context.Context) error {
					kv, err := live.KeyValue(ctx, name)
					if err == nil {
						_, err = kv.PutString(ctx, "k", key)
					}
					return err
				})
			}, 3*time.Minute, 20*time.Millisecond, name)
		}
	}
	put("old")
	past := map[string]func(ctx context.Context) error{} // reads through the server that is cut off
	for _, name := range buckets {
		if c.leader(t, "KV_"+name) == cut {
			continue // it answers until it notices, after some ten seconds, and what is decided by that cannot be written there
		}
		kv, err := c.js[cut].KeyValue(t.Context(), name)
		require.NoError(t, err)
		past[name] = func(ctx context.Context) error { _, err := kv.Get(ctx, "k"); return err }
	}
	for _, name := range []string{stream.Name, stream.JournalName} {
		if c.leader(t, name) == cut {
			continue
		}
		of, err := c.js[cut].Stream(t.Context(), name)
		require.NoError(t, err)
		past[name] = func(ctx context.Context) error { _, err := of.GetLastMsgForSubject(ctx, ">"); return err }
	}
	require.Contains(t, past, stream.Name)
	c.mesh.Isolate(cut)
	put("new")
	require.Eventually(t, func() bool {
		return within(t, 2*time.Second, func(ctx context.Context) error { return s.PublishProject(ctx, "p", project(1), 0) })
	}, 3*time.Minute, 20*time.Millisecond)
	for name, read := range past {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := read(ctx)
		cancel()
		require.Error(t, err, name)
		require.NotErrorIs(t, err, jetstream.ErrMsgNotFound, name)
		require.NotErrorIs(t, err, jetstream.ErrKeyNotFound, name)
	}
}
