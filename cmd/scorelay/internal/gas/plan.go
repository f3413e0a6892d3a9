package gas

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

var errPlan = errors.New("an empty batch takes no update")

// plan fills batches with the units in their order, as a relayer does: as few as its limits at worst allow.
func plan(units []score.Unit) (out []batch.Batch, err error) {
	builder, err := batch.NewBuilder(registry.GasModel(), batch.DefaultLimits())
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		if builder.AddUnit(u, time.Time{}) {
			continue
		}
		out = append(out, builder.Build())
		builder.Reset()
		if !builder.AddUnit(u, time.Time{}) {
			return nil, errPlan
		}
	}
	return append(out, builder.Build()), nil
}

// unsigned makes a unit of each update.
func unsigned(updates []score.Update) []score.Unit { return slices.Collect(score.Units(updates, nil)) }

// signed has the updates, all of one project, signed by word: by ascending ids, or where wallets repeat, by wallet.
func signed(domain wallet.Domain, key *ecdsa.PrivateKey, updates []score.Update) (out []score.Unit, err error) {
	kind, byID := score.KindWord, func(a, b score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	order := byID
	if repeats(updates) {
		kind = score.KindRuns
		order = func(a, b score.Update) int {
			wa, wb := a.ID.Word(), b.ID.Word()
			return cmp.Or(bytes.Compare(wa[:], wb[:]), a.Target.Cmp(b.Target), byID(a, b))
		}
	}
	updates = slices.SortedFunc(slices.Values(updates), order)
	for len(updates) > 0 {
		n := slices.IndexFunc(updates, func(u score.Update) bool { return u.ID.Word() != updates[0].ID.Word() })
		if n < 0 {
			n = len(updates)
		}
		signature, err := sign(domain, key, kind, updates[:n])
		if err != nil {
			return nil, fmt.Errorf("couldn't sign a group: %w", err)
		}
		out = append(out, score.Unit{Updates: updates[:n], Kind: kind, Signature: &signature})
		updates = updates[n:]
	}
	return out, nil
}

// repeats tells whether a wallet is hit more than once.
func repeats(updates []score.Update) bool {
	for i := range updates {
		if slices.ContainsFunc(updates[:i], func(u score.Update) bool { return u.Target == updates[i].Target }) {
			return true
		}
	}
	return false
}

func sign(domain wallet.Domain, key *ecdsa.PrivateKey, kind score.Kind, updates []score.Update) (out score.GroupSignature, err error) {
	body, err := batch.EncodeBody(kind, updates)
	if err != nil {
		return out, err
	}
	raw, err := crypto.Sign(domain.GroupDigest(updates[0].Project, kind, body).Bytes(), key)
	if err != nil {
		return out, err
	}
	signature, err := wallet.ParseSignature(raw)
	if err != nil {
		return out, err
	}
	return signature.Compact(), nil
}
