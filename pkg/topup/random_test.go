package topup_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/fault"
	"github.com/scorelay/scorelay/pkg/devnet/rig/testrand"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestRandomSchedules: two relayers that are killed and started again, writes and sends that fail, or whose answers are lost, and
// blocks that the chain replaces. Each lane is paid exactly once, by one nonce each, and what was counted covers what was spent.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	dice := testrand.New(t)
	const lanes = 4
	r := newRig(t, lanes)
	faults := true
	luck := func(percent int) bool { return faults && dice.IntN(100) < percent }
	type relayer struct {
		*process
		*faulty
		*line
	}
	fresh := func() *relayer {
		kinds := []fault.Kind{fault.Failed, fault.Persisted}
		plan := fault.NewPlan(func(string, int) fault.Kind {
			if luck(30) {
				return kinds[dice.IntN(len(kinds))]
			}
			return fault.None
		})
		f, l := &faulty{Store: r.store, Plan: plan}, &line{}
		return &relayer{r.start(on(f, l)), f, l}
	}
	all := []*relayer{fresh(), fresh()}
	before := r.balance(r.signer.Address())
	for range 200 {
		r.geth.Commit()
		if luck(10) { // the newest block, which is not final
			head, err := r.geth.Client().HeaderByNumber(t.Context(), nil)
			require.NoError(t, err)
			if r.geth.Fork(head.ParentHash) == nil { // refused while transactions wait
				r.geth.Commit()
				r.geth.Commit()
			}
		}
		for i := range all {
			if luck(5) {
				all[i] = fresh()
			}
			all[i].away, all[i].cut, all[i].lost = luck(10), luck(30), luck(30)
			if !luck(20) {
				r.look(all[i].process)
			}
		}
	}
	faults = false
	for _, a := range all {
		a.away, a.cut, a.lost = false, false, false
	}
	r.until(func() bool { return r.settled(lanes) }, all[0].process, all[1].process)
	r.steps(all[0].process, all[1].process)
	for id := range score.Lane(lanes) {
		require.True(t, r.paid(id), "lane %d has %d", id, r.balance(r.lane(id)))
	}
	require.Equal(t, uint64(lanes), r.nonce())
	spent := new(big.Int).Sub(before, r.balance(r.signer.Address()))
	require.GreaterOrEqual(t, r.record().SpentWei.Cmp(spent), 0)
	require.LessOrEqual(t, r.record().SpentWei.Cmp(r.config.PerDay), 0)
}
