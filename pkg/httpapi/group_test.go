package httpapi_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// updates are updates of the bench's project under ids of their own words.
func (b *bench) updates(names ...string) []score.Update {
	updates := make([]score.Update, len(names))
	for i, name := range names {
		updates[i] = score.Update{Project: b.project.ID, ID: updateID(name), Target: devnet.Address(9), Action: uint8(i % 2), ScoreType: 1}
	}
	return updates
}

// inWord are n updates whose ids share a word, ascending.
func (b *bench) inWord(name string, n int) []score.Update {
	updates, targets := make([]score.Update, n), []common.Address{devnet.Address(7), devnet.Address(8), devnet.Address(9)}
	for i := range updates {
		updates[i] = score.Update{Project: b.project.ID, ID: updateID(name), Target: targets[i%3]}
		updates[i].ID[31] = byte(i)
	}
	return updates
}

// group is a valid body for the updates, signed by the bench's owner.
func (b *bench) group(kind score.Kind, updates []score.Update) object {
	b.t.Helper()
	body, err := batch.EncodeBody(kind, updates)
	require.NoError(b.t, err)
	digest := wallet.NewDomain(devnet.ChainID, shared.contract).GroupDigest(b.project.ID, kind, body)
	return object{"projectId": b.project.ID, "kind": kind, "updates": hexutil.Encode(body), "signature": sign(b.t, b.owner, digest)}
}

func (b *bench) free(names ...string) object { return b.group(score.KindFree, b.updates(names...)) }

// answered is the body of a 200.
func (b *bench) answered(status string, accepted int, duplicates ...string) object {
	return set(became(status, accepted, duplicates...), "projectId", b.project.ID.String())
}

// envelopes lists the stream's envelopes.
func (b *bench) envelopes() []score.Message {
	b.t.Helper()
	return b.messages(func(m score.Message) bool { return m.Updates != nil })
}

// refs name updates of the bench's project.
func (b *bench) refs(names ...string) []score.Ref { return score.Refs(b.updates(names...)) }

// claim claims one update.
func (b *bench) claim(name, token string) score.Claim {
	b.t.Helper()
	claims, err := b.status.Claim(b.t.Context(), b.refs(name), token)
	require.NoError(b.t, err)
	require.Len(b.t, claims, 1)
	return claims[0]
}

func (b *bench) stageOf(name string) any {
	return b.lookUpOne(name).body["status"]
}

// TestASignedGroupIsInTheStreamAsOne: in its order, with its signature, and each of its updates can be followed.
func TestASignedGroupIsInTheStreamAsOne(t *testing.T) {
	t.Parallel()
	for kind := score.KindWord; kind <= score.KindFree; kind++ {
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) {
			b := newBench(t, nil).withProject()
			updates := b.inWord("word", 3)
			if kind == score.KindFree {
				updates = b.updates("one", "two", "three")
			}
			r := b.post("/update-scores", b.group(kind, updates)).ok()
			require.Equal(t, b.answered("accepted", 3), r.body)

			envelopes := b.envelopes()
			require.Len(t, envelopes, 1)
			for i := range updates {
				updates[i].Signer = devnet.Address(1)
				require.Equal(t, "accepted", b.get("/projects/%s/updates/%s", b.project.ID, updates[i].ID).body["status"])
			}
			require.Equal(t, updates, envelopes[0].Updates)
			require.Len(t, envelopes[0].Signed, 1)
			signed := envelopes[0].Signed[0]
			require.Equal(t, score.Signed{First: 0, Count: 3, Kind: kind, Signature: signed.Signature}, signed)
			body, err := batch.EncodeBody(kind, updates)
			require.NoError(t, err)
			sig, err := wallet.ParseSignature(signed.Signature[:])
			require.NoError(t, err)
			signer, err := sig.Recover(wallet.NewDomain(devnet.ChainID, shared.contract).GroupDigest(b.project.ID, kind, body))
			require.NoError(t, err)
			require.Equal(t, devnet.Address(1), signer, "what the stream holds is what was signed")
		})
	}
}

func TestAGroupSentAgainIsADuplicate(t *testing.T) {
	b := newBench(t, nil).withProject()
	group := b.free("one", "two")
	require.Equal(t, b.answered("accepted", 2), b.post("/update-scores", group).body)
	for range 2 {
		require.Equal(t, b.answered("duplicate", 0, "one", "two"), b.post("/update-scores", group).body)
	}
	require.Equal(t, "duplicate", b.post("/update-score", b.update("two")).body["status"])
	require.Len(t, b.envelopes(), 1)
	require.InDelta(t, 5, b.count("scorelay_api_updates_total", "duplicate"), 0)
}

