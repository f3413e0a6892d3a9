package event_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
)

// TestAReaderBehindTheTailIsNotLedOverAReorg that the log has not looked at yet: what comes after the cursor's block is read from the chain, which has other
// blocks now.
func TestAReaderBehindTheTailIsNotLedOverAReorg(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	base := w.top()
	for range 6 {
		w.relay(w.fresh(p, 1)...)
		w.blocks(3)
	}
	log := w.still(1)
	all, _ := w.to(log, p, event.Cursor{}, 100)
	require.Len(t, all, 7)
	w.node.Reorg(t, base, func() {
		for range 4 {
			w.relay(w.fresh(p, 1)...)
		}
	})
	w.blocks(confirmations)
	_, at, err := log.Next(t.Context(), p.ID, all[1].After, 100)
	require.ErrorIs(t, err, event.ErrReplaced)
	require.Equal(t, all[1].After, at)
	require.ErrorIs(t, log.Holds(t.Context(), all[3].After), event.ErrReplaced, "nor is another one")
}

// TestACursorFromBeforeTheContract begins with it: a client that makes one up has no block read that cannot hold anything.
func TestACursorFromBeforeTheContract(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	genesis, err := w.node.Client().HeaderByNumber(t.Context(), new(big.Int))
	require.NoError(t, err)
	w.blocks(20)
	w.deployment.DeployBlock = w.top()
	w.blocks(confirmations)
	log := w.open(0)
	from, err := event.ParseCursor(fmt.Sprintf("0-%x-end-0", genesis.Hash()))
	require.NoError(t, err)
	require.NoError(t, log.Holds(t.Context(), from))
	_, at, err := log.Next(t.Context(), p.ID, from, 100)
	require.NoError(t, err)
	end, err := log.End(t.Context())
	require.NoError(t, err)
	require.Equal(t, end, at)
}
