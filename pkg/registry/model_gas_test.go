package registry_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

// mixture is what a full batch is made of.
type mixture struct {
	name     string
	projects int
	signers  int
	words    int // of ids; 0: every id in a word of its own
	actions  int
}

// fill adds updates until one does not fit.
func (mix *mixture) fill(t *testing.T, rules registry.GasRules, projects []*score.Project) *batch.Builder {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(mix.name))))
	builder, err := batch.NewBuilder(rules.Batch, batch.DefaultLimits())
	require.NoError(t, err)
	minted := map[score.UpdateID]int{}
	for i := 0; ; i++ {
		p := projects[rng.IntN(mix.projects)]
		members := append(p.Owners[:2:2], p.Updaters...)
		u := score.Update{
			Project: p.ID, Signer: members[rng.IntN(mix.signers)], Action: uint8(rng.IntN(mix.actions)),
			ScoreType: uint8(rng.IntN(4)), ID: hash(mix.name, "id", i),
		}
		target := hash(mix.name, "target", i)
		u.Target = common.Address(target[:20])
		if mix.words > 0 {
			stream := score.UpdateID(hash(mix.name, "word", p.ID, rng.IntN(mix.words)))
			n := minted[stream]
			minted[stream]++
			u.ID = stream
			u.ID[30] += byte(n >> 8)
			u.ID[31] = byte(n)
		}
		if !builder.Add(u) {
			return builder
		}
	}
}

// TestModelBoundsGas fills batches to the default limits with updates that are as dear as can be (every wallet fresh, every id new), in
// several mixtures, and sends each with exactly the gas the model says: it must suffice, and not be far off.
func TestModelBoundsGas(t *testing.T) {
	long.Test(t)
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		c := newChainUnder(t, rules)
		projects := createMany(c, 40, func(first *score.Project) { first.Actions = manyActions(score.MaxActions) })
		for _, mix := range []mixture{
			{"consecutive ids", 1, 1, 1, 8},
			{"random ids", 1, 1, 0, 8},
			{"random ids, many actions", 1, 1, 0, score.MaxActions},
			{"few ids of each word", 1, 1, 200, 8},
			{"many signers", 1, 5, 8, 8},
			{"many projects", 40, 5, 3, 8},
			{"many projects, random ids", 40, 5, 0, 8},
		} {
			builder := mix.fill(t, rules, projects)
			b := builder.Build()
			calldata := registry.EncodeBatch(b)
			model := rules.Batch
			bound, size := model.Gas(b), model.Bytes(b)
			receipt := c.send(c.relayer, &c.registry, calldata, bound, mix.name)
			require.LessOrEqual(t, bound, batch.DefaultLimits().MaxGas)
			require.Greater(t, float64(bound), 0.97*float64(batch.DefaultLimits().MaxGas), "%s: the builder leaves too much room", mix.name)
			sent := types.MustSignNewTx(c.relayer.key, types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
				ChainID: big.NewInt(chainID), Nonce: 1000, GasTipCap: big.NewInt(1_000_000_000), GasFeeCap: big.NewInt(20_000_000_000),
				Gas: bound, To: &c.registry, Data: calldata,
			})
			require.LessOrEqual(t, int(sent.Size()), size)
			over := 100 * float64(bound-receipt.GasUsed) / float64(receipt.GasUsed)
			t.Logf("%-26s %4d updates %3d groups %6d bytes (bound %6d): gas %8d, bound %8d (+%.1f %%), %d per update",
				mix.name, b.Len(), len(b.Groups), sent.Size(), size, receipt.GasUsed, bound, over, receipt.GasUsed/uint64(b.Len()))
			require.Less(t, over, 6.0, "%s: the model wastes too much", mix.name)
		}
	})
}

// createMany creates projects, after the first was changed.
func createMany(c *chain, n int, change func(first *score.Project)) []*score.Project {
	projects := make([]*score.Project, n)
	for i := range projects {
		projects[i] = labProject()
		projects[i].ID = hash("many", i)
		if i == 0 {
			change(projects[i])
		}
		c.transact(c.relayer, registry.EncodeCreateProject(projects[i]))
	}
	return projects
}

// TestModelBoundsSmallBatches holds the model against batches where its fixed parts weigh most.
func TestModelBoundsSmallBatches(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		lab := newGasLabUnder(t, rules)
		model := rules.Batch
		for _, style := range []string{consecutive, random} {
			for _, n := range []int{1, 2, 3, 10} {
				updates := lab.updates(n, n, lab.seed+5_000_000, style)
				lab.ids = (lab.ids + 255) / 256 * 256
				gas := lab.apply(updates)
				bound := model.Gas(planned(updates))
				t.Logf("%-12s %3d updates: gas %7d, bound %7d", style, n, gas, bound)
				require.GreaterOrEqual(t, bound, gas)
			}
		}
	})
}

