package heads_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/heads"
)

// turns plays what Run does for a while, as fast as it may, with a block every second.
func (r *rig) turns(d time.Duration) (looks int) {
	for until := r.now.Add(d); r.now.Before(until); {
		pause, err := r.Turn(context.Background())
		require.NoError(r.t, err)
		r.now = r.now.Add(pause)
		if pause > time.Second {
			looks++
		}
		for range max(1, int(pause/time.Second)) {
			r.mine()
		}
	}
	return looks
}

func TestATrackerRestsWhileNothingNeedsIt(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	r.turns(2 * time.Minute)
	require.True(t, r.view(s).Old)
	head, _ := r.Head()
	final, _ := r.Final()
	before := r.count
	require.Greater(t, r.turns(time.Hour), 290)
	require.Equal(t, 300, r.count-before, "one look every 12 seconds and nothing else")
	require.NoError(t, r.Fresh())
	after, _ := r.Final()
	require.Equal(t, final, after)
	now, _ := r.Head()
	require.Equal(t, head.Ref(), now.Ref())
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))

	s.Busy(true)
	tip := r.tip
	_, err := r.Turn(t.Context())
	require.NoError(t, err)
	require.True(t, r.view(s).Old, "an hour of blocks is more than a round reads: that head is old")
	require.Zero(t, r.turns(2*time.Second))
	v := r.view(s)
	require.False(t, v.Old)
	require.Greater(t, v.Head.Number, tip.Number)
	require.GreaterOrEqual(t, v.Account.At.Number+8, v.Head.Number, "the account is read again")
	require.Zero(t, r.turns(3*time.Minute), "it is busy")
	s.Busy(false)
	require.Positive(t, r.turns(2*time.Minute))
}

func TestWhatKeepsATrackerFromResting(t *testing.T) {
	for name, what := range map[string]func(*rig, *heads.Subscription){
		"busy":          func(_ *rig, s *heads.Subscription) { s.Busy(true) },
		"works":         func(_ *rig, s *heads.Subscription) { s.Works(true) },
		"watches":       func(r *rig, s *heads.Subscription) { s.Watch(0, r.tx(0, 0).Hash(), 40) },
		"needs a final": func(_ *rig, s *heads.Subscription) { s.Works(true); s.NeedFinal() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
			s := r.Subscribe(r.signer(), 0)
			what(r, s)
			require.Zero(t, r.turns(5*time.Minute))
		})
	}
	t.Run("not final", func(t *testing.T) {
		r := newRig(t, heads.Config{}, 40, "a")
		r.finalize(30)
		require.Zero(t, r.turns(5*time.Minute), "what the chain held at the start is not final")
		r.finalize(200)
		require.Positive(t, r.turns(2*time.Minute))
	})
}

func TestWhatEndsARest(t *testing.T) {
	shows, failure := false, error(nil)
	for name, end := range map[string]func(*rig){
		"a stir":           func(r *rig) { r.Stir() },
		"a subscriber":     func(r *rig) { r.Subscribe(r.signer(), 0) },
		"events of others": func(*rig) { shows = true },
		"no logs":          func(*rig) { failure = errors.New("no logs here") },
		"an endpoint lags": func(r *rig) { r.nodes[0].lag = r.tip.Number - 50 },
	} {
		t.Run(name, func(t *testing.T) {
			var asked [][2]uint64
			shows, failure = false, nil
			r := newRig(t, heads.Config{Confirmations: 2, Peek: func(_ context.Context, from, to uint64) (bool, error) {
				asked = append(asked, [2]uint64{from, to})
				return shows, failure
			}}, 40, "a")
			r.turns(4 * time.Minute)
			require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
			final, _ := r.Final()
			require.Equal(t, final.Number+1, asked[0][0])
			for i := 1; i < len(asked); i++ {
				require.LessOrEqual(t, asked[i][0], asked[i-1][1]+1, "no block is left out")
			}
			end(r)
			r.turns(30 * time.Second)
			r.turns(20 * time.Second)
			require.Zero(t, r.metric("scorelay_heads_resting"))
			r.nodes[0].lag = 0
			r.turns(time.Second)
			r.turns(time.Second)
			head, _ := r.Head()
			require.GreaterOrEqual(t, head.Number+2, r.tip.Number)
		})
	}
}

