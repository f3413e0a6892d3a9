package httpapi_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

func TestWhoMaySignAGroup(t *testing.T) {
	b := newBench(t, contracts).withProject()
	for i, want := range map[int]string{1: "", 2: "", 3: "signer_not_member"} {
		b.owner = devnet.Key(i)
		require.Equal(t, want, b.post("/update-scores", b.free(fmt.Sprint(i))).code())
	}
	b.owner = devnet.Key(1)

	yes := hexutil.Encode([]byte{1, 2, 3}) // the contract wallet of the project agrees to it
	require.Equal(t, "accepted", b.post("/update-score", set(b.update("by contract"), "signature", yes)).body["status"])
	r := b.post("/update-scores", set(b.free("one"), "signature", yes))
	require.Equal(t, "bad_signature", r.code())
	require.Contains(t, r.raw, "contract wallets cannot sign groups")
	r = b.post("/update-scores", set(b.free("one"), "signature", "0x01"+strings.Repeat("11", 64)[2:]+"1b1b"))
	require.Contains(t, []string{"bad_signature", "signer_not_member"}, r.code())
	require.Contains(t, r.raw, "contract wallets cannot sign groups")
}

// TestAGroupsSignatureIsOfItsBytes: of no other project, kind, updates, chain or contract.
func TestAGroupsSignatureIsOfItsBytes(t *testing.T) {
	b := newBench(t, nil).withProject()
	word := b.inWord("word", 3)
	signature := b.group(score.KindWord, word)["signature"]
	for name, other := range map[string]object{
		"kind": b.group(score.KindRuns, word), "fewer": b.group(score.KindWord, word[:2]), "updates": b.free("one"),
	} {
		require.Equal(t, "signer_not_member", b.post("/update-scores", set(other, "signature", signature)).code(), name)
	}
	body, err := batch.EncodeBody(score.KindWord, word)
	require.NoError(t, err)
	for name, digest := range map[string]common.Hash{
		"chain":    wallet.NewDomain(devnet.ChainID+1, shared.contract).GroupDigest(b.project.ID, score.KindWord, body),
		"contract": wallet.NewDomain(devnet.ChainID, devnet.Address(4)).GroupDigest(b.project.ID, score.KindWord, body),
		"project":  wallet.NewDomain(devnet.ChainID, shared.contract).GroupDigest(score.ProjectID{1}, score.KindWord, body),
	} {
		r := b.post("/update-scores", set(b.group(score.KindWord, word), "signature", sign(t, b.owner, digest)))
		require.Equal(t, "signer_not_member", r.code(), name)
		require.Regexp(t, "^recovered 0x[0-9a-f]{40}; .*compare the domain .*projectId, kind and updates", r.body["detail"], name)
	}

	plain := hexutil.MustDecode(signature.(string))
	sig, err := wallet.ParseSignature(plain)
	require.NoError(t, err)
	compact := sig.Compact()
	high := append([]byte(nil), plain...)
	new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(plain[32:64])).FillBytes(high[32:64])
	high[64] ^= 7 // 27 and 28 change places
	require.Equal(t, "bad_signature", b.post("/update-scores", set(b.group(score.KindWord, word), "signature", hexutil.Encode(high))).code())
	r := b.post("/update-scores", set(b.group(score.KindWord, word), "signature", hexutil.Encode(compact[:])))
	require.Equal(t, "accepted", r.body["status"], r)
}

// TestTheLargestGroupFits in a body, which a request without a valid key may not have.
func TestTheLargestGroupFits(t *testing.T) {
	b := newBench(t, nil).withProject()
	updates := make([]score.Update, score.MaxSigned)
	for i := range updates {
		updates[i] = score.Update{Project: b.project.ID, ID: updateID(fmt.Sprint(i)), Target: common.Address{1, byte(i)}}
	}
	group := b.group(score.KindFree, updates)
	require.Len(t, group["updates"], 2+2*(2+256*55))
	require.Equal(t, 256.0, b.post("/update-scores", group).body["accepted"])
	require.Equal(t, "invalid_body", b.post("/update-scores", set(group, "updates", group["updates"].(string)+"00")).code())

	updates = append(updates, b.updates("256")...)
	for i := range updates {
		updates[i].Target = devnet.Address(9)
	}
	r := b.post("/update-scores", b.group(score.KindFree, updates))
	require.Equal(t, "invalid_body", r.code())
	require.Contains(t, r.raw, "more than 256 updates")
}

// TestIndexesOfAGroupAreTheProjects names the update that is wrong.
func TestIndexesOfAGroupAreTheProjects(t *testing.T) {
	b := newBench(t, nil).withProject()
	for code, spoil := range map[string]func(u *score.Update){
		"unknown_action":     func(u *score.Update) { u.Action = 2 },
		"unknown_score_type": func(u *score.Update) { u.ScoreType = 2 },
	} {
		updates := b.updates("one", "two", "three")
		spoil(&updates[1])
		r := b.post("/update-scores", b.group(score.KindFree, updates))
		require.Equal(t, code, r.code(), r)
		require.Equal(t, "/updates", r.pointer())
		require.Contains(t, r.field()["detail"], "update 1 ("+updateID("two").String()+")")
	}
	require.Equal(t, "unknown_project", b.post("/update-scores", set(b.free("one"), "projectId", score.ProjectID{9})).code())
	require.Empty(t, b.envelopes())
}

// TestTheContractAgreesToWhatIsStored: what the stream holds of a group is all that the contract needs to believe it.
func TestTheContractAgreesToWhatIsStored(t *testing.T) {
	b := newBench(t, nil)
	b.project.SignedOnly = true
	b.post("/create-project", set(createBody(b.project), "signedOnly", true)).ok()
	require.NoError(t, transact(&shared.contract, registry.EncodeCreateProject(b.project)))
	for _, group := range []object{
		b.group(score.KindWord, b.inWord("first", 20)), b.group(score.KindRuns, b.inWord("second", 20)), b.free("one", "two", "three"),
	} {
		require.Equal(t, "accepted", b.post("/update-scores", group).body["status"])
	}
	apply := func(g batch.Group) []bool {
		b.carry(g)
		var ids []score.UpdateID
		for _, u := range g.Updates {
			ids = append(ids, u.ID)
		}
		used, err := registry.ReadUsed(b.project.ID, ids).Do(t.Context(), b.chain.call)
		require.NoError(t, err)
		return used
	}
	envelopes := b.envelopes()
	require.Len(t, envelopes, 3)
	for _, r := range envelopes {
		s := r.Signed[0]
		g := batch.Group{Project: b.project.ID, Signer: r.Updates[0].Signer, Kind: s.Kind, Updates: r.Updates}
		require.NotContains(t, apply(g), true, "without its signature")
		forged := s.Signature
		forged[40]++
		g.Signature = &forged
		require.NotContains(t, apply(g), true, "with another one")
		g.Signature = &s.Signature
		require.NotContains(t, apply(g), false, "kind %d", s.Kind)
	}
}
