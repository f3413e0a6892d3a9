package index_test

import (
	"runtime/debug"
	"testing"

	"github.com/scorelay/scorelay/pkg/devnet/rig/lent"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

func TestMain(m *testing.M) {
	long.Beside(6)
	debug.SetGCPercent(300) // chains and servers of many tests are live; collecting them as usual is a quarter of the work
	lent.Main(m)
}
