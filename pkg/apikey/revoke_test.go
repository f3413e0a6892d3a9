package apikey_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
)

// TestARevocationThatLosesARace to another process is tried again on what that process wrote.
func TestARevocationThatLosesARace(t *testing.T) {
	t.Parallel()
	url := fresh.NATS(t).URL
	store, js := open(t, url)
	kv := bucket(t, js)
	put := func(key apikey.Key) {
		raw, err := json.Marshal(key)
		require.NoError(t, err)
		_, err = kv.Put(t.Context(), key.ID, raw)
		require.NoError(t, err)
	}
	stored := func(id string) (key apikey.Key) {
		entry, err := kv.Get(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(entry.Value(), &key))
		return key
	}
	for name, c := range map[string]struct {
		meanwhile func(apikey.Key) // another process's write, between our read and our write
		is        error
		tries     int
		rate      int
		revoked   bool
	}{
		"a change":     {func(key apikey.Key) { key.Rate = 7; put(key) }, nil, 2, 7, true},
		"a revocation": {func(key apikey.Key) { require.NoError(t, store.Revoke(t.Context(), key.ID)) }, apikey.ErrRevoked, 1, 3, true},
		"a removal":    {func(key apikey.Key) { require.NoError(t, kv.Delete(t.Context(), key.ID)) }, apikey.ErrNotFound, 1, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			secret, key := create(t, store, nil, name, apikey.Terms{Rate: 3})
			plan := fault.NewPlan(nil)
			plan.Before(1, func() { c.meanwhile(key) })
			racing, err := apikey.Open(t.Context(), fault.JetStream{JetStream: js, Plan: plan})
			require.NoError(t, err)
			require.ErrorIs(t, racing.Revoke(t.Context(), key.ID), c.is)
			require.Equal(t, c.tries, plan.Writes())
			if errors.Is(c.is, apikey.ErrNotFound) {
				_, err := kv.Get(t.Context(), key.ID)
				require.ErrorIs(t, err, jetstream.ErrKeyNotFound)
				return
			}
			after := stored(key.ID)
			require.Equal(t, c.rate, after.Rate, "what the other process wrote stays")
			require.Equal(t, c.revoked, after.Revoked != nil)
			require.Equal(t, !c.revoked, opens(watch(t, store), secret))
		})
	}
}
