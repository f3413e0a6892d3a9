package httpapi_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/devnet"
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

// TestABudgetOfStorageHoldsUpAnAbuserAndNoCaller: by the terms of a default key, with 8 slots and one creation.
func TestABudgetOfStorageHoldsUpAnAbuserAndNoCaller(t *testing.T) {
	t.Parallel()
	devnet.Today()
	rules := registry.Osaka()
	b := startBench(t, nil).withProject()
	b.projected(9)
	without := b.secret
	terms := apikey.CallerTerms()
	terms.Storage, terms.Creates = 8*rules.NewSlot(), rules.CreateProject(b.project)
	b.withTerms(terms)
	refused := func(r response, what string) {
		t.Helper()
		require.Equal(t, "budget_spent", r.code(), r)
		require.Contains(t, r.body["detail"], what)
		require.LessOrEqual(t, retryAfter(t, r), 3600)
	}

	// A caller whose ids count up: 300 updates of three wallets in three words, and 16 posts at once in a fourth.
	for word := range 3 {
		b.post("/update-scores", b.group(score.KindWord, b.inWord(fmt.Sprint("word ", word), 100))).ok()
	}
	var posts sync.WaitGroup
	for n := range 16 {
		posts.Go(func() { b.scores("word 3", n, devnet.Address(7)).ok() })
	}
	posts.Wait()

	// An abuser: who is no member spends nothing; one with random ids or new wallets has what is left.
	stranger := *b
	stranger.owner = devnet.Key(5)
	require.Equal(t, "signer_not_member", stranger.scores("random 0", 0, player(1)).code())
	b.scores("random 1", 0, devnet.Address(7)).ok()
	refused(b.scores("random 2", 0, devnet.Address(7)), "storage")
	refused(b.scores("word 3", 16, player(1)), "storage")
	refused(b.post("/update-scores", b.group(score.KindFree, b.updates("c", "d"))), "storage")
	r := b.post("/update-groups", object{"groups": []any{b.group(score.KindFree, b.updates("e", "f"))}}).ok()
	require.Contains(t, fmt.Sprint(r.body["groups"]), "budget_spent")

	// What was refused holds nothing, and the caller continues.
	for n := range 40 {
		b.scores("word 3", 100+n, devnet.Address(7+n%3)).ok()
	}
	b.secret = without
	require.Equal(t, "accepted", b.scores("random 2", 0, devnet.Address(7)).ok().body["status"])

	// Creations need no member's signature.
	b.withTerms(terms)
	for range 2 {
		require.Equal(t, "project_exists", b.post("/create-project", createBody(b.project)).code(), "what is not stored is given back")
	}
	mine := newProject("mine")
	mine.Name = b.project.Name
	b.post("/create-project", createBody(mine)).ok()
	refused(b.post("/create-project", createBody(newProject(b.project.Name))), "creations and edits")
	b.onChain()
	refused(b.postEdit(b.edit(0, added(4))), "creations and edits")
	b.scores("word 3", 90, devnet.Address(7)).ok()
}

// TestAWalletWithAScoreUsesNoNewStorage, and no wallet counts while standings cannot be asked.
func TestAWalletWithAScoreUsesNoNewStorage(t *testing.T) {
	t.Parallel()
	devnet.Today()
	slot := registry.Osaka().NewSlot()
	b := startBench(t, nil).withProject()
	b.withTerms(apikey.Terms{Storage: slot})
	b.scores("word", 0, player(1)).ok()
	b.scores("word", 1, player(2)).ok()
	require.Equal(t, "budget_spent", b.scores("another", 0, player(2)).code())

	b = startBench(t, nil).withProject()
	b.projected(9, execution(1, player(1)))
	b.withTerms(apikey.Terms{Storage: slot})
	b.scores("word", 2, player(1)).ok()
	require.Equal(t, "budget_spent", b.scores("word", 3, player(2)).code(), "it has no score")
	b.withTerms(apikey.Terms{Storage: slot})
	b.scores("word", 3, player(2)).ok()
	b.scores("word", 4, player(2)).ok()

	b.project = newProject("of which standings do not know yet")
	b.withProject().withTerms(apikey.Terms{Storage: 2 * slot})
	b.scores("word", 0, player(1)).ok()
	require.Equal(t, "budget_spent", b.scores("word", 1, player(2)).code())
}
