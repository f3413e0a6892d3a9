package heads_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
)

// A model of a chain with real headers, and of nodes that have it, lag, fork, fail or lie. model is the chain's
// adapter as package heads sees it: it checks with package evidence what the real one checks, and counts what a JSON-RPC
// endpoint would count.

type modelBlock struct {
	evidence.Block
	parent   *modelBlock
	back     *modelBlock // the newest ancestor whose number is a multiple of 256
	txs      types.Transactions
	receipts evidence.Receipts
	nonces   map[common.Address]uint64
}

// at is the ancestor of a height, or the block itself; nil above it.
func (b *modelBlock) at(number uint64) *modelBlock {
	for b != nil && b.Number > number {
		if b.back != nil && b.back.Number >= number {
			b = b.back
		} else {
			b = b.parent
		}
	}
	if b == nil || b.Number != number {
		return nil
	}
	return b
}

func (b *modelBlock) where(tx common.Hash) *modelBlock {
	for ; b != nil; b = b.parent {
		if slices.ContainsFunc(b.txs, func(t *types.Transaction) bool { return t.Hash() == tx }) {
			return b
		}
	}
	return nil
}

// mine makes a block. Transactions whose nonce is not next are left out.
func mine(parent *modelBlock, salt string, txs ...*types.Transaction) *modelBlock {
	b := &modelBlock{parent: parent, nonces: map[common.Address]uint64{}}
	header := &types.Header{Difficulty: new(big.Int), Number: new(big.Int), GasLimit: 30_000_000, BaseFee: big.NewInt(7), Extra: []byte(salt)}
	if parent != nil {
		header.ParentHash, header.Time = parent.Hash, parent.Time+1
		header.Number.SetUint64(parent.Number + 1)
		b.back = parent.back
		if parent.Number%256 == 0 {
			b.back = parent
		}
		if b.nonces = parent.nonces; len(txs) > 0 {
			b.nonces = maps.Clone(parent.nonces)
		}
	}
	for _, tx := range txs {
		from := senderOf(tx)
		if tx.Nonce() != b.nonces[from] {
			continue
		}
		b.nonces[from]++
		b.txs = append(b.txs, tx)
		header.GasUsed += tx.Gas()
		b.receipts = append(b.receipts, &evidence.Receipt{Receipt: types.Receipt{
			Type: tx.Type(), Status: 1, CumulativeGasUsed: header.GasUsed, Logs: []*types.Log{},
			TxHash: tx.Hash(), TransactionIndex: uint(len(b.txs) - 1), BlockNumber: header.Number, GasUsed: tx.Gas(),
		}})
	}
	header.TxHash, header.ReceiptHash = types.EmptyTxsHash, types.EmptyReceiptsHash
	if len(b.txs) > 0 {
		header.TxHash = types.DeriveSha(b.txs, trie.NewStackTrie(nil))
		header.ReceiptHash = types.DeriveSha(b.receipts, trie.NewStackTrie(nil))
	}
	b.Block = evidence.Block{
		Number: header.Number.Uint64(), Hash: header.Hash(), Parent: header.ParentHash, Time: header.Time,
		GasLimit: header.GasLimit, GasUsed: header.GasUsed, BaseFee: header.BaseFee,
		TxRoot: header.TxHash, ReceiptsRoot: header.ReceiptHash, Checked: true,
	}
	for i, tx := range b.txs {
		b.receipts[i].BlockHash = b.Hash
		b.Txs = append(b.Txs, tx.Hash())
	}
	return b
}

func senderOf(tx *types.Transaction) common.Address {
	from, err := evidence.Sender(tx)
	if err != nil {
		panic(err)
	}
	return from
}

