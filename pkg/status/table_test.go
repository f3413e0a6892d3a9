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

	"github.com/scorelay/scorelay/pkg/devnet"
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

// TestManyAreMovedAsOneByOne: what is told of many ids at once, of which some share a word and others an entry, by two processes, is as if
// one told it of each alone; and again, as after an answer that was lost.
func TestManyAreMovedAsOneByOne(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	all := make([]score.Ref, 0, 64)
	for word := range byte(3) {
		for low := range byte(12) {
			all = append(all, score.UpdateRef(score.ProjectID{1}, score.UpdateID{word, 31: 250 + low})) // to the end of the word, and its beginning
		}
	}
	for word := range byte(20) {
		all = append(all, score.UpdateRef(score.ProjectID{word % 3}, score.UpdateID{9, word}))
	}
	all = append(all, score.CreationRef(score.ProjectID{1}))
	rapid.Check(t, func(t *rapid.T) {
		prefix := rand.Text() + ":"
		config := status.Config{Retention: rapid.SampledFrom([]time.Duration{time.Minute, time.Hour}).Draw(t, "retention")}
		config.Prefix = prefix + "b"
		alone := status.New(client, config)
		alone.Share(len(all) + 1)
		config.Prefix = prefix + "a"
		together := []*status.Store{status.New(client, config), status.New(client, config)}
		for _, s := range together {
			s.Share(2)
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			n := rapid.IntRange(0, 1).Draw(t, "process")
			d, process := drawTelling(t, all, strconv.Itoa(n)), together[n]
			for range 2 {
				said, err := d.all(process)
				require.NoError(t, err)
				want, err := d.each(alone)
				require.NoError(t, err)
				require.Equal(t, want, said)
			}
			require.Equal(t, states(t, alone, all), states(t, process, all))
			one, _, err := alone.Read(context.Background(), all)
			require.NoError(t, err)
			many, _, err := process.Read(context.Background(), all)
			require.NoError(t, err)
			require.Equal(t, one, many)
		}
	})
}

// telling is something that a store is told of references.
type telling struct {
	what     int
	refs     []score.Ref
	nonce    uint64
	outcomes []score.Outcome
	tokens   []string
}

// Two of what a telling may be: it is told of all at once, in any case.
const (
	claimsGroup = iota
	forgets
	claimsSingles
	tellings = claimsSingles + 9
)

// drawTelling draws one with tokens of a process.
func drawTelling(t *rapid.T, all []score.Ref, process string) (d telling) {
	d.what = rapid.IntRange(0, tellings-1).Draw(t, "what")
	d.refs = rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), func(r score.Ref) score.Ref { return r }).Draw(t, "refs")
	d.nonce = rapid.Uint64Range(1, 2).Draw(t, "nonce")
	tokens := []string{"a", "b", "group a", "group b"} // one claims always alone, or always in a group
	switch d.what {
	case claimsSingles:
		tokens = tokens[:2]
	case claimsGroup:
		tokens = tokens[2:]
	}
	d.outcomes, d.tokens = make([]score.Outcome, len(d.refs)), make([]string, len(d.refs))
	for i := range d.refs {
		d.outcomes[i] = score.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))
		d.tokens[i] = process + rapid.SampledFrom(tokens).Draw(t, "token")
	}
	return d
}

// all tells it of all at once. A claim's answers are said.
func (d telling) all(s *status.Store) (said []string, err error) {
	ctx, tx := context.Background(), common.Hash{byte(d.nonce)}
	switch d.what {
	case claimsGroup:
		claims, err := s.Claim(ctx, d.refs, d.tokens[0])
		for _, c := range claims {
			said = append(said, string(c))
		}
		return said, err
	case forgets:
		if err := s.BeginForget(ctx, "token"); err != nil {
			return nil, err
		}
		n, err := s.ForgetUnfinished(ctx, "token")
		return []string{strconv.Itoa(n)}, err
	case claimsSingles:
		return s.ClaimAtOnce(ctx, slices.Collect(slices.Chunk(d.refs, 1)), d.tokens, status.NewShared())
	case claimsSingles + 1:
		return nil, s.Accepted(ctx, d.refs, d.tokens)
	case claimsSingles + 2:
		return nil, s.Bound(ctx, 1, d.nonce, d.refs)
	case claimsSingles + 3:
		return nil, s.Released(ctx, 1, d.nonce, d.refs)
	case claimsSingles + 4:
		return nil, s.Reopened(ctx, 1, d.nonce, tx, d.refs)
	case claimsSingles + 5:
		return nil, s.Release(ctx, d.refs, d.tokens[0])
	case claimsSingles + 6:
		return nil, s.RestoreFinal(ctx, tx, d.nonce, d.refs, d.outcomes)
	case claimsSingles + 7:
		return nil, s.RestoreAccepted(ctx, d.refs)
	}
	return nil, s.Final(ctx, tx, d.nonce, d.refs, d.outcomes)
}

// each tells it of one after the other.
func (d telling) each(s *status.Store) (said []string, err error) {
	if d.what < claimsSingles {
		return d.all(s)
	}
	for i := range d.refs {
		one := telling{d.what, d.refs[i : i+1], d.nonce, d.outcomes[i : i+1], d.tokens[i : i+1]}
		if d.what == claimsSingles+5 {
			one.tokens = d.tokens[:1]
		}
		its, err := one.all(s)
		if err != nil {
			return nil, err
		}
		said = append(said, its...)
	}
	return said, nil
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

// claimTogether claims references whose ids share no word, so that they share entries.
func claimTogether(t *testing.T, s *status.Store, refs []score.Ref) {
	t.Helper()
	for some := range slices.Chunk(refs, score.MaxSigned) {
		_, err := s.Claim(t.Context(), some, "a token")
		require.NoError(t, err)
	}
}

// TestATableGrows, and nothing in it is lost.
func TestATableGrows(t *testing.T) {
	t.Parallel()
	client := testClient(t)
	s, ctx, refs := status.New(client, status.Config{Prefix: t.Name() + ":"}), t.Context(), ids(20_000)
	for from := 0; from < len(refs); from += 1000 {
		part := refs[from : from+1000]
		require.NoError(t, s.Bound(ctx, lane, uint64(from), part))
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
	left := func() string { return strings.Fields(client.HGet(ctx, s.Table(0), "count").Val())[1] }
	began := time.Now()
	claimTogether(t, s, refs)
	if now := left(); time.Since(began) < retention { // on a slow machine some are old already
		require.Equal(t, "3012", now, "and the entries that they share")
	}
	require.NoError(t, s.Accepted(ctx, refs, make([]string, len(refs))))
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
	dedicated := devnet.Redis(t)
	if dedicated.Kind != "redis-server" {
		t.Skip("the embedded server knows no memory; .ci/run requires redis-server")
	}
	client, err := redisdb.Open(dedicated.URL)
	require.NoError(t, err)
	client.Timeout = time.Minute
	t.Cleanup(func() { _ = client.Close() })
	s, ctx, refs := status.New(client, status.Config{}), t.Context(), ids(40_000)
	waiting, old, fresh := refs[:1000], refs[1000:39_000], refs[39_000:]
	claimTogether(t, s, refs)
	require.NoError(t, s.Accepted(ctx, waiting[1:], make([]string, len(waiting)-1)))
	require.NoError(t, s.Bound(ctx, lane, 5, waiting[:1]))
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
		part, err := client.MemoryUsed(ctx)
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
}
