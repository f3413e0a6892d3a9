package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/scorelay/scorelay/pkg/evidence"
)

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

// decodeBlock parses a response of eth_getBlockBy…, null as ethereum.NotFound.
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
	case b.TxRoot == types.EmptyTxsHash && len(b.Txs) == 1: // Polygon's state sync was outside the root
		b.Txs = nil
	case (len(b.Txs) == 0) != (b.TxRoot == types.EmptyTxsHash):
		return evidence.Block{}, contradiction("block %d has %d transactions, but transactions root %s", b.Number, len(b.Txs), b.TxRoot)
	}
	return b, nil
}

// avalancheHeader is a header of Avalanche's C-Chain, in the hashed order. Each fork appended fields.
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

// hashesTo reports whether a block's header, in Ethereum's form or Avalanche's, hashes to the block's hash. later:
// its state root, receipts root and bloom are of earlier blocks, since from Helicon on, Avalanche executes blocks
// after accepting them.
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

// fullBloom matches any log.
func fullBloom() (bloom types.Bloom) {
	for i := range bloom {
		bloom[i] = 0xff
	}
	return bloom
}

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

// headerRule decides which blocks may have uncheckable headers: those from a hard fork with unknown fields on, or all
// if the chain only has such headers.
type headerRule struct {
	mu        sync.Mutex
	checkable bool      // some header of the chain was checked
	open      bool      // uncheckable blocks are accepted
	fork      uint64    // height from which they are accepted
	since     time.Time // arrival of the first uncheckable block after the newest checked one, or zero
}

// Unchecked reports whether uncheckable blocks above a hard fork are accepted.
func (c *Client) Unchecked() bool {
	c.headers.mu.Lock()
	defer c.headers.mu.Unlock()
	return c.headers.checkable && c.headers.open
}

// forkReorg is how far below an endpoint's newest checked block a reorg may place an uncheckable one. Callers read a
// deeper reorg in steps of this size.
const forkReorg = 32

// errUnknownHeader means that a header is uncheckable, unlike the chain's so far. Its endpoint lies, or alone follows
// a hard fork.
var errUnknownHeader = fmt.Errorf("%w: a header cannot be checked, unlike the chain's so far", evidence.ErrContradiction)

// accept applies headerRule. An uncheckable block below the endpoint's newest checked one is a contradiction, except
// after a reorg (replaced).
func (c *Client) accept(ctx context.Context, e *endpoint, raw json.RawMessage, b *evidence.Block) error {
	if c.noted(e, b) {
		if err := c.lookAround(ctx, e, raw, b.Number); err != nil {
			return err
		}
	}
	if err := c.replaced(ctx, e, b); err != nil {
		return err
	}
	r := &c.headers
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case b.Checked:
	case b.Number < e.checked:
		return contradiction("the header of block %d does not hash to %s", b.Number, b.Hash)
	case !r.open:
		return fmt.Errorf("%w: that of block %d does not hash to %s", errUnknownHeader, b.Number, b.Hash)
	}
	c.market.saw(b)
	return nil
}

