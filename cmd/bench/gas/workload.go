package gas

import (
	"crypto/ecdsa"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/score"
)

// Sizes of the projects of newProject.
const (
	actions    = 8
	scoreTypes = 4
	owners     = 2
	updaters   = 5
)

func newProject(i int) *score.Project {
	p := &score.Project{
		ID: score.ProjectID(crypto.Keccak256Hash(fmt.Appendf(nil, "gas project %d", i))), Name: "Gas",
		ScoreTypes: []string{"reputation", "skill", "activity", "trust"},
	}
	for j := range actions {
		p.Actions = append(p.Actions, score.Action{
			Name: fmt.Sprintf("completed-a-task-%03d", j), Points: uint32(1000 + j), Direction: score.Direction(j % 2),
		})
	}
	for j := range owners {
		p.Owners = append(p.Owners, addressOf(keyOf(fmt.Sprintf("owner %d", j))))
	}
	for j := range updaters {
		p.Updaters = append(p.Updaters, addressOf(updaterKey(i, j)))
	}
	return p
}

func largestProject() *score.Project {
	name := func(kind string, i, size int) string {
		name := fmt.Sprintf("%s-%03d-", kind, i)
		return name + strings.Repeat("x", size-len(name))
	}
	p := &score.Project{ID: newProject(0).ID, Name: name("project", 0, score.MaxProjectNameBytes)}
	for i := range score.MaxActions {
		p.Actions = append(p.Actions, score.Action{
			Name: name("action", i, score.MaxNameBytes), Points: score.MaxPoints, Direction: score.Direction(i % 2),
		})
	}
	for i := range score.MaxScoreTypes {
		p.ScoreTypes = append(p.ScoreTypes, name("type", i, score.MaxNameBytes))
	}
	for i := range score.MaxCreationMembers {
		member := addressOf(keyOf(fmt.Sprintf("member %d", i)))
		if i%2 == 0 {
			p.Owners = append(p.Owners, member)
		} else {
			p.Updaters = append(p.Updaters, member)
		}
	}
	return p
}

func updaterKey(i, j int) *ecdsa.PrivateKey { return keyOf(fmt.Sprintf("updater %d of %d", j, i)) }

type generator struct {
	row
	rng      *rand.Rand
	projects []*score.Project
	streams  []*stream          // by project, then signer
	wallets  [][]common.Address // by project; unused if fresh
}

func newGenerator(r row) *generator {
	seed := crypto.Keccak256Hash([]byte("gas row " + r.key))
	g := &generator{row: r, rng: rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[:]), 0))}
	for i := range r.projects {
		g.projects = append(g.projects, newProject(i))
		for range r.signers {
			g.streams = append(g.streams, g.newStream())
		}
		wallets := make([]common.Address, r.updates/r.projects/r.hits)
		for j := range wallets {
			wallets[j] = g.wallet()
		}
		g.wallets = append(g.wallets, wallets)
	}
	return g
}

// existing returns updates that give every wallet a score.
func (g *generator) existing() (out []score.Update) {
	for i, p := range g.projects {
		ids := g.newStream()
		for _, wallet := range g.wallets[i] {
			out = append(out, score.Update{Project: p.ID, ID: ids.id(), Signer: p.Updaters[0], Target: wallet})
		}
	}
	return out
}

func (g *generator) next() []score.Update {
	out := make([]score.Update, 0, g.updates)
	for i, p := range g.projects {
		n := g.updates / len(g.projects)
		for j, target := range g.targets(i, n) {
			signer := j % g.signers
			u := score.Update{
				Project: p.ID, ID: g.id(i*g.signers + signer), Signer: p.Updaters[signer], Target: target, Action: uint8(g.rng.IntN(actions)),
			}
			if g.hits == 1 {
				u.ScoreType = uint8(g.rng.IntN(scoreTypes))
			}
			out = append(out, u)
		}
	}
	g.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (g *generator) targets(project, n int) []common.Address {
	out := make([]common.Address, n)
	wallets := g.wallets[project]
	for i := range out {
		if g.fresh {
			out[i] = g.wallet()
		} else {
			out[i] = wallets[i%len(wallets)]
		}
	}
	g.rng.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func (g *generator) id(at int) score.UpdateID {
	switch g.ids {
	case random:
		return score.UpdateID(g.bytes32())
	case subset:
		return g.streams[at].part(g.updates, g.rng)
	default:
		return g.streams[at].id()
	}
}

func (g *generator) wallet() common.Address {
	b := g.bytes32()
	return common.Address(b[:20])
}

func (g *generator) bytes32() (b [32]byte) {
	for i := 0; i < len(b); i += 8 {
		binary.BigEndian.PutUint64(b[i:], g.rng.Uint64())
	}
	return b
}

type stream struct {
	prefix [32]byte
	next   uint32
	lows   []int // used by part: the order of the word's ids
}

func (g *generator) newStream() *stream { return &stream{prefix: g.bytes32()} }

func (s *stream) id() score.UpdateID {
	id := score.UpdateID(s.prefix)
	binary.BigEndian.PutUint32(id[28:], s.next)
	s.next++
	return id
}

// part returns the next id. A part is size random ids of one word, and each word has as many whole parts as fit.
func (s *stream) part(size int, rng *rand.Rand) score.UpdateID {
	at := int(s.next) % (wordIDs / size * size)
	if at == 0 {
		s.lows = rng.Perm(wordIDs)
	}
	id := score.UpdateID(s.prefix)
	binary.BigEndian.PutUint32(id[28:], s.next/uint32(wordIDs/size*size)<<8)
	id[31] = byte(s.lows[at])
	s.next++
	return id
}
