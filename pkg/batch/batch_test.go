package batch_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	_ "github.com/scorelay/scorelay/pkg/devnet/rig/testrand" // rapid's seed
	"github.com/scorelay/scorelay/pkg/score"
)

// model's numbers are near the contract's, and no two sums of them are alike by chance.
var model = batch.Model{
	Base: 28_307, Byte: 24, ZeroByte: 12, Group: 1_009, Named: 349, Project: 211, Signature: 4_409, SignedRun: 103,
	Word: batch.Prices{Group: 577, Update: 523, Action: 709}, Runs: batch.Prices{Group: 571, Run: 449, Update: 211, Action: 769},
	Free: batch.Prices{Group: 113, Run: 373, Update: 541, Action: 1_153},
	Cold: 2_003, Fresh: 21_911, Used: 4_801, Skip: 1_499, Outcome: 11, BaseBytes: 503,
}

var wide = batch.Limits{MaxUpdates: batch.MaxGroup, MaxGas: 1 << 40, MaxBytes: 1 << 30}

// small draws below a small bound, so that what is drawn meets again.
func small(t *rapid.T, label string, below int) byte {
	return byte(rapid.IntRange(0, below-1).Draw(t, label))
}

func drawUpdate(t *rapid.T) score.Update {
	return score.Update{
		Project: score.ProjectID{small(t, "project", 3)}, Signer: common.Address{small(t, "signer", 2)},
		ID:     score.UpdateID{small(t, "word", 4), 31: rapid.Byte().Draw(t, "low")},
		Target: common.Address{small(t, "target", 3)}, Action: rapid.Byte().Draw(t, "action"), ScoreType: small(t, "type", 2),
	}
}

// drawUnit draws mostly unsigned updates, and some signed groups of each kind.
func drawUnit(t *rapid.T) score.Unit {
	u := drawUpdate(t)
	if rapid.IntRange(0, 7).Draw(t, "signed") > 0 {
		return score.Unit{Updates: []score.Update{u}}
	}
	g := score.Unit{Kind: score.Kind(1 + small(t, "kind", 3)), Signature: &score.GroupSignature{rapid.Byte().Draw(t, "signature")}}
	g.Updates = drawGroup(t, g.Kind, 12)
	for i := range g.Updates {
		g.Updates[i].Project, g.Updates[i].Signer = u.Project, u.Signer
	}
	return g
}

// drawGroup draws up to most updates that EncodeBody takes.
func drawGroup(t *rapid.T, kind score.Kind, most int) []score.Update {
	updates := rapid.SliceOfN(rapid.Custom(drawUpdate), 1, most).Draw(t, "group")
	lows := rapid.Permutation(lowBytes()).Draw(t, "lows")[:len(updates)]
	for i := range updates {
		updates[i].Project, updates[i].Signer = updates[0].Project, updates[0].Signer
		if kind != score.KindFree {
			updates[i].ID = updates[0].ID
			updates[i].ID[31] = lows[i]
		}
	}
	if kind == score.KindWord {
		sortByID(updates)
	}
	return updates
}

func drawUnits(t *rapid.T) []score.Unit {
	return rapid.SliceOf(rapid.Custom(drawUnit)).Draw(t, "units")
}

// apart tells whether no two of the units have an id in common.
func apart(units []score.Unit) bool {
	by := map[idKey]int{}
	for i, unit := range units {
		for _, u := range unit.Updates {
			if j, found := by[idKey{u.Project, u.ID}]; found && j != i {
				return false
			}
			by[idKey{u.Project, u.ID}] = i
		}
	}
	return true
}

// drawApart draws units that can be in one batch.
func drawApart(t *rapid.T) (units []score.Unit) {
	for _, unit := range drawUnits(t) {
		if apart(append(units, unit)) {
			units = append(units, unit)
		}
	}
	return units
}

// flat is the units as Plan takes them.
func flat(units []score.Unit) (updates []score.Update, signed []score.Signed) {
	for _, u := range units {
		if u.Signature != nil {
			signed = append(signed, score.Signed{First: len(updates), Count: len(u.Updates), Kind: u.Kind, Signature: *u.Signature})
		}
		updates = append(updates, u.Updates...)
	}
	return updates, signed
}

func drawBatch(t *rapid.T) batch.Batch {
	updates, signed := flat(drawApart(t))
	return batch.Plan(&model, updates, signed)
}

func TestHalvesKeepUnitsInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatch(t)
		halves := b.Halves()
		require.Equal(t, b.Updates(), append(halves[0].Updates(), halves[1].Updates()...))
		require.Equal(t, b.Units()/2, halves[0].Units())
		require.Equal(t, b.Units()-b.Units()/2, halves[1].Units())
		for _, half := range halves {
			checkGroups(t, half)
		}
	})
}

func TestPickKeepsSignedGroupsWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatch(t)
		keep := rapid.SliceOfN(rapid.Bool(), b.Len(), b.Len()).Draw(t, "keep")
		var want []score.Update
		at := 0
		for _, g := range b.Groups {
			whole := false
			for i := range g.Updates {
				whole = whole || g.Signature != nil && keep[at+i]
			}
			for i, u := range g.Updates {
				if whole || keep[at+i] {
					want = append(want, u)
				}
			}
			at += len(g.Updates)
		}
		picked := b.Pick(keep)
		require.ElementsMatch(t, want, picked.Updates())
		require.Equal(t, len(want), picked.Len())
		checkGroups(t, picked)
		require.Panics(t, func() { b.Pick(append(keep, true)) })
	})
}

// checkGroups wants groups that can be written, and nothing in a group of others.
func checkGroups(t *rapid.T, b batch.Batch) {
	for _, g := range b.Groups {
		for _, u := range g.Updates {
			require.Equal(t, g.Project, u.Project)
			require.Equal(t, g.Signer, u.Signer)
		}
		_, err := batch.EncodeBody(g.Kind, g.Updates)
		require.NoError(t, err)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	group := func(project, signer, word byte, kind score.Kind) batch.Group {
		return batch.Group{
			Project: score.ProjectID{project}, Signer: common.Address{signer}, Kind: kind,
			Updates: []score.Update{{ID: score.UpdateID{word}}},
		}
	}
	signed := group(2, 2, 3, score.KindRuns)
	signed.Signature = new(score.GroupSignature)
	b := batch.Batch{Groups: []batch.Group{
		group(1, 1, 0, score.KindFree),
		group(1, 1, 0, score.KindWord), // the free group's ids are no word
		group(1, 1, 0, score.KindRuns),
		group(1, 2, 9, score.KindFree),
		group(2, 2, 0, score.KindWord),
		signed,
		group(2, 2, 3, score.KindWord),
	}}
	require.Equal(t, []batch.Header{
		{},
		{SameProject: true, SameSigner: true},
		{SameProject: true, SameSigner: true, SameWord: true},
		{SameProject: true},
		{SameSigner: true, SameWord: true},
		{SameProject: true, SameSigner: true},
		{SameProject: true, SameSigner: true, SameWord: true},
	}, b.Headers())
	signed.Updates[0].ID = score.UpdateID{}
	require.Equal(t, batch.Header{SameProject: true, SameSigner: true}, b.Headers()[5], "a signed body has its word")
}

// TestGasIsASum: that of the documentation of Model.
func TestGasIsASum(t *testing.T) {
	t.Parallel()
	m := model
	b := batch.Batch{Groups: []batch.Group{{
		Project: score.ProjectID{'P'}, Signer: common.Address{'A'}, Kind: score.KindRuns, Updates: named("A w/8 h", "A w/9 h", "A w/7 x"),
	}}}
	b.Groups[0].Updates[0].Action, b.Groups[0].Updates[2].Action = 7, 14 // of the second slot; 0 is of the first
	memory := func(data uint64) uint64 { return 6 * ((data + data/2) / 32) }
	const body = 31 + 2 + 2*22 + 3*2
	gas := m.Base + m.Group + m.Named + m.Project + m.Runs.Group + 2*m.Runs.Run + 3*m.Runs.Update + m.Byte*(1+32+20+body) + 2*m.Cold +
		m.Cold + m.Runs.Action + 3*m.Fresh + m.Skip + 3*m.Outcome
	require.Equal(t, gas+memory(1+32+20+body), m.Gas(b))

	b.Groups[0].Signature = new(score.GroupSignature)
	signed := gas + m.Signature + 2*m.SignedRun + 64*m.Byte + (body+31)/32*6
	require.Equal(t, signed+memory(1+32+20+64+body), m.Gas(b))

	next := b.Groups[0]
	next.Updates = named("A w/20 h", "A w/21 h", "A w/22 x")
	next.Updates[0].Action = 6 // the last of the first slot
	b.Groups = append(b.Groups, next)
	gas = 2*signed - m.Base - m.Named - m.Project - m.Byte*(32+20) - // under the same header
		2*m.Cold - m.Cold - m.Runs.Action - 3*m.Fresh + 2*m.Skip // slots that are paid for; the second slot's is not read
	require.Equal(t, gas+memory(1+32+20+2*(64+body)+1), m.Gas(b))
}
