package relay_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const projectsOwner = 15 // account

// edit accepts an edit that the owner signed.
func (w *world) edit(id string, e score.ProjectEdit) {
	w.t.Helper()
	digest := wallet.NewDomain(devnet.ChainID, w.contract).EditDigest(e)
	raw, err := crypto.Sign(digest[:], devnet.Key(projectsOwner))
	require.NoError(w.t, err)
	parsed, err := wallet.ParseSignature(raw)
	require.NoError(w.t, err)
	signed := &score.SignedEdit{ProjectEdit: e, Owner: devnet.Address(projectsOwner), Signature: parsed.Compact()}
	require.NoError(w.t, w.stream.PublishEdit(w.t.Context(), id, signed))
}

// TestEditsAreMadeInOrder: an updater who is removed by an edit loses nothing of what was accepted before it, and all that was accepted
// after it. One that the contract refuses is a dead letter with the contract's reason, and holds nothing up.
func TestEditsAreMadeInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	p := w.project(1)
	p.Owners = []common.Address{devnet.Address(projectsOwner)}
	require.NoError(t, w.stream.PublishProject(t.Context(), "p", p, 0))
	remove := score.Edit{Operation: score.RemoveUpdater, Member: common.Address{0xbb, 1}}
	add := score.Edit{Operation: score.AddUpdater, Member: common.Address{0xbb, 1}}
	before, between, after := some(1, 0, 40), some(1, 40, 30), some(1, 70, 20)

	w.accept(before...)
	w.edit("first", score.ProjectEdit{Project: p.ID, Edits: []score.Edit{remove}, Nonce: 0, Deadline: 1 << 40})
	w.accept(between...)
	w.edit("late", score.ProjectEdit{Project: p.ID, Edits: []score.Edit{add}, Nonce: 1, Deadline: 1})
	w.edit("wrong", score.ProjectEdit{Project: p.ID, Edits: []score.Edit{add}, Nonce: 9, Deadline: 1 << 40})
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	deps, registered := w.deps(), prometheus.NewRegistry()
	deps.Log, deps.Metrics = slog.New(slog.NewTextHandler(log, nil)), registered
	w.start(w.config(), deps)
	w.drain()
	w.edit("again", score.ProjectEdit{Project: p.ID, Edits: []score.Edit{add}, Nonce: 1, Deadline: 1 << 40})
	w.accept(after...)
	w.drain()
	w.edit("same", score.ProjectEdit{Project: p.ID, Edits: []score.Edit{add}, Nonce: 2, Deadline: 1 << 40}) // as if made without the lane meanwhile
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: len(before) + len(after), score.NotMember: len(between)}, w.audit())

	info, err := registry.ReadProject(p.ID).Do(t.Context(), func(ctx context.Context, data []byte) ([]byte, error) {
		return w.client.View(ctx, w.contract, data)
	})
	require.NoError(t, err)
	require.Equal(t, uint64(2), info.EditNonce)
	outcomes := map[uint64]score.Outcome{}
	require.NoError(t, w.stream.DeadLetters(t.Context(), func(d score.DeadLetter) error {
		if d.Edit != nil {
			outcomes[d.Edit.Nonce] = d.Outcome
			require.Contains(t, d.Reason, "contract reverted")
		}
		return nil
	}))
	require.Equal(t, map[uint64]score.Outcome{1: score.EditExpired, 2: score.Unprocessable, 9: score.WrongEditNonce}, outcomes)

	// One that its owner overtook concerns no operator.
	levels := map[string]string{}
	lines, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	for _, line := range regexp.MustCompile(`level=(\w+) msg="the lane dead-letters .*contract reverted: (\w+)`).FindAllStringSubmatch(string(lines), -1) {
		levels[line[2]] = line[1]
	}
	require.Equal(t, map[string]string{"EditExpired": "ERROR", "WrongEditNonce": "WARN", "RoleUnchanged": "WARN"}, levels)
	letters := counted(t, registered, "dead_letters_total")
	require.Zero(t, letters["unprocessable"])
	require.EqualValues(t, 1, letters["unprocessable_edit"])
	settled := counted(t, registered, "slots_settled_total")
	require.Zero(t, settled["reverted"])
	require.NotZero(t, settled["reverted_edit"])
}

// TestAnEditWaitsForOtherLanesAsLongAsTheirJournalsTake: a long one takes longer than a call may, and a project that waits for an answer
// that never comes in time would wait forever.
func TestAnEditWaitsForOtherLanesAsLongAsTheirJournalsTake(t *testing.T) {
	t.Parallel()
	w, config := oneLane(t, 2)
	deps := w.deps()
	reads := &journalReads{Journal: w.journal}
	deps.Leases, deps.Journal = driveRoster{w.roster}, reads
	w.start(config, deps)
	w.addLane(1)
	w.mineUntil(w.owned)
	before := reads.states.Load()
	require.Positive(t, before)
	for n := byte(1); n <= 8; n++ { // some are of buckets that moved
		p := w.project(n)
		p.Owners = []common.Address{devnet.Address(projectsOwner)}
		require.NoError(t, w.stream.PublishProject(t.Context(), p.Name, p, 0))
		w.edit(p.Name+" edited", score.ProjectEdit{Project: p.ID, Deadline: 1 << 40})
	}
	w.drain()
	require.Greater(t, reads.states.Load(), before)
	require.Zero(t, reads.limited.Load())
}
