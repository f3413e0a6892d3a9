package rpcproxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
)

// Rules are a chain's differences from Ethereum. Functions may be nil.
type Rules struct {
	Name string

	First   func(number uint64) *System          // first in the block
	Last    func(number uint64, txs int) *System // last in the block, after txs user transactions
	Outside func(number uint64, txs int) *System // after Last, under neither root
	Header  func(number uint64, h *types.Header) // changes fields that do not depend on the body
	Seal    func(h *types.Header) (hash common.Hash, fields map[string]any)
	Receipt func(tx *types.Transaction) (fields map[string]any)

	// Flash is how long each of two preliminary versions of the newest block is served. The first lacks user
	// transactions and is on the parent's state; the second has another header.
	Flash time.Duration
}

// System is a transaction of the chain's own.
type System struct {
	Type    byte
	Payload []byte      // after the type
	Hash    common.Hash // zero: of type and payload
	Gas     uint64
	Logs    []*types.Log   // only address, topics and data
	Tail    []any          // of the receipt, after the logs
	Tx      map[string]any // fields of the transaction, except type, hash and position
	Receipt map[string]any
}

type block struct {
	number   uint64
	their    uint64 // the node's block with the same state
	theirs   common.Hash
	empty    bool // it belongs to a gap
	hash     common.Hash
	of       *types.Header
	header   map[string]any
	hashes   []common.Hash
	txs      []map[string]any
	receipts []map[string]any
	raw      [][]byte // transactions as the root covers them

	systemFirst uint64 // number of system transactions before user ones
	systemLogs  uint64 // number of these transactions' logs

	came    time.Time
	flashes []*block // preliminary versions, each for Rules.Flash
}

// now returns the version of a head that is currently served.
func (b *block) now(flash time.Duration) *block {
	if i := int(time.Since(b.came) / max(flash, 1)); i < len(b.flashes) {
		return b.flashes[i]
	}
	return b
}

func (b *block) body(full bool) any {
	if b == nil {
		return nil
	}
	out := maps.Clone(b.header)
	out["transactions"] = b.hashes
	if full {
		out["transactions"] = b.txs
	}
	return out
}

func (b *block) list() any {
	if b == nil {
		return nil
	}
	return b.receipts
}

// relocate translates the position of a user transaction's log from the node's block.
func (b *block) relocate(l map[string]any) {
	l["blockHash"], l["blockNumber"] = b.hash, hexutil.Uint64(b.number)
	for name, shift := range map[string]uint64{"transactionIndex": b.systemFirst, "logIndex": b.systemLogs} {
		text, _ := l[name].(string)
		if was, err := hexutil.DecodeUint64(text); err == nil {
			l[name] = hexutil.Uint64(was + shift)
		}
	}
}

type source struct {
	block    map[string]any
	header   types.Header
	txs      []map[string]any
	receipts []map[string]any
	their    uint64
	theirs   common.Hash
}

// read emulates the node's next block. It returns nil if that block does not extend the last one of before.
func (r Rules) read(n *Node, before []*block, gaps []*gap) (*block, error) {
	number := hexutil.Uint64(len(before))
	var raw, receipts json.RawMessage
	if err := n.Call(&raw, BlockByNumber, number, true); err != nil {
		return nil, err
	}
	if err := n.Call(&receipts, BlockReceipts, number); err != nil {
		return nil, err
	}
	var s source
	var body struct {
		Transactions []map[string]any `json:"transactions"`
	}
	for _, into := range []any{&s.block, &s.header, &body} {
		if err := json.Unmarshal(raw, into); err != nil {
			return nil, fmt.Errorf("couldn't read block %d: %w", number, err)
		}
	}
	if err := json.Unmarshal(receipts, &s.receipts); err != nil {
		return nil, fmt.Errorf("couldn't read the receipts of block %d: %w", number, err)
	}
	s.txs, s.theirs = body.Transactions, s.header.Hash()
	if len(before) == 0 {
		return r.build(&s)
	}
	last := before[len(before)-1]
	if s.header.ParentHash != last.theirs {
		return nil, nil //nolint:nilnil // the caller goes back a block
	}
	s.header.ParentHash = last.hash
	s.header.Number = new(big.Int).SetUint64(last.number + 1)
	if len(gaps) > 0 && gaps[len(gaps)-1].their == last.their {
		hashes := gaps[len(gaps)-1].hashes
		s.header.ParentHash = hashes[len(hashes)-1]
		s.header.Number.SetUint64(last.number + uint64(len(hashes)) + 1)
	}
	s.their = uint64(number)
	b, err := r.build(&s)
	if err != nil || r.Flash == 0 {
		return b, err
	}
	return b, r.flash(n, &s, b, last)
}

