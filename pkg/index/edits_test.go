package index_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// acceptEdit does what the API does with an owner's edit, and tells at which sequence it is.
func (w *world) acceptEdit(project score.ProjectID, nonce uint64, edits ...score.Edit) (*score.SignedEdit, uint64) {
	w.t.Helper()
	e := &score.SignedEdit{
		ProjectEdit: score.ProjectEdit{Project: project, Edits: edits, Nonce: nonce, Deadline: math.MaxInt64}, Owner: devnet.Address(ownerKey),
	}
	digest := wallet.NewDomain(w.deployment.ChainID, w.deployment.Contract).EditDigest(e.ProjectEdit)
	raw, err := crypto.Sign(digest[:], devnet.Key(ownerKey))
	require.NoError(w.t, err)
	parsed, err := wallet.ParseSignature(raw)
	require.NoError(w.t, err)
	e.Signature = parsed.Compact()
	require.NoError(w.t, w.stream.PublishEdit(w.t.Context(), fmt.Sprint(project, nonce, len(edits)), e))
	return e, w.lastSeq()
}

// TestEditsAreAuditedAndRestored, though no event has their nonces.
func TestEditsAreAuditedAndRestored(t *testing.T) {
	t.Parallel()
	w, m := newWorld(t), newMemory(t)
	f := w.folding(m)
	p, q := project(1), project(2)
	w.create(p)
	w.create(q)
	made, _ := w.acceptEdit(p.ID, 0, score.Edit{Operation: score.AddUpdater, Member: common.Address{9}})
	w.call(relayerKey, registry.EncodeEdit(made))
	dead, seq := w.acceptEdit(q.ID, 0, score.Edit{Operation: score.AddUpdater, Member: common.Address{8}})
	w.deadLetter(score.DeadLetter{Edit: dead, Seq: seq, Outcome: score.EditExpired})
	again, _ := w.acceptEdit(q.ID, 0, score.Edit{Operation: score.AddUpdater, Member: common.Address{7}}, score.Edit{Operation: score.AddUpdater, Member: common.Address{6}})
	require.Equal(t, index.Counts{Accepted: 3, Rejected: 1, Pending: 2}, w.audit().Edits, "no lane is done with any")

	f.fold()
	m.requireRef(t, made.Ref(), score.Status{Stage: score.Accepted})
	m.requireRef(t, again.Ref(), score.Status{Stage: score.Accepted})
	w.settleAll()
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 3, Applied: 1, Rejected: 1, Lost: 1}, findings.Edits)
	require.Contains(t, findings.Problem(), "1 edits lost")
	w.call(relayerKey, registry.EncodeEdit(again))
	require.Equal(t, index.Counts{Accepted: 3, Applied: 2, Rejected: 1}, w.audit().Edits)
	require.Contains(t, w.audit().String(), "edits accepted 3, applied 2, rejected 1")
	m.flush(t)
	f.fold()
	m.requireRef(t, made.Ref(), final(score.Applied, common.Hash{}, 0))
	m.requireRef(t, again.Ref(), final(score.Applied, common.Hash{}, 0))

	third, seq := w.acceptEdit(p.ID, 1)
	w.deadLetter(score.DeadLetter{Edit: third, Seq: seq, Outcome: score.NotOwner})
	m.flush(t)
	f.fold()
	m.requireRef(t, third.Ref(), final(score.NotOwner, common.Hash{}, 0))
}
