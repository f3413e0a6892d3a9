package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// scores posts an update of a wallet whose id is the nth of a word.
func (b *bench) scores(word string, n int, target common.Address) response {
	b.t.Helper()
	id := updateID(word)
	id[31] = byte(n)
	body := b.update(word)
	body["updateId"], body["targetWallet"] = id, target
	return b.post("/update-score", body)
}

// TestADefaultKeyHoldsUpAnAbuserAndNoCaller: by the terms of a default key, with 8 words, 5 wallets and one creation a day, at two APIs.
func TestADefaultKeyHoldsUpAnAbuserAndNoCaller(t *testing.T) {
	fresh.Today()
	a, b := replicas(t, func(*setup) {})
	terms := apikey.CallerTerms()
	terms.Words, terms.Wallets, terms.Creates = 8, 5, registry.Osaka().CreateProject(a.project)+5000 // ids with zeros take less
	without := a.secret
	another := func() {
		b.secret = a.withTerms(terms).secret
		b.knows(b.secret)
	}
	another()
	refused := func(r response, says string) {
		t.Helper()
		require.Equal(t, "budget_spent", r.code(), r)
		require.Contains(t, r.body["detail"], says)
		require.LessOrEqual(t, retryAfter(t, r), 3600)
	}
	const words, wallets = "8 different words of projects a day; a word has the 256 updateIds", "5 different wallets of projects a day"

	// A caller whose ids count up: 300 updates of three wallets in three words, and 16 posts at once in a fourth, by both APIs.
	for word := range 3 {
		[]*bench{a, b}[word%2].post("/update-scores", a.group(score.KindWord, a.inWord(fmt.Sprint("word ", word), 100))).ok()
	}
	var posts sync.WaitGroup
	for n := range 16 {
		posts.Go(func() { []*bench{a, b}[n%2].scores("word 3", n, devnet.Address(7)).ok() })
	}
	posts.Wait()

	// An abuser. Signatures of strangers count for nothing; random ids and new wallets pass as far as there are some left.
	stranger := *a
	stranger.owner = devnet.Key(5)
	for n := range 9 {
		require.Equal(t, "signer_not_member", stranger.scores(fmt.Sprint("strange ", n), 0, player(1+n)).code())
	}
	for n := range 4 {
		b.scores(fmt.Sprint("random ", n), 0, devnet.Address(7)).ok()
	}
	refused(a.scores("random 4", 0, devnet.Address(7)), words)
	refused(b.post("/update-scores", b.group(score.KindFree, b.updates("c", "d"))), words)
	r := b.post("/update-groups", object{"groups": []any{b.group(score.KindFree, b.updates("e", "f"))}}).ok()
	require.Contains(t, fmt.Sprint(r.body["groups"]), "budget_spent")
	a.scores("word 0", 200, player(1)).ok()
	a.scores("word 0", 201, player(2)).ok()
	refused(a.scores("word 0", 202, player(3)), wallets)

	// The caller continues, and a refused update is free to be sent.
	for n := range 40 {
		a.scores("word 0", 210+n, devnet.Address(7+n%3)).ok()
	}
	a.secret = without
	require.Equal(t, "accepted", a.scores("random 4", 0, devnet.Address(7)).ok().body["status"])

	// Creations need no member's signature.
	another()
	for range 2 {
		require.Equal(t, "project_exists", a.post("/create-project", createBody(a.project)).code(), "what is not stored is given back")
	}
	a.post("/create-project", createBody(newProject(a.project.Name))).ok()
	refused(a.post("/create-project", createBody(newProject(a.project.Name))), "gas a day for creations and edits, and ")
	a.onChain()
	refused(a.postEdit(a.edit(0, added(4))), "creations and edits")
	a.scores("word 3", 90, devnet.Address(7)).ok()
}

// uncounted is a limiter whose Redis does not answer when it is to count different names.
type uncounted struct {
	httpapi.Limiter
	away *atomic.Bool
}

func (u uncounted) Distinct(ctx context.Context, key string, most uint64, names [][]byte) (bool, error) {
	if u.away.Load() {
		return false, errors.New("away")
	}
	return u.Limiter.Distinct(ctx, key, most, names)
}

// TestWithoutRedisNoWordIsTooMany: and what passed then is counted later.
func TestWithoutRedisNoWordIsTooMany(t *testing.T) {
	away := &atomic.Bool{}
	b := newBench(t, deps(func(d *httpapi.Deps) { d.Limiter = uncounted{d.Limiter, away} })).withProject()
	fresh.Today()
	b.withTerms(apikey.Terms{Words: 1})
	away.Store(true)
	for n := range 3 {
		b.scores(fmt.Sprint(n), 0, devnet.Address(7)).ok()
	}
	away.Store(false)
	b.scores("0", 1, devnet.Address(7)).ok()
	require.Equal(t, "budget_spent", b.scores("1", 1, devnet.Address(7)).code())
}

// TestARaisedBoundHelpsAtOnce: words that were refused are not counted.
func TestARaisedBoundHelpsAtOnce(t *testing.T) {
	b := newBench(t, nil).withProject()
	fresh.Today()
	secret, id := b.key("another", apikey.Terms{Words: 3})
	b.secret = secret
	for n := range 3 {
		b.scores(fmt.Sprint(n), 0, devnet.Address(7)).ok()
	}
	for n := range 20 {
		require.Equal(t, "budget_spent", b.scores(fmt.Sprint("refused ", n), 0, devnet.Address(7)).code())
	}
	_, err := b.keys.Edit(t.Context(), id, func(terms *apikey.Terms) error { terms.Words = 5; return nil })
	require.NoError(t, err)
	require.Eventually(t, func() bool { return b.view.Authenticate(secret.Reveal()).Budget.Words == 5 }, time.Minute, time.Millisecond)
	for n := range 2 {
		b.scores(fmt.Sprint("more ", n), 0, devnet.Address(7)).ok()
	}
	require.Equal(t, "budget_spent", b.scores("too many", 0, devnet.Address(7)).code())
}
