package event_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
)

// TestACursorFromBeforeTheContract begins with it: a client that makes one up has no block read that cannot hold anything.
func TestACursorFromBeforeTheContract(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.blocks(20)
	w.deployment.DeployBlock = w.top()
	w.writer = w.newWriter()
	w.finalize()
	r := w.open(0)
	end := w.end(r)
	for _, hash := range []common.Hash{{}, {7}} {
		from, err := event.ParseCursor(fmt.Sprintf("0-1-%x-0", hash[:8]))
		require.NoError(t, err)
		require.NoError(t, r.Holds(t.Context(), from))
		for from != end {
			var none []event.Event
			none, from, err = r.Next(t.Context(), p.ID, from, 100)
			require.NoError(t, err)
			require.Empty(t, none)
		}
	}
	require.LessOrEqual(t, w.proxy.Stats().Calls["eth_getLogs"], 2)
}

// TestAForgedCursorIsRefusedAtOnce: the chain has no block of its hash. One that is yet to come may be another process's.
func TestAForgedCursorIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.relay(w.fresh(p, 1)...)
	w.finalize()
	r := w.open(0)
	end := w.end(r)
	holds := func(seq, number uint64, hash common.Hash, dead int) error {
		c, err := event.ParseCursor(fmt.Sprintf("%d-%d-%x-%d", seq, number, hash[:8], dead))
		require.NoError(t, err)
		err = r.Holds(t.Context(), c)
		if err != nil {
			_, _, next := r.Next(t.Context(), p.ID, c, 1)
			require.ErrorIs(t, next, err.(interface{ Unwrap() error }).Unwrap())
		}
		return err
	}
	final := end.Position.Block
	first, err := w.node.Client().HeaderByNumber(t.Context(), new(big.Int).SetUint64(w.deployment.DeployBlock))
	require.NoError(t, err)
	for _, seq := range []uint64{0, 1, end.Seq, end.Seq + 1, 1 << 40} {
		require.NoError(t, holds(seq, w.deployment.DeployBlock, first.Hash(), 0))
		require.NoError(t, holds(seq, w.deployment.DeployBlock, first.Hash(), 1<<60), "NATS may have lost dead letters")
		for _, number := range []uint64{w.deployment.DeployBlock, final - 1, final} {
			require.ErrorIs(t, holds(seq, number, common.Hash{7}, 0), event.ErrReplaced, number)
		}
		require.ErrorIs(t, holds(seq, final, first.Hash(), 0), event.ErrReplaced)
		for _, number := range []uint64{final + 1, final + 1000, 1<<63 - 1} {
			c, err := event.ParseCursor(fmt.Sprintf("%d-%d-%x-0", seq, number, common.Hash{7}.Bytes()[:8]))
			require.NoError(t, err)
			require.ErrorIs(t, r.Holds(t.Context(), c), event.ErrAhead, number)
		}
	}
}

// held is a chain whose logs are held back.
type held struct {
	ledger.Chain

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
	w.purge()
	all, _ := w.to(w.open(0), p, event.Cursor{}, 1)
	require.Len(t, all, 7)
	r := w.still(0)
	chain := &held{Chain: r.Source.Chain, asked: make(chan uint64), release: make(chan struct{})}
	r.Source.Chain = chain
	w.run(r)
	w.end(r)
	told := make(chan []event.Event)
	read := func(name string, after event.Cursor) {
		some, _, err := r.Next(event.AsReader(t.Context(), name), p.ID, after, 1)
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

// TestAPageIsReadOnceForAllItsParts: a reader that takes one event at a time has the chain asked no more than one that takes all.
func TestAPageIsReadOnceForAllItsParts(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.relay(w.fresh(p, 500)...)
	w.blocks(3)
	w.purge()
	asked := func(limit int) int {
		r := w.open(0)
		w.end(r)
		before := w.proxy.Stats().Calls["eth_getTransactionReceipt"] + w.proxy.Stats().Calls["eth_getBlockReceipts"]
		all, _ := w.to(r, p, event.Cursor{}, limit)
		require.Len(t, all, 501)
		return w.proxy.Stats().Calls["eth_getTransactionReceipt"] + w.proxy.Stats().Calls["eth_getBlockReceipts"] - before
	}
	all := asked(1000)
	require.Positive(t, all)
	require.Equal(t, all, asked(1))
}

// TestAReaderOfOldBlocksWaitsForNothing: where there is nothing more it is led to the end at once.
func TestAReaderOfOldBlocksWaitsForNothing(t *testing.T) {
	t.Parallel()
	p := project(1)
	w := newWorld(t, p)
	w.finalize()
	r := w.open(0)
	end := w.end(r)
	at := event.Cursor{Position: end.Position}
	at.Seq, at.Letters = 0, 0 // of a ledger that was purged, say
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	none, next, err := r.Next(ctx, p.ID, at, 1)
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, end, next, "which waits in memory, and holds no place of those who read what is old")
}