// node is an endpoint and its faults.
type node struct {
	name string
	head *modelBlock

	down       bool
	lag        uint64                       // blocks that its head is behind
	ahead      uint64                       // its newest block claims to be this much further
	noBlocks   bool                         // Blocks fails
	blocksAt   int                          // Blocks fails after so many, if positive
	noReceipts bool                         // receipts are null
	badReceipt bool                         // receipts have a wrong status
	hidden     map[common.Hash]bool         // transactions that it does not list
	listed     map[common.Hash]common.Hash  // transactions that it lists in place of others
	nonceLie   uint64                       // added to nonces, unproved
	unchecked  bool                         // its headers do not hash to their hashes
	finalized  uint64                       // its finalized block, if positive
	finalLie   *modelBlock                  // what it says is finalized in place of that
	noTxs      bool                         // Transactions fails
	noFind     bool                         // Find knows nothing
	unproved   bool                         // its accounts come without proofs
	findLie    map[common.Hash]evidence.Ref // Find's false answers
}

func (n *node) view() *modelBlock {
	return n.head.at(n.head.Number - min(n.lag, n.head.Number))
}

func (n *node) show(b *modelBlock) evidence.Block {
	shown := b.Block
	shown.Txs = nil
	for _, tx := range b.Txs {
		if other, ok := n.listed[tx]; ok {
			tx = other
		}
		if !n.hidden[tx] {
			shown.Txs = append(shown.Txs, tx)
		}
	}
	shown.Checked = !n.unchecked
	return shown
}

var errDown = errors.New("the node does not answer")

type model struct {
	nodes      []*node
	now        time.Time
	failReads  bool
	count      int            // questions as an endpoint counts them
	by         map[string]int // by kind
	distrusted map[string]int
}

func (m *model) counted(kind string, n int) {
	m.count += n
	m.by[kind] += n
}

func (m *model) node(name string) *node {
	for _, n := range m.nodes {
		if n.name == name {
			return n
		}
	}
	panic(name)
}

func (m *model) Latest(context.Context) (claims []evidence.Claim, err error) {
	for _, n := range m.nodes {
		m.counted("latest", 1)
		if n.down {
			continue
		}
		b := n.show(n.view())
		if n.ahead > 0 {
			b.Number += n.ahead
			b.Hash, b.Parent = crypto.Keccak256Hash(b.Hash[:]), b.Hash
		}
		claims = append(claims, evidence.Claim{Endpoint: n.name, Block: b})
	}
	if len(claims) == 0 {
		return nil, errDown
	}
	return claims, nil
}

func (m *model) Finalized(context.Context) (claims []evidence.Claim, err error) {
	for _, n := range m.nodes {
		m.counted("finalized", 1)
		b := n.view().at(n.finalized)
		if n.finalLie != nil {
			b = n.finalLie
		}
		if !n.down && (n.finalized > 0 || n.finalLie != nil) && b != nil {
			claims = append(claims, evidence.Claim{Endpoint: n.name, Block: n.show(b)})
		}
	}
	return claims, nil
}

func (m *model) Blocks(_ context.Context, endpoint string, from, to uint64) (blocks []evidence.Block, err error) {
	m.counted("blocks", int(to-from)+1)
	n := m.node(endpoint)
	if n.down || n.noBlocks {
		return nil, errDown
	}
	for number := from; number <= to; number++ {
		b := n.view().at(number)
		if b == nil || n.blocksAt > 0 && len(blocks) == n.blocksAt {
			return blocks, fmt.Errorf("block %d: not found", number)
		}
		blocks = append(blocks, n.show(b))
	}
	return blocks, nil
}

func (m *model) HashAt(ctx context.Context, endpoint string, number uint64) (common.Hash, error) {
	blocks, err := m.Blocks(ctx, endpoint, number, number)
	if err != nil {
		return common.Hash{}, err
	}
	return blocks[0].Hash, nil
}

// Agreed is the rule of a chain whose headers could be checked once.
func (m *model) Agreed(_ context.Context, endpoint string, blocks []evidence.Block) (int, error) {
	first := slices.IndexFunc(blocks, func(b evidence.Block) bool { return !b.Checked })
	if first < 0 {
		return len(blocks), nil
	}
	others, most := 0, 0
	for _, n := range m.nodes {
		if n.name == endpoint || n.down || n.noBlocks {
			continue
		}
		m.counted("agreed", 1)
		have := 0
		for ; first+have < len(blocks); have++ {
			theirs := n.view().at(blocks[first+have].Number)
			if theirs == nil {
				break
			}
			if shown := n.show(theirs); !reflect.DeepEqual(shown, blocks[first+have]) {
				return first, fmt.Errorf("%s has another block %d", n.name, shown.Number)
			}
		}
		others, most = others+1, max(most, have)
	}
	if n := first + most; n < len(blocks) && others > 0 {
		return n, evidence.ErrUnconfirmed
	}
	return len(blocks), nil
}

