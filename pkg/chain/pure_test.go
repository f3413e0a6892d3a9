package chain

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
)

const middle = 0.5 // dice that change nothing

// TestATrialThatPanicsEnds: where the panic is contained, the endpoint is asked again.
func TestATrialThatPanicsEnds(t *testing.T) {
	t.Parallel()
	e := &endpoint{timeout: time.Minute, log: slog.New(slog.DiscardHandler), metrics: newMetrics(prometheus.NewRegistry()), breaker: breaker{until: time.Unix(1, 0)}}
	require.Panics(t, func() { _ = e.do(t.Context(), "test", func(context.Context, *endpoint) error { panic("planted") }) })
	require.NoError(t, e.do(t.Context(), "test", func(context.Context, *endpoint) error { return nil }))
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	end := func(b *breaker, e ending, retryAfter time.Duration) (rest time.Duration, first, back bool) {
		ok, trial := b.admit(now)
		require.True(t, ok)
		return b.done(trial, e, now, retryAfter, middle)
	}
	var b breaker
	for range 2 {
		rest, _, _ := end(&b, failing, 0)
		require.Zero(t, rest)
	}
	rest, first, _ := end(&b, failing, 0)
	require.Equal(t, restFirst, rest)
	require.True(t, first)
	for want := 2 * restFirst; want < restMost; want *= 2 { // each trial that fails doubles it
		ok, _ := b.admit(now)
		require.False(t, ok)
		now = now.Add(rest)
		rest, first, _ = end(&b, failing, 0)
		require.Equal(t, want, rest)
		require.False(t, first)
	}
	now = now.Add(rest)
	rest, _, _ = end(&b, failing, 0)
	require.Equal(t, restMost, rest)

	// One trial at a time; a caller that goes away frees it.
	now = now.Add(rest)
	ok, trial := b.admit(now)
	require.True(t, ok && trial)
	again, _ := b.admit(now)
	require.False(t, again)
	_, _, resting := b.rest(now)
	require.True(t, resting)
	b.done(trial, abandoned, now, 0, middle)
	_, _, back := end(&b, answered, 0)
	require.True(t, back)
	_, _, resting = b.rest(now)
	require.False(t, resting)

	// Throttling rests at once, as long as was asked for, within bounds.
	for asked, want := range map[time.Duration]time.Duration{0: restFirst, 7 * time.Second: 7 * time.Second, time.Hour: retryAfterMost} {
		var b breaker
		rest, _, _ := end(&b, throttled, asked)
		require.Equal(t, want, rest)
		_, limited, _ := b.rest(now)
		require.True(t, limited)
	}

	// What began before the rest says nothing about it.
	var c breaker
	_, early := c.admit(now)
	end(&c, throttled, 0)
	rest, _, back = c.done(early, answered, now, 0, middle)
	require.Zero(t, rest)
	require.False(t, back)
	_, _, resting = c.rest(now)
	require.True(t, resting)

	for dice, want := range map[float64]time.Duration{0: 800 * time.Millisecond, 1: 1200 * time.Millisecond} {
		var b breaker
		rest, _, _ := b.done(false, throttled, now, 0, dice)
		require.InDelta(t, want, rest, float64(time.Millisecond))
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var tr trust
	require.False(t, tr.distrusted(now))
	require.False(t, tr.doubtful(now))
	for range 3 { // one alone is no episode, however often that happens
		length, loud := tr.contradicted(now)
		require.Zero(t, length)
		require.True(t, loud)
		require.False(t, tr.distrusted(now))
		require.False(t, tr.doubtful(now))
		now = now.Add(distrustFirst)
	}
	tr.contradicted(now)
	want := distrustFirst
	for range 8 {
		length, loud := tr.contradicted(now)
		require.Equal(t, want, length)
		require.True(t, loud)
		length, loud = tr.contradicted(now)
		require.Zero(t, length, "one episode at a time")
		require.False(t, loud)
		require.True(t, tr.distrusted(now))
		require.True(t, tr.doubtful(now))
		now = now.Add(want)
		require.False(t, tr.distrusted(now))
		require.False(t, tr.doubtful(now))
		want = min(2*want, distrustMost)
	}
	now = now.Add(distrustMost + time.Second)
	length, _ := tr.contradicted(now)
	require.Zero(t, length, "long ago")
	length, _ = tr.contradicted(now)
	require.Equal(t, distrustFirst, length)
}

func TestBatchSize(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := newBatchSize(100)
	require.Equal(t, 100, b.size(now))
	require.Equal(t, 50, b.minded(100, now))
	require.Equal(t, 25, b.minded(50, now))
	require.Equal(t, 25, b.minded(60, now), "a larger batch that was under way")
	require.Equal(t, 25, b.size(now.Add(3900*time.Millisecond)))
	now = now.Add(4 * time.Second)
	require.Equal(t, 50, b.size(now))
	require.Equal(t, 100, b.size(now.Add(growStep)), "step by step")
	b.took(40)
	now = now.Add(time.Minute)
	b.minded(100, now)
	require.Equal(t, 50, b.size(now.Add(7*time.Second)), "a pause that doubles while the endpoint minds")
	now = now.Add(time.Minute)
	require.Equal(t, 100, b.size(now))
	b.took(100)
	b.minded(100, now)
	require.Equal(t, 100, b.size(now.Add(growPauseFirst)), "and is small again when it took one as large")
	for range 30 {
		b.minded(b.size(now), now)
	}
	require.Equal(t, 1, b.size(now.Add(growPauseMost-time.Second)))
	require.Equal(t, 2, b.size(now.Add(growPauseMost)))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 1.5 ": 1500 * time.Millisecond, "-3": 0, "1e99": retryAfterMost, "soon": 0, "NaN": 0,
		now.Add(9 * time.Second).Format(http.TimeFormat): 9 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0,
		now.Add(time.Hour).Format(http.TimeFormat): retryAfterMost,
	} {
		require.Equal(t, want, retryAfter(header, now), header)
	}
}