func (r Rules) flash(n *Node, s *source, b, parent *block) error {
	var below types.Header
	if err := n.Call(&below, BlockByHash, parent.theirs, false); err != nil {
		return err
	}
	empty, other := *s, *s
	empty.txs, empty.receipts = nil, nil
	empty.header.Root, empty.header.GasUsed = below.Root, 0
	empty.header.MixDigest, other.header.MixDigest = common.Hash{1}, common.Hash{2}
	empty.their, empty.theirs = parent.their, parent.theirs
	for _, one := range []*source{&empty, &other} {
		flash, err := r.build(one)
		if err != nil {
			return err
		}
		b.flashes = append(b.flashes, flash)
	}
	return nil
}

type builder struct {
	*block
	under [][]byte // receipts as the root covers them
	gas   uint64
	logs  uint64
	bloom types.Bloom
}

func (r Rules) build(s *source) (*block, error) {
	number := s.header.Number.Uint64()
	b := &builder{block: &block{
		number: number, their: s.their, theirs: s.theirs, came: time.Now(),
		hashes: []common.Hash{}, txs: []map[string]any{}, receipts: []map[string]any{},
	}}
	if r.First != nil && number > 0 {
		b.system(r.First(number))
		b.systemFirst, b.systemLogs = uint64(len(b.hashes)), b.logs
	}
	for i := range s.txs {
		if err := b.user(r, s.txs[i], s.receipts[i]); err != nil {
			return nil, fmt.Errorf("couldn't emulate block %d: %w", number, err)
		}
	}
	if r.Last != nil && number > 0 {
		b.system(r.Last(number, len(s.txs)))
	}
	h := types.CopyHeader(&s.header)
	h.TxHash, h.ReceiptHash = root(b.raw), root(b.under)
	h.GasUsed, h.Bloom = b.gas, b.bloom
	if r.Outside != nil && number > 0 {
		b.system(r.Outside(number, len(s.txs)))
	}
	if r.Header != nil {
		r.Header(number, h)
	}
	return b.block, b.seal(r, s, h)
}

func (b *builder) seal(r Rules, s *source, h *types.Header) error {
	hash, more := h.Hash(), map[string]any(nil)
	if r.Seal != nil {
		hash, more = r.Seal(h)
	}
	fields, err := headerFields(h)
	if err != nil {
		return err
	}
	b.of, b.hash, b.header = h, hash, fields
	b.header["size"] = s.block["size"]
	maps.Copy(b.header, more)
	b.header["hash"] = hash
	logs := uint64(0)
	for i := range b.txs {
		at := map[string]any{
			"blockHash": hash, "blockNumber": hexutil.Uint64(b.number), "transactionIndex": hexutil.Uint64(i),
		}
		maps.Copy(b.txs[i], at)
		maps.Copy(b.receipts[i], at)
		for _, l := range b.receipts[i]["logs"].([]map[string]any) {
			maps.Copy(l, at)
			l["transactionHash"], l["logIndex"], l["removed"] = b.hashes[i], hexutil.Uint64(logs), false
			l["blockTimestamp"] = hexutil.Uint64(h.Time)
			logs++
		}
	}
	return nil
}