// TestModelBoundsSkips: skipping an update of a wallet that others have paid for costs more than applying it.
func TestModelBoundsSkips(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		lab := newGasLabUnder(t, rules)
		model := rules.Batch
		for i, kind := range []score.Kind{score.KindWord, score.KindRuns, score.KindFree} {
			for j, flaw := range []func(*score.Update){
				func(u *score.Update) { u.Action = 255 },
				func(u *score.Update) { u.ScoreType = 3 + 4 },
				func(u *score.Update) { u.ID[31] = 0 }, // of KindWord: sent twice, below
			} {
				updates := lab.updates(256, 1, 1000*i+j, consecutive)
				for k := range updates {
					if k%16 != 0 && (kind != score.KindWord || j < 2) {
						flaw(&updates[k])
					}
				}
				b := batch.Batch{Groups: []batch.Group{{
					Project: lab.project.ID, Signer: lab.project.Updaters[0], Kind: kind, Updates: updates,
				}}}
				for range 2 {
					gas := lab.transact(lab.relayer, registry.EncodeBatch(b)).GasUsed
					require.GreaterOrEqual(t, model.Gas(b), gas, "kind %d, flaw %d", kind, j)
				}
			}
		}
	})
}

// TestModelBoundsHeaders: batches of little else than headers, in every kind, one word or many, with a score type that is younger
// than their signers, and with exactly the gas the model says.
func TestModelBoundsHeaders(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		lab := newGasLabUnder(t, rules)
		const added = 4 // the index of the type
		owner := testAccount(2)
		lab.transact(owner, calls.AddScoreType(lab.project.ID, "added"))
		signers := lab.project.Updaters
		model := rules.Batch
		seed := 0
		for _, kind := range []score.Kind{score.KindWord, score.KindRuns, score.KindFree} {
			for _, scoreTypes := range [][]uint8{{added}, {0, added}} {
				for _, headers := range []int{1, 20, 60} {
					for _, oneWord := range []bool{false, true} {
						var b batch.Batch
						seed++
						for i := range headers {
							g := batch.Group{Project: lab.project.ID, Signer: signers[i%len(signers)], Kind: kind}
							for j, scoreType := range scoreTypes {
								u := score.Update{Project: g.Project, Signer: g.Signer, ScoreType: scoreType, Action: 1}
								u.ID = hash("headers", seed, i)
								if oneWord {
									u.ID = hash("headers", seed)
								}
								u.ID[31] = byte(len(scoreTypes)*i + j)
								u.Target = wallet(1_000_000*seed + 100*i + j)
								g.Updates = append(g.Updates, u)
							}
							b.Groups = append(b.Groups, g)
						}
						lab.sendBatch(b, model.Gas(b), "kind", kind, "types", scoreTypes, "headers", headers, "one word", oneWord)
					}
				}
			}
		}
	})
}

func manyActions(n int) []score.Action {
	actions := make([]score.Action, n)
	for i := range actions {
		actions[i] = score.Action{Name: longName("action", i), Points: score.MaxPoints, Direction: score.Direction(i % 2)}
	}
	return actions
}

// longName is as long as a name may be, and has no byte that is cheap in calldata.
func longName(kind string, i int) string {
	name := fmt.Sprintf("%s-%03d-", kind, i)
	return name + strings.Repeat("x", score.MaxNameBytes-len(name))
}

// largestProject has everything the bounds allow.
func largestProject() *score.Project {
	p := &score.Project{
		ID: hash("largest"), Name: strings.Repeat("n", score.MaxProjectNameBytes), Actions: manyActions(score.MaxActions),
	}
	for i := range score.MaxScoreTypes {
		p.ScoreTypes = append(p.ScoreTypes, longName("type", i))
	}
	for i := range score.MaxCreationMembers {
		if i%2 == 0 {
			p.Owners = append(p.Owners, wallet(i))
		} else {
			p.Updaters = append(p.Updaters, wallet(i))
		}
	}
	return p
}

