package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// batchSize is the updates per batch in most legs. A batch touches each wallet of its project once.
const batchSize = 100

const (
	accountAdmin = iota // deploys the contract and prepares it
	accountOwner
	accountUpdater
	accountPeer // sends txmgr's transactions
	firstSigner // first of the lanes' signers
)

func hexOf(account int) string { return hex.EncodeToString(crypto.FromECDSA(devnet.Key(account))) }

type project struct {
	score.Project
	wallets []common.Address
	below   []float64 // cumulative weight of the wallets up to each; nil: each in turn
	rng     *rand.Rand
	random  bool // ids are random
	prefix  [28]byte
	minted  uint32 // ids with this prefix
}

// newProjects returns one project per lane, in order; the same in every run.
func newProjects(o worldOptions) []*project {
	projects := make([]*project, o.lanes)
	missing := o.lanes
	for i := 0; missing > 0; i++ {
		id := score.ProjectID(crypto.Keccak256Hash(fmt.Appendf(nil, "scorelay bench project %d", i)))
		if lane := score.FirstOwner(score.BucketOf(id), o.lanes); projects[lane] == nil {
			projects[lane] = newProject(id, o)
			missing--
		}
	}
	return projects
}

func newProject(id score.ProjectID, o worldOptions) *project {
	p := &project{
		Project: score.Project{
			ID: id, Name: "Benchmark", ScoreTypes: []string{"reputation"},
			Actions:  []score.Action{{Name: "purchase", Points: 50}},
			Owners:   []common.Address{devnet.Address(accountOwner)},
			Updaters: []common.Address{devnet.Address(accountUpdater)},
		},
		rng: rand.New(rand.NewPCG(binary.BigEndian.Uint64(id[:]), 0)), random: o.random,
	}
	wallets := o.wallets
	if wallets == 0 {
		wallets = batchSize
	}
	for range wallets {
		b := p.bytes32()
		p.wallets = append(p.wallets, common.Address(b[:20]))
	}
	p.newPrefix()
	return p
}

// begin ends the preparation, in which each wallet has had its turn.
func (p *project) begin(zipf float64) {
	p.newPrefix()
	if zipf == 0 {
		return
	}
	sum := 0.0
	for i := range p.wallets {
		sum += math.Pow(float64(i+1), -zipf)
		p.below = append(p.below, sum)
	}
}

func (p *project) target() common.Address {
	if p.below == nil {
		return p.wallets[int(p.minted)%len(p.wallets)]
	}
	last := len(p.below) - 1
	return p.wallets[min(sort.SearchFloat64s(p.below, p.rng.Float64()*p.below[last]), last)]
}

func (p *project) newPrefix() {
	b := p.bytes32()
	p.prefix, p.minted = [28]byte(b[:28]), 0
}

func (p *project) bytes32() (b [32]byte) {
	for i := 0; i < len(b); i += 8 {
		binary.BigEndian.PutUint64(b[i:], p.rng.Uint64())
	}
	return b
}

func (p *project) next(n int) []score.Update {
	updates := make([]score.Update, n)
	for i := range updates {
		updates[i] = score.Update{
			Project: p.ID, ID: p.id(), Signer: p.Updaters[0], Target: p.target(),
		}
		p.minted++
	}
	return updates
}

func (p *project) id() (id score.UpdateID) {
	if p.random {
		return p.bytes32()
	}
	copy(id[:], p.prefix[:])
	binary.BigEndian.PutUint32(id[28:], p.minted)
	return id
}

type call struct {
	data []byte
	gas  uint64
}

// encode returns the call that a relayer would make, with its gas limit.
func encode(updates []score.Update) (call, error) {
	builder, err := batch.NewBuilder(registry.Osaka().Batch, batch.DefaultLimits())
	if err != nil {
		return call{}, fmt.Errorf("couldn't make a batch: %w", err)
	}
	for _, u := range updates {
		if !builder.Add(u) {
			return call{}, fmt.Errorf("%d updates do not fit into one batch", len(updates))
		}
	}
	b, model := builder.Build(), registry.Osaka().Batch
	return call{data: registry.EncodeBatch(b), gas: model.Gas(b)}, nil
}

func calls(projects []*project, n, size int) ([]call, error) {
	out := make([]call, n)
	for i := range out {
		var err error
		if out[i], err = encode(projects[i%len(projects)].next(size)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func writeCalls(path string, calls []call) error {
	var out bytes.Buffer
	for _, c := range calls {
		fmt.Fprintf(&out, "%d %x\n", c.gas, c.data)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		return fmt.Errorf("couldn't write the peer's calls: %w", err)
	}
	return nil
}
