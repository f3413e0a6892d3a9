package relay_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/score"
)

// overtaken is a world in which a lane's only batch is in a block before the creation of its project, of which no journal speaks
// any more: the heir of a lane that was cut settled too much since. Nothing is settled, and no relayer runs.
func overtaken(t *testing.T) (*world, relay.Config) {
	t.Helper()
	w, config := oneLane(t, 2)
	stop := w.start(config, w.deps())
	w.accept(some(1, 0, 10)...)
	require.Eventually(t, func() bool { return len(w.states()[0].Slots) == 1 }, 2*time.Minute, 10*time.Millisecond)
	stop()
	tx := w.states()[0].Slots[0].Last()
	var batch types.Transaction
	require.NoError(t, batch.UnmarshalBinary(tx.Raw))
	_ = w.geth.Client().SendTransaction(t.Context(), &batch) // the pool may have it
	require.Eventually(t, func() bool {
		w.geth.Commit()
		_, err := w.geth.Client().TransactionReceipt(t.Context(), tx.Hash)
		return err == nil
	}, 2*time.Minute, 10*time.Millisecond)
	return w, config
}

// TestUpdatesGoAgainWhereTheChainHasTheirProjectInTheEnd, though no journal tells that it was created.
func TestUpdatesGoAgainWhereTheChainHasTheirProjectInTheEnd(t *testing.T) {
	t.Parallel()
	w, config := overtaken(t)
	w.transactBy(laneAccount+1, &w.contract, registry.EncodeCreateProject(w.project(1)))
	w.start(config, w.deps())
	w.drain()
	require.Empty(t, w.deadLetters())
	require.Equal(t, map[score.Outcome]int{score.Applied: 10}, w.audit())
}

// claims is a chain whose endpoint says of each project that it is there; while it is silent, nothing.
type claims struct {
	relay.Chain
	asked  atomic.Int32
	silent atomic.Bool
}

func (c *claims) CallEach(ctx context.Context, msg evidence.Call, at common.Hash) ([]evidence.Called, error) {
	if msg.Gas > 0 { // no view
		return c.Chain.CallEach(ctx, msg, at)
	}
	c.asked.Add(1)
	if c.silent.Load() {
		return nil, errSilent
	}
	info := make([]byte, 6*32)
	info[4*32-1] = 1 // action
	return []evidence.Called{{Endpoint: "liar", Data: info}}, nil
}

// TestAProjectThatIsNotThereEndsItsUpdatesInTheEnd: an endpoint says that it is. While none answers nothing ends.
func TestAProjectThatIsNotThereEndsItsUpdatesInTheEnd(t *testing.T) {
	t.Parallel()
	w, config := overtaken(t)
	deps := w.deps()
	endpoint := &claims{Chain: w.client}
	endpoint.silent.Store(true)
	deps.Chain = endpoint
	w.start(config, deps)
	w.mineUntil(func() bool { return endpoint.asked.Load() > 2 })
	require.Len(t, w.states()[0].Slots, 1)
	endpoint.silent.Store(false)
	w.drain()
	require.Len(t, w.deadLetters(), 10)
	require.Equal(t, map[score.Outcome]int{score.UnknownProject: 10}, w.audit())
	require.EqualValues(t, 4, w.states()[0].Next, "the slot that was, and three more")
}
