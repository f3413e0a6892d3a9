package registry_test

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/internal/bindings"
	"github.com/scorelay/scorelay/pkg/score"
	signatures "github.com/scorelay/scorelay/pkg/wallet"
)

// sign makes an account's signature of a group.
func (c *chain) sign(by *account, project score.ProjectID, kind score.Kind, body []byte) *score.GroupSignature {
	return c.compact(by, signatures.NewDomain(chainID, c.registry).GroupDigest(project, kind, body))
}

// compact makes an account's signature of a digest.
func (c *chain) compact(by *account, digest common.Hash) *score.GroupSignature {
	raw, err := crypto.Sign(digest[:], by.key)
	require.NoError(c.t, err)
	parsed, err := signatures.ParseSignature(raw)
	require.NoError(c.t, err)
	compact := parsed.Compact()
	return &compact
}

// drawnGroup is a group and, unless it is unsigned, its signer.
type drawnGroup struct {
	batch.Group
	by *account
}

// proof is what the contract makes of the group's signature.
func (d *drawnGroup) proof() proof {
	switch {
	case d.by == nil:
		return nothing
	case d.by.addr == d.Signer:
		return signature
	}
	return forgery
}

// group draws a group that can be written, signed or not.
func (g *player) group() *drawnGroup {
	d := &drawnGroup{Group: batch.Group{
		Project: g.projectID(), Signer: g.account("signer").addr, Kind: score.Kind(1 + g.draw("kind", 3)),
	}}
	first := g.updateID()
	for range 1 + g.draw("updates", 12) {
		u := score.Update{
			Project: d.Project, Signer: d.Signer, ID: g.updateID(), Target: g.wallet(),
			Action: uint8(g.draw("action", 8)), ScoreType: uint8(g.draw("score type", 8)),
		}
		if d.Kind != score.KindFree {
			low := u.ID[31]
			u.ID = first
			u.ID[31] = low
		}
		d.Updates = append(d.Updates, u)
	}
	if d.Kind == score.KindWord {
		slices.SortFunc(d.Updates, func(a, b score.Update) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		d.Updates = slices.CompactFunc(d.Updates, func(a, b score.Update) bool { return a.ID == b.ID })
	}
	switch g.draw("signed", 4) {
	case 0:
		d.by = g.account("forger")
	case 1:
		d.by = g.signer(d.Signer)
	}
	return d
}

// sendBatch plays a batch: planned, or with groups as they come, or written as no relayer would.
func (g *player) sendBatch(*rapid.T) {
	var groups []*drawnGroup
	for range 1 + g.draw("groups", 8) {
		groups = append(groups, g.group())
	}
	var b batch.Batch
	var proofs []proof // of each update, in order
	odd := g.draw("form", 3)
	if odd == 2 {
		g.sendOdd(groups)
		return
	}
	for _, d := range groups {
		if d.by != nil {
			body, err := batch.EncodeBody(d.Kind, d.Updates)
			require.NoError(g, err)
			d.Signature = g.chain.sign(d.by, d.Project, d.Kind, body)
		}
	}
	if odd == 0 {
		b, proofs = plan(groups)
	} else {
		b, proofs = asTheyCome(groups)
	}
	receipt := g.chain.transact(g.chain.relayer, registry.EncodeBatch(b))
	outcomes, err := registry.Outcomes(b, g.chain.registry, receipt)
	require.NoError(g, err)
	g.checkOutcomes(b, proofs, outcomes)
	model := registry.Osaka().Batch
	require.GreaterOrEqual(g, model.Gas(b), receipt.GasUsed)
	require.GreaterOrEqual(g, model.Bytes(b), len(registry.EncodeBatch(b)))
}

func (g *player) checkOutcomes(b batch.Batch, proofs []proof, outcomes []score.Outcome) {
	for i, u := range b.Updates() {
		require.Equalf(g, g.world.update(u, proofs[i]), outcomes[i], "update %d: %+v", i, u)
	}
}

// asTheyCome is a batch of the groups in their order.
func asTheyCome(groups []*drawnGroup) (b batch.Batch, proofs []proof) {
	for _, d := range groups {
		b.Groups = append(b.Groups, d.Group)
		for range d.Updates {
			proofs = append(proofs, d.proof())
		}
	}
	return b, proofs
}

// plan is a batch of the signed groups and of the others' updates, as a lane would plan it.
func plan(groups []*drawnGroup) (b batch.Batch, proofs []proof) {
	var updates []score.Update
	var signed []score.Signed
	by := map[score.GroupSignature]proof{}
	for _, d := range groups {
		if d.by != nil {
			by[*d.Signature] = d.proof()
			signed = append(signed, score.Signed{
				First: len(updates), Count: len(d.Updates), Kind: d.Kind, Signature: *d.Signature,
			})
		}
		updates = append(updates, d.Updates...)
	}
	b = inTurns(registry.Osaka().Batch, updates, signed)
	for _, group := range b.Groups {
		what := nothing
		if group.Signature != nil {
			what = by[*group.Signature]
		}
		for range group.Updates {
			proofs = append(proofs, what)
		}
	}
	return b, proofs
}

// sendOdd sends groups in a form that the contract takes and EncodeBatchData does not write.
func (g *player) sendOdd(groups []*drawnGroup) {
	data := g.chain.oddData(g.T, groups)
	b, proofs := asTheyCome(groups)
	decoded, err := registry.DecodeBatchData(data)
	require.NoError(g, err)
	require.Equal(g, b, decoded)
	receipt := g.chain.transact(g.chain.relayer, bindings.NewScoreRegistry().PackApplyBatch(data))
	require.Len(g, receipt.Logs, 1)
	event, err := registry.ParseLog(receipt.Logs[0])
	require.NoError(g, err)
	applied := event.(registry.BatchApplied)
	require.Equal(g, data, applied.Data)
	require.Equal(g, b, applied.Batch)
	g.checkOutcomes(b, proofs, applied.Outcomes)
}

// oddData writes groups with fewer flags than may be, masks longer than must be, and runs of neighbours apart. It signs
// those that are signed.
func (c *chain) oddData(t *rapid.T, groups []*drawnGroup) (data []byte) {
	coin := rapid.Bool()
	var b batch.Batch
	for _, d := range groups {
		b.Groups = append(b.Groups, d.Group)
		if d.by != nil {
			b.Groups[len(b.Groups)-1].Signature = new(score.GroupSignature)
		}
	}
	for i, h := range b.Headers() {
		d := groups[i]
		body := oddBody(t, &d.Group)
		kind := len(data)
		data = append(data, byte(d.Kind))
		if h.SameProject && coin.Draw(t, "same project") {
			data[kind] |= 0x10
		} else {
			data = append(data, d.Project[:]...)
		}
		if h.SameSigner && coin.Draw(t, "same signer") {
			data[kind] |= 0x20
		} else {
			data = append(data, d.Signer[:]...)
		}
		if d.by != nil {
			data[kind] |= 0x80
			d.Signature = c.sign(d.by, d.Project, d.Kind, body)
			data = append(data, d.Signature[:]...)
		}
		if h.SameWord && coin.Draw(t, "same word") {
			data[kind] |= 0x40
			body = body[31:]
		}
		data = append(data, body...)
	}
	return data
}

func oddBody(t *rapid.T, g *batch.Group) []byte {
	if g.Kind == score.KindWord {
		return oddMask(t, g)
	}
	var out []byte
	if word, ok := g.Word(); ok {
		out = append(out, word[:]...)
	}
	count := len(out)
	out = append(out, 0, 0)
	runs := uint16(0)
	for rest := g.Updates; len(rest) > 0; runs++ {
		n := 1
		for n < len(rest) && rest[n].Target == rest[0].Target && rest[n].ScoreType == rest[0].ScoreType && rapid.Bool().Draw(t, "longer") {
			n++
		}
		out = append(out, rest[0].Target[:]...)
		out = append(out, rest[0].ScoreType, byte(n-1))
		for _, u := range rest[:n] {
			if g.Kind == score.KindFree {
				out = append(out, u.ID[:31]...)
			}
			out = append(out, u.ID[31], u.Action)
		}
		rest = rest[n:]
	}
	binary.BigEndian.PutUint16(out[count:], runs)
	return out
}

// oddMask writes a KindWord group with a mask that may begin and end with zeros.
func oddMask(t *rapid.T, g *batch.Group) []byte {
	first, last := int(g.Updates[0].ID[31]/8), int(g.Updates[len(g.Updates)-1].ID[31]/8)
	start := rapid.IntRange(0, first).Draw(t, "start")
	end := rapid.IntRange(last, 31).Draw(t, "end")
	out := append(g.Updates[0].ID[:31:31], byte(start), byte(end-start+1))
	mask := make([]byte, end-start+1)
	var records []byte
	for _, u := range g.Updates {
		mask[end-int(u.ID[31]/8)] |= 1 << (u.ID[31] % 8)
		records = append(records, u.Target[:]...)
		records = append(records, u.ScoreType, u.Action)
	}
	return append(append(out, mask...), records...)
}