// TestAfterALongRest: the blocks between are not read, and what is final is linked again.
func TestAfterALongRest(t *testing.T) {
	r := newRig(t, heads.Config{}, 2_000, "a")
	r.finalize(1_900)
	r.turns(10 * time.Second)
	r.finalize(2_005)
	r.turns(2 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	r.turns(5 * time.Hour)
	read := r.by["blocks"]
	r.Stir()
	r.finalize(r.tip.Number - 500)
	want := r.tip.Number - 500
	r.turns(10 * time.Second)
	final, _ := r.Final()
	require.Equal(t, want, final.Number)
	require.Equal(t, r.tip.at(want).Hash, final.Hash)
	require.Less(t, r.by["blocks"]-read, 600)
}

// TestALookEndsThoughAnEndpointLies: one of two endpoints names a newest block far ahead while the tracker rests.
func TestALookEndsThoughAnEndpointLies(t *testing.T) {
	peeks := 0
	r := newRig(t, heads.Config{Confirmations: 2, Peek: func(context.Context, uint64, uint64) (bool, error) {
		peeks++
		return false, nil
	}}, 40, "honest", "liar")
	r.turns(2 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	r.node("liar").ahead = 1 << 62
	for range 5 {
		_, _ = r.Turn(t.Context())
		r.now = r.now.Add(12 * time.Second)
	}
	require.Less(t, peeks, 10)
}

// TestAStirDoesNotWaitForAPeek: a look asks nothing more once someone needs the chain.
func TestAStirDoesNotWaitForAPeek(t *testing.T) {
	var r *rig
	peeks := 0
	r = newRig(t, heads.Config{Confirmations: 2, Peek: func(context.Context, uint64, uint64) (bool, error) {
		if peeks++; peeks == 10 {
			r.Stir()
		}
		return false, nil
	}}, 40, "honest", "liar")
	r.turns(2 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	peeks = 0
	r.node("liar").ahead = 500 * 5000
	for range 5 {
		_, _ = r.Turn(context.Background())
		r.now = r.now.Add(12 * time.Second)
		r.mine()
	}
	require.Less(t, peeks, 20, "questions after the stir")
}

// TestNoBindOnAnAccountFromBeforeTheRest: where the first round after a rest cannot read accounts, the View has those
// of the time before, and says that it does not rest.
func TestNoBindOnAnAccountFromBeforeTheRest(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	r.turns(2 * time.Minute)
	require.True(t, r.view(s).Old)
	r.turns(time.Hour)
	r.mine(r.tx(0, 0)) // another process used the key
	r.failReads = true
	s.Busy(true)
	for range 3 {
		_, _ = r.Turn(context.Background())
		r.now = r.now.Add(time.Second)
	}
	v := r.view(s)
	require.True(t, v.Old || v.Account.At.Number+16 >= v.Head.Number,
		"the account is of block %d (nonce %d), the head %d, and the lane may bind", v.Account.At.Number, v.Account.Nonce,
		v.Head.Number)
	r.failReads = false
	_, _ = r.Turn(context.Background())
	v = r.view(s)
	require.False(t, v.Old)
	require.EqualValues(t, 1, v.Account.Nonce)
}

// TestALieAboutTheHeadHidesNoEvents: one look with a lie makes the tracker believe that it has looked for events up to
// there.
func TestALieAboutTheHeadHidesNoEvents(t *testing.T) {
	var r *rig
	seen, event := false, uint64(0)
	r = newRig(t, heads.Config{Confirmations: 2, Peek: func(_ context.Context, from, to uint64) (bool, error) {
		seen = seen || event > 0 && from <= event && event <= to && r.tip.Number >= event
		return seen, nil
	}}, 40, "honest", "liar")
	r.turns(2 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	r.node("liar").ahead = 20_000
	for range 4 {
		_, err := r.Turn(context.Background())
		require.NoError(t, err)
	}
	r.node("liar").ahead = 0
	event = r.tip.Number + 1
	for range 200 { // of a chain with four blocks a second
		r.mine()
	}
	r.turns(10 * time.Minute)
	require.True(t, seen, "an event of another process, of ten minutes ago, was not looked for")
}

// TestAChainThatHalts: no block comes before the lane sends; the account was read at the head.
func TestAChainThatHalts(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 1}, 40, "a")
	s := r.Subscribe(r.signer(), 0)
	for range 300 {
		pause, err := r.Turn(context.Background())
		require.NoError(t, err)
		r.now = r.now.Add(pause)
	}
	require.True(t, r.view(s).Old)
	s.Busy(true)
	_, err := r.Turn(context.Background())
	require.NoError(t, err)
	require.False(t, r.view(s).Old)
}

// TestARestIsNoTimeWithoutCheckedBlocks: what cannot be checked is followed a minute after checked blocks end, not at once because
// nothing came while the tracker rested.
func TestARestIsNoTimeWithoutCheckedBlocks(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a")
	r.turns(2 * time.Minute)
	r.turns(10 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	before, _ := r.Head()
	r.nodes[0].unchecked = true
	r.Stir()
	_, err := r.Turn(t.Context())
	require.ErrorContains(t, err, "do not hash")
	head, _ := r.Head()
	require.Equal(t, before.Ref(), head.Ref())
}

// TestNoRestWhileOthersWork: another process of the deployment works off a backlog, and nothing is accepted.
func TestNoRestWhileOthersWork(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2, Peek: func(context.Context, uint64, uint64) (bool, error) { return true, nil }}, 40, "a")
	require.Zero(t, r.turns(5*time.Minute))
}

// TestAnEndpointThatHaltsSlowsNoWakeUp: what it calls newest is the head of before the rest.
func TestAnEndpointThatHaltsSlowsNoWakeUp(t *testing.T) {
	r := newRig(t, heads.Config{Confirmations: 2}, 40, "a", "stuck")
	s := r.Subscribe(r.signer(), 0)
	r.turns(2 * time.Minute)
	require.True(t, r.view(s).Old)
	r.turns(time.Minute)
	r.node("stuck").lag = 0
	head, _ := r.Head()
	for range 72_000 {
		r.mine()
	}
	r.node("stuck").lag = r.tip.Number - head.Number
	read := r.by["blocks"]
	s.Busy(true)
	r.turns(5 * time.Second)
	require.False(t, r.view(s).Old)
	require.Less(t, r.by["blocks"]-read, 100)
}

// TestALookAsksForNoMoreThanAnEndpointAllows, and the tracker rests all the same.
func TestALookAsksForNoMoreThanAnEndpointAllows(t *testing.T) {
	most := uint64(0)
	r := newRig(t, heads.Config{Confirmations: 2, Peek: func(_ context.Context, from, to uint64) (bool, error) {
		if to-from >= 10 {
			return false, errors.New("10 blocks at most")
		}
		most = max(most, to-from+1)
		return false, nil
	}}, 40, "a")
	r.turns(20 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	require.Greater(t, most, uint64(4))
}

// TestEventsOfALaggingEndpointAreFound: it shows them half a minute late, on a chain with four blocks a second.
func TestEventsOfALaggingEndpointAreFound(t *testing.T) {
	var r *rig
	event, found := uint64(0), false
	r = newRig(t, heads.Config{Confirmations: 2, Peek: func(_ context.Context, from, to uint64) (bool, error) {
		found = found || event > 0 && from <= event && event <= to && r.tip.Number >= event+120
		return found, nil
	}}, 40, "a")
	r.turns(2 * time.Minute)
	require.EqualValues(t, 1, r.metric("scorelay_heads_resting"))
	for look := range 30 {
		_, err := r.Turn(t.Context())
		require.NoError(t, err)
		r.now = r.now.Add(12 * time.Second)
		for range 48 {
			r.mine()
		}
		if look == 8 {
			event = r.tip.Number - 60
		}
	}
	require.True(t, found)
}
