// Package long marks slow tests (docs/testing.md).
package long

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Env is the environment variable that enables slow tests if "1", as in .ci/deep.
const Env = "SCORELAY_LONG_TESTS"

func Runs() bool { return os.Getenv(Env) == "1" }

func Test(t testing.TB) {
	t.Helper()
	if !Runs() {
		t.Skip("it takes long; " + Env + "=1 has it run")
	}
}

func Size(few, all int) int {
	if Runs() {
		return all
	}
	return few
}

// Beside sets the number of parallel tests, unless the command line does. It is for TestMain of tests that mostly
// wait.
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
