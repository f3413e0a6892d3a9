package httpapi_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// apply has the real contract apply a group as it was posted.
func (b *bench) apply(group object, updates []score.Update) {
	b.t.Helper()
	signature, err := wallet.ParseSignature(hexutil.MustDecode(group["signature"].(string)))
	require.NoError(b.t, err)
	compact := signature.Compact()
	updates = slices.Clone(updates)
	for i := range updates {
		updates[i].Signer = devnet.Address(1)
	}
	b.carry(batch.Group{Project: b.project.ID, Signer: devnet.Address(1), Kind: group["kind"].(score.Kind), Updates: updates, Signature: &compact})
}

// onARedisOfItsOwn is a bench with a project that the contract has too, and what flushes its Redis.
func onARedisOfItsOwn(t *testing.T) (b *bench, flush func()) {
	t.Helper()
	server := fresh.Redis(t)
	b = newBench(t, func(s *setup) { s.redis = server.URL }).withProject()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	client, err := redisdb.Open(server.URL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return b, func() {
		t.Helper()
		require.NoError(t, client.FlushAll(t.Context()).Err())
	}
}

// TestAGroupThatWasAppliedIsADuplicateForever: anyone can read it from its transaction and send it again, also when
// Redis has forgotten it.
func TestAGroupThatWasAppliedIsADuplicateForever(t *testing.T) {
	b, flush := onARedisOfItsOwn(t)
	for kind := score.KindWord; kind <= score.KindFree; kind++ {
		updates := b.inWord(string('a'+rune(kind)), 3)
		group := b.group(kind, updates)
		require.Equal(t, b.answered("accepted", 3), b.post("/update-scores", group).body)
		stored := len(b.envelopes())
		b.apply(group, updates)

		flush()
		for range 2 {
			r := b.post("/update-scores", group)
			require.Equal(t, "duplicate", r.body["status"], r)
			require.Equal(t, 0.0, r.body["accepted"])
			for i, id := range r.body["duplicates"].([]any) {
				require.Equal(t, updates[i].ID.String(), id)
			}
		}
		require.Len(t, b.envelopes(), stored, "nothing is stored")
		b.restored()
		require.Equal(t, "applied", b.get("/projects/%s/updates/%s", b.project.ID, updates[2].ID).body["outcome"])
		claim, err := b.status.Claim(t.Context(), score.Refs(updates[:1]), "a third")
		require.NoError(t, err)
		require.Equal(t, []score.Claim{score.ClaimWon}, claim, "no claim is left")
	}
	require.Zero(t, b.count("scorelay_api_unasked_groups_total"))
}

// TestAGroupThatWasAppliedInPartIsStored: what is left of it may apply. When Redis knows of that, it is a duplicate.
func TestAGroupThatWasAppliedInPartIsStored(t *testing.T) {
	b, flush := onARedisOfItsOwn(t)
	part := b.free("one", "two")
	b.apply(part, b.updates("one", "two"))
	group := b.free("one", "two", "three")
	require.Equal(t, b.answered("accepted", 3), b.post("/update-scores", group).body)
	require.Len(t, b.envelopes(), 1)
	require.Len(t, b.envelopes()[0].Updates, 3)

	flush()
	require.Equal(t, "accepted", b.post("/update-score", b.update("three")).body["status"])
	require.Equal(t, b.answered("duplicate", 0, "one", "two", "three"), b.post("/update-scores", group).body,
		"two of the chain, one of Redis")
}

// TestGroupsGoOnWithoutTheChain, whether it fails or is silent: the contract finds the duplicates.
func TestGroupsGoOnWithoutTheChain(t *testing.T) {
	b, flush := onARedisOfItsOwn(t)
	group := b.free("one", "two")
	b.apply(group, b.updates("one", "two"))
	b.chain.down.Store(true)
	require.Equal(t, b.answered("accepted", 2), b.post("/update-scores", group).body)
	require.Equal(t, b.answered("duplicate", 0, "one", "two"), b.post("/update-scores", group).body, "of Redis")
	flush()
	b.chain.down.Store(false)
	b.chain.mute.Store(true)
	require.Equal(t, b.answered("accepted", 2), b.post("/update-scores", group).body)
	require.InDelta(t, 2, b.count("scorelay_api_unasked_groups_total"), 0)
	require.Len(t, b.envelopes(), 2)
}

// TestTheChainIsNotAskedAboutASingleUpdate: its signature is fresh, so Redis still knows it.
func TestTheChainIsNotAskedAboutASingleUpdate(t *testing.T) {
	b := newBench(t, nil).withProject()
	require.Equal(t, "accepted", b.post("/update-score", b.update("one")).body["status"])
	require.Equal(t, "duplicate", b.post("/update-scores", b.free("one")).body["status"])
	require.Zero(t, b.chain.asked.Load())
	require.Equal(t, "accepted", b.post("/update-scores", b.free("one", "two")).body["status"])
	require.Equal(t, int64(1), b.chain.asked.Load())
}
