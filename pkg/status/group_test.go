package status_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// keep is what a draw may put into a record, and what claiming it alone would answer.
var keep = map[string]func(ctx context.Context, s *status.Store, u []score.Update) error{
	"nothing": func(context.Context, *status.Store, []score.Update) error { return nil },
	"ours":    func(ctx context.Context, s *status.Store, u []score.Update) error { return claimAs(ctx, s, u, "me") },
	"theirs":  func(ctx context.Context, s *status.Store, u []score.Update) error { return claimAs(ctx, s, u, "they") },
	"accepted": func(ctx context.Context, s *status.Store, u []score.Update) error {
		return s.Accepted(ctx, u)
	},
	"bound": func(ctx context.Context, s *status.Store, u []score.Update) error { return s.Bound(ctx, 0, 1, u) },
	"applied": func(ctx context.Context, s *status.Store, u []score.Update) error {
		return s.Final(ctx, 0, 1, tx1, 5, u, []score.Outcome{score.Applied})
	},
	"duplicate": func(ctx context.Context, s *status.Store, u []score.Update) error {
		return s.Final(ctx, 0, 1, tx1, 5, u, []score.Outcome{score.Duplicate})
	},
	"rejected": func(ctx context.Context, s *status.Store, u []score.Update) error {
		return s.Final(ctx, 0, 1, tx1, 5, u, []score.Outcome{score.BadSignature})
	},
	"rejected, theirs now": func(ctx context.Context, s *status.Store, u []score.Update) error {
		if err := s.Final(ctx, 0, 1, tx1, 5, u, []score.Outcome{score.NotMember}); err != nil {
			return err
		}
		return claimAs(ctx, s, u, "they")
	},
}

func claimAs(ctx context.Context, s *status.Store, u []score.Update, token string) error {
	_, err := s.Claim(ctx, u[0].Project, u[0].ID, token)
	return err
}

// TestAGroupsClaimsAreAllOrNone: what is free is won together, or stays exactly as it was.
func TestAGroupsClaimsAreAllOrNone(t *testing.T) {
	t.Parallel()
	client, err := status.NewClient(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	want := map[string]score.Claim{
		"nothing": score.ClaimWon, "ours": score.ClaimWon, "rejected": score.ClaimWon,
		"theirs": score.ClaimBusy, "rejected, theirs now": score.ClaimBusy,
		"accepted": score.ClaimDuplicate, "bound": score.ClaimDuplicate, "applied": score.ClaimDuplicate, "duplicate": score.ClaimDuplicate,
	}
	states := make([]string, 0, len(keep))
	for state := range want {
		states = append(states, state)
	}
	rapid.Check(t, func(t *rapid.T) {
		prefix, ctx, project := rand.Text()+":", context.Background(), score.ProjectID{1}
		s := status.New(client, status.Config{Prefix: prefix, Timeout: 5 * time.Second})
		drawn := rapid.SliceOfN(rapid.SampledFrom(states), 1, 8).Draw(t, "states")
		ids, claims, busy := make([]score.UpdateID, len(drawn)), make([]score.Claim, len(drawn)), false
		for i, state := range drawn {
			ids[i] = score.UpdateID{byte(i)}
			require.NoError(t, keep[state](ctx, s, []score.Update{{Project: project, ID: ids[i]}}))
			claims[i] = want[state]
			busy = busy || claims[i] == score.ClaimBusy
		}
		for i := range claims {
			if busy && claims[i] == score.ClaimWon {
				claims[i] = ""
			}
		}
		before := records(t, client, prefix)
		for range 2 { // the same token may ask again
			got, err := s.ClaimGroup(ctx, project, ids, "me")
			require.NoError(t, err)
			require.Equal(t, claims, got)
			if busy {
				require.Equal(t, before, records(t, client, prefix))
			}
		}
		for i, claim := range claims {
			other, err := s.Claim(ctx, project, ids[i], "a third")
			require.NoError(t, err)
			require.Equal(t, claim == score.ClaimWon, other == score.ClaimBusy && !busy, drawn[i])
			require.NoError(t, s.Release(ctx, project, ids[i], "a third"))
		}

		require.NoError(t, s.ReleaseGroup(ctx, project, ids, "somebody else"))
		require.NoError(t, s.ReleaseGroup(ctx, project, ids, "me"))
		after := records(t, client, prefix)
		for key, record := range before {
			if record == "c:me" {
				delete(before, key)
			}
		}
		require.Equal(t, before, after, "nothing but our claims was taken back, and nothing of them is left")
	})
}

func records(t require.TestingT, client *redis.Client, prefix string) map[string]string {
	ctx := context.Background()
	keys, err := client.Keys(ctx, prefix+"u:*").Result()
	require.NoError(t, err)
	found := map[string]string{}
	for _, key := range keys {
		found[key], err = client.Get(ctx, key).Result()
		require.NoError(t, err)
	}
	return found
}

func TestClaimsOfAGroupExpire(t *testing.T) {
	t.Parallel()
	b := setup(t, status.Config{Claim: 50 * time.Millisecond})
	ids := []score.UpdateID{{1}, {2}}
	claim := func(token string) score.Claim {
		claims, err := b.ClaimGroup(t.Context(), b.update.Project, ids, token)
		require.NoError(t, err)
		return claims[1]
	}
	require.Equal(t, score.ClaimWon, claim("crashed"))
	require.Equal(t, score.ClaimBusy, claim("retry"))
	require.Eventually(t, func() bool { return claim("retry") == score.ClaimWon }, 5*time.Second, 10*time.Millisecond)
}
