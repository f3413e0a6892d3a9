// Package explore keeps the gate (.ci/run) apart from what explores (.ci/deep), for tests.
package explore

import "os"

// Variable is the environment variable that .ci/deep sets to "1".
const Variable = "SCORELAY_DEEP_TESTS"

// Only skips the test outside .ci/deep; why is shown then.
func Only(t interface {
	Helper()
	Skip(args ...any)
}, why string,
) {
	t.Helper()
	if os.Getenv(Variable) != "1" {
		t.Skip("only .ci/deep runs this test: " + why)
	}
}
