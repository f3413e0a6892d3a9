package horizon

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
)

type cell struct {
	name              string
	projects, members int     // members: signers per project
	wallets           int     // per project
	zipf              float64 // a wallet's popularity is 1/rank^zipf; 0: uniform
}

var cells = []cell{
	{"5k_uniform", 1, 1, 5_000, 0},
	{"5k_zipf08", 1, 1, 5_000, 0.8},
	{"5k_zipf1", 1, 1, 5_000, 1},
	{"100k_zipf08", 1, 1, 100_000, 0.8},
	{"100k_zipf1", 1, 1, 100_000, 1},
	{"25x4_uniform", 25, 4, 1_000, 0},
	{"25x4_zipf1", 25, 4, 1_000, 1},
}

const actions = 8 // per project; all add points, so no score returns to zero

func (c *cell) project(i int) *score.Project {
	p := &score.Project{
		ID: score.ProjectID(crypto.Keccak256Hash(fmt.Appendf(nil, "horizon project %d", i))), Name: "Horizon",
		ScoreTypes: []string{"reputation"},
		Owners:     []common.Address{addressOf("owner")},
	}
	for j := range actions {
		p.Actions = append(p.Actions, score.Action{Name: fmt.Sprintf("action-%d", j), Points: uint32(1000 + j)})
	}
	for j := range c.members {
		p.Updaters = append(p.Updaters, addressOf(fmt.Sprintf("member %d", j)))
	}
	return p
}

func wallet(project, i int) common.Address {
	return addressOf(fmt.Sprintf("wallet %d of %d", i, project))
}

// addressOf returns an address with an unknown key.
func addressOf(name string) common.Address {
	return common.Address(crypto.Keccak256([]byte(name))[12:])
}

// traffic generates a cell's updates, the same in every run.
type traffic struct {
	cell
	ids     []score.ProjectID
	targets [][]common.Address
	below   []float64 // cumulative weight of the wallets up to this one
	minted  []uint32  // by each member of each project
	rng     *rand.Rand
}

func newTraffic(c cell) *traffic {
	t := &traffic{cell: c, minted: make([]uint32, c.projects*c.members), rng: rand.New(rand.NewPCG(1, 2))}
	sum := 0.0
	for i := range c.wallets {
		sum += math.Pow(float64(i+1), -c.zipf)
		t.below = append(t.below, sum)
	}
	for i := range c.projects {
		t.ids = append(t.ids, c.project(i).ID)
		targets := make([]common.Address, c.wallets)
		for j := range targets {
			targets[j] = wallet(i, j)
		}
		t.targets = append(t.targets, targets)
	}
	return t
}

// first returns updates that give every wallet a score.
func (t *traffic) first() (updates []score.Update) {
	for i := range t.projects {
		stream := t.stream("first", i)
		for j, target := range t.targets[i] {
			updates = append(updates, t.update(i, 0, target, stream, uint32(j)))
		}
	}
	return updates
}

func (t *traffic) next(n int) []score.Update {
	updates := make([]score.Update, n)
	for k := range updates {
		i, member := t.rng.IntN(t.projects), t.rng.IntN(t.members)
		of := i*t.members + member
		at := sort.SearchFloat64s(t.below, t.rng.Float64()*t.below[t.wallets-1])
		updates[k] = t.update(i, member, t.targets[i][min(at, t.wallets-1)], t.stream("ids", of), t.minted[of])
		updates[k].Action = uint8(t.rng.IntN(actions))
		t.minted[of]++
	}
	return updates
}

func (t *traffic) stream(kind string, of int) [32]byte {
	return crypto.Keccak256Hash(fmt.Appendf(nil, "horizon stream %s %d", kind, of))
}

func (t *traffic) update(project, member int, target common.Address, stream [32]byte, n uint32) score.Update {
	u := score.Update{Project: t.ids[project], ID: stream, Signer: addressOf(fmt.Sprintf("member %d", member)), Target: target}
	binary.BigEndian.PutUint32(u.ID[28:], n)
	return u
}

// bound returns the bound of the package's documentation.
func (t *traffic) bound(updates []score.Update, horizon, batch int) float64 {
	window := horizon
	if t.projects > 1 {
		window = 2 * horizon / t.projects
	}
	piles := map[score.ProjectID][]score.Update{}
	for _, u := range updates {
		piles[u.Project] = append(piles[u.Project], u)
	}
	type pair struct {
		word   score.Word
		target common.Address
	}
	total := float64(len(updates)) * (30_000/float64(batch) + 330)
	for _, pile := range piles {
		for len(pile) > 0 {
			n := min(window, len(pile))
			targets, words, pairs := map[common.Address]bool{}, map[score.Word]bool{}, map[pair]bool{}
			for i := range pile[:n] {
				u := &pile[i]
				targets[u.Target], words[u.ID.Word()], pairs[pair{u.ID.Word(), u.Target}] = true, true, true
			}
			total += 4_800*float64(len(targets)) + 7_200*float64(len(words)) + 789*float64(len(pairs))
			pile = pile[n:]
		}
	}
	return total / float64(len(updates))
}
