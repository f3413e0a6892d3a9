package pause

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

func open(t *testing.T) (*Store, jetstream.JetStream) {
	t.Helper()
	js := devnet.JetStream(t)
	_, err := Open(t.Context(), js)
	require.ErrorContains(t, err, "scorelay setup")
	require.NoError(t, stream.Setup(t.Context(), js, stream.Config{Deployment: score.Deployment{Lanes: 1, ChainID: 1, Contract: common.Address{1}}}))
	s, err := Open(t.Context(), js)
	require.NoError(t, err)
	return s, js
}

func TestPauses(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	two := score.Lane(2)
	var none Pauses
	require.Nil(t, none.Of(2))
	lane := none.With(&two, Pause{At: at, Reason: "the node is moved"})
	require.Equal(t, "the node is moved", lane.Of(2).Reason)
	require.Nil(t, lane.Of(3))
	require.Nil(t, none.Of(2), "a change is a copy")
	all := lane.With(nil, Pause{At: at})
	require.NotNil(t, all.Of(3))
	require.Equal(t, "the node is moved", all.Of(2).Reason, "its own comes first")
	require.Empty(t, all.Accepting(), "accepting continues")
	require.Equal(t, "the operator paused it at 2027-01-02T03:04:05Z", none.With(nil, Pause{At: at, Accepting: true}).Accepting())
	require.Equal(t, "a migration", none.With(nil, Pause{Reason: "a migration", Accepting: true}).Accepting())
	require.Nil(t, lane.Without(two).Of(2))
	require.NotNil(t, all.Without(two).Of(2), "everything is paused still")
}

// TestAViewKnowsWhatIsPaused from its beginning on, and what changes; entries of others, and what cannot be read, change nothing.
func TestAViewKnowsWhatIsPaused(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	one := score.Lane(1)
	pause := func(id *score.Lane) {
		_, err := s.Update(t.Context(), func(p Pauses) Pauses { return p.With(id, Pause{At: time.Now()}) })
		require.NoError(t, err)
	}
	pause(&one)
	view, err := s.View(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NotNil(t, view.Current().Of(1), "before it is run")
	go func() { _ = view.Run(t.Context()) }()
	knows := func(id score.Lane, paused bool) {
		t.Helper()
		require.Eventually(t, func() bool { return (view.Current().Of(id) != nil) == paused }, 2*time.Minute, time.Millisecond)
	}
	<-view.view.CaughtUp()
	knows(1, true)
	pause(nil)
	knows(0, true)
	_, err = js.Publish(t.Context(), "$KV.LANES.roster", []byte("of another package"))
	require.NoError(t, err)
	require.NoError(t, s.Clear(t.Context()))
	knows(0, false)
	knows(1, false)
	pause(&one)
	knows(1, true)
	_, err = js.Publish(t.Context(), "$KV.LANES.paused", []byte("?"))
	require.NoError(t, err)
	_, err = s.Update(t.Context(), func(p Pauses) Pauses { return p })
	require.ErrorIs(t, err, errUnreadable)
	require.NotNil(t, view.Current().Of(1))
	require.Nil(t, view.Current().Of(0))
}

// TestWhatCannotBeReadIsAPause for who begins then, also after the watch has told it; a change fails at once, and Clear ends it.
func TestWhatCannotBeReadIsAPause(t *testing.T) {
	t.Parallel()
	s, js := open(t)
	_, err := js.Publish(t.Context(), "$KV.LANES.paused", []byte(`{"all":7}`))
	require.NoError(t, err)
	one := score.Lane(1)
	_, err = s.Update(t.Context(), func(p Pauses) Pauses { return p.With(&one, Pause{}) })
	require.ErrorContains(t, err, "scorelay resume --all")
	view, err := s.View(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	go func() { _ = view.Run(t.Context()) }()
	for range 2 {
		require.NotNil(t, view.Current().Of(1))
		require.Equal(t, "what is paused cannot be read", view.Current().Accepting())
		<-view.view.CaughtUp()
	}
	require.NoError(t, s.Clear(t.Context()))
	require.Eventually(t, func() bool { return view.Current().All == nil }, 2*time.Minute, time.Millisecond)
	p, err := s.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, Pauses{}, p)
}

var errLost = errors.New("the answer was lost")

// faulty is a bucket whose next write fails: it is stored if persisted says so.
type faulty struct {
	jetstream.KeyValue
	fails     int
	persisted bool
}

func (f *faulty) fault(write func() (uint64, error)) (uint64, error) {
	if f.fails == 0 {
		return write()
	}
	f.fails--
	if f.persisted {
		if _, err := write(); err != nil {
			return 0, err
		}
	}
	return 0, errLost
}

func (f *faulty) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	return f.fault(func() (uint64, error) { return f.KeyValue.Create(ctx, key, value, opts...) })
}

func (f *faulty) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return f.fault(func() (uint64, error) { return f.KeyValue.Update(ctx, key, value, revision) })
}

// TestUpdatesAreMadeOnce: where a write fails, where only its answer is lost, and where many write at once.
func TestUpdatesAreMadeOnce(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for i, persisted := range []bool{false, true} {
		id, broken := score.Lane(i), *s
		broken.kv = &faulty{KeyValue: s.kv, fails: 1, persisted: persisted}
		p, err := broken.Update(t.Context(), func(p Pauses) Pauses { return p.With(&id, Pause{Reason: "x"}) })
		require.NoError(t, err)
		require.Len(t, p.Lanes, i+1)
	}
	require.NoError(t, s.kv.Delete(t.Context(), key), "as an operator may")
	for id := range score.Lane(2) {
		_, err := s.Update(t.Context(), func(p Pauses) Pauses { return p.With(&id, Pause{}) })
		require.NoError(t, err)
	}
	var all sync.WaitGroup
	for id := score.Lane(10); id < 20; id++ {
		all.Go(func() {
			if _, err := s.Update(t.Context(), func(p Pauses) Pauses { return p.With(&id, Pause{}) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	p, err := s.Get(t.Context())
	require.NoError(t, err)
	require.Len(t, p.Lanes, 12)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	broken := *s
	broken.kv = &faulty{KeyValue: s.kv, fails: 1 << 30}
	_, err = broken.Update(ctx, func(p Pauses) Pauses { return p.Without(1) })
	require.ErrorContains(t, err, "couldn't change what is paused")
}
