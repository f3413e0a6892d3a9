package kv

import (
	"context"
	"log/slog"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/roster"
)

func signer(n int) common.Address { return common.Address{1, byte(n)} }

func adding(n int) func(roster.Roster) (roster.Roster, error) {
	return func(r roster.Roster) (roster.Roster, error) {
		r, _, err := r.Add(signer(n))
		return r, err
	}
}

func openRoster(t *testing.T) (*RosterStore, jetstream.JetStream) {
	t.Helper()
	js := fresh.JetStream(t)
	_, err := OpenRoster(t.Context(), js)
	require.ErrorContains(t, err, "scorelay setup")
	setUp(t, js)
	s, err := OpenRoster(t.Context(), js)
	require.NoError(t, err)
	_, err = s.Get(t.Context())
	require.ErrorIs(t, err, ErrNoRoster)
	_, err = s.Update(t.Context(), adding(1))
	require.ErrorIs(t, err, ErrNoRoster)
	return s, js
}

func first(t *testing.T) roster.Roster {
	t.Helper()
	r, err := roster.First([]common.Address{signer(0)})
	require.NoError(t, err)
	return r
}

// TestASignerGetsOneLane, also where the answer to its write is lost and another change comes after it.
func TestASignerGetsOneLane(t *testing.T) {
	t.Parallel()
	sound, js := openRoster(t)
	plan := fault.NewPlan(nil)
	s, err := OpenRoster(t.Context(), fault.JetStream{JetStream: js, Plan: plan})
	require.NoError(t, err)
	_, err = s.Create(t.Context(), first(t))
	require.NoError(t, err)
	plan.Set(fault.First(1, fault.Persisted))
	plan.After(func() {
		_, err := sound.Update(t.Context(), adding(3))
		require.NoError(t, err)
	})
	_, err = s.Update(t.Context(), adding(2))
	require.NoError(t, err)
	stored, err := sound.Get(t.Context())
	require.NoError(t, err)
	require.Len(t, stored.Lanes, 3)
}

func TestTheFirstRosterStays(t *testing.T) {
	t.Parallel()
	s, _ := openRoster(t)
	_, err := s.Create(t.Context(), first(t))
	require.NoError(t, err)
	r, err := s.Create(t.Context(), roster.Roster{Lanes: []roster.Lane{{Signer: signer(9), State: roster.Active}}})
	require.NoError(t, err)
	require.Equal(t, first(t), r)
	require.ErrorIs(t, s.Gone(t.Context(), 0), roster.ErrState)
}

func TestAViewFollows(t *testing.T) {
	t.Parallel()
	s, _ := openRoster(t)
	_, err := s.View(t.Context(), slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, ErrNoRoster)
	_, err = s.Create(t.Context(), first(t))
	require.NoError(t, err)
	v, err := s.View(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = v.Run(ctx)
	}()
	defer func() {
		cancel()
		<-done
	}()
	r, changed := v.Current()
	require.Len(t, r.Lanes, 1)
	for _, unreadable := range []string{`{"version":2}`, "x"} {
		_, err = s.doc.of.bucket.kv.Put(t.Context(), rosterKey, []byte(unreadable))
		require.NoError(t, err)
	}
	_, err = s.Update(t.Context(), adding(1))
	require.ErrorIs(t, err, ErrInvalid, "it is told, not waited for")
	require.NoError(t, s.doc.of.bucket.kv.Delete(t.Context(), rosterKey))
	_, err = s.Create(t.Context(), first(t))
	require.NoError(t, err)
	_, err = s.Update(t.Context(), adding(1))
	require.NoError(t, err)
	<-changed
	r, _ = v.Current()
	require.Len(t, r.Lanes, 2, "what cannot be read changes nothing")
}
