package status_test

import (
	"os"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
)

const lane = score.Lane(3)

var (
	tx1 = common.HexToHash("0x01")
	tx2 = common.HexToHash("0x02")
)

type bench struct {
	*status.Store
	client *redisdb.Client
	update score.Ref
}

// setup gives each test a prefix of its own on the package's one server.
func setup(t *testing.T, config status.Config) *bench {
	t.Helper()
	config.Prefix = t.Name() + ":"
	client, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	client.Timeout = time.Minute
	return &bench{status.New(client, config), client, score.UpdateRef(score.ProjectID{1, ':'}, score.UpdateID{2, 0xff})}
}

var server *devnet.RedisServer

func TestMain(m *testing.M) {
	long.Beside(6)
	dir, err := os.MkdirTemp("", "scorelay-status")
	if err == nil {
		server, err = devnet.StartRedis(dir, devnet.RedisOptions{})
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	server.Close()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func (b *bench) claim(t *testing.T, token string) score.Claim {
	t.Helper()
	claims, err := b.Claim(t.Context(), b.refs(), token)
	require.NoError(t, err)
	require.Len(t, claims, 1)
	return claims[0]
}

func (b *bench) is(t *testing.T, want score.Status) {
	t.Helper()
	b.has(t, b.update, want)
}

func (b *bench) has(t *testing.T, ref score.Ref, want score.Status) {
	t.Helper()
	got, _, err := b.Read(t.Context(), []score.Ref{ref})
	require.NoError(t, err)
	require.Equal(t, []score.Status{want}, got)
}

func (b *bench) final(t *testing.T, outcome score.Outcome, tx common.Hash, block uint64) {
	t.Helper()
	require.NoError(t, b.Final(t.Context(), tx, block, b.refs(), []score.Outcome{outcome}))
}

// accepted marks the update as stored by the request with the token.
func (b *bench) accepted(t *testing.T, token string) {
	t.Helper()
	require.NoError(t, b.Accepted(t.Context(), b.refs(), []string{token}))
}

func (b *bench) refs() []score.Ref { return []score.Ref{b.update} }

func TestTheWayOfAnUpdate(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	b.is(t, score.Status{})
	require.Equal(t, score.ClaimWon, b.claim(t, "one"))
	b.is(t, score.Status{}) // a claim is nothing yet
	b.accepted(t, "one")
	b.is(t, score.Status{Stage: score.Accepted})
	require.NoError(t, b.Bound(ctx, lane, 7, b.refs(), 1<<30, nil))
	b.is(t, score.Status{Stage: score.Batched})
	require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Submitted, tx1, 0))
	b.is(t, score.Status{Stage: score.Submitted, Tx: tx1})
	require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Included, tx2, 10))
	b.is(t, score.Status{Stage: score.Included, Tx: tx2, Block: 10})
	require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Submitted, tx2, 10)) // a reorg
	b.is(t, score.Status{Stage: score.Submitted, Tx: tx2})
	require.NoError(t, b.Slot(ctx, lane, 2, 7, score.Included, tx2, 11)) // by the session that has the lane now
	require.NoError(t, b.Slot(ctx, lane, 1, 7, score.Submitted, tx1, 0)) // by one that lost it
	b.is(t, score.Status{Stage: score.Included, Tx: tx2, Block: 11})
	require.NoError(t, b.Slot(ctx, lane, 10, 7, score.Submitted, tx2, 0))
	require.NoError(t, b.Slot(ctx, lane, 9, 7, score.Included, tx1, 9))
	b.is(t, score.Status{Stage: score.Submitted, Tx: tx2})
	require.NoError(t, b.Released(ctx, lane, 6, b.refs())) // not its slot
	b.is(t, score.Status{Stage: score.Submitted, Tx: tx2})
	require.NoError(t, b.Released(ctx, lane, 7, b.refs()))
	b.is(t, score.Status{Stage: score.Accepted})
	require.NoError(t, b.Bound(ctx, lane, 8, b.refs(), 1<<30, nil))
	b.is(t, score.Status{Stage: score.Batched})
	b.final(t, score.Applied, tx1, 12)
	b.is(t, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: tx1, Block: 12})
	for _, late := range []func() error{
		func() error { return b.Accepted(ctx, b.refs(), []string{"one"}) },
		func() error { return b.Bound(ctx, lane, 8, b.refs(), 1<<30, nil) },
		func() error { return b.Released(ctx, lane, 8, b.refs()) },
		func() error { return b.RestoreAccepted(ctx, b.refs()) },
	} {
		require.NoError(t, late())
		b.is(t, score.Status{Stage: score.Final, Outcome: score.Applied, Tx: tx1, Block: 12})
	}
	require.Equal(t, score.ClaimDuplicate, b.claim(t, "two"))
}

