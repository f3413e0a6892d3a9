package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// newLearner is the gas of a lane under these rules.
func newLearner(t *testing.T, rules []registry.GasRules) *gas {
	t.Helper()
	config := Config{Gas: rules, Limits: batch.DefaultLimits(), Rules: lane.Rules{MaxGas: 1 << 24}}.withDefaults()
	in, err := newIntake(config, &lane.State{})
	require.NoError(t, err)
	return newGas(0, common.Address{}, &config, nil, in.horizon.Reprice, new(atomic.Uint64), newMetrics(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
}

// freshBatch is of so many updates, each on a wallet of its own.
func freshBatch(n int) *piece {
	updates := make([]score.Update, n)
	for i := range updates {
		updates[i].ID[31], updates[i].Target[0], updates[i].Target[1] = byte(i), 1, byte(i)
	}
	model := registry.Osaka().Batch
	b := batch.Plan(&model, updates, nil)
	return &piece{batch: &b}
}

func TestBatchesThatHadTheSameGasRaiseTheScaleOnce(t *testing.T) {
	t.Parallel()
	g := newLearner(t, registry.AllGasRules()[:1])
	p := freshBatch(20)
	worst := p.worst(g.rules())
	for range 8 { // in flight together
		g.ranOut(p, worst)
	}
	require.Equal(t, uint64(150), g.scale)
	g.ranOut(p, 2*worst)
	require.Equal(t, uint64(300), g.scale)
}

// done is the receipt of a piece all of which applied, for so much gas.
func done(t *testing.T, p *piece, used uint64) *evidence.Receipt {
	t.Helper()
	receipt := &evidence.Receipt{Receipt: types.Receipt{Status: types.ReceiptStatusSuccessful, GasUsed: used}}
	if p.batch == nil {
		return receipt
	}
	kind, err := abi.NewType("bytes", "", nil)
	require.NoError(t, err)
	data, err := abi.Arguments{{Type: kind}, {Type: kind}}.Pack(registry.EncodeBatchData(*p.batch), []byte{})
	require.NoError(t, err)
	receipt.Logs = []*types.Log{{Topics: []common.Hash{crypto.Keccak256Hash([]byte("BatchApplied(bytes,bytes)"))}, Data: data}}
	return receipt
}

// largeCreation takes more gas by the announced rules than a transaction can have by today's.
func largeCreation() *piece {
	p := &score.Project{ID: score.ProjectID{1}, Name: "large", Owners: []common.Address{{1}}, ScoreTypes: []string{"a"}}
	for i := range score.MaxActions {
		p.Actions = append(p.Actions, score.Action{Name: fmt.Sprint("action ", i), Points: 1})
	}
	return &piece{project: p}
}

// Rules of registry.AllGasRules.
const (
	today = 0
	next  = 1
)

func TestALaneLearnsByWhichRulesTheChainCharges(t *testing.T) {
	t.Parallel()
	osaka, amsterdam := registry.Osaka(), registry.Amsterdam()
	small, project := freshBatch(20), &piece{project: &score.Project{ID: score.ProjectID{1}, Name: "p", Owners: []common.Address{{1}}}}
	for name, c := range map[string]struct {
		from  int
		learn func(*gas)
		want  int
		scale uint64
	}{
		"a batch that had enough ran out":    {today, func(g *gas) { g.ranOut(small, small.worst(&osaka)) }, next, 100},
		"a creation that had enough ran out": {today, func(g *gas) { g.ranOut(project, project.worst(&osaka)) }, next, 100},
		"one that had too little anyway":     {today, func(g *gas) { g.ranOut(small, small.worst(&osaka)-1) }, today, 148},
		"one that had too much for any":      {today, func(g *gas) { g.ranOut(small, small.worst(&amsterdam)) }, today, 681},
		"those bound before that one ended": {today, func(g *gas) {
			for range 8 {
				g.ranOut(small, small.worst(&osaka))
			}
		}, next, 100},
		"more was used than can be":               {today, func(g *gas) { g.learn(small, done(t, small, small.worst(&osaka)+1)) }, next, 100},
		"more was used than by any rules":         {today, func(g *gas) { g.learn(small, done(t, small, small.worst(&amsterdam)+1)) }, today, 478},
		"all wallets were known":                  {next, func(g *gas) { g.learn(small, done(t, small, small.least(&osaka))) }, today, 100},
		"some wallets were new, by either rules":  {next, func(g *gas) { g.learn(small, done(t, small, small.worst(&osaka))) }, next, 100},
		"all wallets were known, by the new ones": {next, func(g *gas) { g.learn(small, done(t, small, small.least(&amsterdam))) }, next, 100},
		"a creation cost what it did":             {next, func(g *gas) { g.learn(project, done(t, project, project.worst(&osaka))) }, today, 100},
		"a creation costs what it does":           {next, func(g *gas) { g.learn(project, done(t, project, project.worst(&amsterdam)*97/100)) }, next, 100},
		"what was skipped says nothing": {next, func(g *gas) {
			g.learn(small, &evidence.Receipt{Receipt: types.Receipt{Status: types.ReceiptStatusSuccessful, GasUsed: small.least(&osaka)}})
		}, next, 100},
		"headers tell": {today, func(g *gas) { g.head(&evidence.Block{GasLimit: 60_000_000, AccessList: true}) }, next, 100},
		"headers tell better than receipts": {today, func(g *gas) {
			g.head(&evidence.Block{GasLimit: 60_000_000, AccessList: true})
			g.learn(small, done(t, small, small.least(&osaka)))
		}, next, 100},
		"what does not last is something else": {today, func(g *gas) {
			g.ranOut(small, small.worst(&osaka))
			g.learn(small, done(t, small, small.least(&osaka)))
			g.ranOut(small, small.worst(&osaka))
		}, next, 149},
	} {
		g := newLearner(t, registry.AllGasRules())
		g.believed = c.from
		c.learn(g)
		require.Equal(t, c.want, g.believed, name)
		require.InDelta(t, c.scale, g.scale, 2, name)
	}
}

// A slot was in a block, and the next was bound with gas that counts what it wrote as used. Then its block is gone, and in another it wrote
// nothing. So the next one runs out of gas, by the rules that the chain always had.
func TestWantOfGasAfterAReorgShowsNoOtherPrices(t *testing.T) {
	t.Parallel()
	osaka := registry.Osaka()
	for _, wallets := range []int{1, 10, 20} {
		g := newLearner(t, registry.AllGasRules())
		p := freshBatch(20)
		g.learn(p, done(t, p, p.worst(&osaka)))
		p.known, p.nonce, g.next = wallets, 7, 9
		for range 8 { // in flight together
			g.ranOut(p, g.limit(p))
			p.nonce = 8
		}
		require.Equal(t, today, g.believed, "the chain's rules are what they were")
		require.EqualValues(t, 100, g.scale, "and so are its prices")
		model := osaka.Batch
		model.Known = g.known
		require.Equal(t, osaka.Batch.Gas(*p.batch), model.Gas(*p.batch), "what was known is forgotten")
		require.GreaterOrEqual(t, g.limitAgain(freshBatch(20)), osaka.Batch.Gas(*p.batch), "and it goes again with what it takes if all is fresh")

		p.nonce = g.next + spell
		g.ranOut(p, g.limit(p))
		require.Equal(t, today, g.believed, "nor does the next reorg, another day")
		require.EqualValues(t, 100, g.scale)
	}
}

// otherPrices are the rules that a chain may have, and what is believed once a batch ran out of gas for its prices.
var otherPrices = map[string]struct {
	rules []registry.GasRules
	want  int
	scale uint64
}{
	"today's rules only": {registry.AllGasRules()[:1], today, 150},
	"either":             {registry.AllGasRules(), next, 100},
}

// TestWantOfGasAfterAReorgIsTheReorgsOnlyOnce: what runs out again, with what was learnt since, costs more than the rules say. Else a lane on
// a chain that charges a little more would lose each second batch: to what it knows, forgets for that, and learns again.
func TestWantOfGasAfterAReorgIsTheReorgsOnlyOnce(t *testing.T) {
	t.Parallel()
	osaka := registry.Osaka()
	for name, c := range otherPrices {
		g := newLearner(t, c.rules)
		p := freshBatch(20)
		p.known, p.nonce, g.next = 21, 7, 9 // wallets and their word
		g.ranOut(p, p.worst(&osaka))
		require.Equal(t, today, g.believed, name)
		p.nonce, g.next = 9, 17
		for range 8 { // in flight together
			g.ranOut(p, p.worst(&osaka))
		}
		require.Equal(t, c.want, g.believed, name)
		require.Equal(t, c.scale, g.scale, name)
	}
}

// TestWantOfGasThatNoReorgExplainsShowsOtherPricesAtOnce: a batch that counted on used slots had as much as it takes if all are fresh, since
// another waited before it.
func TestWantOfGasThatNoReorgExplainsShowsOtherPricesAtOnce(t *testing.T) {
	t.Parallel()
	osaka := registry.Osaka()
	for name, c := range otherPrices {
		g := newLearner(t, c.rules)
		p := freshBatch(20)
		enough := p.worst(&osaka)
		p.known, p.nonce, g.next = 21, 7, 9
		g.ranOut(p, enough)
		require.Equal(t, c.want, g.believed, name)
		require.Equal(t, c.scale, g.scale, name)
	}
}

// TestWhatWaitsIsPlannedByTheRulesBelievedIn: also what was offered before they changed.
func TestWhatWaitsIsPlannedByTheRulesBelievedIn(t *testing.T) {
	t.Parallel()
	osaka, amsterdam := registry.Osaka(), registry.Amsterdam()
	g := newLearner(t, registry.AllGasRules())
	var model batch.Model
	var most uint64
	g.plan = func(m batch.Model, maxGas uint64) { model, most = m, maxGas }
	g.head(&evidence.Block{GasLimit: 60_000_000})
	require.NotNil(t, model.Known)
	model.Known = nil
	require.Equal(t, osaka.Batch, model)
	g.ranOut(freshBatch(20), freshBatch(20).worst(&osaka))
	model.Known = nil
	require.Equal(t, amsterdam.Batch, model)
	require.Equal(t, batchGas(60_000_000, 1<<24, batchesPerBlock), most)
}

// TestWhatHasNoHalvesGetsTheGasItTakes: by the announced rules more than a transaction can have by today's, until nodes refuse that.
func TestWhatHasNoHalvesGetsTheGasItTakes(t *testing.T) {
	t.Parallel()
	const most = 1 << 24
	amsterdam := registry.Amsterdam()
	g := newLearner(t, registry.AllGasRules())
	large, batches := largeCreation(), freshBatch(250)
	need := large.worst(&amsterdam)
	require.Greater(t, need, uint64(most))
	require.Less(t, g.limit(large), uint64(most))
	require.Equal(t, uint64(most), g.limitAgain(large), "no block is known")
	g.head(&evidence.Block{GasLimit: 60_000_000})
	require.Less(t, g.limit(large), uint64(most), "by today's rules")
	require.Equal(t, need, g.limitAgain(large), "by any rules")
	require.Equal(t, uint64(most), g.limitAgain(batches))
	require.False(t, g.tooMuch(batches))

	g.head(&evidence.Block{GasLimit: 60_000_000, AccessList: true})
	require.Equal(t, need, g.limit(large))
	require.Equal(t, uint64(most), g.limit(batches))
	require.True(t, g.tooMuch(batches))
	require.False(t, g.tooMuch(large), "it has no halves")
	g.head(&evidence.Block{GasLimit: 24_000_000, AccessList: true})
	require.Equal(t, usable(24_000_000), g.limit(large), "no more than a block holds")

	g.capped = true
	require.Equal(t, uint64(most), g.limit(large))
	require.Equal(t, uint64(most), g.limitAgain(large))
}

// TestLiesAboutGasOnlyCost: any receipt is believed, and a transaction still gets what it needs by today's rules, and no more than nodes take but
// for what was refused once.
func TestLiesAboutGasOnlyCost(t *testing.T) {
	t.Parallel()
	osaka := registry.Osaka()
	pieces := []*piece{freshBatch(1), freshBatch(20), freshBatch(100), largeCreation()}
	rapid.Check(t, func(rt *rapid.T) {
		g := newLearner(t, registry.AllGasRules())
		block := rapid.Uint64Range(30_000_000, 300_000_000).Draw(rt, "block")
		planned := g.config.Limits.MaxGas
		g.plan = func(_ batch.Model, maxGas uint64) { planned = maxGas }
		g.head(&evidence.Block{GasLimit: block})
		for range rapid.IntRange(1, 8).Draw(rt, "receipts") {
			p := pieces[rapid.IntRange(0, len(pieces)-1).Draw(rt, "piece")]
			used := rapid.Uint64Range(0, 1<<26).Draw(rt, "used")
			if rapid.Bool().Draw(rt, "ran out") {
				g.ranOut(p, used)
			} else {
				g.learn(p, done(t, p, used))
			}
		}
		require.Positive(rt, planned)
		for _, p := range pieces {
			for _, limit := range []uint64{g.limit(p), g.limitAgain(p)} {
				require.GreaterOrEqual(rt, limit, min(p.worst(&osaka), g.most))
				require.LessOrEqual(rt, limit, block)
				if p.splits() {
					require.LessOrEqual(rt, limit, g.most)
				}
			}
		}
		g.capped = true
		for _, p := range pieces {
			require.LessOrEqual(rt, max(g.limit(p), g.limitAgain(p)), g.most)
		}
	})
}

func TestBatchesFillABlockInWholeNumbers(t *testing.T) {
	t.Parallel()
	const limit = 1 << 24
	for _, block := range []uint64{9_000_000, 30_000_000, 60_000_000, 300_000_000, 1 << 50} {
		gas := batchGas(block, limit, batchesPerBlock)
		require.LessOrEqual(t, gas, uint64(limit))
		for _, used := range []uint64{80, 86, 90, 95, 99, 100} { // percent of its limit that a batch uses
			full, n := uint64(0), 0
			for full+gas <= block {
				full += gas * used / 100
				n++
			}
			require.GreaterOrEqual(t, full*1000/block, uint64(930), "blocks of %d filled by %d batches that use %d %%", block, n, used)
		}
		require.LessOrEqual(t, maxGas(block, limit), block)
	}
	require.Equal(t, uint64(limit), batchGas(0, limit, batchesPerBlock), "where it is not known")
}

// estimates is a chain that only answers with estimates.
type estimates struct {
	Chain
	says func(data []byte) (uint64, error)
}

func (e estimates) EstimateGas(_ context.Context, msg evidence.Call) (uint64, error) {
	return e.says(msg.Data)
}

// refusing has a node refuse transactions of pieces that ask for less than ask says of their data, and returns how many
// it refused.
func refusing(t *testing.T, g *gas, pieces []*piece, ask func(data []byte) uint64) (refusals int) {
	t.Helper()
	for i, p := range pieces {
		kind, data := lane.Updates, []byte(nil)
		if p.batch != nil {
			data = registry.EncodeBatch(*p.batch)
		} else {
			kind, data, _ = p.alone()
		}
		if ask(data) > 1<<24 { // no transaction may have so much
			continue
		}
		slot := &lane.Slot{Nonce: uint64(i), Work: lane.Work{Kind: kind}}
		for gas := g.limit(p); ; {
			tx := types.MustSignNewTx(simKeys()[0], types.LatestSignerForChainID(common.Big1),
				&types.DynamicFeeTx{ChainID: common.Big1, Nonce: uint64(i), Gas: gas, Data: data})
			raw, err := tx.MarshalBinary()
			require.NoError(t, err)
			slot.Attempts = append(slot.Attempts, lane.Attempt{Raw: raw, Hash: tx.Hash(), Gas: gas})
			if gas >= ask(data) {
				break
			}
			refusals++
			require.Less(t, len(slot.Attempts), 20)
			if gas = g.refused(t.Context(), slot); gas == 0 {
				gas = slot.Last().Gas + slot.Last().Gas/4 + 1
			}
		}
	}
	return refusals
}

// TestGasForBytesIsLearntOnce: of any kind of work that is refused first, also where a transaction's own bytes count;
// and by all lanes of the process.
func TestGasForBytesIsLearntOnce(t *testing.T) {
	t.Parallel()
	creation := &piece{project: &score.Project{ID: score.ProjectID{1}, Name: "p", Owners: []common.Address{{1}}}}
	rapid.Check(t, func(r *rapid.T) {
		perByte, beside := rapid.Uint64Range(0, maxPerByte*4/5-1).Draw(r, "gas a byte"),
			rapid.Uint64Range(0, 130).Draw(r, "bytes beside the data")
		ask := func(data []byte) uint64 {
			return registry.IntrinsicGas(data) + perByte*(uint64(len(data))+beside)
		}
		pieces := []*piece{creation, freshBatch(1), freshBatch(20), freshBatch(200), largeCreation()}
		pieces = rapid.Permutation(pieces).Draw(r, "pieces")
		g, questions := newLearner(t, registry.AllGasRules()), 0
		g.chain = estimates{says: func(data []byte) (uint64, error) {
			questions++
			return ask(data), nil
		}}
		require.LessOrEqual(t, refusing(t, g, pieces, ask), 1)
		require.LessOrEqual(t, questions, 1)
		other := newLearner(t, registry.AllGasRules())
		other.learnt, other.chain = g.learnt, g.chain
		other.head(&evidence.Block{GasLimit: 60_000_000})
		require.Zero(t, refusing(t, other, pieces, ask))
	})
}

// TestAnAttemptIsEstimatedOnceAHead, also where several are refused by turns and no estimate helps.
func TestAnAttemptIsEstimatedOnceAHead(t *testing.T) {
	t.Parallel()
	questions := 0
	g := newLearner(t, registry.AllGasRules())
	g.chain = &estimates{says: func(data []byte) (uint64, error) {
		questions++
		return registry.IntrinsicGas(data), nil
	}}
	var slots []*lane.Slot
	for nonce := range uint64(3) {
		p := freshBatch(10)
		tx := types.MustSignNewTx(simKeys()[0], types.LatestSignerForChainID(common.Big1),
			&types.DynamicFeeTx{ChainID: common.Big1, Nonce: nonce, Gas: g.limit(p), Data: registry.EncodeBatch(*p.batch)})
		raw, err := tx.MarshalBinary()
		require.NoError(t, err)
		slots = append(slots, &lane.Slot{
			Nonce: nonce, Work: lane.Work{Kind: lane.Updates}, Attempts: []lane.Attempt{{Raw: raw, Hash: tx.Hash(), Gas: tx.Gas()}},
		})
	}
	for n := range 4 {
		for _, slot := range slots {
			require.Zero(t, g.refused(t.Context(), slot))
		}
		if n == 1 {
			g.head(&evidence.Block{GasLimit: 60_000_000})
		}
	}
	require.Equal(t, 2*len(slots), questions)
}

// TestAnEstimateThatHelpsNothing, since it fails, lies, or says no more than the rules, costs refusals and room, and no
// more.
func TestAnEstimateThatHelpsNothing(t *testing.T) {
	t.Parallel()
	ask := func(data []byte) uint64 { return registry.IntrinsicGas(data) + 400*uint64(len(data)) }
	for name, says := range map[string]func(data []byte) (uint64, error){
		"no answer":   func([]byte) (uint64, error) { return 0, errors.New("method not found") },
		"nothing":     func([]byte) (uint64, error) { return 0, nil },
		"as the rule": func(data []byte) (uint64, error) { return registry.IntrinsicGas(data), nil },
		"no end":      func([]byte) (uint64, error) { return math.MaxUint64, nil },
	} {
		g := newLearner(t, registry.AllGasRules())
		g.chain = estimates{says: says}
		require.LessOrEqual(t, refusing(t, g,
			[]*piece{{project: &score.Project{ID: score.ProjectID{1}, Name: "p", Owners: []common.Address{{1}}}}}, ask), 8, name)
		require.LessOrEqual(t, g.learnt.Load(), uint64(maxPerByte), name)
		require.LessOrEqual(t, g.limit(freshBatch(1)), uint64(1<<24), "%s: one update fits", name)
	}
}