func TestCapability(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	var k capability
	require.True(t, k.offered(now))
	k.refused(errors.New("what"), now)
	k.refused(errors.New("what"), now)
	k.worked()
	k.refused(errors.New("what"), now)
	require.True(t, k.offered(now))
	k.refused(coded{"Method not found", -32601}, now)
	require.False(t, k.offered(now))
	require.True(t, k.offered(now.Add(missFor)))
}

type coded struct {
	text string
	code int
}

func (c coded) Error() string  { return c.text }
func (c coded) ErrorCode() int { return c.code }

func TestRateLimited(t *testing.T) {
	t.Parallel()
	for text, limit := range map[string]bool{
		"slow down": true, "daily request count exceeded, request rate limited": true, "rate limit exceeded": true, "too many requests": true,
		"limit exceeded": false, "": false, "the method eth_getLogs is not available": false, "couldn't generate a proof": false, "project ID request rate exceeded": true,
		"query returned more than 10000 results": false, "block range is too wide": false, "response size exceeded": false,
		"response too large": false, "nonce too low": false, "replacement transaction underpriced": false,
	} {
		require.Equal(t, limit, rateLimited("eth_getLogs", coded{text, -32005}), text)
	}
	require.True(t, rateLimited("eth_chainId", coded{"limit exceeded", -32005}))
	require.True(t, rateLimited("eth_chainId", coded{"compute units per second", -32000}))
	require.True(t, rateLimited("eth_chainId", coded{"what", 429}))
	require.False(t, rateLimited("eth_chainId", coded{"what", -32000}))
}

func TestTipOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		offers []offer
		gas    uint64
		tip    uint64
		says   bool
	}{
		"no offers":            {nil, 100, 0, false},
		"one":                  {[]offer{{7, 50}}, 100, 7, true},
		"less than a tenth":    {[]offer{{7, 9}}, 100, 0, false},
		"a tenth":              {[]offer{{7, 10}}, 100, 7, true},
		"60 % by gas":          {[]offer{{9, 40}, {1, 59}, {5, 1}}, 100, 5, true},
		"most of it cheap":     {[]offer{{9, 39}, {1, 61}}, 100, 1, true},
		"most of it expensive": {[]offer{{9, 61}, {1, 39}}, 100, 9, true},
	} {
		tip, says := tipOf(c.offers, c.gas)
		require.Equal(t, c.tip, tip, name)
		require.Equal(t, c.says, says, name)
	}
}

