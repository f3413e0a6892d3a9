package index_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/devnet/rig/long"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// TestTheDirectorySkipsNoBlocks where the ledger was purged while its writer was more than 1,024 blocks behind.
func TestTheDirectorySkipsNoBlocks(t *testing.T) {
	t.Parallel()
	long.Test(t)
	w := newWorld(t)
	d, l := w.directory(), w.followed()
	p, q := project(1), project(2)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	h := l.hand(l.directoryFold(d))
	require.NoError(t, h.catchUp())
	w.requireRecord(d, score.RecordOf(p))

	want := w.edit(p) // the writer cannot append: NATS's disk is full, say
	w.blocks(1100)
	s, err := w.js.Stream(t.Context(), stream.LedgerName)
	require.NoError(t, err)
	require.NoError(t, s.Purge(t.Context()))
	l.again()
	w.call(relayerKey, registry.EncodeCreateProject(q))
	require.NoError(t, h.catchUp())
	w.requireRecord(d, score.RecordOf(q))
	w.requireRecord(d, want)
}

// TestARestoreOutlivesItsLedger: the ledger is lost while statuses are restored, and its sequences begin again.
func TestARestoreOutlivesItsLedger(t *testing.T) {
	t.Parallel()
	w, m, ctx := newWorld(t), newMemory(t), t.Context()
	s, err := w.js.Stream(ctx, stream.LedgerName)
	require.NoError(t, err)
	config := s.CachedInfo().Config
	config.FirstSeq = 100_000 // one of months
	require.NoError(t, w.js.DeleteStream(ctx, stream.LedgerName))
	_, err = w.js.CreateStream(ctx, config)
	require.NoError(t, err)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 4)
	w.accept(u...)
	w.relay(u[0])
	f := w.folding(m)
	// The writer as it finds a ledger that was purged.
	require.NoError(t, f.writer.CatchUp(ctx))
	_, last, err := f.writer.Ledger.Bounds(ctx)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		end, err := f.Ledger.End(ctx) // of what the source has read so far
		return err == nil && end.Seq == last
	}, testPatience, testPoll)
	_, err = f.Begin(ctx, false) // the restore is under way
	require.NoError(t, err)
	require.False(t, m.complete(t))

	require.NoError(t, w.js.DeleteStream(ctx, stream.LedgerName))
	facts, err := w.stream.Ledger(ctx, nil)
	require.NoError(t, err)
	f.writer = &ledger.Writer{Deployment: w.deployment, Heads: heads{w}, Chain: onChain{heads{w}}, Letters: w.stream, Ledger: facts, Log: discard()}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 2)
	go func() { ended <- f.writer.Run(running) }()
	go func() { ended <- f.Run(running) }()
	defer func() { stop(); <-ended; <-ended }()
	for i := 1; i < 4; i++ {
		w.relay(u[i])
	}
	require.Eventually(t, func() bool {
		got, _, err := m.Read(ctx, []score.Ref{u[3].Ref()})
		return err == nil && got[0].Stage == score.Final
	}, testPatience, testPoll, "the fold follows the new ledger")
	m.completes(t)
}
