// Package long marks the tests that take long (docs/testing.md).
package long

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Env is the environment variable that has such tests run, as .ci/deep does, if it is "1".
const Env = "SCORELAY_LONG_TESTS"

// Runs reports whether such tests run.
func Runs() bool { return os.Getenv(Env) == "1" }

// Test skips a test unless Runs.
func Test(t testing.TB) {
	t.Helper()
	if !Runs() {
		t.Skip("it takes long; " + Env + "=1 has it run")
	}
}

// Size is how many cases a test tries: all if Runs, else few.
func Size(few, all int) int {
	if Runs() {
		return all
	}
	return few
}

// Beside has so many parallel tests of the package run at once. It is for TestMain of tests that mostly wait.
func Beside(tests int) {
	if !flag.Parsed() {
		flag.Parse()
	}
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(tests)); err != nil {
		panic(err)
	}
}
