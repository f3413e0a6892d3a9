package relay_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// updaterAccount signs groups; it is a member of every project.
const updaterAccount = 10

var updater = sync.OnceValue(func() common.Address { return devnet.Address(updaterAccount) })

// envelope is one being written.
type envelope struct {
	updates []score.Update
	signed  []score.Signed
	traces  []score.Traced
}

func (e *envelope) add(updates ...score.Update) { e.updates = append(e.updates, updates...) }

// sign adds a group signed by the updater.
func (w *world) sign(e *envelope, kind score.Kind, updates []score.Update) {
	w.t.Helper()
	updates = slices.Clone(updates)
	for i := range updates {
		updates[i].Signer = updater()
	}
	body, err := batch.EncodeBody(kind, updates)
	require.NoError(w.t, err)
	digest := wallet.NewDomain(devnet.ChainID, w.contract).GroupDigest(updates[0].Project, kind, body)
	raw, err := crypto.Sign(digest[:], devnet.Key(updaterAccount))
	require.NoError(w.t, err)
	signature, err := wallet.ParseSignature(raw)
	require.NoError(w.t, err)
	e.signed = append(e.signed, score.Signed{
		First: len(e.updates), Count: len(updates), Kind: kind, Signature: signature.Compact(),
	})
	e.add(updates...)
}

// acceptEnvelope puts the envelope into the stream.
func (w *world) acceptEnvelope(e *envelope) {
	w.t.Helper()
	require.NoError(w.t, w.stream.PublishEnvelope(w.t.Context(), fmt.Sprint("e", len(w.updates)), e.updates, e.signed, e.traces...))
	for _, u := range e.updates {
		w.accepted[u.Project.String()+u.ID.String()]++
	}
	for _, g := range e.signed {
		w.groups[g.Signature] = e.updates[g.First : g.First+g.Count]
	}
	w.updates = append(w.updates, e.updates...)
}

// mixed makes an envelope of updates, some plain, most in signed groups: 1 signed, 6 not, 11 and 16 signed, 21 not, ….
func (w *world) mixed(updates []score.Update) *envelope {
	var e envelope
	for i, size := 0, 1; len(updates) > 0; i, size = i+1, size+5 {
		part := updates[:min(size, len(updates))]
		updates = updates[len(part):]
		if i%3 == 1 {
			e.add(part...)
		} else {
			w.sign(&e, score.KindFree, part)
		}
	}
	return &e
}

// wholeGroups holds the signed groups of the contract's events against what was accepted: each as it was signed. It tells
// how many there are.
func (w *world) wholeGroups() (n int) {
	w.t.Helper()
	logs, err := w.geth.Client().FilterLogs(w.t.Context(), ethereum.FilterQuery{Addresses: []common.Address{w.contract}})
	require.NoError(w.t, err)
	for i := range logs {
		event, err := registry.ParseLog(&logs[i])
		if errors.Is(err, registry.ErrOtherEvent) {
			continue
		}
		require.NoError(w.t, err)
		applied, ok := event.(registry.BatchApplied)
		if !ok {
			continue
		}
		for _, g := range applied.Batch.Groups {
			if g.Signature != nil {
				n++
				require.Equal(w.t, w.groups[*g.Signature], g.Updates, "a signed group is what was signed, whole")
			}
		}
	}
	return n
}

func TestSignedGroupsAreApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	var e envelope
	e.add(some(1, 0, 5)...)
	w.sign(&e, score.KindWord, some(1, 10, 30)) // more than a batch holds else
	again := some(1, 50, 4)
	again[2].ID = e.updates[7].ID // of the first group
	again[3].ID = again[1].ID
	w.sign(&e, score.KindRuns, again)
	e.add(some(1, 60, 18)...)
	w.sign(&e, score.KindFree, some(1, 250, 12))
	w.acceptEnvelope(&e)
	w.accept(some(1, 300, 10)...)
	deps := w.deps()
	w.start(w.config(), deps)
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 77, score.Duplicate: 2}, w.audit())
	require.Equal(t, 3, w.wholeGroups())
	require.Empty(t, w.deadLetters())
	updates, _ := deps.Statuses.(*statuses).at(score.Batched)
	require.Equal(t, 77, updates)
}

