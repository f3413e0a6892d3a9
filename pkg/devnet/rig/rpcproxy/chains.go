package rpcproxy

import (
	"encoding/binary"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
)

// L1FeePerByte is OPStack's L1 fee for each byte of a transaction, in wei.
const L1FeePerByte = params.GWei

// OPStack is a rollup with a deposit first in each block, and an L1 fee in receipts. If full is set, the deposit's
// logs set every bit of the block's bloom.
func OPStack(full bool) Rules {
	from := common.HexToAddress("0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001")
	to := common.HexToAddress("0x4200000000000000000000000000000000000015")
	return Rules{
		Name: "OP Stack",
		First: func(number uint64) *System {
			source := crypto.Keccak256Hash(binary.BigEndian.AppendUint64([]byte("deposit"), number))
			const gas, used = 1_000_000, 46_000
			data := append(hexutil.MustDecode("0x098999be"), source[:]...)
			x := &System{
				Type: 0x7e, Payload: list([]any{source, from, to, []byte{}, []byte{}, uint64(gas), false, data}),
				Gas: used, Tail: []any{number - 1, uint64(1)},
				Tx: map[string]any{
					"sourceHash": source, "from": from, "to": to, "mint": "0x0", "value": "0x0", "gas": hexutil.Uint64(gas),
					"input": hexutil.Bytes(data),
					"nonce": hexutil.Uint64(number - 1), "depositReceiptVersion": "0x1",
				},
				Receipt: map[string]any{"depositNonce": hexutil.Uint64(number - 1), "depositReceiptVersion": "0x1"},
			}
			if full {
				x.Logs = fullBloom()
			}
			return x
		},
		Header: func(_ uint64, h *types.Header) {
			h.Extra = []byte{0, 0, 0, 0, 250, 0, 0, 0, 6} // base fee's denominator and elasticity
			messages := crypto.Keccak256Hash([]byte("messages to L1"))
			h.WithdrawalsHash = &messages
		},
		Receipt: func(tx *types.Transaction) map[string]any {
			return map[string]any{
				"l1Fee": hexutil.Uint64(tx.Size() * L1FeePerByte), "l1GasPrice": "0x3b9aca00",
				"l1GasUsed":     hexutil.Uint64(16 * tx.Size()),
				"l1BlobBaseFee": "0x1", "l1BaseFeeScalar": "0x8dd", "l1BlobBaseFeeScalar": "0x101c12",
			}
		},
	}
}

// L1FeeOracle returns the address of the OP Stack's L1 fee contract, and code that returns the calldata's size times
// L1FeePerByte, in wei.
func L1FeeOracle() (at common.Address, code []byte) {
	code = []byte{0x36, 0x63}
	code = binary.BigEndian.AppendUint32(code, L1FeePerByte)
	return common.HexToAddress("0x420000000000000000000000000000000000000F"),
		append(code, 0x02, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3)
}

// fullBloom's logs set every bit of a bloom.
var fullBloom = sync.OnceValue(func() (logs []*types.Log) {
	const perLog = 4
	at := common.HexToAddress("0x4200000000000000000000000000000000000010")
	var bloom types.Bloom
	bloom.Add(at[:])
	bits := func(b types.Bloom) (n int) {
		for _, one := range b {
			for ; one > 0; one &= one - 1 {
				n++
			}
		}
		return n
	}
	var topics []common.Hash
	for try, have := uint64(0), bits(bloom); have < 8*types.BloomByteLength; try++ {
		topic := crypto.Keccak256Hash(binary.BigEndian.AppendUint64(nil, try))
		next := bloom
		next.Add(topic[:])
		sets := bits(next) - have
		if left := 8*types.BloomByteLength - have; sets == 0 || sets < 2 && left > 512 {
			continue
		}
		bloom, have, topics = next, have+sets, append(topics, topic)
	}
	for len(topics) > 0 {
		n := min(perLog, len(topics))
		logs, topics = append(logs, &types.Log{Address: at, Topics: topics[:n], Data: []byte{}}), topics[n:]
	}
	return logs
})

const ArbitrumGasLimit = 1 << 50

