package chain

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/lru"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const (
	feeBlocks     = 8  // blocks that a tip is the median of
	tipPercentile = 60 // of each block's gas, by tip
	sawBlocks     = 64
	ownTxs        = 8192
	othersAtLeast = 10 // percent of a block's gas that others must use for the block to count
)

// market estimates the tip from recent blocks, excluding our own transactions. Otherwise our replacements would raise
// the price that they are based on.
type market struct {
	mu       sync.Mutex
	contract common.Address // transactions to it are ours; zero: unknown
	ours     lru.BasicLRU[common.Hash, struct{}]
	blocks   lru.BasicLRU[common.Hash, evidence.Block]
	tips     lru.BasicLRU[common.Hash, blockTip] // of blocks with all receipts read
	tip      uint64                              // last estimate
	known    bool
}

func newMarket() *market {
	return &market{
		ours: lru.NewBasicLRU[common.Hash, struct{}](ownTxs), blocks: lru.NewBasicLRU[common.Hash, evidence.Block](sawBlocks),
		tips: lru.NewBasicLRU[common.Hash, blockTip](sawBlocks),
	}
}

type blockTip struct {
	tip  uint64
	says bool // others used enough of the block's gas
}

func (m *market) own(contract common.Address) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.contract = contract
}

func (m *market) sent(txs ...common.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, tx := range txs {
		m.ours.Add(tx, struct{}{})
	}
}

func (m *market) saw(b *evidence.Block) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocks.Add(b.Hash, *b)
}

func (m *market) read(b *evidence.Block, receipts evidence.Receipts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var offers []offer
	for _, r := range receipts {
		if m.ours.Contains(r.TxHash) || r.EffectiveGasPrice == nil || m.contract != (common.Address{}) && r.To != nil && *r.To == m.contract {
			continue
		}
		tip := new(big.Int)
		if b.BaseFee != nil {
			tip.Sub(r.EffectiveGasPrice, b.BaseFee)
		}
		offers = append(offers, offer{saturated(tip), r.GasUsed})
	}
	tip, says := tipOf(offers, b.GasUsed)
	m.tips.Add(b.Hash, blockTip{tip, says})
}

func (m *market) holdsOurs(b *evidence.Block) bool {
	if m.contract != (common.Address{}) && b.Bloom.Test(m.contract.Bytes()) { // a false positive is harmless
		return true
	}
	return slices.ContainsFunc(b.Txs, m.ours.Contains)
}

// history returns at and its known ancestors, newest first, at most feeBlocks.
func (m *market) history(at *evidence.Block) []evidence.Block {
	chain := []evidence.Block{*at}
	for len(chain) < feeBlocks {
		b, ok := m.blocks.Peek(chain[len(chain)-1].Parent)
		if !ok {
			break
		}
		chain = append(chain, b)
	}
	return chain
}

// unread returns the newest block of at's history that contains our transactions and has unread receipts, or nil.
func (m *market) unread(at *evidence.Block) *evidence.Block {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.history(at) {
		if !m.tips.Contains(b.Hash) && m.holdsOurs(&b) {
			return &b
		}
	}
	return nil
}

// learn returns the median tip of at's history: exact tips if known, else the node's. Blocks that lack information
// are left out; if all do, the last estimate stays. suggested, the node's own suggestion, is used only before the
// first estimate.
func (m *market) learn(at *evidence.Block, h feeHistory, suggested *uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	history := m.history(at)
	var tips []uint64
	for i := range h.Rewards {
		back := len(h.Rewards) - 1 - i // distance from at
		if back < len(history) {
			if exact, ok := m.tips.Peek(history[back].Hash); ok {
				if exact.says {
					tips = append(tips, exact.tip)
				}
				continue
			}
			if m.holdsOurs(&history[back]) {
				continue // the node's figures include our own tips
			}
		}
		if tip, ok := h.tip(i); ok {
			tips = append(tips, tip)
		}
	}
	switch {
	case len(tips) > 0:
		slices.Sort(tips)
		m.tip, m.known = tips[len(tips)/2], true
	case !m.known && suggested != nil:
		m.tip, m.known = *suggested, true
	}
	return m.tip
}

func (m *market) last() (tip uint64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tip, m.known
}

type offer struct{ tip, gas uint64 }

// tipOf returns the lowest tip that covers tipPercentile of the offers' gas, or false if they used less than
// othersAtLeast of the block's.
func tipOf(offers []offer, blockGas uint64) (tip uint64, says bool) {
	var all uint64
	for _, o := range offers {
		all += o.gas
	}
	if all == 0 || all*100 < blockGas*othersAtLeast {
		return 0, false
	}
	slices.SortFunc(offers, func(a, b offer) int { return cmp.Compare(a.tip, b.tip) })
	var sum uint64
	for _, o := range offers {
		if sum += o.gas; sum*100 >= all*tipPercentile {
			return o.tip, true
		}
	}
	return offers[len(offers)-1].tip, true
}

type feeHistory struct {
	Oldest    hexutil.Uint64   `json:"oldestBlock"`
	BaseFees  []*hexutil.Big   `json:"baseFeePerGas"` // one more than blocks: the last is the next block's
	Rewards   [][]*hexutil.Big `json:"reward"`
	GasRatios []float64        `json:"gasUsedRatio"`
}

// tip returns the node's figure for the i-th block; ok is false for an empty one.
func (h feeHistory) tip(i int) (tip uint64, ok bool) {
	if len(h.Rewards[i]) == 0 || h.Rewards[i][0] == nil || i < len(h.GasRatios) && h.GasRatios[i] == 0 {
		return 0, false
	}
	return saturated((*big.Int)(h.Rewards[i][0])), true
}

func saturated(n *big.Int) uint64 {
	switch {
	case n == nil || n.Sign() < 0:
		return 0
	case n.IsUint64():
		return n.Uint64()
	}
	return math.MaxUint64
}