// TestASignatureThatIsNotItsSignersAppliesNothing: a writer to the stream, or a holder of a lane's key, cannot speak for a
// member of a project that takes signed groups only.
func TestASignatureThatIsNotItsSignersAppliesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	p := w.project(1)
	p.SignedOnly = true
	require.NoError(t, w.stream.PublishProject(t.Context(), p.Name, p, 0))
	var e envelope
	w.sign(&e, score.KindWord, some(1, 0, 20))
	e.add(some(1, 20, 3)...)
	w.sign(&e, score.KindRuns, some(1, 30, 6))
	e.signed[1].Signature[40] ^= 1
	changed := some(1, 40, 5)
	w.sign(&e, score.KindFree, changed)
	e.updates[len(e.updates)-1].Target = common.Address{0xee}
	foreign := some(1, 50, 2)
	w.sign(&e, score.KindFree, foreign)
	for i := range 2 {
		e.updates[len(e.updates)-1-i].Signer = common.Address{0xdd}
	}
	w.acceptEnvelope(&e)
	w.start(w.config(), w.deps())
	w.drain()
	require.Equal(t, map[score.Outcome]int{
		score.Applied: 20, score.SignatureRequired: 3, score.BadSignature: 11, score.NotMember: 2,
	}, w.audit())
	require.Equal(t, 4, w.wholeGroups())
	letters := w.deadLetters()
	require.Len(t, letters, 16)
	for _, d := range letters {
		require.Equal(t, d.Outcome != score.SignatureRequired, d.Signed)
		require.NotContains(t, d.Reason, d.Outcome.String(), "a reason in words")
		require.NotZero(t, d.Tx)
	}
}

func TestHalvingKeepsSignedGroupsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	config := w.config()
	config.Gas = registry.AllGasRules()[:1]
	config.Gas[0].Batch.Fresh = 3_500 // far too little
	config.Limits.MaxUpdates = 200
	w.acceptEnvelope(w.mixed(some(1, 0, 180)))
	w.start(config, w.deps())
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 180}, w.audit())
	require.Positive(t, w.wholeGroups())
	require.Empty(t, w.deadLetters())
}

func TestASignedGroupThatIsTooMuchForTheChainIsGivenUpWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	config := w.config()
	config.Limits.MaxGas, config.Rules.MaxGas = 1_500_000, 1_500_000
	var e envelope
	e.add(some(1, 0, 10)...)
	tooMuch := some(1, 1000, 100)
	for i := range tooMuch {
		tooMuch[i].Target, tooMuch[i].ID[0] = common.Address{1, byte(i)}, byte(i)
	}
	w.sign(&e, score.KindFree, tooMuch)
	e.add(some(1, 10, 10)...)
	w.sign(&e, score.KindWord, some(1, 20, 10))
	w.acceptEnvelope(&e)
	deps := w.deps()
	w.start(config, deps)
	w.drain()
	for _, u := range tooMuch {
		delete(w.accepted, u.Project.String()+u.ID.String())
	}
	require.Equal(t, map[score.Outcome]int{score.Applied: 30}, w.audit(), "its neighbours are")
	require.Equal(t, 1, w.wholeGroups())
	letters := w.deadLetters()
	require.Len(t, letters, 100)
	for _, d := range letters {
		require.Equal(t, score.Unprocessable, d.Outcome)
		require.True(t, d.Signed)
		require.NotZero(t, d.Block, "it orders them")
	}
}

// TestSignedGroupsThatOvertookTheirProjectGoAgain: another holder of the lane's key takes the nonce of its creation.
func TestSignedGroupsThatOvertookTheirProjectGoAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	w.acceptEnvelope(w.mixed(some(1, 0, 60)))
	w.start(w.config(), w.deps())
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) >= 4 }, 2*time.Minute, 10*time.Millisecond)
	w.takeNonce()
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 60}, w.audit())
	require.Positive(t, w.wholeGroups())
	require.Empty(t, w.deadLetters())
}

func TestAReorgKeepsSignedGroupsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	config := w.config()
	w.confirmations = 6
	w.create(1)
	w.start(config, w.deps())
	w.drain()
	parent, err := w.geth.Client().HeaderByNumber(t.Context(), nil)
	require.NoError(t, err)
	w.acceptEnvelope(w.mixed(some(1, 0, 90)))
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) >= 3 }, 2*time.Minute, 10*time.Millisecond)
	w.mine()
	w.mine()
	w.geth.Rollback()
	require.NoError(t, w.geth.Fork(parent.Hash()))
	w.takeNonce() // the first batch's: its work goes again
	for range 4 {
		w.mine()
	}
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 90}, w.audit())
	require.Positive(t, w.wholeGroups())
}