// Our own offers do not move the tip, of this process or another replica.
func TestMarket(t *testing.T) {
	t.Parallel()
	contract := common.Address{0xcc}
	const base = 100
	block := func(n byte, txs ...common.Hash) evidence.Block {
		return evidence.Block{Number: uint64(n), Hash: common.Hash{n}, Parent: common.Hash{n - 1}, Txs: txs, GasUsed: 100, BaseFee: big.NewInt(base)}
	}
	receipt := func(tx common.Hash, gas uint64, tip int64) *evidence.Receipt {
		return &evidence.Receipt{Receipt: types.Receipt{TxHash: tx, GasUsed: gas, EffectiveGasPrice: big.NewInt(base + tip)}}
	}
	history := func(tips ...int64) (h feeHistory) {
		for _, tip := range tips {
			h.Rewards = append(h.Rewards, []*hexutil.Big{(*hexutil.Big)(big.NewInt(tip))})
			h.GasRatios = append(h.GasRatios, min(float64(tip), 0.5))
		}
		return h
	}
	suggested := uint64(3)
	ours, theirs := common.Hash{0x01}, common.Hash{0x02}

	m := newMarket()
	one, two, three, four := block(1), block(2, ours), block(3, theirs), block(4)
	require.Equal(t, suggested, m.learn(&one, history(0), &suggested), "an empty block says nothing")
	require.Equal(t, uint64(5), m.learn(&one, history(5), &suggested))
	m.sent(ours)
	for _, b := range []*evidence.Block{&one, &two, &three, &four} {
		m.saw(b)
	}
	require.Equal(t, uint64(5), m.learn(&two, history(0, 1000), nil), "ours, and not read yet")
	require.Equal(t, two.Hash, m.unread(&four).Hash)
	m.read(&two, evidence.Receipts{receipt(ours, 95, 1000), receipt(theirs, 5, 900)})
	require.Nil(t, m.unread(&four))
	require.Equal(t, uint64(5), m.learn(&two, history(0, 1000), nil), "others used too little")
	m.read(&two, evidence.Receipts{receipt(ours, 60, 1000), receipt(theirs, 40, 8)})
	require.Equal(t, uint64(8), m.learn(&two, history(0, 1000), nil))
	require.Equal(t, uint64(20), m.learn(&three, history(0, 1000, 20), nil), "the median of 8 and 20")

	// Another replica's transactions are known by the contract.
	m.own(contract)
	four.Bloom.Add(contract.Bytes())
	m.saw(&four)
	require.Equal(t, four.Hash, m.unread(&four).Hash)
	theirs100 := receipt(theirs, 100, 5000)
	theirs100.To = &contract
	m.read(&four, evidence.Receipts{theirs100})
	require.Equal(t, uint64(20), m.learn(&four, history(0, 1000, 20, 5000), nil))
}

func TestDecodeBlock(t *testing.T) {
	t.Parallel()
	h := types.Header{
		Number: big.NewInt(7), Difficulty: new(big.Int), BaseFee: big.NewInt(9), TxHash: types.EmptyTxsHash, UncleHash: types.EmptyUncleHash,
		GasLimit: 30, GasUsed: 3, Time: 5, ParentHash: common.Hash{1}, Root: common.Hash{2}, ReceiptHash: common.Hash{3}, Extra: []byte{},
	}
	encode := func(change func(map[string]any)) json.RawMessage {
		text, err := json.Marshal(&h)
		require.NoError(t, err)
		fields := map[string]any{}
		require.NoError(t, json.Unmarshal(text, &fields))
		fields["transactions"] = []any{}
		change(fields)
		text, err = json.Marshal(fields)
		require.NoError(t, err)
		return text
	}
	b, err := decodeBlock(encode(func(map[string]any) {}))
	require.NoError(t, err)
	require.Equal(t, evidence.Block{
		Number: 7, Hash: h.Hash(), Parent: common.Hash{1}, Time: 5, GasLimit: 30, GasUsed: 3, BaseFee: big.NewInt(9),
		StateRoot: common.Hash{2}, TxRoot: types.EmptyTxsHash, ReceiptsRoot: common.Hash{3}, Checked: true,
	}, b)
	for name, change := range map[string]func(map[string]any){
		"another hash":      func(f map[string]any) { f["hash"] = common.Hash{9} },
		"another parent":    func(f map[string]any) { f["parentHash"] = common.Hash{9} },
		"another time":      func(f map[string]any) { f["timestamp"] = "0x6" },
		"another number":    func(f map[string]any) { f["number"] = "0x8" },
		"a field of others": func(f map[string]any) { delete(f, "sha3Uncles") },
	} {
		b, err := decodeBlock(encode(change))
		require.NoError(t, err, name)
		require.False(t, b.Checked, name)
	}
	b, err = decodeBlock(encode(func(f map[string]any) { delete(f, "logsBloom") }))
	require.NoError(t, err)
	require.True(t, b.MayHold(common.Address{1}, []common.Hash{{2}}), "what is not known may hold anything")
	for name, change := range map[string]func(map[string]any){
		"no hash":         func(f map[string]any) { delete(f, "hash") },
		"no number":       func(f map[string]any) { f["number"] = nil },
		"a number beyond": func(f map[string]any) { f["number"] = "0x" + strings.Repeat("f", 17) },
		"rubbish":         func(f map[string]any) { f["transactions"] = "no" },
	} {
		_, err := decodeBlock(encode(change))
		require.Error(t, err, name)
	}
	_, err = decodeBlock(encode(func(f map[string]any) { f["transactions"] = []any{common.Hash{4}, common.Hash{5}} }))
	require.ErrorIs(t, err, evidence.ErrContradiction, "transactions without a root")
	b, err = decodeBlock(encode(func(f map[string]any) { f["transactions"] = []any{common.Hash{4}} }))
	require.NoError(t, err, "one may be Polygon's state sync")
	require.Empty(t, b.Txs)
	h.TxHash = common.Hash{8}
	_, err = decodeBlock(encode(func(map[string]any) {}))
	require.ErrorIs(t, err, evidence.ErrContradiction, "a root without transactions")
	b, err = decodeBlock(encode(func(f map[string]any) { f["transactions"] = []any{map[string]any{"hash": common.Hash{4}}} }))
	require.NoError(t, err)
	require.Equal(t, []common.Hash{{4}}, b.Txs)
}

