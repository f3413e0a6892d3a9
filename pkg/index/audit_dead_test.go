package index_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

func TestAuditOfDeadLetters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, dead := project(1), project(2)
	w.create(p)
	w.publish(dead, 0)
	seq := w.lastSeq()
	w.call(relayerKey, registry.EncodeCreateProject(dead)) // by another relayer
	u := w.fresh(p, 4)
	u[2].Signer = common.Address{1}
	u[3].Project = score.ProjectID{77}
	w.accept(u...)
	receipt := w.relay(u[1], u[2], u[3])
	w.settleAll()
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 4, Applied: 1, Rejected: 1, Lost: 2}, findings.Updates, "u[0] has nothing, u[3] must be sent again")

	w.deadLetter(score.DeadLetter{Update: &u[0], Outcome: score.Unprocessable})
	w.deadLetter(score.DeadLetter{Update: &u[2], Outcome: score.NotMember, Tx: receipt.TxHash})
	w.deadLetter(score.DeadLetter{Update: &u[3], Outcome: score.UnknownProject, Tx: receipt.TxHash})
	w.deadLetter(score.DeadLetter{Project: dead, Seq: seq, Outcome: score.ProjectExists})
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 4, Applied: 1, Rejected: 3}, findings.Updates)
	require.Equal(t, index.Counts{Accepted: 2, Applied: 1, Rejected: 1}, findings.Creations)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())

	// Replays: the acceptance comes, the letter is marked, and then comes the new outcome.
	w.replay(u[2])
	w.publish(dead, seq)
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 5, Applied: 1, Rejected: 3, Pending: 1}, findings.Updates)
	require.Equal(t, 3, findings.Creations.Accepted)
	w.call(ownerKey, calls.AddUpdater(p.ID, u[2].Signer))
	w.relay(u[2])
	w.settleAll()
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 5, Applied: 2, Rejected: 3}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())
}

// TestAuditOfReplaysNoEventTellsOf: an update that no transaction could carry keeps its outcome however often it is
// replayed, and the outcome of one acceptance is never taken for another's.
func TestAuditOfReplaysNoEventTellsOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 2)
	w.accept(u[0], u[1], u[0]) // one batch, which holds u[0] twice
	began := w.lastSeq()
	w.relay(u[1])
	w.deadLetter(score.DeadLetter{Update: &u[0], Seq: began, Outcome: score.Unprocessable})
	w.settleAll()
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 3, Applied: 1, Rejected: 2}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())

	w.replay(u[0])
	require.Equal(t, index.Counts{Accepted: 4, Applied: 1, Rejected: 2, Pending: 1}, w.audit().Updates)
	w.settleAll()
	require.Equal(t, index.Counts{Accepted: 4, Applied: 1, Rejected: 2, Lost: 1}, w.audit().Updates, "an earlier letter is no outcome of the replay")
	again := score.DeadLetter{Update: &u[0], Seq: w.lastSeq(), Outcome: score.Unprocessable}
	w.deadLetter(again)
	w.deadLetter(again)
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 4, Applied: 1, Rejected: 3}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())

	w.replay(u[0])
	w.settleAll()
	w.relay(u[0])
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 5, Applied: 2, Rejected: 3}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole && findings.Repeated == 0, findings.Problem())

	// Letters of what was purged are no acceptance's outcome.
	require.NoError(t, w.stream.Purge(t.Context(), w.lastSeq()))
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 1, Applied: 1}, findings.Updates)
	require.True(t, findings.OK() && !findings.Whole && findings.Repeated == 0, findings.Problem())
}

// replay does what the command line does with the newest dead letter of an update.
func (w *world) replay(u score.Update) {
	w.t.Helper()
	var letter score.DeadLetter
	require.NoError(w.t, w.stream.DeadLetters(w.t.Context(), func(d score.DeadLetter) error {
		if d.Lane == 0 && d.Update != nil && d.Update.Ref() == u.Ref() {
			letter = d
		}
		return nil
	}))
	require.NotEmpty(w.t, letter.ID)
	w.accept(u)
	require.NoError(w.t, w.stream.MarkReplayed(w.t.Context(), letter, time.Now()))
}