func TestCreationGas(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		c := newChainUnder(t, rules)
		small := &score.Project{
			ID: hash("small"), Name: "s", Actions: []score.Action{{Name: "a", Points: 1}}, ScoreTypes: []string{"t"},
			Owners: []common.Address{wallet(0)},
		}
		for name, p := range map[string]*score.Project{"smallest": small, "usual": labProject(), "largest": largestProject()} {
			bound := rules.CreateProject(p)
			require.Less(t, bound, min(rules.MaxGas, 60_000_000))
			receipt := c.send(c.relayer, &c.registry, registry.EncodeCreateProject(p), bound)
			require.NoError(t, registry.Created(p.ID, c.registry, receipt))
			t.Logf("%-8s gas %8d, bound %8d", name, receipt.GasUsed, bound)
			require.Less(t, float64(bound), 1.03*float64(receipt.GasUsed))
		}
	})
}

// TestModelBoundsWhatIsKnown: batches get no more gas than they take with slots that are not fresh by what became of those before, where runs
// add up to nothing and updates are skipped.
func TestModelBoundsWhatIsKnown(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		c := newChainUnder(t, rules)
		p := labProject()
		for i := range p.Actions {
			p.Actions[i].Points = 7 // up or down
		}
		c.transact(c.relayer, registry.EncodeCreateProject(p))
		model := rules.Batch
		model.Known = batch.NewKnown()
		rng := rand.New(rand.NewPCG(1, 2))
		counted := map[score.Outcome]int{}
		var spared uint64
		send := func(updates []score.Update) {
			b := inTurns(rules.Batch, updates, nil)
			gas := model.Gas(b)
			spared += rules.Batch.Gas(b) - gas
			receipt := c.send(c.relayer, &c.registry, registry.EncodeBatch(b), gas)
			outcomes, err := registry.Outcomes(b, c.registry, receipt)
			require.NoError(t, err)
			for _, o := range outcomes {
				counted[o]++
			}
			model.Known.Learn(b, outcomes)
		}
		for round := range 60 {
			var updates []score.Update
			for range 1 + rng.IntN(60) {
				n := rng.IntN(6 * (round + 1))
				u := score.Update{
					Project: p.ID, Signer: p.Updaters[0], ID: hash("known", n/20), Target: wallet(n / 3),
					Action: uint8(rng.IntN(2)), ScoreType: uint8(rng.IntN(5)), // of which four are known
				}
				u.ID[31] = byte(rng.IntN(256))
				updates = append(updates, u)
			}
			send(updates)
		}
		for _, times := range []int{2, 1, 1} { // one up and one down leave a score's slot fresh
			var updates []score.Update
			for i := range 50 * times {
				u := score.Update{Project: p.ID, Signer: p.Updaters[0], ID: hash("up and down", times), Target: wallet(-1 - i/times), Action: uint8(i % 2)}
				u.ID[31] = byte(counted[score.Applied] + i)
				updates = append(updates, u)
			}
			send(updates)
		}
		require.Greater(t, spared, 300*(rules.Batch.Fresh-rules.Batch.Used))
		require.Greater(t, counted[score.Duplicate], 50)
		require.Greater(t, counted[score.UnknownScoreType], 50)
	})
}

// TestModelBoundsManyGroups: batches of small groups, each of a project of its own or of another signer of one project, whose slots are all
// fresh, and then all known to be used, with exactly the gas the model says.
func TestModelBoundsManyGroups(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		c := newChainUnder(t, rules)
		projects := createMany(c, 40, func(*score.Project) {})
		model := rules.Batch
		model.Known = batch.NewKnown()
		words := 0
		for _, kind := range []score.Kind{score.KindWord, score.KindRuns, score.KindFree} {
			for _, of := range [][]*score.Project{projects, projects[:1]} {
				for _, groups := range []int{1, 3, 10, 40} {
					for _, each := range []int{1, 2, 3} {
						words++
						for round := range 2 { // fresh, known
							var b batch.Batch
							for i := range groups {
								p := of[i%len(of)]
								g := batch.Group{Project: p.ID, Signer: p.Updaters[i/len(of)%len(p.Updaters)], Kind: kind}
								for j := range each {
									u := score.Update{Project: p.ID, Signer: g.Signer, ID: hash("many ids", words, i), Target: wallet(10*(100*words+i) + j)}
									u.ID[31] = byte(each*round + j)
									g.Updates = append(g.Updates, u)
								}
								b.Groups = append(b.Groups, g)
							}
							c.sendBatch(b, model.Gas(b), "kind", kind, "groups", groups, "projects", len(of), "each", each, "known", round == 1)
							model.Known.Learn(b, make([]score.Outcome, b.Len()))
						}
					}
				}
			}
		}
	})
}