// replaced lowers the endpoint's checked height to b if a hard fork's reorg replaced its newest checked block by an
// uncheckable one.
func (c *Client) replaced(ctx context.Context, e *endpoint, b *evidence.Block) error {
	r := &c.headers
	r.mu.Lock()
	checked := e.checked
	r.mu.Unlock()
	if b.Checked || b.Number >= checked || b.Number+forkReorg < checked {
		return nil
	}
	var raw json.RawMessage
	var now evidence.Block
	err := e.call(ctx, &raw, "eth_getBlockByNumber", hexutil.Uint64(checked-1), false)
	if err == nil {
		now, err = decodeBlock(raw)
	}
	switch {
	case errors.Is(err, ethereum.NotFound): // the new branch is still shorter
		return fmt.Errorf("%w: whether block %d, which does not hash to %s, is in a reorg", errNotLearnt, b.Number, b.Hash)
	case err != nil:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !now.Checked && e.checked == checked {
		e.checked = b.Number
	}
	return nil
}

func (c *Client) noted(e *endpoint, b *evidence.Block) (look bool) {
	r := &c.headers
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.Checked {
		c.checks(e, b)
	}
	if b.Checked || b.Number < e.checked || r.open {
		return false
	}
	if r.since.IsZero() {
		r.since = time.Now()
	}
	return !r.checkable || time.Since(r.since) >= c.cfg.Unchecked
}

// checks records a checked block, and reports whether it is news: above all that its endpoint returned before. News
// at or above the fork ends the acceptance of uncheckable blocks. Only news counts, since endpoints that halted
// before a fork, and requests for old blocks, still return checked ones. headers.mu is held.
func (c *Client) checks(e *endpoint, b *evidence.Block) (news bool) {
	r := &c.headers
	r.checkable = true
	if b.Number < e.checked {
		return false
	}
	e.checked = b.Number + 1
	if !r.open || b.Number >= r.fork {
		r.open, r.since = false, time.Time{}
		c.metrics.unchecked.Set(0)
	}
	return true
}

// lookAround accepts uncheckable blocks from a height on, unless an endpoint has a checked block that is news. It
// does so at once if all headers so far were uncheckable, or if every endpoint answers at the first contact.
// Otherwise it waits for Config.Unchecked, so that the checks survive one endpoint's lie.
func (c *Client) lookAround(ctx context.Context, asked *endpoint, raw json.RawMessage, from uint64) error {
	samples := map[*endpoint][]evidence.Block{}
	if blocks, err := asked.sample(ctx); err == nil {
		samples[asked] = blocks
	}
	others := slices.DeleteFunc(slices.Clone(c.endpoints), func(e *endpoint) bool { return e == asked })
	replies, _ := eachWithin(ctx, c, c.cfg.Timeout, "sample", others, func(ctx context.Context, e *endpoint) ([]evidence.Block, error) { return e.sample(ctx) })
	for _, r := range replies {
		samples[r.from] = r.value
	}
	r := &c.headers
	r.mu.Lock()
	defer r.mu.Unlock()
	first, news := !r.checkable, false
	for e, blocks := range samples {
		for i := range blocks {
			b := &blocks[i]
			if !b.Checked {
				continue
			}
			r.checkable = true
			if early := b.Number+sampled <= blocks[0].Number; !early && (c.checks(e, b) || first) {
				news = true
			}
		}
	}
	switch waited := !r.since.IsZero() && time.Since(r.since) >= c.cfg.Unchecked; {
	case len(samples) == 0:
		return errors.New("couldn't find out whether the chain's headers can be checked")
	case r.open || news:
	case !r.checkable:
		r.open, r.fork = true, from
		c.log.Warn("the chain's headers do not hash to the blocks' hashes, so they cannot be checked: comparing endpoints where there are several")
	case waited || first && len(samples) == len(c.endpoints):
		r.open, r.fork = true, from
		c.metrics.unchecked.Set(1)
		c.log.Error("the chain's headers have fields that this version of Scorelay does not know, so they cannot be checked: upgrade Scorelay. "+
			"Until then it believes new blocks that link to the chain if all endpoints that answer agree on them, or its sole endpoint's word",
			"block", from, "unknown_fields", unknownFields(raw))
	}
	return nil
}

const sampled = 5

func (e *endpoint) sample(ctx context.Context) (blocks []evidence.Block, err error) {
	var raw json.RawMessage
	if err := e.call(ctx, &raw, "eth_getBlockByNumber", "latest", false); err != nil {
		return nil, err
	}
	head, err := decodeBlock(raw)
	if err != nil {
		return nil, err
	}
	var elems []rpc.BatchElem
	for n := head.Number; n > 0 && n+sampled > head.Number+1; n-- {
		elems = append(elems, elem("eth_getBlockByNumber", hexutil.Uint64(n-1), false))
	}
	elems = append(elems, elem("eth_getBlockByNumber", hexutil.Uint64(1), false))
	err = e.calls(ctx, elems)
	blocks = []evidence.Block{head}
	for _, el := range elems {
		if b, err := decodeBlock(rawOf(el)); err == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks, err
}

func unknownFields(raw json.RawMessage) []string {
	beside := map[string]int{"size": 0, "totalDifficulty": 0, "uncles": 0, "withdrawals": 0, "l1BlockNumber": 0, "sendCount": 0, "sendRoot": 0, "blockExtraData": 0}
	var known, block map[string]json.RawMessage
	for _, kind := range []any{header{}, avalancheHeader{}, types.Header{}, beside} {
		text, _ := json.Marshal(kind)
		_ = json.Unmarshal(text, &known) // adds to the earlier ones
	}
	_ = json.Unmarshal(raw, &block)
	maps.DeleteFunc(block, func(name string, _ json.RawMessage) bool { return known[name] != nil || len(name) > 64 })
	names := slices.Sorted(maps.Keys(block))
	return names[:min(len(names), 16)] // an endpoint may send any number
}
