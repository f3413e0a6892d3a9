package sdk_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/wallet"
)

var (
	project = score.ProjectID{1, 2, 3}
	domain  = wallet.NewDomain(1337, common.HexToAddress("0x5fbdb2315678afecb367f032d93f642f64180aa3"))
)

func newKey(t require.TestingT) *ecdsa.PrivateKey {
	key, err := crypto.GenerateKey()
	require.NoError(t, err)
	return key
}

func requireSignedBy(t *testing.T, key *ecdsa.PrivateKey, raw []byte, digest common.Hash) {
	t.Helper()
	signature, err := wallet.ParseSignature(raw)
	require.NoError(t, err)
	signer, err := signature.Recover(digest)
	require.NoError(t, err)
	require.Equal(t, crypto.PubkeyToAddress(key.PublicKey), signer)
}

// someUpdates draws updates of different ids over few words and wallets.
func someUpdates(t *rapid.T) []sdk.Update {
	words := rapid.IntRange(1, 20).Draw(t, "words")
	wallets := rapid.IntRange(1, 300).Draw(t, "wallets")
	ids := map[score.UpdateID]bool{}
	var out []sdk.Update
	for range rapid.IntRange(0, 600).Draw(t, "updates") {
		u := sdk.Update{
			UpdateID:     score.UpdateID{0: byte(rapid.IntRange(1, words).Draw(t, "word")), 31: rapid.Byte().Draw(t, "low")},
			TargetWallet: common.Address{0: byte(rapid.IntRange(1, wallets).Draw(t, "wallet")), 1: 1},
			Action:       rapid.Byte().Draw(t, "action"),
			ScoreType:    rapid.ByteRange(0, 1).Draw(t, "type"),
		}
		if !ids[u.UpdateID] {
			out = append(out, u)
		}
		ids[u.UpdateID] = true
	}
	return out
}

func TestGroupsHoldEveryUpdateOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates := someUpdates(t)
		groups, err := sdk.BuildGroups(project, updates)
		require.NoError(t, err)
		var all []sdk.Update
		for _, g := range groups {
			require.Equal(t, project, g.ProjectID)
			require.LessOrEqual(t, len(g.Updates), score.MaxSigned)
			all = append(all, g.Updates...)
			read, err := batch.DecodeBody(g.Kind, project, common.Address{}, g.Body, score.MaxSigned)
			require.NoError(t, err)
			require.Len(t, read, len(g.Updates))
			for i, u := range g.Updates {
				require.Equal(t, score.Update{Project: project, ID: u.UpdateID, Target: u.TargetWallet, Action: u.Action, ScoreType: u.ScoreType}, read[i])
			}
			again, err := batch.EncodeBody(g.Kind, read)
			require.NoError(t, err)
			require.Equal(t, g.Body, again, "the API takes the canonical body only")
		}
		require.ElementsMatch(t, updates, all)

		slices.Reverse(updates)
		reversed, err := sdk.BuildGroups(project, updates)
		require.NoError(t, err)
		require.Equal(t, groups, reversed, "the order of the updates does not matter")
	})
}

func TestGroupsOfTheCheapestKind(t *testing.T) {
	t.Parallel()
	type shape struct {
		kind    score.Kind
		updates int
	}
	id := func(word, low int) score.UpdateID {
		return score.UpdateID{0: byte(word), 1: byte(word >> 8), 31: byte(low)}
	}
	for name, c := range map[string]struct {
		updates, wallets int
		id               func(i int) score.UpdateID
		want             []shape
	}{
		"none":                       {0, 1, nil, nil},
		"one":                        {1, 1, func(int) score.UpdateID { return id(1, 9) }, []shape{{score.KindWord, 1}}},
		"a word, many wallets":       {256, 256, func(i int) score.UpdateID { return id(1, i) }, []shape{{score.KindWord, 256}}},
		"a word, wallets met twice":  {200, 160, func(i int) score.UpdateID { return id(1, i) }, []shape{{score.KindWord, 200}}},
		"a word, wallets met often":  {200, 140, func(i int) score.UpdateID { return id(1, i) }, []shape{{score.KindRuns, 200}}},
		"a word, few wallets":        {256, 20, func(i int) score.UpdateID { return id(1, i) }, []shape{{score.KindRuns, 256}}},
		"a word, one wallet":         {256, 1, func(i int) score.UpdateID { return id(1, i) }, []shape{{score.KindRuns, 256}}},
		"some words":                 {600, 600, func(i int) score.UpdateID { return id(i/256, i%256) }, []shape{{score.KindWord, 256}, {score.KindWord, 256}, {score.KindWord, 88}}},
		"random ids":                 {300, 300, func(i int) score.UpdateID { return id(i, 7*i) }, []shape{{score.KindFree, 256}, {score.KindFree, 44}}},
		"a word and a few":           {103, 103, func(i int) score.UpdateID { return id(i/100, i%100) }, []shape{{score.KindWord, 100}, {score.KindWord, 3}}},
		"a word and a few of two":    {104, 104, func(i int) score.UpdateID { return id(i/100*(1+i%2), i%100) }, []shape{{score.KindWord, 100}, {score.KindFree, 4}}},
		"words too small to be paid": {30, 30, func(i int) score.UpdateID { return id(i/3, i%3) }, []shape{{score.KindFree, 30}}},
		"words large enough":         {14, 14, func(i int) score.UpdateID { return id(i/7, i%7) }, []shape{{score.KindWord, 7}, {score.KindWord, 7}}},
	} {
		updates := make([]sdk.Update, c.updates)
		for i := range updates {
			n := i % c.wallets
			updates[i] = sdk.Update{UpdateID: c.id(i), TargetWallet: common.Address{0: byte(n), 1: byte(n >> 8), 19: 1}}
		}
		groups, err := sdk.BuildGroups(project, updates)
		require.NoError(t, err, name)
		var got []shape
		for _, g := range groups {
			got = append(got, shape{g.Kind, len(g.Updates)})
		}
		require.Equal(t, c.want, got, name)
	}
}