// TestAGroupWithDuplicatesIsStoredWhole, and what is known of the duplicates stays.
func TestAGroupWithDuplicatesIsStoredWhole(t *testing.T) {
	b, ctx := newBench(t, nil).withProject(), t.Context()
	for _, name := range []string{"applied", "rejected", "queued"} {
		require.Equal(t, "accepted", b.post("/update-score", b.update(name)).body["status"])
	}
	require.NoError(t, b.status.Final(ctx, updateTx, 7, b.refs("applied"), []score.Outcome{score.Applied}))
	require.NoError(t, b.status.Final(ctx, updateTx, 7, b.refs("rejected"), []score.Outcome{score.BadSignature}))
	require.NoError(t, b.status.Bound(ctx, 0, 3, b.refs("queued"), 1<<30, nil))

	r := b.post("/update-scores", b.free("queued", "new", "rejected", "applied"))
	require.Equal(t, b.answered("accepted", 2, "queued", "applied"), r.body, "a rejected id may be used again")
	envelopes := b.envelopes()
	require.Len(t, envelopes[len(envelopes)-1].Updates, 4)
	for name, stage := range map[string]string{"queued": "batched", "new": "accepted", "rejected": "accepted", "applied": "final"} {
		require.Equal(t, stage, b.stageOf(name), name)
	}
}

// replicas are two APIs over the same stores.
func replicas(t *testing.T, change func(*setup)) (a, b *bench) {
	t.Helper()
	t.Parallel()
	prefix := rand.Text() + ":"
	both := func(s *setup) {
		s.status.Prefix = prefix
		s.config.ClaimWait = 20 * time.Second
		change(s)
	}
	a = startBench(t, both).withProject()
	b = startBench(t, both)
	b.project = a.project
	return a, b
}

func TestOfOneGroupAtOnceOnTwoReplicasOneIsAccepted(t *testing.T) {
	a, b := replicas(t, func(*setup) {})
	group := a.free("one", "two", "three")
	answers := make([]response, 10)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = []*bench{a, b}[i%2].post("/update-scores", group) })
	}
	wg.Wait()
	accepted := 0
	for _, r := range answers {
		require.Equal(t, http.StatusOK, r.status, r)
		if r.body["status"] == "accepted" {
			accepted++
			require.Equal(t, a.answered("accepted", 3), r.body)
		} else {
			require.Equal(t, a.answered("duplicate", 0, "one", "two", "three"), r.body)
		}
	}
	require.Equal(t, 1, accepted)
	require.Len(t, a.envelopes(), 1)
}

// TestGroupsThatOverlapGetThroughTogether: no request holds what another waits for, and each id is accepted for one of them.
func TestGroupsThatOverlapGetThroughTogether(t *testing.T) {
	a, b := replicas(t, func(*setup) {})
	const names, each = 12, 5
	groups := make([]object, names)
	for i := range groups {
		ids := make([]string, each)
		for j := range ids {
			ids[j] = fmt.Sprint((i + j*(j+1)/2) % names)
		}
		groups[i] = a.free(ids...)
	}
	answers := make([]response, len(groups))
	var wg sync.WaitGroup
	for i := range groups {
		wg.Go(func() { answers[i] = []*bench{a, b}[i%2].post("/update-scores", groups[i]) })
	}
	body := a.update("0")
	var single response
	wg.Go(func() { single = a.post("/update-score", body) })
	wg.Wait()
	accepted := map[any]int{"accepted": 1}[single.body["status"]]
	require.Equal(t, http.StatusOK, single.status, single)
	for _, r := range answers {
		require.Equal(t, http.StatusOK, r.status, r)
		accepted += int(r.body["accepted"].(float64))
		require.Equal(t, each, int(r.body["accepted"].(float64))+len(r.body["duplicates"].([]any)))
	}
	require.Equal(t, names, accepted)
}

// TestABusyIDHoldsAGroupUp, which then holds nothing itself.
func TestABusyIDHoldsAGroupUp(t *testing.T) {
	b := newBench(t, func(s *setup) { s.config.ClaimWait = 20 * time.Millisecond }).withProject()
	require.Equal(t, score.ClaimWon, b.claim("two", "another"))
	r := b.post("/update-scores", b.free("one", "two"))
	require.Equal(t, "update_in_progress", r.code())
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"], "its other ids are free")
	require.NoError(t, b.status.Release(t.Context(), b.refs("two"), "another"))
	require.Equal(t, b.answered("accepted", 1, "one"), b.post("/update-scores", b.free("one", "two")).body)
}

