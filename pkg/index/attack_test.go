package index_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// signed makes updates of one project and of the updater's a signed group.
func (w *world) signed(kind score.Kind, updates []score.Update) batch.Group {
	w.t.Helper()
	body, err := batch.EncodeBody(kind, updates)
	require.NoError(w.t, err)
	u := &updates[0]
	digest := wallet.NewDomain(w.deployment.ChainID, w.deployment.Contract).GroupDigest(u.Project, kind, body)
	raw, err := crypto.Sign(digest[:], devnet.Key(updaterKey))
	require.NoError(w.t, err)
	signature, err := wallet.ParseSignature(raw)
	require.NoError(w.t, err)
	compact := signature.Compact()
	return batch.Group{Project: u.Project, Signer: u.Signer, Kind: kind, Updates: updates, Signature: &compact}
}

// acceptGroup does what the API does with a signed group of free ids.
func (w *world) acceptGroup(updates []score.Update) {
	w.t.Helper()
	group := w.signed(score.KindFree, updates)
	err := w.stream.PublishEnvelope(w.t.Context(), fmt.Sprintf("%x", group.Signature[:]), updates,
		[]score.Signed{{Count: len(updates), Kind: group.Kind, Signature: *group.Signature}})
	require.NoError(w.t, err)
}

// relayGroups does what the relayer does with groups.
func (w *world) relayGroups(groups ...batch.Group) {
	w.t.Helper()
	w.call(relayerKey, registry.EncodeBatch(batch.Batch{Groups: groups}))
}

func TestAuditOfSignedGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	p.SignedOnly = true
	w.create(p)
	u := w.fresh(p, 40)
	good, again, unsigned, forged := u[:10], append(slices.Clone(u[10:19]), u[0]), u[20:30], u[30:40]
	w.accept(unsigned...)
	w.acceptGroup(good)
	w.acceptGroup(again) // an id of it is used by then: the group is stored and relayed whole
	w.acceptGroup(forged)
	bad := w.signed(score.KindFree, forged)
	bad.Signature[0] ^= 1
	w.relayGroups(
		w.signed(score.KindFree, good), w.signed(score.KindFree, again),
		batch.Group{Project: p.ID, Signer: u[0].Signer, Kind: score.KindFree, Updates: unsigned}, bad,
	)
	w.settleAll()
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 40, Applied: 19, Duplicate: 1, Rejected: 20}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())

	m := newMemory(t)
	w.folding(m).fold()
	for _, of := range []struct {
		update score.Update
		want   score.Outcome
	}{{u[0], score.Applied}, {u[12], score.Applied}, {u[25], score.SignatureRequired}, {u[35], score.BadSignature}} {
		got, _, err := m.Read(t.Context(), []score.Ref{of.update.Ref()})
		require.NoError(t, err)
		require.Equal(t, of.want, got[0].Outcome)
		require.Equal(t, score.Final, got[0].Stage)
	}
}

// TestNothingARelayerEmitsStopsTheIndex: a thief has a relayer's key, and no member's. It sends all that is well framed, and
// creates what projects it can. Every reader of the contract's events continues, and what was accepted is told as it is.
func TestNothingARelayerEmitsStopsTheIndex(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	p, only := project(1), project(2)
	only.SignedOnly = true
	w.create(p)
	w.create(only)
	ours, waiting, group := w.fresh(p, 8), w.fresh(p, 8), w.fresh(only, 8)
	w.accept(append(slices.Clone(ours), waiting...)...)
	w.acceptGroup(group)
	w.relay(ours...)
	w.relayGroups(w.signed(score.KindFree, group))

	thief := relayed{projects: []score.ProjectID{p.ID, only.ID, {66}}, members: []common.Address{
		devnet.Address(updaterKey), devnet.Address(ownerKey), devnet.Address(relayerKey), {},
	}}
	for _, u := range slices.Concat(ours, waiting, group) {
		thief.words = append(thief.words, u.ID.Word())
	}
	draw := rapid.Custom(thief.draw)
	for i := range long.Size(20, 60) {
		w.call(relayerKey, applyBatch(t, draw.Example(i)))
	}
	stolen := ugly(99)
	w.call(relayerKey, registry.EncodeCreateProject(stolen))

	require.Equal(t, len(group), w.applied(only.ID), "only a member changes a signed-only project")
	require.Greater(t, w.applied(p.ID), len(ours))
	w.relay(waiting...)
	w.settleAll()
	findings := w.audit()
	require.True(t, findings.OK(), findings.Problem())
	require.Zero(t, findings.Pending())
	require.GreaterOrEqual(t, findings.Updates.Applied+findings.Updates.Duplicate, len(ours)+len(waiting))
	require.Positive(t, findings.Older)
	require.Positive(t, findings.Scores)

	d, l := w.directory(), w.followed()
	require.NoError(t, l.hand(l.directoryFold(d)).catchUp())
	w.requireRecord(d, score.RecordOf(p))
	w.requireRecord(d, score.RecordOf(only))
	rec, err := d.Project(ctx, stolen.ID)
	require.NoError(t, err)
	require.Len(t, rec.Actions, score.MaxActions)
	require.Len(t, rec.Members, score.MaxCreationMembers)

	w.folding(m).fold()
	for _, u := range slices.Concat(ours, group) {
		status, _, err := m.Read(ctx, []score.Ref{u.Ref()})
		require.NoError(t, err)
		require.Equal(t, [2]any{score.Final, score.Applied}, [2]any{status[0].Stage, status[0].Outcome})
	}
}

