package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/retry"
)

// ledgerTries limits the reads of a ledger that differs from the chain. After a reorg deeper than finality, relayers
// need seconds to append the Rewind.
const ledgerTries = 10

// Ledger calls fn with all messages in the ledger, if there is one, in order. An error of fn ends it.
type Ledger func(ctx context.Context, fn func(ledger.Raw) error) error

type LedgerFindings struct {
	From   uint64 `json:"from"`   // blocks after this one were compared
	To     uint64 `json:"to"`     // … up to this one, the ledger's newest complete block. 0: the ledger is empty
	Behind uint64 `json:"behind"` // final blocks above To: no fault
	Blocks int    `json:"blocks"` // compared blocks with events

	Missing int `json:"missing"` // blocks with events that the ledger lacks
	Doubled int `json:"doubled"` // blocks with repeated events in the ledger
	Wrong   int `json:"wrong"`   // blocks with other events in the ledger than on the chain, or absent there
}

func (f *LedgerFindings) ok() bool { return f.Missing+f.Doubled+f.Wrong == 0 }

// facts are a block's hash, the number of its events, and a hash of these in order.
type facts struct {
	hash common.Hash
	logs int
	sum  uint64
}

func (f facts) with(seed maphash.Seed, l *types.Log) facts {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, n := range []uint64{f.sum, uint64(l.Index), uint64(len(l.Topics))} {
		_ = binary.Write(&h, binary.BigEndian, n) // never fails on a hash
	}
	_, _ = h.Write(l.TxHash[:])
	for i := range l.Topics {
		_, _ = h.Write(l.Topics[i][:])
	}
	_, _ = h.Write(l.Data)
	return facts{l.BlockHash, f.logs + 1, h.Sum64()}
}

type heldLedger struct {
	seed     maphash.Seed
	some     bool
	from, to uint64 // blocks after from, up to to, are complete
	blocks   map[uint64]facts
	open     facts // of an incomplete block
	last     uint  // index of the newest log in open
	doubled  map[uint64]int
}

func newHeldLedger(seed maphash.Seed) *heldLedger {
	return &heldLedger{seed: seed, blocks: map[uint64]facts{}, doubled: map[uint64]int{}}
}

// take adds the ledger's next message. The comparison starts after the first rollback, dead letter or end of a block.
func (h *heldLedger) take(m ledger.Raw) error {
	switch {
	case m.Kind == ledger.Rewind:
		maps.DeleteFunc(h.blocks, func(number uint64, _ facts) bool { return number > m.Block.Number })
		maps.DeleteFunc(h.doubled, func(number uint64, _ int) bool { return number > m.Block.Number })
		if !h.some || m.Block.Number < h.from {
			h.from = m.Block.Number
		}
		h.some, h.to, h.open = true, m.Block.Number, facts{}
	case !h.some:
		if m.Kind == ledger.Letter || m.Whole { // otherwise earlier parts of the block may be gone
			h.some, h.from, h.to = true, m.Block.Number, m.Block.Number
		}
	case m.Kind == ledger.Block:
		h.block(m)
	}
	return nil
}

func (h *heldLedger) block(m ledger.Raw) {
	for i := range m.Logs {
		l := &m.Logs[i]
		if m.Block.Number <= h.to || h.open.logs > 0 && h.open.hash == m.Block.Hash && l.Index <= h.last {
			h.doubled[m.Block.Number]++
			return
		}
		if h.open.hash != m.Block.Hash {
			h.open = facts{}
		}
		h.open, h.last = h.open.with(h.seed, l), l.Index
	}
	if !m.Whole || m.Block.Number <= h.to {
		return
	}
	if h.to = m.Block.Number; h.open.logs > 0 {
		h.blocks[m.Block.Number] = h.open
	}
	h.open = facts{}
}

var errFirst = errors.New("only the first message was wanted")

// firstHeld returns the block of the ledger's oldest message, or MaxUint64 if there is none. Only blocks above it are
// compared.
func (a *Auditor) firstHeld(ctx context.Context) (uint64, error) {
	first := uint64(math.MaxUint64)
	if a.Ledger == nil {
		return first, nil
	}
	err := a.Ledger(ctx, func(m ledger.Raw) error { first = m.Block.Number; return errFirst })
	if errors.Is(err, errFirst) {
		err = nil
	}
	return first, err
}

// ledger compares the ledger with the chain's events. The chain was read first. If a reorg deeper than finality
// replaced blocks since then, the audit finds a fault although the ledger is right.
func (a *Auditor) ledger(ctx context.Context, t *auditTally, final evidence.Block, findings *Findings) error {
	if a.Ledger == nil {
		return nil
	}
	for try := 1; ; try++ {
		held := newHeldLedger(t.seed)
		if err := a.Ledger(ctx, held.take); err != nil {
			return fmt.Errorf("couldn't read the ledger: %w", err)
		}
		examples := held.compare(t.blocks, t.firstHeld, final.Number, &findings.Ledger)
		if findings.Ledger.ok() || try == ledgerTries {
			for _, example := range examples {
				findings.example("%s", example)
			}
			return nil
		}
		if err := retry.Sleep(ctx, awaitPause); err != nil {
			return err
		}
	}
}

// compare returns a sentence per difference from the chain's final blocks above first.
func (h *heldLedger) compare(chain map[uint64]facts, first, final uint64, f *LedgerFindings) (examples []string) {
	if *f = (LedgerFindings{Behind: final}); !h.some {
		return nil
	}
	f.From, f.To, f.Behind = min(max(h.from, first), h.to), h.to, final-min(final, h.to)
	differs := func(count *int, format string, args ...any) {
		*count++
		examples = append(examples, fmt.Sprintf(format, args...))
	}
	numbers := map[uint64]bool{}
	for _, of := range []map[uint64]facts{chain, h.blocks} {
		for number := range of {
			numbers[number] = number > f.From && number <= min(h.to, final)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(numbers)) {
		if !numbers[number] {
			continue
		}
		f.Blocks++
		is, inChain := chain[number]
		has, held := h.blocks[number]
		switch {
		case !held:
			differs(&f.Missing, "block %d (%s) has %d events, and the ledger tells none of it", number, is.hash, is.logs)
		case !inChain:
			differs(&f.Wrong, "the ledger tells %d events of block %d (%s), and the chain has none in it",
				has.logs, number, has.hash)
		case is != has:
			differs(&f.Wrong, "the ledger tells %d events of block %d (%s), and the chain has %d others there (%s)",
				has.logs, number, has.hash, is.logs, is.hash)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(h.doubled)) {
		differs(&f.Doubled, "the ledger tells events of block %d again", number)
	}
	return examples
}
