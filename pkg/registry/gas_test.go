package registry_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var update = flag.Bool("update", false, "write testdata instead of comparing with it")

// The promise about gas: per update, in batches of 100 on wallets that have a score, of one project and signer.
const (
	promisedConsecutive = 7_200
	promisedRandom      = 30_500
)

// gasLab runs batches of one project: 8 actions, 4 score types, as many signers as are asked for.
type gasLab struct {
	*chain
	project *score.Project
	ids     int // consecutive ids handed out, by stream
	seed    int
}

func newGasLab(t testing.TB) *gasLab {
	lab := &gasLab{chain: newChain(t), project: labProject()}
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
	b := batch.Of(updates)
	receipt := l.transact(l.relayer, registry.EncodeBatch(b))
	outcomes, err := registry.Outcomes(b, l.registry, receipt)
	require.NoError(l.t, err)
	for _, outcome := range outcomes {
		require.Equal(l.t, score.Applied, outcome)
	}
	return receipt.GasUsed
}

// perUpdate is the average over enough batches of n that whole words of consecutive ids are paid for.
func (l *gasLab) perUpdate(n, wallets int, fresh bool, style string) uint64 {
	l.t.Helper()
	first := l.seed + 1_000_000
	total := 2560
	if style == random || n == 1 {
		total = max(256, n)
	}
	if !fresh {
		for done := 0; done < wallets; done += 200 {
			l.apply(l.updates(min(200, wallets-done), min(200, wallets-done), first+done, consecutive))
		}
		l.ids = (l.ids + 255) / 256 * 256
	}
	gas, done := uint64(0), 0
	for done < total {
		gas += l.apply(l.updates(n, wallets, first, style))
		done += n
		if fresh {
			first += wallets
		}
	}
	return gas / uint64(done)
}

func TestGasTable(t *testing.T) {
	if testing.Short() {
		t.Skip("mines hundreds of full batches")
	}
	t.Parallel()
	lab := newGasLab(t)
	var out strings.Builder
	out.WriteString("Gas per update, all of a transaction's gas divided by its updates. One project, one signer, all applied.\n")
	out.WriteString("Written by go test ./pkg/registry -run TestGasTable -update\n\n")
	fmt.Fprintf(&out, "%-12s %-26s %8s %8s %8s %8s\n", "ids", "wallets", "N=1", "N=10", "N=100", "N=300")
	for _, style := range []string{consecutive, random} {
		for _, wallets := range []string{"existing", "fresh", "ten times each (existing)"} {
			fmt.Fprintf(&out, "%-12s %-26s", style, wallets)
			for _, n := range []int{1, 10, 100, 300} {
				distinct := n
				if strings.HasPrefix(wallets, "ten") {
					distinct = (n + 9) / 10
				}
				gas := lab.perUpdate(n, distinct, wallets == "fresh", style)
				fmt.Fprintf(&out, " %8d", gas)
				if n == 100 && wallets == "existing" {
					require.LessOrEqual(t, gas, map[string]uint64{consecutive: promisedConsecutive, random: promisedRandom}[style])
				}
			}
			out.WriteString("\n")
		}
	}
	golden(t, "testdata/gas.txt", out.String())
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
