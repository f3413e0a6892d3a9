package kv

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

// written is an entry of the bucket.
type written struct {
	jetstream.KeyValueEntry

	key      string
	revision uint64
	gone     bool
}

func (w written) Key() string      { return w.key }
func (w written) Revision() uint64 { return w.revision }
func (w written) Value() []byte    { return []byte("x") }

func (w written) Operation() jetstream.KeyValueOp {
	if w.gone {
		return jetstream.KeyValuePurge
	}
	return jetstream.KeyValuePut
}

func TestBoard(t *testing.T) {
	t.Parallel()
	b := board{ttl: 4 * time.Second, keys: map[string]*leaseKey{}}
	start := time.Now()
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	b.see(event{begin: true}, at(0))
	b.see(event{entry: written{key: "lane.0", revision: 5}}, at(0))
	require.False(t, b.whole)
	b.see(event{}, at(0))
	require.True(t, b.whole)
	require.Equal(t, 4*time.Second, b.next(at(0)))
	require.True(t, b.alive("lane.0", at(3.9)))
	require.Equal(t, 500*time.Millisecond, b.next(at(3.5)))
	require.False(t, b.alive("lane.0", at(4)))
	require.False(t, b.alive("lane.1", at(0)))

	b.see(event{begin: true}, at(2))
	b.see(event{entry: written{key: "lane.0", revision: 5}}, at(2))
	b.see(event{entry: written{key: "lane.1", revision: 6}}, at(2))
	b.see(event{}, at(2))
	require.False(t, b.alive("lane.0", at(4)), "a replay is no sign of life")
	require.True(t, b.alive("lane.1", at(4)))
	b.see(event{entry: written{key: "lane.0", revision: 7}}, at(5))
	require.True(t, b.alive("lane.0", at(8)))
	b.see(event{entry: written{key: "lane.0", revision: 6, gone: true}}, at(5))
	require.True(t, b.alive("lane.0", at(8)), "what is older does not count")
	b.see(event{entry: written{key: "lane.0", revision: 8, gone: true}}, at(5))
	require.False(t, b.alive("lane.0", at(5)), "given back, or removed by the server: at once")
	b.see(event{begin: true}, at(6))
	b.see(event{}, at(6))
	require.Empty(t, b.keys)
	b.taken("lane.1", at(6))
	require.True(t, b.alive("lane.1", at(9)))
}

// TestAHolderThatWasNotSeenKeepsItsLane: a replica that slept, or whose watch is late, thinks that a holder is dead. The
// server knows better.
func TestAHolderThatWasNotSeenKeepsItsLane(t *testing.T) {
	t.Parallel()
	js := fresh.JetStream(t)
	setUp(t, js)
	l, err := OpenLeases(t.Context(), js, LeaseConfig{Replica: "a", TTL: 4 * time.Second}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	seen, err := l.kv.Put(t.Context(), "lane.0", []byte("b"))
	require.NoError(t, err)
	newer, err := l.kv.Put(t.Context(), "lane.0", []byte("b"))
	require.NoError(t, err)
	long := time.Now().Add(-time.Hour)
	s := &share{
		Leases: l, lanes: func() (driven, able []score.Lane) { return []score.Lane{0}, []score.Lane{0} }, token: "a", held: map[score.Lane]*held{}, ended: make(chan struct{}, 1),
		board: board{ttl: l.config.TTL, keys: map[string]*leaseKey{"lane.0": {revision: seen, since: long}}, whole: true},
		drive: func(ctx context.Context, _ score.Lane) { <-ctx.Done() },
	}
	s.take(t.Context())
	require.Empty(t, s.held)
	require.True(t, s.board.alive("lane.0", time.Now()), "it is looked at again later")

	s.board.keys["lane.0"] = &leaseKey{revision: newer, since: long}
	s.take(t.Context())
	require.Len(t, s.held, 1, "one that was not renewed is replaced at once")
	s.giveUp()
	_, err = l.kv.Get(t.Context(), "lane.0")
	require.ErrorIs(t, err, jetstream.ErrKeyNotFound)
}