// Arbitrum is a rollup with an internal transaction first in each block. Blocks have three further fields; the hash
// covers their values in extraData and mixHash.
func Arbitrum() Rules {
	arbos := common.HexToAddress("0x00000000000000000000000000000000000A4B05")
	l1 := func(number uint64) uint64 { return 20_000_000 + number/12 }
	return Rules{
		Name: "Arbitrum",
		First: func(number uint64) *System {
			data := append(hexutil.MustDecode("0x6bf6a42d"), common.BigToHash(new(big.Int).SetUint64(l1(number))).Bytes()...)
			data = append(data, common.BigToHash(new(big.Int).SetUint64(number)).Bytes()...)
			return &System{
				Type: 0x6a, Payload: list([]any{uint64(1337), data}),
				Tx:      map[string]any{"chainId": "0x539", "from": arbos, "to": arbos, "input": hexutil.Bytes(data)},
				Receipt: map[string]any{"gasUsedForL1": "0x0", "l1BlockNumber": hexutil.Uint64(l1(number))},
			}
		},
		Header: func(number uint64, h *types.Header) {
			london(h)
			h.GasLimit, h.Difficulty = ArbitrumGasLimit, big.NewInt(1)
			h.Extra = crypto.Keccak256([]byte("send root"))
			h.MixDigest = common.Hash{}
			binary.BigEndian.PutUint64(h.MixDigest[0:], number/3)
			binary.BigEndian.PutUint64(h.MixDigest[8:], l1(number))
			binary.BigEndian.PutUint64(h.MixDigest[16:], 40)
			h.Nonce = types.EncodeNonce(number / 2)
		},
		Seal: func(h *types.Header) (common.Hash, map[string]any) {
			return h.Hash(), map[string]any{
				"l1BlockNumber": hexutil.Uint64(binary.BigEndian.Uint64(h.MixDigest[8:])), "sendRoot": common.BytesToHash(h.Extra),
				"sendCount": hexutil.Uint64(binary.BigEndian.Uint64(h.MixDigest[:])),
			}
		},
		Receipt: func(tx *types.Transaction) map[string]any {
			return map[string]any{"gasUsedForL1": hexutil.Uint64(2 * tx.Size()), "l1BlockNumber": hexutil.Uint64(l1(0))}
		},
	}
}

// london removes the header fields of forks after London.
func london(h *types.Header) {
	h.WithdrawalsHash, h.BlobGasUsed, h.ExcessBlobGas, h.ParentBeaconRoot, h.RequestsHash = nil, nil, nil, nil, nil
}

// Polygon has a transaction of type 0x7F last in each fourth block and in each block with others. Both roots cover
// this transaction. Its payload cannot be computed from its JSON fields.
func Polygon() Rules {
	r := Rules{Name: "Polygon", Header: bor}
	r.Last = func(number uint64, txs int) *System {
		if txs == 0 && number%4 != 0 {
			return nil
		}
		return &System{
			Type: 0x7f, Payload: list([]any{[]any{number, stateReceiver, []byte("state"), common.Hash{31: 1}}}),
			Logs: stateSynced(number),
		}
	}
	return r
}

// PolygonOutside is the earlier Polygon: the transaction has type 0 and is in the block's lists, but both roots omit
// it and its receipt. If inEmpty is set, each fourth block without others has it too.
func PolygonOutside(inEmpty bool) Rules {
	r := Rules{Name: "Polygon before Madhugiri", Header: bor}
	r.Outside = func(number uint64, txs int) *System {
		if txs == 0 && (!inEmpty || number%4 != 0) {
			return nil
		}
		hash := crypto.Keccak256Hash(binary.BigEndian.AppendUint64([]byte("receipt outside"), number))
		return &System{Hash: hash, Logs: stateSynced(number), Receipt: map[string]any{"cumulativeGasUsed": "0x0"}}
	}
	return r
}

var stateReceiver = common.HexToAddress("0x0000000000000000000000000000000000001001")

func stateSynced(number uint64) []*types.Log {
	topic := crypto.Keccak256Hash([]byte("StateCommitted(uint256,bool)"))
	return []*types.Log{{
		Address: stateReceiver, Topics: []common.Hash{topic, common.BigToHash(new(big.Int).SetUint64(number))},
		Data: make([]byte, 32),
	}}
}

func bor(_ uint64, h *types.Header) {
	london(h)
	h.Difficulty, h.Coinbase = big.NewInt(21), common.Address{}
	h.Extra = crypto.Keccak256([]byte("vanity"))
	for range 3 { // the seal follows
		h.Extra = append(h.Extra, crypto.Keccak256(h.Extra)...)
	}
}

// Avalanche has further header fields before and after the base fee, which the hash covers.
func Avalanche() Rules {
	return Rules{
		Name:   "Avalanche",
		Header: func(_ uint64, h *types.Header) { london(h); h.Difficulty = big.NewInt(1) },
		Seal: func(h *types.Header) (common.Hash, map[string]any) {
			data := types.EmptyUncleHash
			gas, cost := big.NewInt(0), big.NewInt(100_000)
			hash := crypto.Keccak256Hash(list([]any{
				h.ParentHash, h.UncleHash, h.Coinbase, h.Root, h.TxHash, h.ReceiptHash, h.Bloom, h.Difficulty, h.Number, h.GasLimit,
				h.GasUsed, h.Time,
				h.Extra, h.MixDigest, h.Nonce, data, h.BaseFee, gas, cost,
			}))
			return hash, map[string]any{
				"extDataHash": data, "extDataGasUsed": (*hexutil.Big)(gas), "blockGasCost": (*hexutil.Big)(cost),
				"blockExtraData": "0x",
			}
		},
	}
}

func list(items []any) []byte {
	raw, err := rlp.EncodeToBytes(items)
	if err != nil {
		panic("rpcproxy: a list cannot be encoded: " + err.Error())
	}
	return raw
}
