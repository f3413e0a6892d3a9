package kv

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/score"
)

func pauses(t *testing.T) (*PauseStore, jetstream.JetStream) {
	t.Helper()
	js := fresh.JetStream(t)
	_, err := OpenPauses(t.Context(), js)
	require.ErrorContains(t, err, "scorelay setup")
	setUp(t, js)
	s, err := OpenPauses(t.Context(), js)
	require.NoError(t, err)
	return s, js
}

func TestPauses(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	two, project := Scope{Lane: new(score.Lane(2))}, Scope{Project: &score.ProjectID{7}}
	var none Pauses
	require.Nil(t, none.Of(2))
	lane := none.With(two, Pause{At: at, Reason: "the node is moved"})
	require.Equal(t, "the node is moved", lane.Of(2).Reason)
	require.Nil(t, lane.Of(3))
	require.Nil(t, none.Of(2), "a change is a copy")
	all := lane.With(Scope{}, Pause{At: at})
	require.NotNil(t, all.Of(3))
	require.Equal(t, "the node is moved", all.Of(2).Reason, "its own comes first")
	require.Equal(t, "the operator paused it at 2027-01-02T03:04:05Z", all.Of(3).Why())
	require.Equal(t, "the node is moved", all.Of(2).Why())
	require.Nil(t, lane.Without(two).Of(2))
	require.True(t, lane.Has(two))
	require.False(t, lane.Has(Scope{}))
	require.False(t, lane.Has(project))
	require.True(t, all.Has(Scope{}))
	require.False(t, all.Without(two).Has(two))
	require.True(t, none.With(project, Pause{}).Has(project))
	require.NotNil(t, all.Without(two).Of(2), "everything is paused still")

	one := lane.With(project, Pause{Reason: "a wrong price", Refuses: true})
	require.Nil(t, lane.OfProject(score.ProjectID{7}, 1))
	require.Equal(t, "the node is moved", lane.OfProject(score.ProjectID{7}, 2).Reason)
	require.Equal(t, "a wrong price", one.OfProject(score.ProjectID{7}, 2).Reason, "its own comes first")
	require.Nil(t, one.OfProject(score.ProjectID{8}, 1))
	require.Equal(t, "a wrong price", one.With(Scope{}, Pause{}).OfProject(score.ProjectID{7}, 1).Reason)
	require.Equal(t, "an upgrade", one.With(Scope{}, Pause{Reason: "an upgrade", Refuses: true}).OfProject(score.ProjectID{7}, 1).Reason,
		"but where nothing is accepted at all")
	require.Nil(t, one.Without(project).OfProject(score.ProjectID{7}, 1))
	require.NotNil(t, one.Of(2))
	require.Equal(t, Pauses{}, one.With(Scope{}, Pause{}).Without(Scope{}))
}

// TestReasons are one line of bounded length, which no terminal acts on.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "its node moves", "Wartung: Ärger mit der Börse, 今日", strings.Repeat("x", mostReason)} {
		require.NoError(t, (&Pause{Reason: good}).Check(), good)
	}
	for _, bad := range []string{strings.Repeat("x", mostReason+1), "two\nlines", "\x1b[2J", "\x00", "\xff", "\u202e"} {
		require.ErrorIs(t, (&Pause{Reason: bad}).Check(), ErrReason, bad)
	}
}

