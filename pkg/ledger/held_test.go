package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
)

// TestWhatALedgerHolds is told to operators, the audit and the API: of one that is empty, that has blocks and a dead
// letter, and that was purged.
func TestWhatALedgerHolds(t *testing.T) {
	t.Parallel()
	m := newModel()
	l, js := open(t)
	s := source(t, m, l, 0)
	state, err := ledger.StateOf(t.Context(), l)
	require.NoError(t, err)
	require.Zero(t, state)
	_, some, err := s.Final(t.Context())
	require.NoError(t, err)
	require.False(t, some, "nothing is final")

	m.Mine(4)
	m.die()
	m.Finalize()
	require.NoError(t, writer(m, l).CatchUp(t.Context()))
	newest := m.newest(t)
	state, err = ledger.StateOf(t.Context(), l)
	require.NoError(t, err)
	require.Positive(t, state.Bytes)
	require.Equal(t, ledger.State{
		Oldest: deployment.DeployBlock - 1, Newest: newest.Number, At: time.Unix(int64(newest.Time), 0).UTC(), Bytes: state.Bytes,
	}, state)
	require.Eventually(t, func() bool {
		final, some, err := s.Final(t.Context())
		require.NoError(t, err)
		return some && final == newest.Ref()
	}, patient, 10*time.Millisecond)
	var raw []ledger.Raw
	require.NoError(t, ledger.ReadRaw(t.Context(), l, func(r ledger.Raw) error { raw = append(raw, r); return nil }))
	kinds := []ledger.Kind{raw[0].Kind, raw[1].Kind, raw[2].Kind}
	require.Equal(t, []ledger.Kind{ledger.Block, ledger.Letter, ledger.Block}, kinds)
	require.Equal(t, newest.Ref(), raw[2].Block)
	want, _, err := m.Events(t.Context(), []evidence.Block{newest}, deployment.Contract, nil)
	require.NoError(t, err)
	for i := range want { // these are not stored
		want[i].Address, want[i].TxIndex, want[i].BlockTimestamp = raw[2].Logs[i].Address, 0, 0
	}
	require.Equal(t, want, raw[2].Logs)

	stored, err := js.Stream(t.Context(), "LEDGER")
	require.NoError(t, err)
	require.NoError(t, stored.Purge(t.Context()))
	state, err = ledger.StateOf(t.Context(), l)
	require.NoError(t, err)
	require.Zero(t, state.Newest)
}

// TestAReaderShowsHowFarItReads, also where it does not write.
func TestAReaderShowsHowFarItReads(t *testing.T) {
	t.Parallel()
	m := newModel()
	m.Mine(1)
	m.Finalize()
	l, _ := open(t)
	require.NoError(t, writer(m, l).CatchUp(t.Context()))
	reg := prometheus.NewRegistry()
	s := &ledger.Source{Ledger: l, Chain: m, Deployment: deployment, Log: discard(), Metrics: reg}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	defer func() { cancel(); require.NoError(t, <-ended) }()
	end, err := s.End(t.Context())
	require.NoError(t, err)
	newest := m.newest(t)
	require.Equal(t, evidence.Ref{Number: newest.Number, Hash: newest.Hash}, end.Block)
	shown, err := reg.Gather()
	require.NoError(t, err)
	is := map[string]float64{}
	for _, family := range shown {
		is[family.GetName()] = family.GetMetric()[0].GetGauge().GetValue()
	}
	require.Equal(t, map[string]float64{
		"scorelay_ledger_block": float64(newest.Number), "scorelay_ledger_block_timestamp_seconds": float64(newest.Time),
	}, is)
}
