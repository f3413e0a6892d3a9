// Package testrand gives tests the seed of their random input. The seed is the same in each run, so that a failure comes
// from a change and not from new input; .ci/deep explores with other ones.
package testrand

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // its flags

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

// Variable is the environment variable that holds another seed: a number from 1 on, or "random".
const Variable = "SCORELAY_TEST_SEED"

// Fixed is the seed without the variable.
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

// Import testrand in every package whose tests use rapid, which takes its seed and how much it tries from these flags. Those
// on the command line override them.
func init() {
	err := flag.Set("rapid.seed", strconv.FormatUint(seed, 10))
	if !long.Runs() {
		err = errors.Join(err, flag.Set("rapid.checks", "30"))
	}
	if err != nil {
		panic(err)
	}
}

// Seed returns the seed of this process, and logs how to use it again.
func Seed(t testing.TB) uint64 {
	t.Helper()
	t.Logf("%s=%d", Variable, seed)
	return seed
}

// New returns a generator with the seed of this process. Each call begins the same sequence again.
func New(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}
