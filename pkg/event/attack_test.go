package event_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/evidence"
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

// TestAForgedCursorIsRefusedAtOnce: no endpoint knows a block of its hash, or knows it at another height. Only a block that was the chain's is looked for
// again, since an endpoint may be wrong for a moment; one that is yet to come may be another process's.
func TestAForgedCursorIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.relay(w.fresh(p, 1)...)
	w.blocks(confirmations)
	log := w.open(0)
	log.Poll = time.Hour // in which nothing is looked for again
	_, err := log.End(t.Context())
	require.NoError(t, err)
	holds := func(number uint64, hash common.Hash, dead int) error {
		c, err := event.ParseCursor(fmt.Sprintf("%d-%x-end-%d", number, hash, dead))
		require.NoError(t, err)
		return log.Holds(t.Context(), c)
	}
	top := w.top()
	first, err := w.node.Client().HeaderByNumber(t.Context(), big.NewInt(1))
	require.NoError(t, err)
	require.NoError(t, holds(1, first.Hash(), 0))
	require.NoError(t, holds(1, first.Hash(), 1<<60), "NATS may have lost dead letters")
	for _, number := range []uint64{0, 1, top - confirmations, top - 1, top} {
		require.ErrorIs(t, holds(number, common.Hash{7}, 0), event.ErrReplaced, number)
	}
	require.ErrorIs(t, holds(2, first.Hash(), 0), event.ErrReplaced)
	newest, err := w.node.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(top))
	require.NoError(t, err)
	require.NoError(t, holds(top, newest.Hash(), 0), "it may be final for another process")
	for _, number := range []uint64{top + 1, top + 1000, 1<<63 - 1} {
		require.ErrorIs(t, holds(number, common.Hash{7}, 0), event.ErrAhead, number)
	}
	_, err = event.ParseCursor(fmt.Sprintf("%d-%x-end-0", uint64(1<<63), common.Hash{7}))
	require.ErrorIs(t, err, event.ErrNotCursor, "no chain has such a block, and no node understands the question")
}

// held is a chain whose logs are held back.
type held struct {
	event.Chain

	asked   chan uint64 // from which block
	release chan struct{}
}

func (h *held) Logs(
	ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error,
) error {
	h.asked <- from
	select {
	case <-h.release:
	case <-ctx.Done():
		return ctx.Err()
	}
	return h.Chain.Logs(ctx, contract, topics, from, to, fn)
}

// TestWhoReadsMuchOfLongAgoLeavesAPlaceToAnother.
func TestWhoReadsMuchOfLongAgoLeavesAPlaceToAnother(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	for range 6 {
		w.relay(w.fresh(p, 1)...)
		w.blocks(3)
	}
	w.blocks(confirmations)
	whole := w.open(0)
	all, _ := w.to(whole, p, event.Cursor{}, 1)
	require.Len(t, all, 7)
	log := w.still(1) // the tail is the newest block
	_, err := log.End(t.Context())
	require.NoError(t, err)
	chain := &held{Chain: log.Chain, asked: make(chan uint64), release: make(chan struct{})}
	log.Chain = chain
	told := make(chan []event.Event)
	read := func(name string, after event.Cursor) {
		some, _, err := log.Next(event.AsReader(t.Context(), name), p.ID, after, 1)
		if err != nil {
			t.Error(err)
		}
		told <- some
	}
	go read("greedy", all[0].After)
	first := <-chain.asked
	go read("greedy", all[1].After)
	go read("greedy", all[2].After)
	go read("another", all[4].After)
	require.Greater(t, <-chain.asked, first+9, "another's, though the others came before it")
	close(chain.release)
	for n := 0; n < 4; {
		select {
		case <-chain.asked:
		case <-told:
			n++
		}
	}
}