func TestAClaimIsOneCallersUntilItIsResolved(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	require.Equal(t, score.ClaimWon, b.claim(t, "one"))
	require.Equal(t, score.ClaimWon, b.claim(t, "one"), "failed but persisted: the repetition must win")
	require.Equal(t, score.ClaimBusy, b.claim(t, "two"))
	require.NoError(t, b.Release(ctx, b.refs(), "two"))
	require.Equal(t, score.ClaimBusy, b.claim(t, "two"), "a release by another token must do nothing")
	require.NoError(t, b.Release(ctx, b.refs(), "one"))
	require.Equal(t, score.ClaimWon, b.claim(t, "two"))
	b.accepted(t, "two")
	require.Equal(t, score.ClaimDuplicate, b.claim(t, "one"))
	require.NoError(t, b.Release(ctx, b.refs(), "two"))
	b.is(t, score.Status{Stage: score.Accepted}) // a late release takes nothing accepted back
}

func TestAForgottenClaimExpires(t *testing.T) {
	t.Parallel()
	busy := false
	for lasts := 50 * time.Millisecond; !busy; lasts *= 2 {
		b, began := setup(t, status.Config{Claim: lasts}), time.Now()
		require.Eventually(t, func() bool { return b.claim(t, "crashed") == score.ClaimWon }, time.Minute, 10*time.Millisecond)
		now := b.claim(t, "retry")
		busy = now == score.ClaimBusy
		require.True(t, busy || time.Since(began) >= lasts, "%v before the claim is over", now) // on a slow machine it is
		require.Eventually(t, func() bool { return b.claim(t, "retry") == score.ClaimWon }, time.Minute, 10*time.Millisecond)
	}
}

func TestARejectedUpdateMayBeClaimedAgain(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	rejected := score.Status{Stage: score.Final, Outcome: score.NotMember, Tx: tx1, Block: 5}
	b.final(t, score.NotMember, tx1, 5)
	b.is(t, rejected)
	require.Equal(t, score.ClaimWon, b.claim(t, "one"))
	b.is(t, rejected) // until it is accepted
	require.Equal(t, score.ClaimBusy, b.claim(t, "two"))
	require.NoError(t, b.Release(ctx, b.refs(), "one"))
	b.is(t, rejected)
	require.Equal(t, score.ClaimWon, b.claim(t, "two"))
	b.accepted(t, "two")
	b.is(t, score.Status{Stage: score.Accepted})
	require.Equal(t, score.ClaimDuplicate, b.claim(t, "three"))
}

func TestOfTwoFinalsTheOneThatSaysMoreStays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		first, second score.Outcome
		blocks        [2]uint64
		wantSecond    bool
	}{
		{"applied, duplicate", score.Applied, score.Duplicate, [2]uint64{1, 2}, false},
		{"duplicate, applied", score.Duplicate, score.Applied, [2]uint64{2, 1}, true},
		{"applied, rejected", score.Applied, score.NotMember, [2]uint64{1, 2}, false},
		{"duplicate, rejected", score.Duplicate, score.NotMember, [2]uint64{1, 2}, false},
		{"rejected, applied", score.UnknownAction, score.Applied, [2]uint64{1, 2}, true},
		{"rejected, rejected later", score.UnknownAction, score.NotMember, [2]uint64{1, 2}, true},
		{"rejected, rejected earlier", score.UnknownAction, score.NotMember, [2]uint64{2, 1}, false},
		{"rejected, rejected by another transaction of the block", score.UnknownAction, score.NotMember, [2]uint64{2, 2}, true},
		{"applied, applied by another transaction of the block, after a reorg", score.Applied, score.Applied, [2]uint64{2, 2}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, status.Config{})
			b.final(t, c.first, tx1, c.blocks[0])
			b.final(t, c.second, tx2, c.blocks[1])
			want := score.Status{Stage: score.Final, Outcome: c.first, Tx: tx1, Block: c.blocks[0]}
			if c.wantSecond {
				want = score.Status{Stage: score.Final, Outcome: c.second, Tx: tx2, Block: c.blocks[1]}
			}
			b.is(t, want)
		})
	}
}

func TestManyUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	refs := make([]score.Ref, 1000) // creations are among them
	outcomes := make([]score.Outcome, len(refs))
	want := make([]score.Status, len(refs))
	for i := range refs {
		refs[i] = score.UpdateRef(score.ProjectID{}, score.UpdateID{byte(i), byte(i >> 8)})
		if i%7 == 0 {
			refs[i] = score.CreationRef(score.ProjectID{byte(i), byte(i >> 8)})
		}
		outcomes[i] = score.Outcome(i % (int(score.BadSignature) + 1))
		want[i] = score.Status{Stage: score.Final, Outcome: outcomes[i], Tx: tx1, Block: 9}
	}
	require.NoError(t, b.Accepted(ctx, refs, make([]string, len(refs))))
	require.NoError(t, b.Bound(ctx, lane, 1, refs, 1<<30, nil))
	require.NoError(t, b.Final(ctx, tx1, 9, refs, outcomes))
	got, _, err := b.Read(ctx, refs)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Error(t, b.Final(ctx, tx1, 9, refs, outcomes[1:]))
	require.Error(t, b.Accepted(ctx, refs, nil))

	require.NoError(t, b.Accepted(ctx, refs, make([]string, len(refs)))) // of what was rejected only creations are accepted again without a claim
	for i := range refs {
		if refs[i].Creation && outcomes[i].Rejected() {
			want[i] = score.Status{Stage: score.Accepted}
		}
	}
	got, _, err = b.Read(ctx, refs)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestTheWayOfACreation(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	ref := score.CreationRef(score.ProjectID{9})
	refs := []score.Ref{ref}
	is := func(want score.Status) {
		t.Helper()
		b.has(t, ref, want)
	}
	require.NoError(t, b.Accepted(ctx, refs, make([]string, len(refs))))
	is(score.Status{Stage: score.Accepted})
	require.NoError(t, b.Bound(ctx, lane, 1, refs, 1<<30, nil))
	require.NoError(t, b.Slot(ctx, lane, 1, 1, score.Submitted, tx1, 0))
	is(score.Status{Stage: score.Submitted, Tx: tx1})
	require.NoError(t, b.Released(ctx, lane, 1, refs))
	is(score.Status{Stage: score.Accepted})
	require.NoError(t, b.Final(ctx, common.Hash{}, 0, refs, []score.Outcome{score.Unprocessable}))
	is(score.Status{Stage: score.Final, Outcome: score.Unprocessable})
	require.NoError(t, b.RestoreAccepted(ctx, refs))
	is(score.Status{Stage: score.Final, Outcome: score.Unprocessable})
	require.NoError(t, b.Accepted(ctx, refs, make([]string, len(refs)))) // again
	is(score.Status{Stage: score.Accepted})
	b.fold(t, score.Fact{Tx: tx2, Block: 4, Refs: refs, Outcomes: []score.Outcome{score.Applied}})
	is(score.Status{Stage: score.Final, Tx: tx2, Block: 4})
}

// fold folds facts into a table of which nothing else is folded.
func (b *bench) fold(t *testing.T, facts ...score.Fact) {
	t.Helper()
	require.NoError(t, b.Fold(t.Context(), []string{""}, "", facts))
}

// event is what an event of a block tells of the bench's update.
func (b *bench) event(outcome score.Outcome, tx common.Hash, block uint64) score.Fact {
	return score.Fact{Refs: b.refs(), Outcomes: []score.Outcome{outcome}, Tx: tx, Block: block}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	folded := func(want string, complete bool) {
		t.Helper()
		at, is, err := b.Folded(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{want}, at)
		require.Equal(t, complete, is)
		generation, err := b.Generation(ctx)
		require.NoError(t, err)
		require.Equal(t, complete, generation != "")
	}
	folded("", false)
	token, at, err := b.BeginRestore(ctx)
	require.NoError(t, err)
	require.NoError(t, b.RestoreAccepted(ctx, b.refs()))
	b.is(t, score.Status{Stage: score.Accepted})
	require.NoError(t, b.Fold(ctx, at, token+" 3", []score.Fact{b.event(score.UnknownAction, tx1, 3)}))
	b.is(t, score.Status{Stage: score.Final, Outcome: score.UnknownAction, Tx: tx1, Block: 3})
	folded(token+" 3", false)
	require.NoError(t, b.EndRestore(ctx, token))
	folded(token+" 3", true)
	generation, err := b.Generation(ctx)
	require.NoError(t, err)
	require.Equal(t, token, generation)

	require.NoError(t, b.Fold(ctx, []string{token + " 3"}, token+" 4", nil))
	folded(token+" 4", true)
	for _, from := range []string{token + " 3", "another 4", token + " 5", ""} { // another moved it; its newest writes are lost
		require.ErrorIs(t, b.Fold(ctx, []string{from}, token+" 6", []score.Fact{b.event(score.Applied, tx2, 5)}), score.ErrFoldMoved)
	}
	folded(token+" 4", true)
	b.is(t, score.Status{Stage: score.Final, Outcome: score.UnknownAction, Tx: tx1, Block: 3})
	require.Error(t, b.Fold(ctx, nil, token+" 6", nil), "of no table")
}

