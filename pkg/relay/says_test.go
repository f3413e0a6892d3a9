package relay

import (
	"context"
	"log/slog"
	"math/big"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// mute is a key that does not sign, until it does.
type mute struct {
	signs bool
	takes time.Duration
	asked int
}

func (*mute) Address() common.Address { return simAddress(simLane) }

func (m *mute) Sign(ctx context.Context, tx *types.Transaction) (*types.Transaction, error) {
	m.asked++
	if !m.signs {
		return nil, errSimAway
	}
	_ = retry.Sleep(ctx, m.takes)
	return types.SignTx(tx, types.LatestSignerForChainID(tx.ChainId()), simKeys()[simLane])
}

// spoken is a session without the outside, and what it logs.
type spoken struct {
	*session
	log strings.Builder
	now time.Time
	key *mute
}

func newSpoken(t *testing.T, state *lane.State) *spoken {
	t.Helper()
	p := &spoken{now: time.Unix(1, 0), key: &mute{}}
	log, counts := slog.New(slog.NewTextHandler(&p.log, nil)), newMetrics(noRegistry{})
	config := Config{ChainID: 1, Now: func() time.Time { return p.now }, Rules: lane.Rules{
		Fees: lane.FeeRule{MaxCap: 1e12, MaxTxFee: 1e19, MinTip: 1}, Window: 4, MaxOpen: 8, BumpBlocks: 3, MaxGas: 1 << 24,
	}}.withDefaults()
	l := lane.New(state, config.Rules)
	tracker := heads.New(heads.Config{}, nil, log, noRegistry{})
	gas := newGas(0, common.Address{}, &config, nil, func(batch.Model, uint64) {}, new(atomic.Uint64), counts, log)
	waiting := &waiting{config: &config, lane: l, metrics: counts, log: log}
	reporter := newReporter(0, &config, newSimStatuses(), l, func(context.Context) error { return nil }, counts.statusFails)
	binder := &binder{config: &config, lane: l, signer: p.key, gas: gas, waiting: waiting, metrics: counts, log: log}
	binder.append = func(_ context.Context, e lane.Entry) error {
		_, err := l.Step(lane.Appended{Entry: e})
		return err
	}
	p.session = &session{
		config: config, log: log, lane: l, heads: tracker.Subscribe(common.Address{}, 0), gas: gas, waiting: waiting, reporter: reporter, binder: binder,
		journal: &laneJournal{}, metrics: counts, halt: neverHalts{}, handover: &handover{}, passed: p.now, intake: &intake{state: state},
		settler: &settler{config: &config, lane: l, append: binder.append, reporter: reporter, gas: gas, cancel: binder.cancel, ages: &ages{}, metrics: counts, log: log},
		send:    func(_ context.Context, raw [][]byte) []txpool.Result { return make([]txpool.Result, len(raw)) },
	}
	return p
}

// view is one of a block, in whose state the signer has used so many nonces.
func (p *spoken) view(number, nonce uint64) evidence.View {
	at := evidence.Ref{Number: number, Hash: common.Hash{byte(number)}}
	account := evidence.Account{Nonce: nonce, Balance: big.NewInt(1e18), At: at, Proved: true}
	head := evidence.Block{Number: at.Number, Hash: at.Hash}
	return evidence.View{
		Head: head, Final: at, Account: account, FinalAccount: account, Price: evidence.Price{BaseFee: simGwei, Tip: 1}, Now: p.now,
	}
}

// times is how often something was logged.
func (p *spoken) times(text string) int { return strings.Count(p.log.String(), text) }

// TestASessionThatNeverHearsOfAHeadSaysSo, once, and not before one may be late.
func TestASessionThatNeverHearsOfAHeadSaysSo(t *testing.T) {
	t.Parallel()
	p := newSpoken(t, &lane.State{})
	for second := range 60 {
		require.NoError(t, p.bindAll(t.Context()))
		require.Equal(t, second >= 20, p.times("no head of the chain yet") == 1, "after %d s", second)
		p.now = p.now.Add(time.Second)
	}
}

// TestSlotsThatEndedAreNotSent: no node is asked.
func TestSlotsThatEndedAreNotSent(t *testing.T) {
	t.Parallel()
	p := newSpoken(t, &lane.State{Next: 2})
	p.send = nil
	more, err := p.broadcast(t.Context(), []uint64{0, 1})
	require.NoError(t, err)
	require.Empty(t, more)
}

// TestAFillThatIsNotSignedIsSaidOnce, and not in turn with the reason for which it is to be filled.
func TestAFillThatIsNotSignedIsSaidOnce(t *testing.T) {
	t.Parallel()
	p := newSpoken(t, &lane.State{Next: 2})
	for n := range uint64(5) {
		require.NoError(t, p.hear(t.Context(), p.view(10+n, 0)))
		require.NoError(t, p.bindAll(t.Context()))
	}
	require.Equal(t, 1, p.times("the lane's signer does not sign; "))
	require.Zero(t, p.times("shows fewer transactions"))
	p.key.signs = true
	require.NoError(t, p.hear(t.Context(), p.view(15, 0)))
	require.Len(t, p.lane.State.Slots, 2)
	require.Equal(t, lane.WaitNone, p.blocked())
}

// TestABumpThatIsNotSignedIsSaidOnce until one is.
func TestABumpThatIsNotSignedIsSaidOnce(t *testing.T) {
	t.Parallel()
	p := newSpoken(t, &lane.State{Buckets: map[score.Bucket]lane.Holding{0: {}}})
	require.NoError(t, p.hear(t.Context(), p.view(10, 0)))
	p.key.signs = true
	bound, err := p.binder.sign(t.Context(), 0, lane.Fees{Tip: 1, Cap: 2 * simGwei}, 100_000, &common.Address{}, []byte{1})
	require.NoError(t, err)
	_, err = p.lane.Step(lane.Appended{Entry: lane.Entry{Bind: &lane.Bind{
		Raw: bound, Work: lane.Work{Kind: lane.Updates, Count: 1},
		Moves: []lane.Move{{Bound: score.Positions{{Count: 1}}, Floor: score.Position{Seq: 1}, Passed: 1}},
	}}})
	require.NoError(t, err)
	for try := range 3 {
		p.key.signs = false
		for range 4 {
			require.NoError(t, p.binder.replace(t.Context(), lane.Replace{Fees: lane.Fees{Tip: 10, Cap: 20 * simGwei}, Gas: 100_000, Reason: "slow"}))
		}
		require.Equal(t, 1+min(try, 1), p.times("couldn't sign a replacement"))
		if try == 0 {
			p.key.signs = true
			require.NoError(t, p.binder.replace(t.Context(), lane.Replace{Fees: lane.Fees{Tip: 10, Cap: 20 * simGwei}, Gas: 100_000, Reason: "slow"}))
		}
	}
}

// TestTheLineOfWantedFundsNamesWhatIsNeeded, of idle lanes that hold buckets and where only a node knows; of a lane without buckets nothing is said.
func TestTheLineOfWantedFundsNamesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	const line = "the lane's signer cannot pay for another transaction"
	for _, buckets := range []int{0, 1} {
		state := &lane.State{Buckets: map[score.Bucket]lane.Holding{}}
		for b := range buckets {
			state.Buckets[score.Bucket(b)] = lane.Holding{}
		}
		p := newSpoken(t, state)
		poor := p.view(10, 0)
		poor.Account.Balance = big.NewInt(77)
		require.NoError(t, p.hear(t.Context(), poor))
		for range 3 {
			p.binder.idle()
		}
		require.Equal(t, buckets, p.times(line))
		require.Equal(t, buckets, p.times(" balance_wei=77 need_wei="+orZero(p.waiting.need).String()+" block=10"))
		require.NoError(t, p.hear(t.Context(), p.view(11, 0)))
		p.binder.idle()
		require.Equal(t, lane.WaitNone, p.waiting.reason)
	}

	p := newSpoken(t, &lane.State{Buckets: map[score.Bucket]lane.Holding{0: {}}})
	require.NoError(t, p.hear(t.Context(), p.view(10, 0)))
	p.key.signs = true
	raw, err := p.binder.sign(t.Context(), 0, lane.Fees{Tip: 1, Cap: 2 * simGwei}, 100_000, &common.Address{}, []byte{1})
	require.NoError(t, err)
	_, err = p.lane.Step(lane.Appended{Entry: lane.Entry{Bind: &lane.Bind{
		Raw: raw, Work: lane.Work{Kind: lane.Updates, Count: 1},
		Moves: []lane.Move{{Bound: score.Positions{{Count: 1}}, Floor: score.Position{Seq: 1}, Passed: 1}},
	}}})
	require.NoError(t, err)
	_, err = p.lane.Step(lane.Sent{Tx: p.lane.State.Slots[0].Last().Hash, Class: txpool.Funds, Refused: txpool.Funds, Now: p.now})
	require.NoError(t, err)
	require.NoError(t, p.bindAll(t.Context()))
	require.Equal(t, 1, p.times(line), p.log.String())
	require.Equal(t, 1, p.times(" balance_wei=1000000000000000000 need_wei=200000000000000 block=10"), p.log.String())
}
