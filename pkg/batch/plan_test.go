package batch_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/score"
)

type idKey struct {
	project score.ProjectID
	id      score.UpdateID
}

// TestPlanKeepsWhatItIsGiven: every update once, signed groups as they are, each project named once, and each signer of it.
func TestPlanKeepsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := drawApart(t)
		updates, signed := flat(units)
		b := batch.Plan(&model, updates, signed)
		require.ElementsMatch(t, updates, b.Updates())
		require.Equal(t, len(units), b.Units())
		checkGroups(t, b)

		var given, kept []score.Unit
		for _, u := range units {
			if u.Signature != nil {
				given = append(given, u)
			}
		}
		named, signers := map[score.ProjectID]int{}, map[[2]any]int{}
		for i, h := range b.Headers() {
			g := b.Groups[i]
			if g.Signature != nil {
				kept = append(kept, score.Unit{Updates: g.Updates, Kind: g.Kind, Signature: g.Signature})
			}
			if !h.SameProject {
				named[g.Project]++
				require.Equal(t, 1, named[g.Project])
			}
			if !h.SameProject || !h.SameSigner {
				signers[[2]any{g.Project, g.Signer}]++
				require.Equal(t, 1, signers[[2]any{g.Project, g.Signer}])
			}
		}
		require.ElementsMatch(t, given, kept)
	})
}

// TestPlanDependsOnNoOrder: the same updates give the same batch in any order.
func TestPlanDependsOnNoOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates := rapid.SliceOfDistinct(rapid.Custom(drawUpdate), func(u score.Update) idKey {
			return idKey{u.Project, u.ID}
		}).Draw(t, "updates")
		shuffled := rapid.Permutation(updates).Draw(t, "shuffled")
		require.Equal(t, batch.Plan(&model, updates, nil), batch.Plan(&model, shuffled, nil))
	})
}

// TestPlanIsNoDearerThanPlainGroups: hardly, and neither than groups of words without runs, nor, where each id is alone in its word,
// than free groups.
func TestPlanIsNoDearerThanPlainGroups(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		updates := rapid.SliceOfNDistinct(rapid.Custom(drawUpdate), 1, -1, func(u score.Update) idKey {
			return idKey{u.Project, u.ID}
		}).Draw(t, "updates")
		alone := rapid.Bool().Draw(t, "alone")
		kind := score.KindWord
		for i := range updates { // no word of one is another's: groups that share one by chance are not planned
			updates[i].ID[1], updates[i].ID[2], updates[i].Action = updates[i].Project[0], updates[i].Signer[0], 0
			if alone {
				kind = score.KindFree
				updates[i].ID[3], updates[i].ID[4] = byte(i>>8), byte(i)
			}
		}
		var plain batch.Batch
		at := map[any]int{}
		sortByID(updates)
		for project := range byte(3) {
			for signer := range byte(2) {
				for _, u := range updates {
					if u.Project[0] != project || u.Signer[0] != signer {
						continue
					}
					key := any([2]byte{project, signer})
					if !alone {
						key = [3]byte{project, signer, u.ID[0]}
					}
					i, found := at[key]
					if !found {
						i = len(plain.Groups)
						at[key] = i
						plain.Groups = append(plain.Groups, batch.Group{Project: u.Project, Signer: u.Signer, Kind: kind})
					}
					plain.Groups[i].Updates = append(plain.Groups[i].Updates, u)
				}
			}
		}
		// Who reads a project's actions first is a guess, which may be wrong.
		guess := 3 * (model.Free.Action - model.Word.Action)
		require.LessOrEqual(t, model.Gas(batch.Plan(&model, updates, nil)), model.Gas(plain)+guess)
	})
}

// workload makes n updates of one project and signer.
func workload(n, wallets, idsOfWord int, seed uint64) []score.Update {
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(b []byte) {
		for i := range b {
			b[i] = byte(1 + rng.IntN(255))
		}
	}
	targets := make([]common.Address, wallets)
	for i := range targets {
		random(targets[i][:])
	}
	updates := make([]score.Update, n)
	var word score.UpdateID
	for i := range updates {
		if i%idsOfWord == 0 {
			random(word[:])
		}
		id := word
		id[31] = byte(i % idsOfWord)
		updates[i] = score.Update{
			Project: score.ProjectID{1}, Signer: common.Address{2}, ID: id, Target: targets[i%wallets], Action: byte(rng.IntN(8)),
		}
	}
	return updates
}

// TestPlanChoosesKinds states what the usual workloads are written as.
func TestPlanChoosesKinds(t *testing.T) {
	t.Parallel()
	kinds := func(b batch.Batch) map[score.Kind]int {
		out := map[score.Kind]int{}
		for _, g := range b.Groups {
			out[g.Kind]++
		}
		return out
	}
	bytesAlone := batch.Model{Byte: 1} // which are most of what differs
	mixed := workload(200, 200, 200, 7)
	for i := range 100 { // half of the word is one wallet's
		mixed[i].Target = mixed[0].Target
	}
	dozens := workload(24, 24, 24, 8)
	for i := range 12 {
		dozens[2*i].Target = dozens[0].Target
	}
	for name, tc := range map[string]struct {
		updates []score.Update
		want    map[score.Kind]int
	}{
		"one update":                     {workload(1, 1, 1, 1), map[score.Kind]int{score.KindWord: 1}},
		"consecutive ids":                {workload(500, 500, 256, 2), map[score.Kind]int{score.KindWord: 2}},
		"consecutive ids, hot wallets":   {workload(250, 25, 256, 3), map[score.Kind]int{score.KindRuns: 1}},
		"random ids":                     {workload(100, 100, 1, 4), map[score.Kind]int{score.KindFree: 1}},
		"random ids, hot wallets":        {workload(100, 10, 1, 5), map[score.Kind]int{score.KindFree: 1}},
		"a word and some random ids":     {append(workload(100, 100, 100, 6), workload(10, 10, 1, 7)...), map[score.Kind]int{score.KindWord: 1, score.KindFree: 1}},
		"a dozen of one, a dozen others": {dozens, map[score.Kind]int{score.KindWord: 1, score.KindRuns: 1}},
		"one hot wallet in a wide word":  {mixed, map[score.Kind]int{score.KindWord: 1, score.KindRuns: 1}},
	} {
		require.Equal(t, tc.want, kinds(batch.Plan(&model, tc.updates, nil)), name)
		require.Equal(t, tc.want, kinds(batch.Plan(&bytesAlone, tc.updates, nil)), name)
	}
}

// TestPlanSplitsHugeGroups: a group's count is two bytes.
func TestPlanSplitsHugeGroups(t *testing.T) {
	t.Parallel()
	updates := make([]score.Update, batch.MaxGroup+5)
	for i := range updates {
		binary.BigEndian.PutUint32(updates[i].ID[:], uint32(i))
	}
	b := batch.Plan(&model, updates, nil)
	require.Len(t, b.Groups, 2)
	require.Len(t, b.Groups[0].Updates, batch.MaxGroup)
	require.Equal(t, len(updates), b.Len())
}

func TestSingleIsThePlanOfOne(t *testing.T) {
	t.Parallel()
	u := workload(1, 1, 1, 1)
	require.Equal(t, batch.Plan(&model, u, nil), batch.Single(u[0]))
}
