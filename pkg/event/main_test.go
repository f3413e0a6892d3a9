package event_test

import (
	"runtime/debug"
	"testing"

	"github.com/scorelay/scorelay/pkg/devnet/rig/lent"
	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

func TestMain(m *testing.M) {
	long.Beside(4)
	debug.SetGCPercent(300) // chains and servers of several tests are live
	lent.Main(m)
}
