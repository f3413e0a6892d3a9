package chain

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// header is what the program reads of a block whose header it cannot check: some rollups have fields of their own.
type header struct {
	Number       *hexutil.Big      `json:"number"`
	Hash         *common.Hash      `json:"hash"`
	Parent       common.Hash       `json:"parentHash"`
	Time         hexutil.Uint64    `json:"timestamp"`
	GasLimit     hexutil.Uint64    `json:"gasLimit"`
	GasUsed      hexutil.Uint64    `json:"gasUsed"`
	BaseFee      *hexutil.Big      `json:"baseFeePerGas"`
	StateRoot    common.Hash       `json:"stateRoot"`
	TxRoot       common.Hash       `json:"transactionsRoot"`
	ReceiptsRoot common.Hash       `json:"receiptsRoot"`
	Bloom        *types.Bloom      `json:"logsBloom"`
	AccessList   *common.Hash      `json:"blockAccessListHash"`
	Transactions []json.RawMessage `json:"transactions"`
}

var errPartialHeader = errors.New("the node's block has no number or no hash")

// decodeBlock reads a block as eth_getBlockBy… give it. Checked tells whether its header hashes to its hash.
func decodeBlock(raw json.RawMessage) (evidence.Block, error) {
	var h header
	if err := decode(raw, &h); err != nil {
		return evidence.Block{}, err
	}
	if h.Number == nil || !h.Number.ToInt().IsUint64() || h.Hash == nil {
		return evidence.Block{}, errPartialHeader
	}
	b := evidence.Block{
		Number: h.Number.ToInt().Uint64(), Hash: *h.Hash, Parent: h.Parent, Time: uint64(h.Time),
		GasLimit: uint64(h.GasLimit), GasUsed: uint64(h.GasUsed), BaseFee: (*big.Int)(h.BaseFee),
		StateRoot: h.StateRoot, TxRoot: h.TxRoot, ReceiptsRoot: h.ReceiptsRoot, AccessList: h.AccessList != nil,
	}
	if h.Bloom != nil {
		b.Bloom = *h.Bloom
	} else { // may hold anything
		for i := range b.Bloom {
			b.Bloom[i] = 0xff
		}
	}
	for _, tx := range h.Transactions {
		hash, err := txHash(tx)
		if err != nil {
			return evidence.Block{}, err
		}
		b.Txs = append(b.Txs, hash)
	}
	var whole types.Header
	b.Checked = json.Unmarshal(raw, &whole) == nil && whole.Hash() == b.Hash
	if b.Checked && (len(b.Txs) == 0) != (b.TxRoot == types.EmptyTxsHash) {
		return evidence.Block{}, contradiction("block %d has %d transactions, but transactions root %s", b.Number, len(b.Txs), b.TxRoot)
	}
	return b, nil
}

// txHash reads a block's transaction, which is a hash or an object.
func txHash(raw json.RawMessage) (hash common.Hash, err error) {
	if len(raw) > 0 && raw[0] == '{' {
		var object struct {
			Hash common.Hash `json:"hash"`
		}
		err = decode(raw, &object)
		return object.Hash, err
	}
	err = decode(raw, &hash)
	return hash, err
}

// headerRule is whether the chain's headers can be checked. Once one could, each has to.
type headerRule struct {
	mu      sync.Mutex  // one first contact at a time
	checked atomic.Bool // never false again
	without atomic.Bool // a first contact found none that could
}

// accept holds a block that an endpoint gave against what is known of the chain's headers.
func (c *Client) accept(ctx context.Context, b *evidence.Block) error {
	if b.Checked {
		c.headers.checked.Store(true)
		c.market.saw(b)
		return nil
	}
	if !c.headers.checked.Load() && !c.headers.without.Load() {
		c.firstContact(ctx)
	}
	switch {
	case c.headers.checked.Load():
		return contradiction("the header of block %d does not hash to %s", b.Number, b.Hash)
	case !c.headers.without.Load():
		return errors.New("couldn't find out whether the chain's headers can be checked")
	}
	c.market.saw(b)
	return nil
}

// firstContact looks at some blocks of each endpoint before it is decided that the chain's headers cannot be checked, so
// that one lie at the start does not switch the checks off.
func (c *Client) firstContact(ctx context.Context) {
	c.headers.mu.Lock()
	defer c.headers.mu.Unlock()
	if c.headers.checked.Load() || c.headers.without.Load() {
		return
	}
	asked := false
	for _, e := range c.candidates(0) {
		var raw json.RawMessage
		if e.call(ctx, &raw, "eth_getBlockByNumber", "latest", false) != nil {
			continue
		}
		head, err := decodeBlock(raw)
		if err != nil {
			continue
		}
		elems := []rpc.BatchElem{}
		for n := head.Number; n > 0 && head.Number-n < 4; n-- {
			elems = append(elems, elem("eth_getBlockByNumber", hexutil.Uint64(n-1), false))
		}
		if len(elems) > 0 && e.calls(ctx, elems) != nil {
			continue
		}
		asked = true
		blocks := []evidence.Block{head}
		for _, el := range elems {
			if b, err := decodeBlock(rawOf(el)); err == nil {
				blocks = append(blocks, b)
			}
		}
		if slices.ContainsFunc(blocks, func(b evidence.Block) bool { return b.Checked }) {
			c.headers.checked.Store(true)
			return
		}
	}
	if asked {
		c.headers.without.Store(true)
		c.log.Warn("the chain's headers do not hash to the blocks' hashes, so they cannot be checked: comparing endpoints where there are several")
	}
}
