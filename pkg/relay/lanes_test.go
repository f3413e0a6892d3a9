package relay_test

import (
	"context"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestALaneThatIsCutIsDrivenWithoutItsKey: the session that has the key ends, and one that has not settles what was sent.
func TestALaneThatIsCutIsDrivenWithoutItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	deps := w.deps()
	w.start(w.config(), deps)
	opened := func(id score.Lane, epoch uint64) {
		t.Helper()
		require.Eventually(t, func() bool { return w.states()[id].Epoch >= epoch }, 3*time.Minute, 20*time.Millisecond)
	}
	opened(0, 1)
	opened(1, 1)
	before, _ := w.roster.Current()
	cut, err := before.Cut(1, false)
	require.NoError(t, err)
	w.roster.Set(cut)
	opened(1, 2)
	require.Equal(t, w.keys[1].Address(), w.states()[1].Identity.Signer)
	require.EqualValues(t, 1, w.states()[0].Epoch, "the other lane's session continues")
}

// TestALaneWithoutAKeyIsNotDriven: the leases are told which lanes can be.
func TestALaneWithoutAKeyIsNotDriven(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	deps := w.deps()
	other, err := roster.First([]common.Address{w.keys[0].Address(), key(t, 9).Address()})
	require.NoError(t, err)
	deps.Roster, deps.Signer = &liveRoster{roster.NewLive(other)}, signers(w.keys[0].For(devnet.ChainID))
	driven, able := make(chan []score.Lane, 1), make(chan []score.Lane, 1)
	deps.Leases = tellsLanes{driven, able}
	w.start(w.config(), deps)
	require.Equal(t, []score.Lane{0, 1}, <-driven)
	require.Equal(t, []score.Lane{0}, <-able)
}

// tellsLanes is leases that give no lane, and tell what they are told.
type tellsLanes struct{ driven, able chan []score.Lane }

func (l tellsLanes) Run(ctx context.Context, lanes func() (driven, able []score.Lane), _ func(context.Context, score.Lane)) error {
	driven, able := lanes()
	l.driven <- driven
	l.able <- able
	<-ctx.Done()
	return ctx.Err()
}
