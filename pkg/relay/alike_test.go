package relay_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/score"
)

// TestBatchesThatWaitTogetherAskAlike: a later one asks for no less gas than an earlier one, so that no builder of blocks finds room for it
// alone; one that nothing waits before asks for what it takes.
func TestBatchesThatWaitTogetherAskAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.create(1)
	deps := w.deps()
	journal := &binds{Journal: deps.Journal, heads: map[score.Lane]map[uint64]uint64{}}
	deps.Journal = journal
	w.start(w.config(), deps)
	w.drain()
	for i, updates := range []int{30, 1} {
		w.accept(some(1, 1000*i, updates)...)
		require.Eventually(t, func() bool { return journal.count(0) == i+2 }, 20*time.Second, 5*time.Millisecond)
	}
	w.drain()
	w.accept(some(1, 2000, 1)...)
	w.drain()

	var asked []uint64
	last, err := w.geth.Client().BlockNumber(t.Context())
	require.NoError(t, err)
	for n := range last {
		block, err := w.geth.Client().BlockByNumber(t.Context(), new(big.Int).SetUint64(n+1))
		require.NoError(t, err)
		for _, tx := range block.Transactions() {
			asked = append(asked, tx.Gas())
		}
	}
	asked = asked[len(asked)-3:]
	require.Equal(t, asked[0], asked[1])
	require.Less(t, asked[2], asked[1])
}

// count is how many slots of a lane were bound.
func (b *binds) count(id score.Lane) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.heads[id])
}
