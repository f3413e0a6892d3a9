package app

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/stream"
)

// facts is the ledger's state.
func (m *timeMachine) facts() ledger.State {
	m.t.Helper()
	var state ledger.State
	require.Eventually(m.t, func() bool { // NATS may have been away, or the ledger just be made
		facts, err := m.stream.FindLedger(m.t.Context())
		if err == nil {
			state, err = ledger.StateOf(m.t.Context(), facts)
		}
		return err == nil
	}, 2*time.Minute, 20*time.Millisecond)
	return state
}

// final waits until updates are final, and the ledger is beyond them.
func (m *timeMachine) final(from, to int) {
	m.t.Helper()
	head := uint64(0)
	require.Eventually(m.t, func() bool {
		for n := from; n < to; n++ {
			status, err := m.client.Updates(m.t.Context(), m.project.ID, []sdk.UpdateID{updateID(n)})
			if err != nil || status[0].Stage != "final" {
				return false
			}
		}
		b, err := m.rpc.Head(m.t.Context())
		head = b.Number
		return err == nil
	}, 2*time.Minute, 50*time.Millisecond)
	require.Eventually(m.t, func() bool { return m.facts().Newest >= head }, 2*time.Minute, 50*time.Millisecond)
}

// created waits until the project is final, so that no update shares the block of its creation.
func (m *timeMachine) created() {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		project, err := m.client.Project(m.t.Context(), m.project.ID)
		return err == nil && project.Final()
	}, 2*time.Minute, 50*time.Millisecond)
}

// compared audits, and requires that the ledger holds the chain's events in as many blocks at least, each once.
func (m *timeMachine) compared(blocks int) {
	m.t.Helper()
	auditor, err := NewAuditor(m.t.Context(), m.js, m.stream, m.rpc, 1)
	require.NoError(m.t, err)
	report, err := auditor.Await(m.t.Context(), 3*time.Minute)
	require.NoError(m.t, err)
	require.True(m.t, report.OK(), "%s %v", report, report.Examples)
	require.GreaterOrEqual(m.t, report.Ledger.Blocks, blocks, "%s", report)
}

// TestDrillTheLedgerIsPurged by hand, and deleted: nothing halts, updates become final, and it is continued, or begun
// again.
func TestDrillTheLedgerIsPurged(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newTimeMachine(t)
	m.created()
	m.send(m.project, 0, 10)
	m.final(0, 10)
	m.compared(2)
	before := m.facts()

	held, err := m.js.Stream(t.Context(), stream.LedgerName)
	require.NoError(t, err)
	require.NoError(t, held.Purge(t.Context()))
	m.send(m.project, 10, 15)
	m.final(10, 15)
	m.send(m.project, 15, 20)
	m.final(15, 20)
	m.compared(1)
	require.Greater(t, m.facts().Oldest, before.Newest, "the writer continues")

	m.endRelayer()
	m.endAPI()
	require.NoError(t, m.js.DeleteStream(t.Context(), stream.LedgerName))
	m.compared(0) // there is none, and that is no fault
	m.endAPI, m.endRelayer = m.startAPI(), m.startRelayer()
	m.send(m.project, 20, 30)
	m.final(20, 30)
	m.compared(3)
	require.Equal(t, before.Oldest, m.facts().Oldest, "it is begun so many blocks below the final one")
	m.points(m.project, 30)
	require.False(t, m.look().Marker.Halts())
}

// TestDrillAnOlderLedger is what NATS has after its disk was restored in part: the ledger continues where it ends,
// and nothing halts.
func TestDrillAnOlderLedger(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newTimeMachine(t)
	m.created()
	m.send(m.project, 0, 10)
	m.final(0, 10)
	copied := m.copied()
	m.send(m.project, 10, 20)
	m.final(10, 20)
	m.restored(copied, filepath.Join("jetstream", "$G", "streams", stream.LedgerName))
	m.send(m.project, 20, 30)
	m.final(20, 30)
	m.compared(4)
	m.points(m.project, 30)
	require.False(t, m.look().Marker.Halts())
}
