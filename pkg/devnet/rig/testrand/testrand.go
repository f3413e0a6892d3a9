// Package testrand seeds tests' random input, in each run the same, so that a failure comes from a change. .ci/deep
// explores other seeds.
package testrand

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // registers its flags

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

// Variable is the environment variable for a seed: a number from 1 on, or "random". If unset, the seed is Fixed.
const Variable = "SCORELAY_TEST_SEED"

const Fixed = 1

var seed = read(os.Getenv(Variable))

func read(text string) uint64 {
	switch text {
	case "":
		return Fixed
	case "random":
		return 1 + rand.Uint64N(1<<48)
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		panic(fmt.Sprintf("%s is %q: it must be a number from 1 on, or \"random\"", Variable, text))
	}
	return n
}

// Packages with rapid tests must import testrand for rapid's seed and number of checks. The command line overrides
// them.
func init() {
	err := flag.Set("rapid.seed", strconv.FormatUint(seed, 10))
	if !long.Runs() {
		err = errors.Join(err, flag.Set("rapid.checks", "30"))
	}
	if err != nil {
		panic(err)
	}
}

// Seed logs the setting that reproduces this seed.
func Seed(t testing.TB) uint64 {
	t.Helper()
	t.Logf("%s=%d", Variable, seed)
	return seed
}

// New returns a generator. Each call begins the same sequence.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}