// TestNotTooMuchIsPaused, since all of it is one value, which every process watches.
func TestNotTooMuchIsPaused(t *testing.T) {
	t.Parallel()
	s, _ := pauses(t)
	many := Pauses{Projects: map[score.ProjectID]Pause{}}
	for i := range mostProjects {
		many.Projects[score.ProjectID{byte(i >> 8), byte(i)}] = Pause{At: time.Now(), Reason: "an incident of all that one caller sends"}
	}
	_, err := s.Update(t.Context(), func(Pauses) Pauses { return many })
	require.NoError(t, err)
	more := func(p Pauses) Pauses { return p.With(Scope{Project: &score.ProjectID{0xff}}, Pause{}) }
	_, err = s.Update(t.Context(), more)
	require.ErrorIs(t, err, ErrTooMuch)
	_, err = s.Update(t.Context(), func(p Pauses) Pauses { return more(p.Without(Scope{Project: &score.ProjectID{}})) })
	require.NoError(t, err)
	_, err = s.Update(t.Context(), func(p Pauses) Pauses { return p.With(Scope{}, Pause{Reason: strings.Repeat("x", mostBytes)}) })
	require.ErrorIs(t, err, ErrTooMuch)
}

// TestAViewKnowsWhatIsPaused from its beginning on, and what changes; entries of others, and what cannot be read, change nothing.
func TestAViewKnowsWhatIsPaused(t *testing.T) {
	t.Parallel()
	s, js := pauses(t)
	one := score.Lane(1)
	pause := func(id *score.Lane) {
		_, err := s.Update(t.Context(), func(p Pauses) Pauses { return p.With(Scope{Lane: id}, Pause{At: time.Now()}) })
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
	require.ErrorIs(t, err, ErrInvalid)
	require.NotNil(t, view.Current().Of(1))
	require.Nil(t, view.Current().Of(0))
}

// TestWhatCannotBeReadIsAPause for who begins then, also after the watch has told it; a change fails at once, and Clear ends it.
func TestWhatCannotBeReadIsAPause(t *testing.T) {
	t.Parallel()
	s, js := pauses(t)
	for _, written := range []string{"", `{"all":7}`} {
		_, err := js.Publish(t.Context(), "$KV.LANES.paused", []byte(written))
		require.NoError(t, err)
		p, err := s.Get(t.Context())
		require.NoError(t, err)
		require.NotNil(t, p.All, written)
	}
	one := score.Lane(1)
	_, err := s.Update(t.Context(), func(p Pauses) Pauses { return p.With(Scope{Lane: &one}, Pause{}) })
	require.ErrorContains(t, err, "scorelay resume --all")
	view, err := s.View(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	go func() { _ = view.Run(t.Context()) }()
	for range 2 {
		require.NotNil(t, view.Current().Of(1))
		require.Equal(t, unreadable, view.Current().All.Why())
		<-view.view.CaughtUp()
	}
	require.NoError(t, s.Clear(t.Context()))
	require.Eventually(t, func() bool { return view.Current().All == nil }, 2*time.Minute, time.Millisecond)
	p, err := s.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, Pauses{}, p)
}

// TestWhatANewerVersionPausedStays: a change by this one would resume it.
func TestWhatANewerVersionPausedStays(t *testing.T) {
	t.Parallel()
	s, js := pauses(t)
	const stored = `{"lanes":{"1":{"at":"2027-01-02T03:04:05Z"}},"keys":{"k":{}}}`
	_, err := js.Publish(t.Context(), "$KV.LANES.paused", []byte(stored))
	require.NoError(t, err)
	two := Scope{Lane: new(score.Lane(2))}
	for _, change := range []func(Pauses) Pauses{
		func(p Pauses) Pauses { return p.With(two, Pause{}) }, func(p Pauses) Pauses { return p.Without(two) },
	} {
		_, err = s.Update(t.Context(), change)
		require.ErrorIs(t, err, score.ErrNewer)
	}
	entry, err := s.doc.of.bucket.get(t.Context(), "paused")
	require.NoError(t, err)
	require.Equal(t, stored, string(entry.Value()))
	p, err := s.Get(t.Context())
	require.NoError(t, err)
	require.NotNil(t, p.Of(1), "what is known of it holds")
	require.NoError(t, s.Clear(t.Context()))
	_, err = s.Update(t.Context(), func(p Pauses) Pauses { return p.With(two, Pause{}) })
	require.NoError(t, err)
}