func (m *model) Read(_ context.Context, ask evidence.Ask) (evidence.Answer, error) {
	if m.failReads {
		return evidence.Answer{}, errDown
	}
	for _, n := range m.nodes {
		at := n.view().at(ask.At.Number)
		if n.down || at == nil || at.Hash != ask.At.Hash {
			continue
		}
		answer := evidence.Answer{Accounts: map[common.Address]evidence.Account{}, Receipts: map[common.Hash]*evidence.Receipt{}}
		for _, signer := range ask.Accounts {
			m.counted("account", 1)
			answer.Accounts[signer] = evidence.Account{
				Nonce: at.nonces[signer] + n.nonceLie, Balance: big.NewInt(1), At: ask.At.Ref(), Proved: n.nonceLie == 0 && !n.unproved,
			}
		}
		for _, wanted := range ask.Receipts {
			m.receipts(n, wanted, answer.Receipts)
		}
		if ask.Price {
			m.counted("price", 2)
			answer.Price = &evidence.Price{BaseFee: 7, Tip: 1}
		}
		return answer, nil
	}
	return evidence.Answer{}, fmt.Errorf("block %s: %w", ask.At.Hash, errDown)
}

func (m *model) receipts(n *node, wanted evidence.Wanted, into map[common.Hash]*evidence.Receipt) {
	whole := 8*len(wanted.Txs) >= len(wanted.Block.Txs) || len(wanted.Txs) >= 8
	if whole {
		m.counted("receipts", 1)
	} else {
		m.counted("receipts", len(wanted.Txs))
	}
	b := n.view().at(wanted.Block.Number)
	if n.noReceipts || b == nil || b.Hash != wanted.Block.Hash {
		return
	}
	receipts := make(evidence.Receipts, len(b.receipts))
	for i, r := range b.receipts {
		changed := *r
		if n.badReceipt {
			changed.Status = 0
		}
		receipts[i] = &changed
	}
	if evidence.CheckReceipts(&wanted.Block, receipts) != nil {
		return
	}
	for _, r := range receipts {
		if slices.Contains(wanted.Txs, r.TxHash) {
			into[r.TxHash] = r
		}
	}
}

func (m *model) Transactions(_ context.Context, blocks []evidence.Block) (lists []evidence.Transactions, err error) {
	for i := range blocks {
		m.counted("transactions", 1)
		found := false
		for _, n := range m.nodes {
			b := n.view().at(blocks[i].Number)
			if n.down || n.noTxs || b == nil || evidence.CheckTransactions(&blocks[i], b.txs) != nil {
				continue
			}
			list := evidence.Transactions{Known: b.txs}
			for _, tx := range b.txs {
				list.Hashes = append(list.Hashes, tx.Hash())
			}
			lists, found = append(lists, list), true
			break
		}
		if !found {
			return lists, errDown
		}
	}
	return lists, nil
}

func (m *model) Find(_ context.Context, txs []common.Hash) (map[common.Hash]evidence.Ref, error) {
	found := map[common.Hash]evidence.Ref{}
	for _, n := range m.nodes {
		if n.down || n.noFind {
			continue
		}
		m.counted("find", len(txs))
		for _, tx := range txs {
			if lie, ok := n.findLie[tx]; ok {
				found[tx] = lie
			} else if b := n.view().where(tx); b != nil {
				found[tx] = b.Ref()
			}
		}
	}
	return found, nil
}

func (m *model) Distrust(endpoint string, _ error) { m.distrusted[endpoint]++ }

var _ heads.Chain = (*model)(nil)
