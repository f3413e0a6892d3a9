package model

import (
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/txpool"
)

type Rules struct {
	MinTip     uint64 // wei per gas
	PerAccount int    // transactions of one account; 0: unlimited
	NoGaps     bool   // refuses a nonce while a lower one is missing
	NoCheap    bool   // refuses a fee below the next block's base fee

	// MaxData is the largest calldata, in bytes, of a batch that can be split; 0: unlimited. A larger batch is
	// reported as accepted, but dropped.
	MaxData int
}

const maxTxBytes = 128 << 10

type pool map[common.Address]map[uint64]*Tx

// admit adds a transaction that is valid on s, or returns the reason for its refusal, in geth's order of checks.
func (p pool) admit(tx *Tx, c *Chain, s *state, rules Rules) txpool.Class {
	of := p[tx.From]
	old := of[tx.Nonce()]
	if old != nil && old.Hash() == tx.Hash() {
		return txpool.Known
	}
	from := s.of(tx.From)
	switch {
	case tx.Protected() && tx.ChainId().Uint64() != c.ID:
		return txpool.Invalid
	case tx.Size() > maxTxBytes, tx.Gas() > c.GasLimit, tx.Gas() > c.rules.MaxGas:
		return txpool.TooBig
	case tx.GasFeeCapIntCmp(tx.GasTipCap()) < 0:
		return txpool.Invalid
	case tx.Gas() < intrinsic(tx.Data()):
		return txpool.BadGas
	case c.told("minimum tip", tx.GasTipCap().Cmp(new(big.Int).SetUint64(rules.MinTip)) < 0):
		return txpool.FeeLow
	case tx.Nonce() < from.nonce:
		return txpool.NonceLow
	case from.balance.Cmp(p.cost(tx)) < 0:
		return txpool.Funds
	case old != nil && !outbids(tx, old):
		return txpool.ReplacementUnderpriced
	case rules.NoGaps && old == nil && p.next(tx.From, from.nonce) < tx.Nonce():
		return txpool.NonceHigh
	case rules.NoCheap && tx.GasFeeCap().Cmp(new(big.Int).SetUint64(c.BaseFee)) < 0:
		return txpool.FeeLow
	case rules.PerAccount > 0 && old == nil && len(of) >= rules.PerAccount:
		return txpool.Full
	}
	if c.told("large ones dropped", rules.MaxData > 0 && len(tx.Data()) > rules.MaxData && halves(tx)) {
		return txpool.Added
	}
	p.put(tx)
	return txpool.Added
}

func halves(tx *Tx) bool {
	b, err := registry.DecodeBatch(tx.Data())
	return err == nil && b.Units() > 1
}

func (p pool) put(tx *Tx) {
	if p[tx.From] == nil {
		p[tx.From] = map[uint64]*Tx{}
	}
	p[tx.From][tx.Nonce()] = tx
}

func outbids(tx, old *Tx) bool {
	tenth := func(n *big.Int) *big.Int {
		n = new(big.Int).Mul(n, big.NewInt(110))
		return n.Div(n, big.NewInt(100))
	}
	return tx.GasFeeCap().Cmp(old.GasFeeCap()) > 0 && tx.GasTipCap().Cmp(old.GasTipCap()) > 0 &&
		tx.GasFeeCap().Cmp(tenth(old.GasFeeCap())) >= 0 && tx.GasTipCap().Cmp(tenth(old.GasTipCap())) >= 0
}

// cost returns the maximum cost of an account's transactions if tx is admitted.
func (p pool) cost(tx *Tx) *big.Int {
	sum := tx.Cost()
	for nonce, other := range p[tx.From] {
		if nonce != tx.Nonce() {
			sum = new(big.Int).Add(sum, other.Cost())
		}
	}
	return sum
}

// next returns the account's lowest nonce, at least from, missing in the pool.
func (p pool) next(of common.Address, from uint64) uint64 {
	for p[of][from] != nil {
		from++
	}
	return from
}

// ready returns the executable transactions: highest tip first, each account's by nonce.
func (p pool) ready(s *state, baseFee uint64) (out []*Tx) {
	fee := new(big.Int).SetUint64(baseFee)
	next := map[common.Address]uint64{}
	accounts := p.accounts()
	for _, a := range accounts {
		next[a] = s.of(a).nonce
	}
	for {
		var best *Tx
		for _, a := range accounts {
			tx := p[a][next[a]]
			if tx == nil || tx.tip(fee).Sign() < 0 {
				continue
			}
			if best == nil || tx.tip(fee).Cmp(best.tip(fee)) > 0 {
				best = tx
			}
		}
		if best == nil {
			return out
		}
		out = append(out, best)
		next[best.From]++
	}
}

func (p pool) all() (out []*Tx) {
	for _, a := range p.accounts() {
		for _, nonce := range slices.Sorted(maps.Keys(p[a])) {
			out = append(out, p[a][nonce])
		}
	}
	return out
}

func (p pool) accounts() []common.Address {
	return slices.SortedFunc(maps.Keys(p), common.Address.Cmp)
}

// forget removes transactions with used nonces.
func (p pool) forget(s *state) {
	for a, txs := range p {
		maps.DeleteFunc(txs, func(nonce uint64, _ *Tx) bool { return nonce < s.of(a).nonce })
	}
}
