package sdk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// Update is one score change of a project. Action and ScoreType are the project's indexes: see ProjectState.
type Update struct {
	ID        score.UpdateID `json:"id"`
	Target    common.Address `json:"target"` // the wallet whose score changes
	Action    uint8          `json:"action"`
	ScoreType uint8          `json:"scoreType"`
}

// Group is the updates of one signature.
type Group struct {
	Project score.ProjectID
	Kind    score.Kind
	Updates []Update // 1 … score.MaxSigned, in the order of Body
	Body    []byte   // the updates as they are signed, and as the contract reads them
}

// SignedGroup is a group with its signature: as JSON, the body of POST /update-scores. It can be sent any number of
// times, by anyone with an API key: its updates apply once.
type SignedGroup struct {
	Project   score.ProjectID `json:"projectId"`
	Kind      score.Kind      `json:"kind"`
	Updates   hexutil.Bytes   `json:"updates"`
	Signature hexutil.Bytes   `json:"signature"` // 64 bytes, EIP-2098
}

// wordWorth is how many updates of one word make a group of their own pay for its signature: a signature costs about
// 6,500 gas, writing and marking an id by itself about 1,050.
const wordWorth = 6

// BuildGroups writes a project's updates as groups, each to be signed by itself, in the way that costs least: ids of one
// word together where they are enough to pay for a signature of their own, the others in groups of any ids. Updates of
// one wallet and score type stand together, so that the contract writes the score once. The groups do not depend on the
// order of the updates. An id that repeats, or a target that is zero, is an error. No updates make no groups.
func BuildGroups(project score.ProjectID, updates []Update) ([]Group, error) {
	updates = slices.Clone(updates)
	slices.SortFunc(updates, compareIDs)
	for i := range updates {
		if i > 0 && updates[i].ID == updates[i-1].ID {
			return nil, fmt.Errorf("two updates have the id %s", updates[i].ID)
		}
		if updates[i].Target == (common.Address{}) {
			return nil, fmt.Errorf("update %s has the zero address as its target", updates[i].ID)
		}
	}
	var parts [][]Update
	var rest []Update
	for len(updates) > 0 {
		n := 1
		for n < len(updates) && updates[n].ID.Word() == updates[0].ID.Word() {
			n++
		}
		if n >= wordWorth {
			parts = append(parts, updates[:n])
		} else {
			rest = append(rest, updates[:n]...)
		}
		updates = updates[n:]
	}
	slices.SortFunc(rest, compareRuns)
	parts = slices.AppendSeq(parts, slices.Chunk(rest, score.MaxSigned))
	var groups []Group
	for _, part := range parts {
		g, err := buildGroup(project, part)
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// buildGroup writes updates of different ids as one group, in the kind with the shortest body, which is near the
// cheapest.
func buildGroup(project score.ProjectID, updates []Update) (Group, error) {
	kinds := []score.Kind{score.KindWord, score.KindRuns}
	for i := range updates {
		if updates[i].ID.Word() != updates[0].ID.Word() {
			kinds = []score.Kind{score.KindFree}
		}
	}
	var best Group
	for _, kind := range kinds {
		g := Group{Project: project, Kind: kind, Updates: slices.Clone(updates)}
		if kind == score.KindWord {
			slices.SortFunc(g.Updates, compareIDs)
		} else {
			slices.SortFunc(g.Updates, compareRuns)
		}
		list := make([]score.Update, len(g.Updates))
		for i, u := range g.Updates {
			list[i] = score.Update{Project: project, ID: u.ID, Target: u.Target, Action: u.Action, ScoreType: u.ScoreType}
		}
		var err error
		if g.Body, err = batch.EncodeBody(kind, list); err != nil {
			return Group{}, fmt.Errorf("couldn't write a group: %w", err)
		}
		if best.Body == nil || len(g.Body) < len(best.Body) {
			best = g
		}
	}
	return best, nil
}

func compareIDs(a, b Update) int { return bytes.Compare(a.ID[:], b.ID[:]) }

// compareRuns brings together what the contract adds up before it writes a score.
func compareRuns(a, b Update) int {
	return cmp.Or(a.Target.Cmp(b.Target), cmp.Compare(a.ScoreType, b.ScoreType), compareIDs(a, b))
}

// Signer signs a digest with a wallet's secp256k1 key. The answer may have any form that wallet.ParseSignature reads;
// most services that keep keys do not know which form they make, and some make a high s.
type Signer func(ctx context.Context, digest common.Hash) (signature []byte, err error)

// KeySigner signs with a key in memory.
func KeySigner(key *ecdsa.PrivateKey) Signer {
	return func(_ context.Context, digest common.Hash) ([]byte, error) { return crypto.Sign(digest[:], key) }
}

// Digest is what a wallet signs for the group (EIP-712), under the domain of the deployment's chain and contract.
func (g *Group) Digest(domain wallet.Domain) common.Hash {
	return domain.GroupDigest(g.Project, g.Kind, g.Body)
}

// Sign asks the signer, an owner or updater of the project, for the group's signature. Errors are the signer's, and
// those of wallet.ParseSignature.
func (g *Group) Sign(ctx context.Context, domain wallet.Domain, sign Signer) (*SignedGroup, error) {
	signature, err := sign.signature(ctx, g.Digest(domain))
	if err != nil {
		return nil, err
	}
	compact := signature.Compact()
	return &SignedGroup{Project: g.Project, Kind: g.Kind, Updates: g.Body, Signature: compact[:]}, nil
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
