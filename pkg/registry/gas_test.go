package registry_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var update = flag.Bool("update", false, "write testdata instead of comparing with it")

// gasLab runs batches of one project: 8 actions, 4 score types, as many signers as are asked for.
type gasLab struct {
	*chain
	project *score.Project
	ids     int // consecutive ids handed out, by stream
	seed    int
}

func newGasLab(t testing.TB) *gasLab { return newGasLabUnder(t, registry.Osaka()) }

func newGasLabUnder(t testing.TB, rules registry.GasRules) *gasLab {
	lab := &gasLab{chain: newChainUnder(t, rules), project: labProject()}
	lab.transact(lab.relayer, registry.EncodeCreateProject(lab.project))
	return lab
}

func labProject() *score.Project {
	p := &score.Project{ID: hash("gas lab"), Name: "Gas Lab", ScoreTypes: []string{"reputation", "skill", "activity", "trust"}}
	for i := range 8 {
		p.Actions = append(p.Actions, score.Action{
			Name: fmt.Sprintf("completed-a-task-%03d", i), Points: uint32(1000 + i), Direction: score.Direction(i % 2),
		})
	}
	p.Owners = []common.Address{testAccount(2).addr, testAccount(3).addr}
	for i := range uint64(3) {
		p.Updaters = append(p.Updaters, testAccount(4+i).addr)
	}
	return p
}

// underAll runs a test under the rules of each fork.
func underAll(t *testing.T, test func(*testing.T, registry.GasRules)) {
	for _, rules := range registry.AllGasRules() {
		t.Run(rules.Name, func(t *testing.T) {
			t.Parallel()
			test(t, rules)
		})
	}
}

// Styles of ids.
const (
	consecutive = "consecutive"
	random      = "random"
)

// updates makes n updates of the wallets from first on, with new ids.
func (l *gasLab) updates(n, wallets, first int, style string) []score.Update {
	out := make([]score.Update, n)
	for i := range out {
		l.seed++
		u := &out[i]
		u.Project, u.Signer = l.project.ID, l.project.Updaters[0]
		u.Target = wallet(first + i%wallets)
		h := hash("choice", l.seed)
		u.Action, u.ScoreType = h[0]%8, 0
		if style == random {
			u.ID = hash("id", l.seed)
			continue
		}
		stream := hash("stream")
		copy(u.ID[:], stream[:28])
		binary.BigEndian.PutUint32(u.ID[28:], uint32(l.ids))
		l.ids++
	}
	return out
}

// apply sends the updates as one batch, wants all applied, and returns the gas used.
func (l *gasLab) apply(updates []score.Update) uint64 {
	l.t.Helper()
	b := planned(updates)
	return l.sendBatch(b, l.rules.Batch.Gas(b))
}

// planned is the batch that a relayer makes of unsigned updates.
func planned(updates []score.Update) batch.Batch {
	return inTurns(registry.Osaka().Batch, updates, nil)
}

// inTurns is one batch of what would be several, one after the other: the first of each id, the second, and so on. The
// contract takes it.
func inTurns(model batch.Model, updates []score.Update, signed []score.Signed) (b batch.Batch) {
	waiting := slices.Collect(score.Units(updates, signed))
	for len(waiting) > 0 {
		builder, err := batch.NewBuilder(model, batch.Limits{MaxUpdates: batch.MaxGroup, MaxGas: math.MaxUint64, MaxBytes: math.MaxInt})
		if err != nil {
			panic(err)
		}
		waiting = slices.DeleteFunc(waiting, builder.AddUnit)
		b.Groups = append(b.Groups, builder.Build().Groups...)
	}
	return b
}

// golden compares with a committed file, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run with -update if the change is meant")
}

// TestSurchargedRulesBoundBytes: what they say is more by each byte of the transaction.
func TestSurchargedRulesBoundBytes(t *testing.T) {
	t.Parallel()
	lab := &gasLab{project: labProject()}
	for _, plain := range registry.AllGasRules() {
		rules := plain.Surcharged(1000)
		least := func(data []byte) uint64 { return 1000 * uint64(len(data)+envelope) }
		require.Equal(t, plain.CreateProject(lab.project)+least(registry.EncodeCreateProject(lab.project)),
			rules.CreateProject(lab.project))
		for _, n := range []int{1, 7, 100, 1000} {
			b := planned(lab.updates(n, n, 0, random))
			more := rules.Batch.Gas(b) - plain.Batch.Gas(b)
			require.GreaterOrEqual(t, more, least(registry.EncodeBatch(b)))
			require.LessOrEqual(t, more, least(registry.EncodeBatch(b))+1000*64)
		}
	}
}

const envelope = 130 // bytes
