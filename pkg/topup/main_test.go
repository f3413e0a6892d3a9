package topup_test

import (
	"testing"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
)

func TestMain(m *testing.M) {
	long.Beside(4)
	m.Run()
}