func headerFields(h *types.Header) (map[string]any, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
	fields["uncles"] = []string{}
	if h.WithdrawalsHash != nil {
		fields["withdrawals"] = []string{}
	}
	return fields, nil
}

func (b *builder) user(r Rules, tx, receipt map[string]any) error {
	var it types.Transaction
	var its types.Receipt
	if err := again(tx, &it); err != nil {
		return err
	}
	if err := again(receipt, &its); err != nil {
		return err
	}
	raw, err := it.MarshalBinary()
	if err != nil {
		return err
	}
	b.gas += its.GasUsed
	its.CumulativeGasUsed = b.gas
	under, err := its.MarshalBinary()
	if err != nil {
		return err
	}
	tx, receipt = maps.Clone(tx), maps.Clone(receipt)
	receipt["cumulativeGasUsed"] = hexutil.Uint64(b.gas)
	receipt["logs"] = logFields(its.Logs)
	if r.Receipt != nil {
		maps.Copy(receipt, r.Receipt(&it))
	}
	b.add(raw, under, its.Logs, it.Hash(), tx, receipt)
	return nil
}

// system adds a transaction of the chain's own, if x is set.
func (b *builder) system(x *System) {
	if x == nil {
		return
	}
	b.gas += x.Gas
	bloom := types.CreateBloom(&types.Receipt{Logs: x.Logs})
	raw := append([]byte{x.Type}, x.Payload...)
	hash := crypto.Keccak256Hash(raw)
	if x.Hash != (common.Hash{}) {
		hash = x.Hash
	}
	logs := x.Logs
	if logs == nil {
		logs = []*types.Log{}
	}
	body, err := rlp.EncodeToBytes(append([]any{[]byte{1}, b.gas, bloom, logs}, x.Tail...))
	if err != nil {
		panic("rpcproxy: a system transaction's receipt cannot be encoded: " + err.Error())
	}
	tx := map[string]any{
		"type": hexutil.Uint64(x.Type), "hash": hash, "from": common.Address{}, "to": common.Address{}, "gas": "0x0",
		"gasPrice": "0x0",
		"nonce":    "0x0", "value": "0x0", "input": "0x", "v": "0x0", "r": "0x0", "s": "0x0",
	}
	maps.Copy(tx, x.Tx)
	receipt := map[string]any{
		"type": hexutil.Uint64(x.Type), "transactionHash": hash, "status": "0x1", "gasUsed": hexutil.Uint64(x.Gas),
		"cumulativeGasUsed": hexutil.Uint64(b.gas), "logsBloom": bloom, "logs": logFields(x.Logs), "contractAddress": nil,
		"effectiveGasPrice": "0x0", "from": tx["from"], "to": tx["to"],
	}
	maps.Copy(receipt, x.Receipt)
	b.add(raw, append([]byte{x.Type}, body...), x.Logs, hash, tx, receipt)
}

func (b *builder) add(raw, under []byte, logs []*types.Log, hash common.Hash, tx, receipt map[string]any) {
	b.raw, b.under, b.hashes = append(b.raw, raw), append(b.under, under), append(b.hashes, hash)
	b.txs, b.receipts = append(b.txs, tx), append(b.receipts, receipt)
	b.logs += uint64(len(logs))
	for _, l := range logs {
		b.bloom.Add(l.Address[:])
		for _, topic := range l.Topics {
			b.bloom.Add(topic[:])
		}
	}
}

func logFields(logs []*types.Log) []map[string]any {
	out := make([]map[string]any, len(logs))
	for i, l := range logs {
		out[i] = map[string]any{"address": l.Address, "topics": l.Topics, "data": hexutil.Bytes(l.Data)}
	}
	return out
}

func again(fields map[string]any, into any) error {
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

type encoded [][]byte

func (e encoded) Len() int                           { return len(e) }
func (e encoded) EncodeIndex(i int, w *bytes.Buffer) { w.Write(e[i]) }

func root(list [][]byte) common.Hash { return types.DeriveSha(encoded(list), trie.NewStackTrie(nil)) }
