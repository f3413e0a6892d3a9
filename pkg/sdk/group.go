package sdk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Update is one score change. Action and ScoreType are the project's indexes: see ProjectState.
type Update struct {
	UpdateID     score.UpdateID `json:"updateId"`
	TargetWallet common.Address `json:"targetWallet"`
	Action       uint8          `json:"action"`
	ScoreType    uint8          `json:"scoreType"`
}

// Group contains updates that are signed together.
type Group struct {
	ProjectID score.ProjectID
	Kind      score.Kind
	Updates   []Update // 1 … score.MaxSigned, in the order of Body
	Body      []byte   // Updates as the wallet signs and the contract reads them
}

// SignedGroup is, as JSON, the body of POST /update-scores. Any API key can send it, any number of times: its updates
// apply once.
type SignedGroup struct {
	ProjectID score.ProjectID `json:"projectId"`
	Kind      score.Kind      `json:"kind"`
	Updates   hexutil.Bytes   `json:"updates"`
	Signature hexutil.Bytes   `json:"signature"` // 64 bytes, EIP-2098
}

// Approximate gas by registry.GasModel. They omit the surcharge for a storage slot's first use, which is equal in
// every kind.
const (
	groupGas  = 8_430 // a group of one word
	recordGas = 1_060 // an update in a KindWord group
	runGas    = 1_090 // a run in a KindRuns group, besides its updates
	lowGas    = 270   // an update in a KindRuns group

	freeGroupGas = 7_190 // a KindFree group
	freeRunGas   = 1_020 // a run in a KindFree group, besides its updates
	freeGas      = 1_340 // an update in a KindFree group
)

