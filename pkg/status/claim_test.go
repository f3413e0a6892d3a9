package status_test

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// keep is what a draw may put into a record, and what claiming it alone would answer.
var keep = map[string]func(ctx context.Context, s *status.Store, u []score.Ref) error{
	"nothing": func(context.Context, *status.Store, []score.Ref) error { return nil },
	"ours":    func(ctx context.Context, s *status.Store, u []score.Ref) error { return claimAs(ctx, s, u, "me") },
	"theirs":  func(ctx context.Context, s *status.Store, u []score.Ref) error { return claimAs(ctx, s, u, "they") },
	"accepted": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		return s.Accepted(ctx, u, []string{"they"})
	},
	"bound": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		return s.Bound(ctx, 0, 1, u, 1<<30, nil)
	},
	"applied": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		return s.Final(ctx, tx1, 5, u, []score.Outcome{score.Applied})
	},
	"duplicate": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		return s.Final(ctx, tx1, 5, u, []score.Outcome{score.Duplicate})
	},
	"rejected": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		return s.Final(ctx, tx1, 5, u, []score.Outcome{score.BadSignature})
	},
	"rejected, theirs now": func(ctx context.Context, s *status.Store, u []score.Ref) error {
		if err := s.Final(ctx, tx1, 5, u, []score.Outcome{score.NotMember}); err != nil {
			return err
		}
		return claimAs(ctx, s, u, "they")
	},
}

func claimAs(ctx context.Context, s *status.Store, u []score.Ref, token string) error {
	_, err := s.Claim(ctx, u, token)
	return err
}

// TestAGroupsClaimsAreAllOrNone: what is free is won together, or stays exactly as it was.
func TestAGroupsClaimsAreAllOrNone(t *testing.T) {
	t.Parallel()
	client, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	client.Timeout = time.Minute
	t.Cleanup(func() { _ = client.Close() })
	want := map[string]score.Claim{
		"nothing": score.ClaimWon, "ours": score.ClaimWon, "rejected": score.ClaimWon,
		"theirs": score.ClaimBusy, "rejected, theirs now": score.ClaimBusy,
		"accepted": score.ClaimDuplicate, "bound": score.ClaimDuplicate, "applied": score.ClaimDuplicate, "duplicate": score.ClaimDuplicate,
	}
	names := slices.Sorted(maps.Keys(want))
	rapid.Check(t, func(t *rapid.T) {
		prefix, ctx := rand.Text()+":", context.Background()
		s := status.New(client, status.Config{Prefix: prefix})
		drawn := rapid.SliceOfN(rapid.SampledFrom(names), 1, 8).Draw(t, "states")
		refs, claims, busy := make([]score.Ref, len(drawn)), make([]score.Claim, len(drawn)), false
		for i, state := range drawn {
			refs[i] = score.UpdateRef(score.ProjectID{byte(i % 2)}, score.UpdateID{byte(i)})
			require.NoError(t, keep[state](ctx, s, refs[i:i+1]))
			claims[i] = want[state]
			busy = busy || claims[i] == score.ClaimBusy
		}
		for i := range claims {
			if busy && claims[i] == score.ClaimWon {
				claims[i] = ""
			}
		}
		before := states(t, s, refs)
		for range 2 { // the same token may ask again
			got, err := s.Claim(ctx, refs, "me")
			require.NoError(t, err)
			require.Equal(t, claims, got)
			if busy {
				require.Equal(t, before, states(t, s, refs))
			}
		}
		for i, claim := range claims {
			other, err := s.Claim(ctx, refs[i:i+1], "a third")
			require.NoError(t, err)
			require.Equal(t, claim == score.ClaimWon, other[0] == score.ClaimBusy && !busy, drawn[i])
			require.NoError(t, s.Release(ctx, refs[i:i+1], "a third"))
		}

		require.NoError(t, s.Release(ctx, refs, "another"))
		require.NoError(t, s.Release(ctx, refs, "me"))
		after := states(t, s, refs)
		for i, state := range drawn {
			if state == "ours" {
				before[i] = ""
			}
		}
		require.Equal(t, before, after, "nothing but our claims was taken back, and nothing of them is left")
	})
}

// states are the states of each update, without the deadlines of claims.
func states(t require.TestingT, s *status.Store, refs []score.Ref) []string {
	all, err := s.States(context.Background(), refs)
	require.NoError(t, err)
	return all
}

