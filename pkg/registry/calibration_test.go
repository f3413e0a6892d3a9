package registry_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// workload is a kind of traffic, in the proportions that decide its gas.
type workload struct {
	name     string
	updates  int // of a batch
	projects int
	signers  int // of a project
	wallets  int // in all
	random   int // percent of ids that are random; the others count up, a stream for each signer
	signed   int // percent of the updates in signed groups
}

var workloads = []workload{
	{name: "consecutive ids", updates: 300, projects: 1, signers: 1, wallets: 3000},
	{name: "consecutive ids, hot wallets", updates: 500, projects: 1, signers: 1, wallets: 50},
	{name: "consecutive ids, signed", updates: 300, projects: 1, signers: 1, wallets: 3000, signed: 100},
	{name: "random ids", updates: 100, projects: 1, signers: 1, wallets: 3000, random: 100},
	{name: "random ids, hot wallets", updates: 100, projects: 1, signers: 1, wallets: 10, random: 100},
	{name: "25 projects and signers", updates: 100, projects: 25, signers: 1, wallets: 3000},
	{name: "all sorts", updates: 200, projects: 8, signers: 3, wallets: 300, random: 20, signed: 20},
	{name: "few updates", updates: 3, projects: 3, signers: 2, wallets: 100, random: 20, signed: 20},
}

// TestModelIsCalibrated sends batches of every kind of traffic and compares their receipts with the model's estimate,
// which is told how many of their slots are fresh.
func TestModelIsCalibrated(t *testing.T) {
	t.Parallel()
	underAll(t, func(t *testing.T, rules registry.GasRules) {
		c := newChainUnder(t, rules)
		model := rules.Batch
		for i, w := range workloads {
			var projects []*score.Project
			for j := range w.projects {
				p := labProject()
				p.ID = hash(w.name, j)
				c.transact(c.relayer, registry.EncodeCreateProject(p))
				projects = append(projects, p)
			}
			traffic := &traffic{
				workload: w, chain: c, projects: projects, rng: rand.New(rand.NewPCG(1, uint64(i))), ids: map[common.Address]uint32{},
				used: map[any]bool{},
			}
			var sum, worst float64
			const rounds = 12
			for range rounds {
				b, fresh := traffic.batch()
				gas := c.transact(c.relayer, registry.EncodeBatch(b)).GasUsed
				estimate := model.Estimate(b, fresh)
				bad := 100 * (float64(estimate)/float64(gas) - 1)
				sum, worst = sum+bad, math.Max(worst, math.Abs(bad))
				require.GreaterOrEqual(t, model.Gas(b), gas)
			}
			t.Logf("%-30s the estimate is off by %+.2f %% on average, %.2f %% at most", w.name, sum/rounds, worst)
			require.Less(t, worst, 2.0, w.name)
		}
	})
}

// traffic makes a workload's batches, and knows which slots they have used.
type traffic struct {
	workload
	chain    *chain
	projects []*score.Project
	rng      *rand.Rand
	ids      map[common.Address]uint32 // of a signer's stream
	used     map[any]bool
}

func (w *traffic) batch() (b batch.Batch, fresh batch.Fresh) {
	var updates []score.Update
	var signed []score.Signed
	for len(updates) < w.updates {
		p := w.projects[w.rng.IntN(len(w.projects))]
		signer := w.rng.IntN(w.signers)
		if w.rng.IntN(100) >= w.signed {
			updates = append(updates, w.update(p, p.Updaters[signer], w.rng.IntN(100) < w.random))
			continue
		}
		var group []score.Update
		for range 100 {
			u := w.update(p, p.Updaters[signer], false)
			if group = append(group, u); u.ID[31] == 255 || len(updates)+len(group) == w.updates {
				break
			}
		}
		body, err := batch.EncodeBody(score.KindWord, group)
		require.NoError(w.chain.t, err)
		signature := w.chain.sign(testAccount(4+uint64(signer)), p.ID, score.KindWord, body)
		signed = append(signed, score.Signed{First: len(updates), Count: len(group), Kind: score.KindWord, Signature: *signature})
		updates = append(updates, group...)
	}
	for _, u := range updates {
		word := [2]any{u.Project, u.ID.Word()}
		slot := [3]any{u.Project, u.Target, u.ScoreType / 4}
		if !w.used[word] {
			fresh.Words++
		}
		if !w.used[slot] {
			fresh.Scores++
		}
		w.used[word], w.used[slot] = true, true
	}
	model := registry.Osaka().Batch
	return batch.Plan(&model, updates, signed), fresh
}

func (w *traffic) update(p *score.Project, signer common.Address, random bool) score.Update {
	u := score.Update{
		Project: p.ID, Signer: signer, Target: wallet(w.rng.IntN(w.wallets)),
		Action: uint8(w.rng.IntN(len(p.Actions))), ScoreType: uint8(w.rng.IntN(len(p.ScoreTypes))),
	}
	n := w.ids[signer]
	w.ids[signer]++
	u.ID = hash("stream", w.name, p.ID, signer)
	if random {
		u.ID = hash("random", w.name, p.ID, signer, n)
	} else {
		binary.BigEndian.PutUint32(u.ID[28:], n)
	}
	return u
}
