package status_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

func testClient(t *testing.T) *redisdb.Client {
	t.Helper()
	client, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	client.Timeout = time.Minute
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// TestManyAreMovedAsOneByOne: what is told of many ids at once, of which some share a word, is as if it were told of each alone; and
// again, as after an answer that was lost.
func TestManyAreMovedAsOneByOne(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	rapid.Check(t, func(t *rapid.T) {
		ctx, prefix := context.Background(), rand.Text()+":"
		together, alone := status.New(client, status.Config{Prefix: prefix + "a"}), status.New(client, status.Config{Prefix: prefix + "b"})
		all := make([]score.Ref, 0, 3*12+1)
		for word := range byte(3) {
			for low := range byte(12) {
				all = append(all, score.UpdateRef(score.ProjectID{1}, score.UpdateID{word, 31: 250 + low})) // to the end of the word, and its beginning
			}
		}
		all = append(all, score.CreationRef(score.ProjectID{1}))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			refs := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), func(r score.Ref) score.Ref { return r }).Draw(t, "refs")
			nonce := rapid.Uint64Range(1, 2).Draw(t, "nonce")
			outcomes, tokens := make([]score.Outcome, len(refs)), make([]string, len(refs))
			for i := range refs {
				outcomes[i] = score.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))
				tokens[i] = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "token")
			}
			what, tx := rapid.IntRange(0, 8).Draw(t, "what"), common.Hash{byte(nonce)}
			do := func(s *status.Store, from, to int) error {
				refs := refs[from:to]
				switch what {
				case 0:
					return s.Accepted(ctx, refs, tokens[from:to])
				case 1:
					return s.Bound(ctx, 1, nonce, refs, 1<<30, []common.Hash{{byte(nonce)}})
				case 2:
					return s.Released(ctx, 1, nonce, refs)
				case 3:
					return s.Reopened(ctx, 1, nonce, tx, refs)
				case 4:
					return s.Release(ctx, refs, tokens[0])
				case 5:
					return s.Fold(ctx, []string{""}, "", []score.Fact{{Tx: tx, Block: nonce, Refs: refs, Outcomes: outcomes[from:to]}})
				case 6:
					return s.RestoreAccepted(ctx, refs)
				case 7:
					for i := range refs {
						if _, err := s.Claim(ctx, refs[i:i+1], tokens[from]); err != nil {
							return err
						}
					}
					return nil
				}
				return s.Final(ctx, tx, nonce, refs, outcomes[from:to])
			}
			if what == 7 {
				for i := range tokens {
					tokens[i] = tokens[0]
				}
			}
			for range 2 {
				require.NoError(t, do(together, 0, len(refs)))
			}
			for i := range refs {
				require.NoError(t, do(alone, i, i+1))
			}
			require.Equal(t, states(t, alone, all), states(t, together, all))
			one, _, err := alone.Read(ctx, all)
			require.NoError(t, err)
			many, _, err := together.Read(ctx, all)
			require.NoError(t, err)
			require.Equal(t, one, many)
		}
	})
}

// ids are so many references to updates, with ids that share no word.
func ids(n int) []score.Ref {
	refs := make([]score.Ref, n)
	for i := range refs {
		var id score.UpdateID
		binary.BigEndian.PutUint32(id[:], uint32(i))
		refs[i] = score.UpdateRef(score.ProjectID{1}, id)
	}
	return refs
}

// TestATableGrows, and nothing in it is lost.
func TestATableGrows(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	s, ctx, refs := status.New(client, status.Config{Prefix: t.Name() + ":"}), t.Context(), ids(20_000)
	for from := 0; from < len(refs); from += 1000 {
		part := refs[from : from+1000]
		require.NoError(t, s.Bound(ctx, lane, uint64(from), part, 1<<30, nil))
		require.NoError(t, s.Final(ctx, tx1, uint64(from), part, make([]score.Outcome, len(part))))
	}
	statuses, _, err := s.Read(ctx, refs)
	require.NoError(t, err)
	for i, st := range statuses {
		require.Equal(t, score.Status{Stage: score.Final, Tx: tx1, Block: uint64(i / 1000 * 1000)}, st)
	}
	count := strings.Fields(client.HGet(ctx, s.Table(0), "count").Val())
	require.Equal(t, strconv.Itoa(len(refs)+1), count[1], "the updates and their transaction")
	buckets, err := strconv.Atoi(count[0])
	require.NoError(t, err)
	require.InDelta(t, len(refs)/4, buckets, 10)
}

