package model

import (
	"encoding/binary"
	"maps"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

type Config struct {
	ID       uint64 // EIP-155
	Contract common.Address
	Admin    common.Address   // grants and revokes the relayer role
	Relayers []common.Address // have the role at first
	Accounts map[common.Address]Account
	GasLimit uint64
	BaseFee  uint64 // of the first block, wei per gas
}

type Account struct {
	Nonce   uint64
	Balance *big.Int // wei
}

type Block struct {
	evidence.Block
	Header   *types.Header
	Txs      []*Tx
	Receipts evidence.Receipts
	Parent   *Block // nil for the first

	state *state
}

// Chain is the true chain, with all branches.
type Chain struct {
	Config
	GasPercent uint64         // gas use of calls, percent of the gas rules' upper bound
	BaseFee    uint64         // of the next block, wei per gas
	GasLimit   uint64         // of the next block
	Tip        uint64         // that nodes suggest, wei per gas
	Finalized  uint64         // number of the newest finalized block; 0: none
	Told       map[string]int // by fault: number of answers that the fault changed

	rules    registry.GasRules // of the next block, and of calls
	clock    *Clock
	signer   types.Signer
	domain   wallet.Domain
	admin    common.Address
	relayers []common.Address
	txs      map[common.Hash]*Tx
	calls    map[common.Hash]*call
	blocks   map[common.Hash]*Block
	branch   []*Block // canonical, by number
	made     uint64
}

func NewChain(config Config, clock *Clock) *Chain {
	c := &Chain{
		Config: config, GasPercent: 70, BaseFee: config.BaseFee, GasLimit: config.GasLimit, Tip: 1_000_000_000, rules: registry.Osaka(), clock: clock,
		signer: types.LatestSignerForChainID(new(big.Int).SetUint64(config.ID)), domain: wallet.NewDomain(config.ID, config.Contract),
		admin: config.Admin, relayers: config.Relayers,
		Told: map[string]int{}, txs: map[common.Hash]*Tx{}, calls: map[common.Hash]*call{}, blocks: map[common.Hash]*Block{},
	}
	s := &state{accounts: map[common.Address]account{}, registry: newRegistryState()}
	for address, a := range config.Accounts {
		s.accounts[address] = account{a.Nonce, a.Balance}
	}
	for _, a := range config.Relayers {
		s.registry.relayers[a] = true
	}
	c.branch = []*Block{c.seal(nil, s, nil, nil, 0)}
	return c
}

func (c *Chain) Head() *Block { return c.branch[len(c.branch)-1] }

// At returns the canonical block at a height; nil above the head.
func (c *Chain) At(number uint64) *Block {
	if number >= uint64(len(c.branch)) {
		return nil
	}
	return c.branch[number]
}

// Block returns a block of any branch, or nil.
func (c *Chain) Block(hash common.Hash) *Block { return c.blocks[hash] }

// Nonce and the methods below read the state after b.
func (b *Block) Nonce(of common.Address) uint64 { return b.state.of(of).nonce }

func (b *Block) Balance(of common.Address) *big.Int { return b.state.of(of).balance }

func (b *Block) Scores() map[ScoreKey]int64 { return maps.Clone(b.state.registry.scores) }

func (b *Block) NextEdit(of score.ProjectID) uint64 { return b.state.registry.edits[of] }

// Fork changes the gas rules from now on.
func (c *Chain) Fork(rules registry.GasRules) {
	c.rules = rules
	clear(c.calls)
}

// Make makes a block on parent, of the transactions that are executable and fit, in order. used is the gas of other
// traffic. Adopt makes the block canonical.
func (c *Chain) Make(parent *Block, txs []*Tx, used uint64) *Block {
	s, baseFee := parent.state.clone(), new(big.Int).SetUint64(c.BaseFee)
	own := false // whether the registry's state is this block's copy
	var in []*Tx
	var receipts evidence.Receipts
	for _, tx := range txs {
		from := s.of(tx.From)
		tip := tx.tip(baseFee)
		if tx.Nonce() != from.nonce || tip.Sign() < 0 || used+tx.Gas() > c.GasLimit || from.balance.Cmp(tx.Cost()) < 0 ||
			tx.Gas() < intrinsic(tx.Data()) {
			continue
		}
		price := new(big.Int).Add(baseFee, tip)
		r, logs := result{ok: true, gas: intrinsic(tx.Data())}, []*types.Log(nil)
		if tx.To() != nil && *tx.To() == c.Contract {
			var read *call
			r, read = c.try(s.registry, tx.From, tx.Data(), tx.Gas())
			if r.ok {
				if !own {
					s.registry, own = s.registry.clone(), true
				}
				logs = c.run(s.registry, read, parent.Number+1)
			}
		}
		used += r.gas
		cost := new(big.Int).Mul(price, new(big.Int).SetUint64(r.gas))
		s.accounts[tx.From] = account{from.nonce + 1, new(big.Int).Sub(from.balance, cost)}
		if tx.To() != nil && tx.Value().Sign() > 0 && r.ok {
			c.move(s, tx)
		}
		in = append(in, tx)
		receipts = append(receipts, receiptOf(tx, r, used, price, logs))
	}
	return c.seal(parent, s, in, receipts, used)
}

func (c *Chain) move(s *state, tx *Tx) {
	from := s.of(tx.From)
	s.accounts[tx.From] = account{from.nonce, new(big.Int).Sub(from.balance, tx.Value())}
	to := s.of(*tx.To())
	s.accounts[*tx.To()] = account{to.nonce, new(big.Int).Add(to.balance, tx.Value())}
}

func receiptOf(tx *Tx, r result, cumulative uint64, price *big.Int, logs []*types.Log) *evidence.Receipt {
	receipt := &evidence.Receipt{To: tx.To(), Receipt: types.Receipt{
		Type: tx.Type(), Status: types.ReceiptStatusFailed, CumulativeGasUsed: cumulative, Logs: logs,
		TxHash: tx.Hash(), GasUsed: r.gas, EffectiveGasPrice: price,
	}}
	if r.ok {
		receipt.Status = types.ReceiptStatusSuccessful
	}
	receipt.Bloom = types.CreateBloom(&receipt.Receipt)
	return receipt
}

// seal makes a block, and sets the positions of receipts and logs.
func (c *Chain) seal(parent *Block, s *state, txs []*Tx, receipts evidence.Receipts, used uint64) *Block {
	c.made++
	list := make(types.Transactions, len(txs))
	hashes := make([]common.Hash, len(txs))
	plain := make(types.Receipts, len(txs))
	for i, tx := range txs {
		list[i], hashes[i], plain[i] = tx.Transaction, tx.Hash(), &receipts[i].Receipt
	}
	header := &types.Header{
		Number: new(big.Int), UncleHash: types.EmptyUncleHash, Root: s.seal(), TxHash: types.DeriveSha(list, trie.NewStackTrie(nil)),
		ReceiptHash: types.DeriveSha(receipts, trie.NewStackTrie(nil)), Bloom: types.MergeBloom(plain), Difficulty: new(big.Int),
		GasLimit: c.GasLimit, GasUsed: used, Time: uint64(c.clock.Now().Unix()), BaseFee: new(big.Int).SetUint64(c.BaseFee),
		Extra: binary.BigEndian.AppendUint64(nil, c.made), // makes blocks unique
	}
	if parent != nil {
		header.ParentHash = parent.Hash
		header.Number.SetUint64(parent.Number + 1)
	}
	b := &Block{Block: Evidence(header, hashes), Header: header, Txs: txs, Receipts: receipts, Parent: parent, state: s}
	index := uint(0)
	for i, r := range receipts {
		r.BlockHash, r.BlockNumber, r.TransactionIndex = b.Hash, header.Number, uint(i)
		for _, l := range r.Logs {
			l.BlockHash, l.BlockNumber, l.BlockTimestamp = b.Hash, b.Number, header.Time
			l.TxHash, l.TxIndex, l.Index = r.TxHash, uint(i), index
			index++
		}
	}
	c.blocks[b.Hash] = b
	return b
}

func Evidence(h *types.Header, txs []common.Hash) evidence.Block {
	return evidence.Block{
		Number: h.Number.Uint64(), Hash: h.Hash(), Parent: h.ParentHash, Time: h.Time, GasLimit: h.GasLimit, GasUsed: h.GasUsed,
		BaseFee: h.BaseFee, StateRoot: h.Root, TxRoot: h.TxHash, ReceiptsRoot: h.ReceiptHash, Bloom: h.Bloom, Txs: txs, Checked: true,
	}
}

// Adopt makes the branch up to head the canonical one.
func (c *Chain) Adopt(head *Block) {
	branch := c.branch[:min(uint64(len(c.branch)), head.Number+1)]
	for uint64(len(branch)) <= head.Number {
		branch = append(branch, nil)
	}
	for b := head; b != nil && branch[b.Number] != b; b = b.Parent {
		branch[b.Number] = b
	}
	c.branch = branch
}
