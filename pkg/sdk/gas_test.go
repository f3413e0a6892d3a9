package sdk

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// signedGas is what the contract's model says of equal signed groups, each of so many runs of so many updates, but for
// what they cost in any kind: storage slots, which are used before.
func signedGas(kind score.Kind, groups, runs, length int) int {
	model := registry.Osaka().Batch
	model.ZeroByte, model.Cold, model.Fresh, model.Used = 0, 0, 0, 0
	g := batch.Group{Kind: kind, Signature: new(score.GroupSignature)}
	for i := range runs * length {
		g.Updates = append(g.Updates, score.Update{ID: score.UpdateID{31: byte(i)}, Target: common.Address{byte(i / length)}})
	}
	var b batch.Batch
	for range groups {
		b.Groups = append(b.Groups, g)
	}
	return int(model.Estimate(b, batch.Fresh{}))
}

// TestGasIsThatOfTheContract: what the parts of groups cost is what the contract's model says, here and in the npm package.
func TestGasIsThatOfTheContract(t *testing.T) {
	t.Parallel()
	const n = score.MaxSigned
	group := func(kind score.Kind) int { return signedGas(kind, 2, 1, 1) - signedGas(kind, 1, 1, 1) } // with one update
	runs := func(kind score.Kind) int { return (signedGas(kind, 1, n, 1) - signedGas(kind, 1, 1, 1)) / (n - 1) }
	updates := func(kind score.Kind) int { return (signedGas(kind, 1, 1, n) - signedGas(kind, 1, 1, 1)) / (n - 1) }
	npm := constantsOf(t, "ts/src/groups.ts")
	for name, c := range map[string]struct{ ours, want int }{
		"groupGas":     {groupGas, group(score.KindWord) - updates(score.KindWord)},
		"recordGas":    {recordGas, updates(score.KindWord)},
		"runGas":       {runGas, runs(score.KindRuns) - updates(score.KindRuns)},
		"lowGas":       {lowGas, updates(score.KindRuns)},
		"freeGroupGas": {freeGroupGas, group(score.KindFree) - runs(score.KindFree)},
		"freeRunGas":   {freeRunGas, runs(score.KindFree) - updates(score.KindFree)},
		"freeGas":      {freeGas, updates(score.KindFree)},
	} {
		require.InEpsilon(t, c.want, c.ours, 0.02, name)
		require.Equal(t, c.ours, npm[name], name)
	}
	require.InEpsilon(t, group(score.KindRuns)-runs(score.KindRuns), groupGas, 0.02, "of either kind")
}

// constantsOf reads the gas constants of a TypeScript file.
func constantsOf(t *testing.T, file string) map[string]int {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	out := map[string]int{}
	for _, match := range regexp.MustCompile(`(?m)^const (\w+Gas) = ([\d_]+)`).FindAllStringSubmatch(string(source), -1) {
		out[match[1]], err = strconv.Atoi(strings.ReplaceAll(match[2], "_", ""))
		require.NoError(t, err)
	}
	return out
}
