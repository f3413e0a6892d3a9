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

// gap is a run of empty blocks that the node does not have: so a chain gets long at once. They are on the state of the
// block before them.
type gap struct {
	first  uint64        // number as told
	their  uint64        // number of the node's block before
	theirs common.Hash   // and its hash
	header types.Header  // of all, but for number and parent
	hashes []common.Hash // by number, from the first on
	parent common.Hash   // of the first
}

// Insert has so many empty blocks told after the newest block, before the node's next one. They are empty also on
// chains that put transactions of their own into each block. The node must make no other block at the newest one's
// height.
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

// headerOf is the header of one of the blocks.
func (g *gap) headerOf(number uint64) *types.Header {
	h := g.header
	h.Number = new(big.Int).SetUint64(number)
	if h.ParentHash = g.parent; number > g.first {
		h.ParentHash = g.hashes[number-g.first-1]
	}
	return &h
}

// block is one of the blocks.
func (g *gap) block(number uint64) *block {
	h := g.headerOf(number)
	fields, err := headerFields(h)
	if err != nil {
		panic("rpcproxy: a header cannot be encoded: " + err.Error()) // the node's could be decoded
	}
	fields["hash"], fields["size"] = g.hashes[number-g.first], "0x265"
	return &block{
		number: number, their: g.their, theirs: g.theirs, empty: true, hash: g.hashes[number-g.first], of: h, header: fields,
		hashes: []common.Hash{}, txs: []map[string]any{}, receipts: []map[string]any{},
	}
}

// Finalize has the block so far below the newest one called finalized, and safe, from now on; none on a shorter chain.
// 0 is the newest one.
func (e *Emulator) Finalize(lag uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lag = lag
}

// Flash has the newest block be others before it stays, from the next block on: see Rules.
func (e *Emulator) Flash(each time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules.Flash = each
}

// UnknownField is what Fork adds to headers.
const UnknownField = "debtRoot"

// Fork has the headers of all blocks after the newest one hashed with a field more, at their end, that no client knows. It returns the number of
// the first.
func (e *Emulator) Fork() (first uint64) {
	e.mu.Lock()
	first = e.head().number + 1
	e.mu.Unlock()
	e.ForkAt(first)
	return first
}

// ForkAt is Fork from a height on; blocks of it that were told already keep their headers until a reorg replaces them.
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
			panic("rpcproxy: a header cannot be encoded: " + err.Error()) // the node's could be decoded
		}
		for _, field := range fields {
			items = append(items, field)
		}
		return crypto.Keccak256Hash(list(append(items, h.Root))), map[string]any{UnknownField: h.Root}
	}
}