// TestAFactOfManyCallsMovesTheFoldWithItsLast: killed in between, it is folded again from where it was.
func TestAFactOfManyCallsMovesTheFoldWithItsLast(t *testing.T) {
	t.Parallel()
	b, ctx, refs := setup(t, status.Config{}), t.Context(), ids(2000)
	token, at, err := b.BeginRestore(ctx)
	require.NoError(t, err)
	facts := []score.Fact{
		{Refs: refs[:1500], Outcomes: make([]score.Outcome, 1500), Tx: tx1, Block: 3},
		{Refs: refs[:10], Tx: tx1, Gone: true},
		{Refs: refs[1500:], Outcomes: make([]score.Outcome, 500), Tx: tx2, Block: 3},
	}
	require.NoError(t, b.Fold(ctx, at, "", facts[:1]))
	now, _, err := b.Folded(ctx)
	require.NoError(t, err)
	require.Equal(t, at, now)
	for range 2 {
		require.NoError(t, b.Fold(ctx, at, token+" 9", facts))
		require.ErrorIs(t, b.Fold(ctx, []string{token + " 8"}, "", facts), score.ErrFoldMoved, "nothing is written where the fold is elsewhere")
		now, _, err = b.Folded(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{token + " 9"}, now)
		statuses, _, err := b.Read(ctx, refs)
		require.NoError(t, err)
		require.Equal(t, score.Status{}, statuses[9], "it was never accepted")
		require.Equal(t, score.Status{Stage: score.Final, Tx: tx1, Block: 3}, statuses[10])
		require.Equal(t, score.Status{Stage: score.Final, Tx: tx2, Block: 3}, statuses[1999])
		at = now
	}
}

// TestARejectionThatIsFoldedAgainReplacesNoLaterTry, and a first one of a later try does. Whichever way a slot is told of late, it does not
// replace what one of its own transactions did.
func TestARejectionThatIsFoldedAgainReplacesNoLaterTry(t *testing.T) {
	t.Parallel()
	tx3 := common.Hash{3}
	b, ctx := setup(t, status.Config{}), t.Context()
	first, second, applied := b.event(score.NotMember, tx1, 5), b.event(score.UnknownAction, tx2, 7), b.event(score.Applied, tx3, 9)
	rejected := func(f score.Fact) score.Status {
		return score.Status{Stage: score.Final, Outcome: f.Outcomes[0], Tx: f.Tx, Block: f.Block}
	}
	again := func(want score.Status, facts ...score.Fact) {
		t.Helper()
		b.is(t, want)
		b.fold(t, facts...)
		b.is(t, want)
	}
	require.Equal(t, score.ClaimWon, b.claim(t, "A"))
	b.fold(t, first) // of a try that nothing is known of
	require.Equal(t, score.ClaimBusy, b.claim(t, "B"))
	b.accepted(t, "A")
	require.NoError(t, b.Bound(ctx, lane, 1, b.refs(), 1<<30, []common.Hash{tx1}))
	b.fold(t, first)
	require.NoError(t, b.Bound(ctx, lane, 1, b.refs(), 1<<30, []common.Hash{tx2, tx1}))
	again(rejected(first), first)
	require.Equal(t, score.ClaimWon, b.claim(t, "B"))
	require.NoError(t, b.Bound(ctx, lane, 1, b.refs(), 1<<30, []common.Hash{tx1}))
	require.Equal(t, score.ClaimBusy, b.claim(t, "C"))
	again(rejected(first), first)
	require.Equal(t, score.ClaimBusy, b.claim(t, "C"))
	b.accepted(t, "B")
	again(score.Status{Stage: score.Accepted}, first)
	require.NoError(t, b.Bound(ctx, lane, 2, b.refs(), 1<<30, []common.Hash{tx2}))
	again(score.Status{Stage: score.Batched}, first)
	require.NoError(t, b.Released(ctx, lane, 2, b.refs()))
	again(score.Status{Stage: score.Accepted}, first)
	require.NoError(t, b.Bound(ctx, lane, 3, b.refs(), 1<<30, []common.Hash{tx2}))
	b.fold(t, second)
	again(rejected(second), first, second)
	require.NoError(t, b.Bound(ctx, lane, 4, b.refs(), 1<<30, []common.Hash{tx3})) // accepted without a claim
	again(score.Status{Stage: score.Batched}, first, second)
	b.fold(t, applied)
	again(score.Status{Stage: score.Final, Tx: tx3, Block: 9}, first, second, applied)
}