// BuildGroups divides a project's updates into the cheapest groups, each to be signed separately. The updates of a
// word form a group if this saves more gas than its signature costs; KindFree groups hold the others. Except in
// KindWord groups, updates of one wallet and score type are adjacent, so that the contract writes the score once. The
// result is independent of the updates' order; nil without updates. Errors: a repeated id, a zero target.
func BuildGroups(project score.ProjectID, updates []Update) ([]Group, error) {
	updates = slices.SortedFunc(slices.Values(updates), compareIDs)
	for i := range updates {
		if i > 0 && updates[i].UpdateID == updates[i-1].UpdateID {
			return nil, fmt.Errorf("two updates have the id %s", updates[i].UpdateID)
		}
		if updates[i].TargetWallet == (common.Address{}) {
			return nil, fmt.Errorf("update %s has the zero address as its target", updates[i].UpdateID)
		}
	}
	var groups []Group
	for _, part := range split(updates) {
		g, err := buildGroup(project, part)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// split divides updates, sorted by id, into groups.
func split(updates []Update) [][]Update {
	var words [][]Update
	in := map[run]int{} // number of words with the run
	for len(updates) > 0 {
		n := 1
		for n < len(updates) && updates[n].UpdateID.Word() == updates[0].UpdateID.Word() {
			n++
		}
		words = append(words, updates[:n])
		for r := range runsOf(updates[:n]) {
			in[r]++
		}
		updates = updates[n:]
	}

	// A word's updates go into KindFree groups, which can merge runs of several words, if its own group costs more.
	var parts [][]Update
	var rest []Update
	apart := 0 // gas of rest if each of its words had a group
	for _, word := range words {
		runs, alone := runsOf(word), 0
		for r := range runs {
			if in[r] == 1 {
				alone++
			}
		}
		if own := ownGas(len(word), len(runs)); own <= alone*freeRunGas+len(word)*freeGas {
			parts = append(parts, word)
		} else {
			rest = append(rest, word...)
			apart += own
		}
	}
	together := (len(rest)+score.MaxSigned-1)/score.MaxSigned*freeGroupGas + len(runsOf(rest))*freeRunGas + len(rest)*freeGas
	if apart <= together {
		return words
	}
	slices.SortFunc(rest, compareRuns)
	return slices.AppendSeq(parts, slices.Chunk(rest, score.MaxSigned))
}

func ownGas(updates, runs int) int {
	return groupGas + min(updates*recordGas, runs*runGas+updates*lowGas)
}

// run identifies updates that the contract sums before it writes a score.
type run struct {
	target    common.Address
	scoreType uint8
}

func runsOf(updates []Update) map[run]bool {
	runs := map[run]bool{}
	for _, u := range updates {
		runs[run{u.TargetWallet, u.ScoreType}] = true
	}
	return runs
}

// buildGroup encodes updates with distinct ids in the cheapest kind.
func buildGroup(project score.ProjectID, updates []Update) (Group, error) {
	g := Group{ProjectID: project, Kind: score.KindWord, Updates: slices.SortedFunc(slices.Values(updates), compareIDs)}
	if first, last := g.Updates[0].UpdateID.Word(), g.Updates[len(updates)-1].UpdateID.Word(); first != last {
		g.Kind = score.KindFree
	} else if len(updates)*recordGas > len(runsOf(updates))*runGas+len(updates)*lowGas {
		g.Kind = score.KindRuns
	}
	if g.Kind != score.KindWord {
		slices.SortFunc(g.Updates, compareRuns)
	}
	list := make([]score.Update, len(updates))
	for i, u := range g.Updates {
		list[i] = score.Update{Project: project, ID: u.UpdateID, Target: u.TargetWallet, Action: u.Action, ScoreType: u.ScoreType}
	}
	var err error
	if g.Body, err = batch.EncodeBody(g.Kind, list); err != nil {
		return Group{}, fmt.Errorf("couldn't write a group: %w", err)
	}
	return g, nil
}

func compareIDs(a, b Update) int { return bytes.Compare(a.UpdateID[:], b.UpdateID[:]) }

func compareRuns(a, b Update) int {
	return cmp.Or(a.TargetWallet.Cmp(b.TargetWallet), cmp.Compare(a.ScoreType, b.ScoreType), compareIDs(a, b))
}

// Signer signs a digest with a wallet's secp256k1 key, in any form that wallet.ParseSignature reads, since key
// services differ.
type Signer func(ctx context.Context, digest common.Hash) (signature []byte, err error)

// KeySigner signs with a key in memory. Reuse it, since its cached last signature serves all UpdateScore calls with
// the zero Scheme in the same millisecond.
func KeySigner(key *ecdsa.PrivateKey) Signer {
	type signed struct {
		digest    common.Hash
		signature []byte
	}
	var last atomic.Pointer[signed]
	return func(_ context.Context, digest common.Hash) ([]byte, error) {
		if known := last.Load(); known != nil && known.digest == digest {
			return slices.Clone(known.signature), nil
		}
		signature, err := crypto.Sign(digest[:], key)
		if err == nil {
			last.Store(&signed{digest, slices.Clone(signature)})
		}
		return signature, err
	}
}

// Digest returns the group's EIP-712 digest under the deployment's domain.
func (g *Group) Digest(domain wallet.Domain) common.Hash {
	return domain.GroupDigest(g.ProjectID, g.Kind, g.Body)
}

// Sign signs the group as an owner or updater of the project. Errors are those of SignEdit.
func (g *Group) Sign(ctx context.Context, domain wallet.Domain, sign Signer) (*SignedGroup, error) {
	if domain == (wallet.Domain{}) {
		return nil, fmt.Errorf("%w: it is not known", ErrDomain)
	}
	signature, err := sign.signature(ctx, g.Digest(domain))
	if err != nil {
		return nil, err
	}
	compact := signature.Compact()
	return &SignedGroup{ProjectID: g.ProjectID, Kind: g.Kind, Updates: g.Body, Signature: compact[:]}, nil
}

func (s Signer) signature(ctx context.Context, digest common.Hash) (wallet.Signature, error) {
	raw, err := s(ctx, digest)
	if err != nil {
		return wallet.Signature{}, fmt.Errorf("couldn't sign: %w", err)
	}
	signature, err := wallet.ParseSignature(raw)
	if err != nil {
		return wallet.Signature{}, fmt.Errorf("the signer's answer %w", err)
	}
	return signature, nil
}
