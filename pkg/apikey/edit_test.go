package apikey_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestAnEditHoldsWithinASecond, and changes nothing that it does not speak of.
func TestAnEditHoldsWithinASecond(t *testing.T) {
	t.Parallel()
	store, _ := open(t, fresh.NATS(t).URL)
	view := watch(t, store)
	secret, key := create(t, store, view, "acme", apikey.Terms{Rate: 7, Rights: []string{"update"}})
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	project := score.ProjectID{7}
	edited, err := store.Edit(t.Context(), key.ID, func(terms *apikey.Terms) error {
		terms.Projects, terms.Whole, terms.Expires = []score.ProjectID{project}, true, &until
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 7, edited.Rate)
	require.Eventually(t, func() bool { return view.Authenticate(secret.Reveal()).Whole }, time.Minute, time.Millisecond)
	grant := view.Authenticate(secret.Reveal())
	require.Equal(t, &score.Grant{
		Key: key.ID, Name: "acme", Budget: score.Budget{Updates: 7}, Rights: score.MayUpdate,
		Projects: map[score.ProjectID]struct{}{project: {}}, Whole: true, Expires: until,
	}, grant)
	require.True(t, grant.Covers(project))
	require.False(t, grant.Covers(score.ProjectID{8}))
	require.False(t, grant.Expired(until.Add(-1)))
	require.True(t, grant.Expired(until))
	require.Same(t, grant, view.Authenticate(secret.Reveal()), "until it changes")

	refused := errors.New("no")
	_, err = store.Edit(t.Context(), key.ID, func(*apikey.Terms) error { return refused })
	require.ErrorIs(t, err, refused)
	_, err = store.Edit(t.Context(), key.ID, func(terms *apikey.Terms) error { terms.Rate = -1; return nil })
	require.ErrorIs(t, err, apikey.ErrTerms)
	_, err = store.Edit(t.Context(), key.ID, func(terms *apikey.Terms) error { terms.Projects = make([]score.ProjectID, 1001); return nil })
	require.ErrorIs(t, err, apikey.ErrTerms)
	for _, id := range []string{"000000000000", "used." + key.ID, "", "*", ">"} {
		_, err = store.Edit(t.Context(), id, func(*apikey.Terms) error { return nil })
		require.ErrorIs(t, err, apikey.ErrNotFound, id)
	}
	require.NoError(t, store.Revoke(t.Context(), key.ID))
	_, err = store.Edit(t.Context(), key.ID, func(*apikey.Terms) error { return nil })
	require.ErrorIs(t, err, apikey.ErrRevoked)
	keys, err := store.List(t.Context())
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, []score.ProjectID{project}, keys[0].Projects, "what it could do stays in the list")
}

// TestTheLastUseIsTold, of keys that were used, however often, and also of those used last by a process that ended.
func TestTheLastUseIsTold(t *testing.T) {
	t.Parallel()
	store, js := open(t, fresh.NATS(t).URL)
	used, usedKey := create(t, store, nil, "used", apikey.Terms{})
	atEnd, atEndKey := create(t, store, nil, "used at the end", apikey.Terms{})
	_, idle := create(t, store, nil, "idle", apikey.Terms{})
	wrong := apikey.Secret("scorelay_" + idle.ID + used.Reveal()[len("scorelay_")+12:])

	run := func(every time.Duration) (*apikey.View, func()) {
		view := store.NewView(slog.New(slog.DiscardHandler))
		view.NoteEvery(every)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- view.Run(ctx) }()
		t.Cleanup(cancel)
		<-view.CaughtUp()
		return view, func() { cancel(); <-ended }
	}
	lastUse := func(id string) *time.Time {
		keys, err := store.List(t.Context())
		require.NoError(t, err)
		require.Len(t, keys, 3)
		for _, key := range keys {
			if key.ID == id {
				return key.LastUsed
			}
		}
		return nil
	}
	view, _ := run(10 * time.Millisecond)
	for range 1000 {
		require.True(t, opens(view, used))
		require.False(t, opens(view, wrong))
	}
	require.Eventually(t, func() bool { return lastUse(usedKey.ID) != nil }, 2*time.Minute, 5*time.Millisecond)
	require.WithinDuration(t, time.Now(), *lastUse(usedKey.ID), 5*time.Minute)
	status, err := bucket(t, js).Status(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 4, status.Values(), "three keys, and one use")

	ending, end := run(time.Hour)
	require.True(t, opens(ending, atEnd))
	require.Nil(t, lastUse(atEndKey.ID))
	end()
	require.NotNil(t, lastUse(atEndKey.ID))
	require.Nil(t, lastUse(idle.ID))
	require.True(t, opens(watch(t, store), used), "a view that begins later reads no use as a key")
}
