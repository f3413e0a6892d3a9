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
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

// header has the fields of a block that the program reads, whether it can check the header or not.
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

// decodeBlock reads a block as eth_getBlockBy… give it. Checked reports whether its header hashes to its hash.
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
	b.Bloom = fullBloom()
	if h.Bloom != nil {
		b.Bloom = *h.Bloom
	}
	for _, tx := range h.Transactions {
		hash, err := txHash(tx)
		if err != nil {
			return evidence.Block{}, err
		}
		b.Txs = append(b.Txs, hash)
	}
	hashes, later := hashesTo(raw, b.Hash)
	b.Checked = hashes
	if later {
		b.StateRoot, b.ReceiptsRoot, b.Bloom = common.Hash{}, common.Hash{}, fullBloom()
	}
	switch {
	case !b.Checked:
	case b.TxRoot == types.EmptyTxsHash && len(b.Txs) == 1: // Polygon's state sync was under no root
		b.Txs = nil
	case (len(b.Txs) == 0) != (b.TxRoot == types.EmptyTxsHash):
		return evidence.Block{}, contradiction("block %d has %d transactions, but transactions root %s", b.Number, len(b.Txs), b.TxRoot)
	}
	return b, nil
}

// avalancheHeader is a header of Avalanche's C-Chain, in the order that is hashed. Each fork added fields at the end.
type avalancheHeader struct {
	Parent         common.Hash      `json:"parentHash"`
	Uncles         common.Hash      `json:"sha3Uncles"`
	Coinbase       common.Address   `json:"miner"`
	StateRoot      common.Hash      `json:"stateRoot"`
	TxRoot         common.Hash      `json:"transactionsRoot"`
	ReceiptsRoot   common.Hash      `json:"receiptsRoot"`
	Bloom          types.Bloom      `json:"logsBloom"`
	Difficulty     hexutil.Uint64   `json:"difficulty"`
	Number         hexutil.Uint64   `json:"number"`
	GasLimit       hexutil.Uint64   `json:"gasLimit"`
	GasUsed        hexutil.Uint64   `json:"gasUsed"`
	Time           hexutil.Uint64   `json:"timestamp"`
	Extra          hexutil.Bytes    `json:"extraData"`
	MixDigest      common.Hash      `json:"mixHash"`
	Nonce          types.BlockNonce `json:"nonce"`
	ExtDataHash    *common.Hash     `json:"extDataHash"`
	BaseFee        *hexutil.Uint64  `json:"baseFeePerGas" rlp:"optional"`
	ExtDataGasUsed *hexutil.Uint64  `json:"extDataGasUsed" rlp:"optional"`
	BlockGasCost   *hexutil.Uint64  `json:"blockGasCost" rlp:"optional"`
	BlobGasUsed    *hexutil.Uint64  `json:"blobGasUsed" rlp:"optional"`
	ExcessBlobGas  *hexutil.Uint64  `json:"excessBlobGas" rlp:"optional"`
	BeaconRoot     *common.Hash     `json:"parentBeaconBlockRoot" rlp:"optional"`
	Milliseconds   *hexutil.Uint64  `json:"timestampMilliseconds" rlp:"optional"`
	MinDelay       *hexutil.Uint64  `json:"minDelayExcess" rlp:"optional"`
	Target         *hexutil.Uint64  `json:"targetExponent" rlp:"optional"`
	MinPrice       *hexutil.Uint64  `json:"minPriceExponent" rlp:"optional"`
	Settled        *hexutil.Uint64  `json:"settledHeight" rlp:"optional"` // from Helicon on
	SettledTime    *hexutil.Uint64  `json:"settledGasUnix" rlp:"optional"`
	SettledGas     *hexutil.Uint64  `json:"settledGasNumerator" rlp:"optional"`
	SettledExcess  *hexutil.Uint64  `json:"settledExcess" rlp:"optional"`
}

// hashesTo reports whether a block's header, in Ethereum's form or Avalanche's, hashes to the block's hash, and whether
// state, receipts and bloom in it are of earlier blocks, as Avalanche's are from Helicon on: it executes blocks after it
// accepted them.
func hashesTo(raw json.RawMessage, hash common.Hash) (hashes, later bool) {
	var whole types.Header
	if json.Unmarshal(raw, &whole) == nil && whole.Hash() == hash {
		return true, false
	}
	var h avalancheHeader
	if json.Unmarshal(raw, &h) != nil || h.ExtDataHash == nil {
		return false, false
	}
	encoded, err := rlp.EncodeToBytes(&h)
	return err == nil && crypto.Keccak256Hash(encoded) == hash, h.Settled != nil
}

// fullBloom may hold any log.
func fullBloom() (bloom types.Bloom) {
	for i := range bloom {
		bloom[i] = 0xff
	}
	return bloom
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