func TestUnite(t *testing.T) {
	t.Parallel()
	at := func(number uint64, index uint) types.Log { return types.Log{BlockNumber: number, Index: index} }
	same, differ := unite([]types.Log{at(1, 0), at(2, 0), at(2, 1), at(4, 0)}, []types.Log{at(1, 0), at(2, 0), at(3, 0), at(4, 0)})
	require.Equal(t, []types.Log{at(1, 0), at(4, 0)}, same)
	require.Equal(t, []uint64{2, 3}, differ)
	same, differ = unite(nil, nil)
	require.Empty(t, same)
	require.Empty(t, differ)
}

func TestInRange(t *testing.T) {
	t.Parallel()
	contract, topic := common.Address{1}, common.Hash{2}
	q := logQuestion{contract, []common.Hash{topic}, 9}
	at := func(number uint64, index uint, change ...func(*types.Log)) types.Log {
		l := types.Log{Address: contract, Topics: []common.Hash{topic}, BlockNumber: number, Index: index}
		for _, f := range change {
			f(&l)
		}
		return l
	}
	require.NoError(t, inRange([]types.Log{at(3, 0), at(3, 4), at(9, 1)}, q, 3, 9))
	for name, logs := range map[string][]types.Log{
		"before": {at(2, 0)}, "after": {at(10, 0)}, "out of order": {at(4, 0), at(3, 0)}, "twice": {at(4, 0), at(4, 0)},
		"another contract": {at(4, 0, func(l *types.Log) { l.Address = common.Address{} })},
		"another topic":    {at(4, 0, func(l *types.Log) { l.Topics = nil })},
		"removed":          {at(4, 0, func(l *types.Log) { l.Removed = true })},
		"two branches":     {at(4, 0), at(4, 1, func(l *types.Log) { l.BlockHash = common.Hash{1} })},
	} {
		require.ErrorIs(t, inRange(logs, q, 3, 9), evidence.ErrContradiction, name)
	}
}

// TestTheLeastTipIsReadFromARefusal: what is no tip is none, and neither is the base fee.
func TestTheLeastTipIsReadFromARefusal(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]uint64{
		"transaction gas price below minimum: gas tip cap 1000000000, minimum needed 25000000000":    25e9,
		"transaction underpriced: gas tip cap below minimum: 1000000000, minimum needed 25000000000": 25e9,
		"transaction underpriced: tip needed 25000000000, tip permitted 1000000000":                  25e9,
		"transaction underpriced: tip needed 99999999999999999999999, tip permitted 1":               uint64(math.MaxUint64),
		"transaction underpriced":                                                0,
		"intrinsic gas too low: gas 21000, minimum needed 53000":                 0,
		"max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 30": 0,
	} {
		require.EqualValues(t, want, minTip(errors.New(words)), words)
	}
	require.Zero(t, minTip(nil))
}