// TestWhatIsOldIsSwept, and what is found old when more comes in is removed, too.
func TestWhatIsOldIsSwept(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	const retention = time.Second
	s, ctx, refs := status.New(client, status.Config{Prefix: t.Name() + ":", Retention: retention}), t.Context(), ids(3000)
	left := func() string {
		if count := strings.Fields(client.HGet(ctx, s.Table(0), "count").Val()); len(count) > 0 {
			return count[1]
		}
		return "0" // all was old, and the table expired
	}
	began := time.Now()
	require.NoError(t, s.Accepted(ctx, refs, make([]string, len(refs))))
	if now := left(); time.Since(began) < retention { // on a slow machine some are old already
		require.Equal(t, "3000", now)
	}
	require.Eventually(t, func() bool {
		require.NoError(t, s.Sweep(ctx))
		return left() == "0"
	}, 2*time.Minute, 10*time.Millisecond)
	statuses, _, err := s.Read(ctx, refs)
	require.NoError(t, err)
	require.Equal(t, make([]score.Status, len(refs)), statuses)
	ttl, err := client.PTTL(ctx, s.Table(0)).Result()
	require.NoError(t, err)
	require.Positive(t, ttl)

	require.NoError(t, s.Accepted(ctx, refs, make([]string, len(refs))))
	more := ids(40_000)[3000:]
	require.Eventually(t, func() bool {
		part := more[:100]
		more = more[100:]
		require.NoError(t, s.Accepted(ctx, part, make([]string, len(part))))
		n, err := strconv.Atoi(left())
		require.NoError(t, err)
		return n < 2000 || len(more) == 0
	}, 2*time.Minute, 50*time.Millisecond)
	require.NotEmpty(t, more, "nothing old was removed")
}

// TestWhatIsFinalGoesWhenMemoryIsShort, the oldest first, and nothing that waits.
func TestWhatIsFinalGoesWhenMemoryIsShort(t *testing.T) {
	t.Parallel()
	dedicated := fresh.Redis(t)
	if dedicated.Kind != "redis-server" {
		t.Skip("the embedded server knows no memory; .ci/run requires redis-server")
	}
	client, err := redisdb.Open(dedicated.URL)
	require.NoError(t, err)
	client.Timeout = time.Minute
	t.Cleanup(func() { _ = client.Close() })
	s, ctx, refs := status.New(client, status.Config{Claim: time.Hour}), t.Context(), ids(40_000)
	waiting, old, fresh := refs[:1000], refs[1000:39_000], refs[39_000:]
	claimed := ids(40_100)[40_000:]
	claims, err := s.Claim(ctx, claimed, "one")
	require.NoError(t, err)
	require.NotContains(t, claims, score.ClaimBusy)
	require.NoError(t, s.Accepted(ctx, waiting[1:], make([]string, len(waiting)-1)))
	require.NoError(t, s.Bound(ctx, lane, 5, waiting[:1], 1<<30, nil))
	require.NoError(t, s.Slot(ctx, lane, 1, 5, score.Submitted, tx2, 0))
	require.NoError(t, s.Final(ctx, tx1, 1, old, make([]score.Outcome, len(old))))
	began := time.Now()
	require.Eventually(t, func() bool { return time.Since(began) > 4*time.Second }, 2*time.Minute, 100*time.Millisecond, "until they are old")
	require.NoError(t, s.Final(ctx, tx2, 2, fresh, make([]score.Outcome, len(fresh))))
	used, err := client.Info(ctx, "memory").Result()
	require.NoError(t, err)
	n, err := strconv.Atoi(regexp.MustCompile(`used_memory:(\d+)`).FindStringSubmatch(used)[1])
	require.NoError(t, err)
	require.NoError(t, client.ConfigSet(ctx, "maxmemory", strconv.Itoa(n*10/9)).Err())
	require.Eventually(t, func() bool {
		require.NoError(t, s.Sweep(ctx))
		_, part, err := client.Memory(ctx)
		require.NoError(t, err)
		return part <= 0.85
	}, 3*time.Minute, 10*time.Millisecond)
	statuses, _, err := s.Read(ctx, refs)
	require.NoError(t, err)
	gone := 0
	for i, st := range statuses {
		if st.Stage == 0 {
			gone++
			require.True(t, i >= len(waiting) && i < len(waiting)+len(old), i)
		}
	}
	require.Positive(t, gone)
	require.Equal(t, score.Status{Stage: score.Submitted, Tx: tx2}, statuses[0], "its slot stays")
	claims, err = s.Claim(ctx, claimed, "another")
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]score.Claim{score.ClaimBusy}, len(claimed)), claims)
}