// TestGroupsAreNearTheCheapest: what the contract's gas model says of the groups is hardly more than what it says of
// plainer ways to write the updates.
func TestGroupsAreNearTheCheapest(t *testing.T) {
	t.Parallel()
	model := registry.Osaka().Batch
	rapid.Check(t, func(t *rapid.T) {
		words, wallets := rapid.IntRange(1, 40).Draw(t, "words"), rapid.IntRange(1, 255).Draw(t, "wallets")
		var updates []sdk.Update
		for i := range rapid.IntRange(1, 256).Draw(t, "updates") {
			u := sdk.Update{ // without zero bytes, which cost less
				UpdateID:     score.UpdateID(bytes.Repeat([]byte{byte(1 + i%words)}, 32)),
				TargetWallet: common.Address(bytes.Repeat([]byte{byte(rapid.IntRange(1, wallets).Draw(t, "wallet"))}, 20)),
			}
			u.UpdateID[31] = byte(i / words)
			updates = append(updates, u)
		}
		groups, err := sdk.BuildGroups(project, updates)
		require.NoError(t, err)
		var ours batch.Batch
		for _, g := range groups {
			ours.Groups = append(ours.Groups, signedGroup(g.Kind, g.Updates))
		}
		one, each := batch.Batch{Groups: []batch.Group{signedGroup(score.KindFree, byRun(updates))}}, batch.Batch{}
		for word := range words {
			var same []sdk.Update
			for i := word; i < len(updates); i += words {
				same = append(same, updates[i])
			}
			if len(same) == 0 {
				continue
			}
			word, runs := signedGroup(score.KindWord, same), signedGroup(score.KindRuns, byRun(same))
			if gasOf(&model, batch.Batch{Groups: []batch.Group{runs}}) < gasOf(&model, batch.Batch{Groups: []batch.Group{word}}) {
				word = runs
			}
			each.Groups = append(each.Groups, word)
		}
		best := min(gasOf(&model, one), gasOf(&model, each))
		require.LessOrEqual(t, float64(gasOf(&model, ours)), 1.05*float64(best))
	})
}

func signedGroup(kind score.Kind, updates []sdk.Update) batch.Group {
	g := batch.Group{Project: project, Signer: common.Address{1}, Kind: kind, Signature: &score.GroupSignature{}}
	for _, u := range updates {
		g.Updates = append(g.Updates, score.Update{Project: project, ID: u.UpdateID, Signer: g.Signer, Target: u.TargetWallet, Action: u.Action, ScoreType: u.ScoreType})
	}
	return g
}

// gasOf is the gas of a batch on wallets and words that are known.
func gasOf(model *batch.Model, b batch.Batch) uint64 { return model.Estimate(b, batch.Fresh{}) }

// byRun brings updates of one wallet together.
func byRun(updates []sdk.Update) []sdk.Update {
	return slices.SortedStableFunc(slices.Values(updates), func(a, b sdk.Update) int { return a.TargetWallet.Cmp(b.TargetWallet) })
}

func TestUpdatesThatMakeNoGroup(t *testing.T) {
	t.Parallel()
	u := sdk.Update{UpdateID: score.UpdateID{1}, TargetWallet: common.Address{1}}
	_, err := sdk.BuildGroups(project, []sdk.Update{u, {UpdateID: score.UpdateID{2}, TargetWallet: common.Address{1}}, u})
	require.ErrorContains(t, err, u.UpdateID.String())
	_, err = sdk.BuildGroups(project, []sdk.Update{{UpdateID: score.UpdateID{3}}})
	require.ErrorContains(t, err, "zero address")
}

func TestASignedGroupIsItsSigners(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	groups, err := sdk.BuildGroups(project, []sdk.Update{{UpdateID: score.UpdateID{1}, TargetWallet: common.Address{1}, Action: 1}})
	require.NoError(t, err)
	signed, err := groups[0].Sign(t.Context(), domain, sdk.KeySigner(key))
	require.NoError(t, err)
	raw, err := json.Marshal(signed)
	require.NoError(t, err)
	require.JSONEq(t, `{"projectId":"`+project.String()+`","kind":1,"updates":"`+signed.Updates.String()+`","signature":"`+signed.Signature.String()+`"}`, string(raw))
	requireSignedBy(t, key, signed.Signature, domain.GroupDigest(project, score.KindWord, signed.Updates))
}

func TestSignersMayFail(t *testing.T) {
	t.Parallel()
	groups, err := sdk.BuildGroups(project, []sdk.Update{{UpdateID: score.UpdateID{1}, TargetWallet: common.Address{1}}})
	require.NoError(t, err)
	gone := errors.New("the key is gone")
	_, err = groups[0].Sign(t.Context(), domain, func(context.Context, common.Hash) ([]byte, error) { return nil, gone })
	require.ErrorIs(t, err, gone)
	highS := func(ctx context.Context, digest common.Hash) ([]byte, error) {
		b, err := sdk.KeySigner(newKey(t))(ctx, digest)
		new(big.Int).Sub(crypto.S256().Params().N, new(big.Int).SetBytes(b[32:64])).FillBytes(b[32:64])
		b[64] ^= 1
		return b, err
	}
	_, err = groups[0].Sign(t.Context(), domain, highS)
	require.ErrorIs(t, err, wallet.ErrHighS)
}
