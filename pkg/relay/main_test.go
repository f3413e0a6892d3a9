package relay

import (
	"runtime/debug"
	"testing"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

func TestMain(m *testing.M) {
	long.Beside(8)
	debug.SetGCPercent(200) // schedules keep little, and allocate much
	m.Run()
}
