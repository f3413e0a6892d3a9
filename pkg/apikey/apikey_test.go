package apikey_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

func open(t *testing.T, url string) (*apikey.Store, jetstream.JetStream) {
	t.Helper()
	js := fresh.JetStreamAt(t, url)
	_, err := js.CreateOrUpdateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: apikey.Bucket, History: 1})
	require.NoError(t, err)
	store, err := apikey.Open(t.Context(), js)
	require.NoError(t, err)
	return store, js
}

// watch runs a view of its own, as another replica would.
func watch(t *testing.T, store *apikey.Store) *apikey.View {
	t.Helper()
	view := store.NewView(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = view.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	select {
	case <-view.CaughtUp():
	case <-time.After(2 * time.Minute):
		t.Fatal("the view did not catch up")
	}
	return view
}

// create makes a key that the view, if there is one, knows then.
func create(t *testing.T, store *apikey.Store, view *apikey.View, name string, terms apikey.Terms) (apikey.Secret, apikey.Key) {
	t.Helper()
	secret, key, err := store.Create(t.Context(), name, terms)
	require.NoError(t, err)
	if view != nil {
		require.Eventually(t, func() bool { return opens(view, secret) }, time.Minute, time.Millisecond)
	}
	return secret, key
}

// bucket holds the records of the keys.
func bucket(t *testing.T, js jetstream.JetStream) jetstream.KeyValue {
	t.Helper()
	kv, err := js.KeyValue(t.Context(), apikey.Bucket)
	require.NoError(t, err)
	return kv
}

func opens(view *apikey.View, secret apikey.Secret) bool {
	return view.Authenticate(secret.Reveal()) != nil
}

func TestAKeyFromCreationToRevocation(t *testing.T) {
	t.Parallel()
	store, _ := open(t, fresh.NATS(t).URL)
	before, old := create(t, store, nil, "made before the view", apikey.Terms{})
	view := watch(t, store)
	require.True(t, opens(view, before))

	secret, key := create(t, store, view, "acme", apikey.Terms{Rate: 25, LookUps: 5, Gas: 1_000_000, Rights: []string{"read", "update"}})
	require.Equal(t, &score.Grant{
		Key: key.ID, Name: "acme", Budget: score.Budget{Updates: 25, LookUps: 5, Gas: 1_000_000}, Rights: score.MayUpdate | score.MayRead,
	}, view.Authenticate(secret.Reveal()))
	require.Equal(t, score.AllRights, view.Authenticate(before.Reveal()).Rights, "without terms")

	require.NoError(t, store.Revoke(t.Context(), key.ID))
	require.Eventually(t, func() bool { return !opens(view, secret) }, time.Minute, time.Millisecond)
	require.True(t, opens(view, before))
	require.ErrorIs(t, store.Revoke(t.Context(), key.ID), apikey.ErrRevoked)
	for _, id := range []string{"000000000000", "", "*", "a b"} {
		require.ErrorIs(t, store.Revoke(t.Context(), id), apikey.ErrNotFound, id)
	}

	keys, err := store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 2)
	require.ElementsMatch(t, []string{old.ID, key.ID}, []string{keys[0].ID, keys[1].ID})
	for _, k := range keys {
		require.Equal(t, k.ID == key.ID, k.Revoked != nil)
	}
	require.False(t, opens(watch(t, store), secret), "a replica that starts later refuses it too")
}

func TestOnlyTheHashIsStored(t *testing.T) {
	t.Parallel()
	store, js := open(t, fresh.NATS(t).URL)
	secret, key := create(t, store, nil, "acme", apikey.Terms{})
	entry, err := bucket(t, js).Get(t.Context(), key.ID)
	require.NoError(t, err)
	random := secret.Reveal()[len("scorelay_")+12+1:]
	require.NotContains(t, string(entry.Value()), random[:10])

	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("made", "key", secret)
	for _, text := range []string{logged.String(), fmt.Sprint(secret), fmt.Sprintf("%v %s %q", secret, secret, secret)} {
		require.Contains(t, text, key.ID)
		require.NotContains(t, text, random[:10])
	}
}

func TestOneWrongCharacterOpensNothing(t *testing.T) {
	t.Parallel()
	store, _ := open(t, fresh.NATS(t).URL)
	secret, _ := create(t, store, nil, "acme", apikey.Terms{})
	view := watch(t, store)
	require.True(t, opens(view, secret))
	text := secret.Reveal()
	require.Regexp(t, `^scorelay_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$`, text)
	for i := range text {
		other := byte('x')
		if text[i] == other {
			other = 'y'
		}
		require.False(t, opens(view, apikey.Secret(text[:i]+string(other)+text[i+1:])), i)
	}
	for _, wrong := range []string{"", text + "0", text[1:], strings.ToLower(text), strings.Repeat("x", 1000)} {
		require.False(t, opens(view, apikey.Secret(wrong)))
	}
}

func TestNamesAndTerms(t *testing.T) {
	t.Parallel()
	store, _ := open(t, fresh.NATS(t).URL)
	for _, name := range []string{"", "a\nb", strings.Repeat("x", 101)} {
		_, _, err := store.Create(t.Context(), name, apikey.Terms{})
		require.ErrorIs(t, err, apikey.ErrName)
	}
	for _, terms := range []apikey.Terms{
		{Rate: -1}, {Rate: 1_000_001}, {LookUps: -1}, {LookUps: 1_000_001}, {Gas: 1_000_000_000_000_000}, {Ether: 1_000_000_000_000_000}, {Rights: []string{"update", "write"}},
	} {
		_, _, err := store.Create(t.Context(), "acme", terms)
		require.ErrorIs(t, err, apikey.ErrTerms)
	}
}

func TestAnUnreadableRecordOpensNothing(t *testing.T) {
	t.Parallel()
	store, js := open(t, fresh.NATS(t).URL)
	view := watch(t, store)
	secret, key := create(t, store, view, "acme", apikey.Terms{})
	_, err := bucket(t, js).Put(t.Context(), key.ID, []byte("{"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !opens(view, secret) }, time.Minute, time.Millisecond)
	_, err = store.List(t.Context())
	require.Error(t, err)
	require.Error(t, store.Revoke(t.Context(), key.ID))
}

// TestParseEther: what is printed is read again, and no budget is rounded to none.
func TestParseEther(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]score.Gwei{
		"0": 0, "0.5": 500_000_000, "1e-9": 1, "0.000000001": 1, "999999.999999999": 999_999_999_999_999,
		"1.0000000004": 1_000_000_000,
	} {
		gwei, err := apikey.ParseEther(text)
		require.NoError(t, err, text)
		require.Equal(t, want, gwei, text)
		again, err := apikey.ParseEther(gwei.String())
		require.NoError(t, err, text)
		require.Equal(t, gwei, again, text)
	}
	for _, text := range []string{"", "x", "-1", "-1e-20", "1e-10", "1000000", "NaN", "Inf", "1e400"} {
		_, err := apikey.ParseEther(text)
		require.ErrorIs(t, err, apikey.ErrTerms, text)
	}
}