// applied counts what events say was applied in a project.
func (w *world) applied(id score.ProjectID) (n int) {
	w.t.Helper()
	head, err := w.Head(w.t.Context())
	require.NoError(w.t, err)
	err = w.Logs(w.t.Context(), w.deployment.Contract, registry.UpdateTopics(), w.deployment.DeployBlock, head.Number, func(_ evidence.Block, logs []types.Log) error {
		for i := range logs {
			event, err := registry.ParseLog(&logs[i])
			require.NoError(w.t, err)
			e := event.(registry.BatchApplied)
			for j, u := range e.Batch.Updates() {
				if u.Project == id && e.Outcomes[j] == score.Applied {
					n++
				}
			}
		}
		return nil
	})
	require.NoError(w.t, err)
	return n
}

// ugly is as large a project as the contract takes, with names that are no text.
func ugly(n byte) *score.Project {
	p := &score.Project{ID: score.ProjectID{n}, Name: strings.Repeat("\xff", score.MaxProjectNameBytes)}
	name := func(i int) string {
		return string(rune('0'+i%64)) + strings.Repeat("\x00", score.MaxNameBytes-3) + string([]byte{byte(i), 0xc3})
	}
	for i := range score.MaxActions {
		p.Actions = append(p.Actions, score.Action{Name: name(i), Points: score.MaxPoints, Direction: score.Direction(i % 2)})
	}
	for i := range score.MaxScoreTypes {
		p.ScoreTypes = append(p.ScoreTypes, name(i))
	}
	for i := range score.MaxCreationMembers {
		p.Owners = append(p.Owners, common.Address{1, byte(i)})
	}
	return p
}

// applyBatch is the calldata of applyBatch with any data.
func applyBatch(t *testing.T, data []byte) []byte {
	t.Helper()
	parsed, err := abi.JSON(strings.NewReader(`[{"type":"function","name":"applyBatch","inputs":[{"name":"data","type":"bytes"}]}]`))
	require.NoError(t, err)
	out, err := parsed.Pack("applyBatch", data)
	require.NoError(t, err)
	return out
}

// relayed draws batches that are well framed and nothing else: flags where they need not be and none where they might,
// masks with empty ends, runs that could be one, ids that repeat, indexes and addresses that mean nothing, signatures
// of no sender.
type relayed struct {
	projects []score.ProjectID
	members  []common.Address
	words    []score.Word
}

func (r *relayed) draw(t *rapid.T) (data []byte) {
	hadWord := false
	for i := range rapid.IntRange(1, 5).Draw(t, "groups") {
		kind := rapid.SampledFrom([]score.Kind{score.KindWord, score.KindRuns, score.KindFree}).Draw(t, "kind")
		isSigned := rapid.Bool().Draw(t, "signed")
		flags := byte(0)
		flag := func(bit byte, may bool) bool {
			if may && rapid.Bool().Draw(t, "flag") {
				flags |= bit
				return true
			}
			return false
		}
		var group []byte
		if !flag(0x10, i > 0) {
			id := rapid.SampledFrom(r.projects).Draw(t, "project")
			group = append(group, id[:]...)
		}
		if !flag(0x20, i > 0) {
			signer := rapid.SampledFrom(r.members).Draw(t, "signer")
			group = append(group, signer[:]...)
		}
		if isSigned {
			flags |= 0x80
			group = append(group, rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "signature")...)
		}
		if kind != score.KindFree && !flag(0x40, hadWord && !isSigned) {
			word := r.word(t)
			group, hadWord = append(group, word[:]...), true
		}
		if kind == score.KindWord {
			group = r.records(t, group)
		} else {
			group = r.runs(t, group, kind == score.KindFree)
		}
		data = append(append(data, byte(kind)|flags), group...)
	}
	return data
}

func (r *relayed) word(t *rapid.T) score.Word { return rapid.SampledFrom(r.words).Draw(t, "word") }

func (r *relayed) records(t *rapid.T, out []byte) []byte {
	start := rapid.IntRange(0, 31).Draw(t, "start")
	mask := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 0x90, 0xff}), 1, 32-start).Draw(t, "mask")
	mask[rapid.IntRange(0, len(mask)-1).Draw(t, "set")] |= 2
	out = append(append(out, byte(start), byte(len(mask))), mask...)
	for _, b := range mask {
		for range bits.OnesCount8(b) {
			out = append(r.target(t, out), rapid.Byte().Draw(t, "action")%4)
		}
	}
	return out
}

func (r *relayed) runs(t *rapid.T, out []byte, free bool) []byte {
	runs := rapid.IntRange(1, 4).Draw(t, "runs")
	out = binary.BigEndian.AppendUint16(out, uint16(runs))
	for range runs {
		more := rapid.SampledFrom([]byte{0, 0, 1, 7, 255}).Draw(t, "more")
		out = append(r.target(t, out), more)
		for range int(more) + 1 {
			if free {
				word := r.word(t)
				out = append(out, word[:]...)
			}
			out = append(out, rapid.Byte().Draw(t, "low"), rapid.Byte().Draw(t, "action")%4)
		}
	}
	return out
}

// target draws a wallet and a score type.
func (r *relayed) target(t *rapid.T, out []byte) []byte {
	target := common.Address{19: rapid.Byte().Draw(t, "target") % 4}
	return append(append(out, target[:]...), rapid.SampledFrom([]byte{0, 1, 1, 2, 255}).Draw(t, "type"))
}
