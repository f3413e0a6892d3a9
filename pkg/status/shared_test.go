package status_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

// TestOfClaimsOfOneIdInACallOneWins, though what it wins is in an entry that is written last.
func TestOfClaimsOfOneIdInACallOneWins(t *testing.T) {
	t.Parallel()
	s, refs := status.New(testClient(t), status.Config{Prefix: t.Name() + ":"}), ids(12)
	claims := slices.Collect(slices.Chunk(refs[:10], 1))
	claims = append(claims, refs[:1], refs[9:12], refs[10:12], refs[11:12])
	tokens := strings.Split("abcdefghijklmn", "")
	shared := status.NewShared()
	for range 2 { // again, as after an answer that was lost
		answers, err := s.ClaimAtOnce(t.Context(), claims, tokens, shared)
		require.NoError(t, err)
		for i := range 10 {
			require.Equal(t, "w", answers[i])
		}
		require.Equal(t, "b", answers[10])
		require.ElementsMatch(t, []byte("bb-"), []byte(answers[11]), "none of a group of which some are busy")
		require.ElementsMatch(t, []byte("b-"), []byte(answers[12]))
		require.Equal(t, "w", answers[13], "singles are first")
	}
}

// TestARepeatedCallWinsWhatIsFreeNow, beside what it won before.
func TestARepeatedCallWinsWhatIsFreeNow(t *testing.T) {
	t.Parallel()
	s, refs, shared := status.New(testClient(t), status.Config{Prefix: t.Name() + ":"}), ids(12), status.NewShared()
	_, err := s.Claim(t.Context(), refs[11:], "another")
	require.NoError(t, err)
	claims := append(slices.Collect(slices.Chunk(refs[:10], 1)), refs[10:])
	tokens := strings.Split("abcdefghijk", "")
	answers, err := s.ClaimAtOnce(t.Context(), claims, tokens, shared)
	require.NoError(t, err)
	require.ElementsMatch(t, []byte("b-"), []byte(answers[10]))
	require.NoError(t, s.Release(t.Context(), refs[11:], "another"))
	again, err := s.ClaimAtOnce(t.Context(), claims, tokens, shared)
	require.NoError(t, err)
	require.Equal(t, answers[:10], again[:10])
	require.Equal(t, "ww", again[10])
	for _, claim := range claims {
		claims, err := s.Claim(t.Context(), claim, "another")
		require.NoError(t, err)
		require.Contains(t, claims, score.ClaimBusy)
	}
}

// TestAClaimOfASharedEntryExpires, and what was claimed again meanwhile is told of where it is now.
func TestAClaimOfASharedEntryExpires(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	config := status.Config{Prefix: t.Name() + ":", Claim: 200 * time.Millisecond}
	s, other, refs := status.New(client, config), status.New(client, config), ids(10)
	claimTogether(t, s, refs)
	require.Eventually(t, func() bool {
		claims, err := other.Claim(t.Context(), refs[:1], "another")
		require.NoError(t, err)
		return claims[0] == score.ClaimWon
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, s.Release(t.Context(), refs, "a token"), "of which one is another's now")
	require.NoError(t, other.Accepted(t.Context(), refs[:1], []string{"another"}))
	require.NoError(t, s.Accepted(t.Context(), refs[:2], []string{"a token", "a token"}), "late")
	statuses, _, err := s.Read(t.Context(), refs[:3])
	require.NoError(t, err)
	require.Equal(t, []score.Status{{Stage: score.Accepted}, {Stage: score.Accepted}, {}}, statuses)
}

// TestASharedEntryThatIsGone is no place to tell anything of: the updates' own entries are.
func TestASharedEntryThatIsGone(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	s, refs := status.New(client, status.Config{Prefix: t.Name() + ":"}), ids(10)
	claimTogether(t, s, refs)
	require.NoError(t, client.Del(t.Context(), s.Table(0)).Err())
	require.NoError(t, s.Final(t.Context(), tx1, 5, refs, make([]score.Outcome, len(refs))))
	statuses, _, err := s.Read(t.Context(), refs)
	require.NoError(t, err)
	for _, st := range statuses {
		require.Equal(t, score.Status{Stage: score.Final, Tx: tx1, Block: 5}, st)
	}
}