func TestClaimsOfAGroupExpire(t *testing.T) {
	t.Parallel()
	busy := false
	for lasts := 50 * time.Millisecond; !busy; lasts *= 2 {
		b, began := setup(t, status.Config{Claim: lasts}), time.Now()
		refs := []score.Ref{b.update, {Update: score.UpdateID{1}}}
		claim := func(token string) score.Claim {
			claims, err := b.Claim(t.Context(), refs, token)
			require.NoError(t, err)
			return claims[1]
		}
		require.Eventually(t, func() bool { return claim("crashed") == score.ClaimWon }, time.Minute, 10*time.Millisecond)
		now := claim("retry")
		busy = now == score.ClaimBusy
		require.True(t, busy || time.Since(began) >= lasts, "%v before the claim is over", now) // on a slow machine it is
		require.Eventually(t, func() bool { return claim("retry") == score.ClaimWon }, time.Minute, 10*time.Millisecond)
	}
}

// TestALateReportTakesNoLaterPostsClaim: the first post of the update is stored, its report is late, and the update was
// rejected and posted again meanwhile. If that post cannot be stored, the caller must be able to send it again.
func TestALateReportTakesNoLaterPostsClaim(t *testing.T) {
	t.Parallel()
	rejected := score.Status{Stage: score.Final, Outcome: score.NotMember, Tx: tx1, Block: 5}
	postedAgain := func(t *testing.T) *bench {
		b := setup(t, status.Config{})
		require.Equal(t, score.ClaimWon, b.claim(t, "first"))
		require.NoError(t, b.Bound(t.Context(), lane, 1, b.refs(), 1<<30, nil))
		b.final(t, score.NotMember, tx1, 5)
		require.Equal(t, score.ClaimWon, b.claim(t, "again"))
		b.accepted(t, "first")
		b.is(t, rejected)
		require.Equal(t, score.ClaimBusy, b.claim(t, "third"), "the claim is still the later post's")
		return b
	}
	t.Run("not stored", func(t *testing.T) {
		t.Parallel()
		b := postedAgain(t)
		require.NoError(t, b.Release(t.Context(), b.refs(), "again"))
		b.accepted(t, "first") // it may be repeated
		b.is(t, rejected)
		require.Equal(t, score.ClaimWon, b.claim(t, "third"))
	})
	t.Run("stored", func(t *testing.T) {
		t.Parallel()
		b := postedAgain(t)
		b.accepted(t, "again")
		b.is(t, score.Status{Stage: score.Accepted})
		require.Equal(t, score.ClaimDuplicate, b.claim(t, "third"))
	})
}

// TestALateReportWinsWhereNothingWasRejected: an update is stored under the id, so a claim made after the first expired
// becomes accepted; so does an id of which nothing is known.
func TestALateReportWinsWhereNothingWasRejected(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{})
	require.Equal(t, score.ClaimWon, b.claim(t, "second"))
	b.accepted(t, "first")
	b.is(t, score.Status{Stage: score.Accepted})
	require.NoError(t, b.client.Del(t.Context(), b.client.Keys(t.Context(), t.Name()+":*").Val()...).Err())
	b.accepted(t, "first")
	b.is(t, score.Status{Stage: score.Accepted})
}

// TestARejectionToldAgainKeepsTheClaimOverIt: its answer was lost, and the id was claimed again. One of a later transaction is
// of what was claimed.
func TestARejectionToldAgainKeepsTheClaimOverIt(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{})
	require.Equal(t, score.ClaimWon, b.claim(t, "A"))
	b.accepted(t, "A")
	b.fold(t, b.event(score.UnknownAction, tx1, 7))
	require.Equal(t, score.ClaimWon, b.claim(t, "B"))
	b.fold(t, b.event(score.UnknownAction, tx1, 7))
	require.Equal(t, score.ClaimBusy, b.claim(t, "C"))
	b.is(t, score.Status{Stage: score.Final, Outcome: score.UnknownAction, Tx: tx1, Block: 7})
	b.fold(t, b.event(score.NotMember, tx2, 9))
	b.accepted(t, "B")
	b.is(t, score.Status{Stage: score.Final, Outcome: score.NotMember, Tx: tx2, Block: 9})
	require.Equal(t, score.ClaimWon, b.claim(t, "C"))
}
