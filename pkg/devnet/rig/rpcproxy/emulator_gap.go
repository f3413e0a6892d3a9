package rpcproxy

import (
	"errors"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// gap is a run of empty blocks that the node lacks, with the state of the block before.
type gap struct {
	first  uint64 // emulated number
	their  uint64 // number of the node's block before the gap
	theirs common.Hash
	header types.Header  // of all, except number and parent
	hashes []common.Hash // from the first on
	parent common.Hash
}

// Insert adds n empty blocks, without even the chain's own transactions, after the newest block, which the node must
// keep.
func (e *Emulator) Insert(n uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.head()
	g := &gap{
		first: last.number + 1, their: last.their, theirs: last.theirs, header: *last.of, hashes: make([]common.Hash, n),
		parent: last.hash,
	}
	if k := len(e.gaps); k > 0 && e.gaps[k-1].their == last.their {
		panic("rpcproxy: the node made no block since the last gap")
	}
	g.header.TxHash, g.header.ReceiptHash = types.EmptyTxsHash, types.EmptyReceiptsHash
	g.header.GasUsed, g.header.Bloom = 0, types.Bloom{}
	for i := range g.hashes {
		g.hashes[i] = g.headerOf(g.first + uint64(i)).Hash()
		e.numbers[g.hashes[i]] = g.first + uint64(i)
	}
	e.gaps = append(e.gaps, g)
}

func (g *gap) headerOf(number uint64) *types.Header {
	h := g.header
	h.Number = new(big.Int).SetUint64(number)
	if h.ParentHash = g.parent; number > g.first {
		h.ParentHash = g.hashes[number-g.first-1]
	}
	return &h
}

func (g *gap) block(number uint64) *block {
	h := g.headerOf(number)
	fields, err := headerFields(h)
	if err != nil {
		panic("rpcproxy: a header cannot be encoded: " + err.Error())
	}
	fields["hash"], fields["size"] = g.hashes[number-g.first], "0x265"
	return &block{
		number: number, their: g.their, theirs: g.theirs, empty: true, hash: g.hashes[number-g.first], of: h, header: fields,
		hashes: []common.Hash{}, txs: []map[string]any{}, receipts: []map[string]any{},
	}
}

// Finalize puts the `finalized` and `safe` tags lag blocks below the newest one. A shorter chain has neither block.
func (e *Emulator) Finalize(lag uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lag = lag
}

// Flash sets Rules.Flash from the next block on.
func (e *Emulator) Flash(each time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules.Flash = each
}

const UnknownField = "debtRoot"

// Fork adds UnknownField, unknown to clients, to all later blocks, and returns the first one's number.
func (e *Emulator) Fork() (first uint64) {
	e.mu.Lock()
	first = e.head().number + 1
	e.mu.Unlock()
	e.ForkAt(first)
	return first
}

// ForkAt is Fork from a height on. Blocks that were already read keep their headers until a reorg.
func (e *Emulator) ForkAt(first uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules.Seal = func(h *types.Header) (common.Hash, map[string]any) {
		if h.Number.Uint64() < first {
			return h.Hash(), nil
		}
		raw, err := rlp.EncodeToBytes(h)
		var items []any
		var fields []rlp.RawValue
		if err = errors.Join(err, rlp.DecodeBytes(raw, &fields)); err != nil {
			panic("rpcproxy: a header cannot be encoded: " + err.Error())
		}
		for _, field := range fields {
			items = append(items, field)
		}
		return crypto.Keccak256Hash(list(append(items, h.Root))), map[string]any{UnknownField: h.Root}
	}
}
