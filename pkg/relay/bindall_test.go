package relay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// newQueued is a session with so much queued work, and how often it probed some.
func newQueued(t *testing.T, works int) (p *spoken, probed *int) {
	t.Helper()
	state := &lane.State{LastWork: uint64(works)}
	for n := range works {
		data := registry.EncodeBatch(batch.Single(score.Update{Project: score.ProjectID{1}, ID: score.UpdateID{byte(n)}}))
		state.Queue = append(state.Queue, lane.Work{ID: uint64(n) + 1, Kind: lane.Updates, Count: 1, Data: data})
	}
	p, probed = newSpoken(t, state), new(int)
	in, err := newIntake(Config{Limits: batch.DefaultLimits()}, state)
	require.NoError(t, err)
	p.intake, p.binder.intake, p.binder.reporter = in, in, p.reporter
	p.requeue = &requeue{
		config: &p.config, lane: p.lane, gas: p.gas, bind: p.binder.bind, waiting: p.waiting, metrics: p.metrics, log: p.session.log,
		ask: func(context.Context, evidence.Call, common.Hash) ([]evidence.Called, error) {
			*probed++
			return []evidence.Called{{Endpoint: "a"}}, nil
		},
	}
	require.NoError(t, p.hear(t.Context(), p.view(10, 0)))
	return p, probed
}

// TestASignerThatIsAwayIsAskedOnceASecond, and so are the endpoints of queued work, however much the loop hears meanwhile.
func TestASignerThatIsAwayIsAskedOnceASecond(t *testing.T) {
	t.Parallel()
	p, probed := newQueued(t, 1)
	for second := 1; second <= 5; second++ {
		for range 100 {
			require.NoError(t, p.bindAll(t.Context()))
		}
		require.Equal(t, second, *probed)
		require.Equal(t, second, p.key.asked)
		require.Equal(t, lane.WaitSigner, p.waiting.reason)
		in, some := p.wakes()
		require.True(t, some)
		require.Equal(t, time.Second, in)
		p.now = p.now.Add(in)
	}
	require.Equal(t, 1, p.times("the lane's signer does not sign; "))
	p.key.signs = true
	require.NoError(t, p.bindAll(t.Context()))
	require.Len(t, p.lane.State.Slots, 1)
	_, some := p.wakes()
	require.False(t, some)
}

// TestASlowSignerKeepsTheLoopFromNothing: neither what it binds nor what it replaces is signed in one go, and all of it is in the end.
func TestASlowSignerKeepsTheLoopFromNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, _ := newQueued(t, 3)
		p.binder.config.Now = time.Now // the bubble's, which passes while the signer signs
		p.key.signs, p.key.takes = true, 1500*time.Millisecond
		require.NoError(t, p.bindAll(t.Context()))
		require.Len(t, p.lane.State.Slots, 2)
		in, some := p.wakes()
		require.True(t, some)
		require.Zero(t, in, "it continues at once")
		require.NoError(t, p.bindAll(t.Context()))
		require.Len(t, p.lane.State.Slots, 3)
		_, some = p.wakes()
		require.False(t, some)

		attempts := func() (n int) {
			for _, slot := range p.lane.State.Slots {
				n += len(slot.Attempts)
			}
			return n
		}
		for block, want := range []int{5, 6, 6} {
			dear := p.view(11+uint64(block), 0)
			dear.Price.BaseFee = 10 * simGwei
			require.NoError(t, p.hear(t.Context(), dear))
			require.Equal(t, want, attempts())
		}
	})
}