// TestAGroupThatWasNotStoredHoldsNoClaims: the caller, or another one, gets through at once.
func TestAGroupThatWasNotStoredHoldsNoClaims(t *testing.T) {
	t.Parallel()
	fault.Each(t, func(t *testing.T, kind fault.Kind) {
		b := startBench(t, func(s *setup) { s.config.AcceptTimeout, s.faults = 100*time.Millisecond, true }).withProject()
		b.accepted("/update-score", b.update("before"))
		b.publisher.Set(fault.Always(kind))
		group := b.free("one", "before", "two")
		b.unacked("/update-scores", group)
		for _, free := range []string{"one", "two"} {
			require.Equal(t, score.ClaimWon, b.claim(free, "a third"))
			require.NoError(t, b.status.Release(t.Context(), b.refs(free), "a third"))
		}
		require.Equal(t, "accepted", b.stageOf("before"))

		b.publisher.Set(nil)
		require.Equal(t, 2.0, b.accepted("/update-scores", group).body["accepted"])
		require.Len(t, b.envelopes(), map[fault.Kind]int{fault.Failed: 2, fault.Persisted: 3}[kind], "the contract applies one of them")
	})
}

// forgetfulStatuses does what it is told and says that it failed.
type forgetfulStatuses struct{ httpapi.Statuses }

func (s forgetfulStatuses) Claim(ctx context.Context, refs []score.Ref, token string) ([]score.Claim, error) {
	_, err := s.Statuses.Claim(ctx, refs, token)
	return nil, errors.Join(err, fault.Err)
}

// TestClaimsThatWereTakenWithoutAnAnswer become statuses with an ack, and go without one.
func TestClaimsThatWereTakenWithoutAnAnswer(t *testing.T) {
	b := newBench(t, func(s *setup) {
		s.config.AcceptTimeout, s.faults = 100*time.Millisecond, true
		s.deps = func(d *httpapi.Deps) { d.Statuses = forgetfulStatuses{d.Statuses} }
	}).withProject()
	b.publisher.Set(fault.Always(fault.Failed))
	b.unacked("/update-scores", b.free("one", "two"))
	require.Equal(t, score.ClaimWon, b.claim("one", "a third"))
	require.NoError(t, b.status.Release(t.Context(), b.refs("one"), "a third"))
	b.publisher.Set(nil)
	require.Equal(t, b.answered("accepted", 2), b.accepted("/update-scores", b.free("one", "two")).body)
	require.Equal(t, "accepted", b.stageOf("one"))
}

func TestWithoutRedisGroupsAreAccepted(t *testing.T) {
	b := newBench(t, func(s *setup) { s.redis = nowhere }).withProject()
	for range 2 { // the contract finds the duplicates
		require.Equal(t, b.answered("accepted", 2), b.post("/update-scores", b.free("one", "two")).body)
	}
	require.Len(t, b.envelopes(), 2)
	require.InDelta(t, 4, b.count("scorelay_api_unclaimed_total"), 0)
}

// TestAProjectOfSignedGroupsOnly refuses updates that the contract could not check.
func TestAProjectOfSignedGroupsOnly(t *testing.T) {
	b := newBench(t, nil)
	b.post("/create-project", set(createBody(b.project), "signedOnly", true)).ok()
	require.True(t, b.creations()[0].Project.SignedOnly)
	require.Equal(t, true, b.get("/projects/%s", b.project.ID).body["signedOnly"])
	r := b.post("/update-score", b.update("one"))
	require.Equal(t, "signed_only", r.code())
	require.Contains(t, r.body["detail"], "/update-scores")
	require.Equal(t, b.answered("accepted", 1), b.post("/update-scores", b.free("one")).body)
}

// TestADeadProjectMayBeReplacedByASignedOnlyOne: what was accepted unsigned is rejected then, but nothing means another
// thing than it did.
func TestADeadProjectMayBeReplacedByASignedOnlyOne(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.NoError(t, b.stream.AddDeadLetters(t.Context(), []score.DeadLetter{{
		Seq: b.creations()[0].Seq, Reason: "test", Outcome: score.Unprocessable, Project: b.project,
	}}))
	require.Eventually(t, func() bool {
		return b.post("/create-project", set(createBody(b.project), "signedOnly", true)).status == http.StatusOK
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "signed_only", b.post("/update-score", b.update("one")).code())
}
