package index_test

import (
	"context"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/fresh"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
)

// heads is the world as ledger.Heads and ledger.Chain: its real chain, whose newest blocks are remembered.
type heads struct{ *world }

func (h heads) block(ctx context.Context, number *big.Int) (evidence.Block, bool) {
	header, err := h.node.Client().HeaderByNumber(ctx, number)
	if err != nil {
		return evidence.Block{}, false
	}
	return evidence.Block{
		Number: header.Number.Uint64(), Hash: header.Hash(), Parent: header.ParentHash, Time: header.Time, Bloom: header.Bloom,
		ReceiptsRoot: header.ReceiptHash, Checked: true,
	}, true
}

func (h heads) head() evidence.Block {
	head, ok := h.block(h.t.Context(), nil)
	require.True(h.t, ok)
	return head
}

func (h heads) Final() (evidence.Block, bool) {
	head := h.head()
	if head.Number < h.depth.Load() {
		return evidence.Block{}, false
	}
	return h.block(h.t.Context(), new(big.Int).SetUint64(head.Number-h.depth.Load()))
}

func (h heads) Block(number uint64) (evidence.Block, bool) {
	if number+h.keep.Load() < h.head().Number {
		return evidence.Block{}, false
	}
	return h.block(h.t.Context(), new(big.Int).SetUint64(number))
}

func (h heads) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

func (w *world) news() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.changed)
	w.changed = make(chan struct{})
}

func (h heads) Events(ctx context.Context, blocks []evidence.Block, contract common.Address, topics []common.Hash) (logs []types.Log, paid map[common.Hash]evidence.Paid, err error) {
	if h.noProof.Load() {
		return nil, nil, fault.Err
	}
	if h.poison.Load() {
		panic("planted at an event")
	}
	h.proofs.Add(int64(len(blocks)))
	for i := range blocks {
		receipts, err := h.node.Client().BlockReceipts(ctx, rpc.BlockNumberOrHashWithHash(blocks[i].Hash, false))
		if err != nil {
			return nil, nil, err
		}
		checked := make(evidence.Receipts, len(receipts))
		for j, r := range receipts {
			checked[j] = &evidence.Receipt{Receipt: *r}
		}
		if err := evidence.CheckReceipts(&blocks[i], checked); err != nil {
			return nil, nil, err
		}
		for _, r := range receipts {
			for _, l := range r.Logs {
				if l.Address == contract && slices.Contains(topics, l.Topics[0]) {
					logs = append(logs, *l)
				}
			}
		}
	}
	return logs, nil, nil
}

// reorg replaces all blocks above a height by more, that hold the transactions that make sends.
func (w *world) reorg(above uint64, make func()) {
	w.t.Helper()
	fresh.Reorg(w.t, w.node, above, make)
	w.news()
}

var (
	_ ledger.Heads = heads{}
	_ ledger.Chain = heads{}
)

// blocks makes empty blocks.
func (w *world) blocks(n int) {
	for range n {
		w.node.Commit()
	}
	w.news()
}

// top names the newest block.
func (w *world) top() evidence.Ref {
	head := heads{w}.head()
	return head.Ref()
}