// TestWhatTheChainLostIsTakenBack, also from beneath a later try.
func TestWhatTheChainLostIsTakenBack(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	gone := func(tx common.Hash) { b.fold(t, score.Fact{Refs: b.refs(), Tx: tx, Gone: true}) }
	b.accepted(t, "")
	b.fold(t, b.event(score.Applied, tx1, 5))
	gone(tx2)
	b.is(t, score.Status{Stage: score.Final, Tx: tx1, Block: 5})
	gone(tx1)
	b.is(t, score.Status{Stage: score.Accepted})
	b.fold(t, b.event(score.NotMember, tx1, 6))
	require.NoError(t, b.Bound(ctx, lane, 2, b.refs(), 1<<30, nil))
	gone(tx1)
	b.is(t, score.Status{Stage: score.Batched})
	b.fold(t, b.event(score.NotMember, tx1, 4))
	b.is(t, score.Status{Stage: score.Final, Outcome: score.NotMember, Tx: tx1, Block: 4})
	require.Equal(t, score.ClaimWon, b.claim(t, "A"))
	gone(tx1)
	b.is(t, score.Status{})
	require.Equal(t, score.ClaimBusy, b.claim(t, "B"))
	b.accepted(t, "A")

	b.final(t, score.Applied, tx2, 8) // of an edit
	require.NoError(t, b.Reopened(ctx, lane, 7, tx2, b.refs()))
	b.is(t, score.Status{Stage: score.Batched})
}

// TestEventsFillNoStore: a relayer can fill events with ids that were never accepted. Only those that applied, which
// cost a storage slot for at most 256 of them, are written where nothing is known.
func TestEventsFillNoStore(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, status.Config{}), t.Context()
	for outcome := range score.BadSignature + 1 {
		if outcome == score.Applied {
			continue
		}
		b.fold(t, b.event(outcome, tx1, 3))
		b.is(t, score.Status{})
	}
	keys, err := b.client.Keys(ctx, t.Name()+":*").Result()
	require.NoError(t, err)
	require.Empty(t, keys)
	b.fold(t, score.Fact{Refs: b.refs(), Outcomes: []score.Outcome{score.Unprocessable}, Block: 8, Letter: true}) // a letter is ours
	b.is(t, score.Status{Stage: score.Final, Outcome: score.Unprocessable})
	b.fold(t, b.event(score.Applied, tx1, 3))
	b.is(t, score.Status{Stage: score.Final, Tx: tx1, Block: 3})
}

// TestAFlushDuringARestoreIsNoticed, as another restore is, and one that is requested: the one that runs may be past what is missing.
func TestAFlushDuringARestoreIsNoticed(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(*testing.T, *bench) error{
		"a flush":         func(t *testing.T, b *bench) error { return b.Flush(t.Context()) },
		"a request":       func(t *testing.T, b *bench) error { return b.RequestRestore(t.Context()) },
		"another restore": func(t *testing.T, b *bench) error { _, _, err := b.BeginRestore(t.Context()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, ctx := setup(t, status.Config{}), t.Context()
			token, at, err := b.BeginRestore(ctx)
			require.NoError(t, err)
			require.NoError(t, b.Fold(ctx, at, token+" 1", nil))
			require.NoError(t, happens(t, b))
			require.ErrorIs(t, b.Fold(ctx, []string{token + " 1"}, token+" 2", nil), score.ErrFoldMoved)
			require.ErrorIs(t, b.EndRestore(ctx, token), score.ErrFoldMoved)
			_, complete, err := b.Folded(ctx)
			require.NoError(t, err)
			require.False(t, complete)
		})
	}
}

func TestScriptsComeBackAfterARestart(t *testing.T) {
	b := setup(t, status.Config{})
	require.Equal(t, score.ClaimWon, b.claim(t, "one"))
	require.NoError(t, b.client.ScriptFlush(t.Context()).Err())
	require.Equal(t, score.ClaimBusy, b.claim(t, "two"))
	b.accepted(t, "one")
}
