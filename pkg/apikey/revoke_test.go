package apikey_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
)

// TestARevocationThatLosesARace to another process is tried again on what that process wrote.
func TestARevocationThatLosesARace(t *testing.T) {
	t.Parallel()
	url := devnet.NATS(t).URL
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
		meanwhile func(try int, key apikey.Key) // another process's write, between our read and our write
		is        error
		says      string
		tries     int
		rate      int
		revoked   bool
	}{
		"a change":      {func(_ int, key apikey.Key) { key.Rate = 7; put(key) }, nil, "", 2, 7, true},
		"a revocation":  {func(_ int, key apikey.Key) { require.NoError(t, store.Revoke(t.Context(), key.ID)) }, apikey.ErrRevoked, "", 1, 3, true},
		"a removal":     {func(_ int, key apikey.Key) { require.NoError(t, kv.Delete(t.Context(), key.ID)) }, apikey.ErrNotFound, "", 1, 0, false},
		"many a change": {func(try int, key apikey.Key) { key.Rate = try; put(key) }, nil, "others keep changing it", 8, 8, false},
	} {
		t.Run(name, func(t *testing.T) {
			secret, key := create(t, store, nil, name, apikey.Terms{Rate: 3})
			racing, _ := open(t, url)
			plan := fault.NewPlan(func(_ string, try int) fault.Kind {
				if try == 1 || c.says != "" {
					c.meanwhile(try, key)
				}
				return fault.None
			})
			racing.Follow(plan)
			err := racing.Revoke(t.Context(), key.ID)
			require.Equal(t, c.tries, plan.Writes())
			switch {
			case c.is != nil:
				require.ErrorIs(t, err, c.is)
			case c.says != "":
				require.ErrorContains(t, err, c.says)
			default:
				require.NoError(t, err)
			}
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

// TestARevocationThatFailedMayBeRepeated, whether it was stored or not.
func TestARevocationThatFailedMayBeRepeated(t *testing.T) {
	t.Parallel()
	url := devnet.NATS(t).URL
	store, _ := open(t, url)
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		secret, key := create(t, store, nil, kind.String(), apikey.Terms{})
		failing, _ := open(t, url)
		failing.Follow(fault.NewPlan(fault.Always(kind)))
		require.ErrorIs(t, failing.Revoke(t.Context(), key.ID), fault.Err)
		require.Equal(t, kind == fault.Failed, opens(watch(t, store), secret))
		require.ErrorIs(t, store.Revoke(t.Context(), key.ID), map[fault.Kind]error{fault.Persisted: apikey.ErrRevoked}[kind])
		require.False(t, opens(watch(t, store), secret))
	})
}
