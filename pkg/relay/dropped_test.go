package relay_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet"
	"github.com/scorelay/scorelay/pkg/devnet/rig/rpcproxy"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// busyBlock makes two blocks, the second with a transfer of another account's in it.
func (w *world) busyBlock() {
	w.t.Helper()
	w.mine()
	w.foreign(key(w.t, 9).For(devnet.ChainID), devnet.Address(8), big.NewInt(1), big.NewInt(20e9))
}

// TestWhatANodeTakesAndDropsIsCancelledAndGoesAgainInHalves, down to what it does not drop; the lane says meanwhile that its
// transactions get into no block.
func TestWhatANodeTakesAndDropsIsCancelledAndGoesAgainInHalves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	logged := w.logged()
	proxy := w.through()
	w.create(1)
	w.accept(some(1, 0, 1)...)
	config := w.config()
	config.Limits.MaxUpdates = 60
	w.start(config, w.deps())
	w.drain()
	defer proxy.Add(rpcproxy.SwallowAbove(900))()
	updates := some(1, 1<<8, 180)
	for i := range updates {
		updates[i].Target[5] = byte(i) // so that they share little
	}
	w.accept(updates...)
	deadline := time.Now().Add(4 * time.Minute)
	for !w.drained() {
		require.True(t, time.Now().Before(deadline), "%+v", w.states()[0])
		w.busyBlock()
	}
	require.Equal(t, map[score.Outcome]int{score.Applied: 181}, w.audit())
	require.Positive(t, proxy.Stats().Told["swallow sends"])
	require.Contains(t, logged(), "in no block")
	require.Contains(t, logged(), "reason=dropped")
}

// TestANodeThatDropsEverythingEndsNothing: what cannot be halved is not cancelled, let alone given up; the lane waits, says so, and resumes.
func TestANodeThatDropsEverythingEndsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	logged := w.logged()
	proxy := w.through()
	w.create(1)
	w.start(w.config(), w.deps())
	w.drain()
	remove := proxy.Add(rpcproxy.Swallow())
	w.accept(some(1, 0, 1)...)
	require.Eventually(t, func() bool {
		w.busyBlock()
		return strings.Contains(logged(), "in no block")
	}, 2*time.Minute, 10*time.Millisecond)
	for range 60 {
		w.busyBlock()
	}
	slot := w.states()[0].Slots[0]
	require.False(t, slot.Last().Cancel, "half of one update is none")
	remove()
	w.drain()
	require.Equal(t, map[score.Outcome]int{score.Applied: 1}, w.audit())
	require.Empty(t, w.deadLetters())
	require.Equal(t, lane.Updates, slot.Work.Kind)
}
