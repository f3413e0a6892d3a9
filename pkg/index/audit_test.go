package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/registry/rig/calls"
	"github.com/scorelay/scorelay/pkg/score"
)

func (w *world) auditor() *index.Auditor {
	return &index.Auditor{Deployment: w.deployment, Chain: w, Source: w.stream, Journals: w, Lanes: w.lanes}
}

func (w *world) audit() *index.Findings {
	w.t.Helper()
	findings, err := w.auditor().Audit(w.t.Context())
	require.NoError(w.t, err)
	for _, tally := range []index.Counts{findings.Updates, findings.Creations} {
		require.Equal(w.t, tally.Accepted, tally.Applied+tally.Duplicate+tally.Rejected+tally.Pending+tally.Lost)
	}
	require.Equal(w.t, findings.OK(), findings.Problem() == "")
	require.Equal(w.t, findings.Pending(), findings.Awaited)
	return findings
}

func TestAuditOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.depth.Store(99) // not even the contract is final
	findings := w.audit()
	require.True(t, findings.OK())
	require.Zero(t, findings.Pending())

	a := w.auditor()
	a.Chain = &liar{Chain: w, young: true}
	findings, err := a.Audit(t.Context())
	require.NoError(t, err, "there is no final block yet")
	require.True(t, findings.OK())
}

// TestAudit follows a deployment through a life without faults.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := project(1), project(2)
	require.NotEqual(t, score.FirstOwner(score.BucketOf(a.ID), lanes), score.FirstOwner(score.BucketOf(b.ID), lanes))
	w.create(a)
	w.create(b)
	first := append(w.fresh(a, 10), w.fresh(b, 10)...)
	w.accept(first...)

	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 20, Pending: 20}, findings.Updates)
	require.Equal(t, index.Counts{Accepted: 2, Applied: 2}, findings.Creations)
	require.True(t, findings.OK(), "nothing is settled, so nothing is lost")

	w.relay(first...)
	w.settleAll()
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 20, Applied: 20}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole)
	require.Positive(t, findings.Scores)

	// A repeated acceptance has an outcome of its own; a direct update is no acceptance's outcome, but changes a score.
	bad := w.fresh(a, 3)
	bad[0].Action, bad[1].ScoreType, bad[2].Signer = 9, 9, common.Address{1}
	again := append(bad, first[0], first[0], first[11])
	w.accept(again...)
	require.Equal(t, 6, w.audit().Updates.Pending)
	w.direct(w.fresh(a, 1)[0])
	w.call(ownerKey, calls.AddAction(a.ID, score.Action{Name: "buy", Points: 100}))
	newer := w.fresh(a, 1)
	newer[0].Action = 2
	w.accept(newer...)
	w.relay(append(again, newer...)...)
	w.settleAll()
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 27, Applied: 21, Duplicate: 3, Rejected: 3}, findings.Updates)
	require.Equal(t, 1, findings.Direct)
	require.Zero(t, findings.Repeated+findings.Older)
	require.True(t, findings.OK() && findings.Whole, findings.Problem())

	line, err := json.Marshal(findings)
	require.NoError(t, err)
	require.Contains(t, string(line), `"lost":0`)
	require.Regexp(t, `^block \d+: accepted 27, applied 21, duplicate 3, rejected 3, pending 0, lost 0, doubled 0; creations accepted 2, `+
		`applied 2, rejected 0, pending 0, lost 0; scores compared \d+, mismatched 0; direct 1$`, findings.String())
}

func TestAuditFindsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 6)
	w.accept(u...)
	w.accept(u[0])
	state, err := w.stream.State(t.Context())
	require.NoError(t, err)
	w.relay(u[0], u[1], u[2], u[5])
	w.settled[score.BucketOf(p.ID)] = score.Position{Seq: state.LastSeq - 1, Index: 4} // u[3] is behind it, u[4] is not
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 7, Applied: 4, Pending: 2, Lost: 1}, findings.Updates)
	require.False(t, findings.OK())
	require.Equal(t, "1 updates lost", findings.Problem())
	require.Len(t, findings.Examples, 1)
	require.Contains(t, findings.Examples[0], u[3].ID.String())

	w.settleAll()
	findings = w.audit()
	require.Equal(t, 3, findings.Updates.Lost, "u[3], u[4] and the second u[0]")
	w.relay(u[0], u[3])
	require.Equal(t, index.Counts{Accepted: 7, Applied: 5, Duplicate: 1, Lost: 1}, w.audit().Updates)

	q := project(2)
	w.publish(q, 0)
	require.Equal(t, 1, w.audit().Creations.Pending)
	w.settleAll()
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 2, Applied: 1, Lost: 1}, findings.Creations)
	require.Equal(t, 2, findings.Lost())
}

// TestAuditBehindTheLanes: an auditor with a stricter rule of finality than the relayers' sees no loss.
func TestAuditBehindTheLanes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	u := w.fresh(p, 3)
	w.create(p)
	w.accept(u...)
	w.relay(u...)
	w.settleAll()
	w.depth.Store(1)
	require.Equal(t, index.Counts{Accepted: 3, Pending: 3}, w.audit().Updates)
	w.depth.Store(2)
	findings := w.audit()
	require.Equal(t, 1, findings.Creations.Pending)
	require.True(t, findings.OK())
}

func TestAuditAwaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	u := w.fresh(p, 3)
	w.create(p)
	w.accept(u...)
	w.relay(u...)
	w.depth.Store(1)
	findings, err := w.auditor().Await(t.Context(), time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, 3, findings.Pending(), "patience is over at once")

	a := w.auditor()
	a.Journals = &meanwhile{Journals: w, then: w.node.Commit}
	findings, err = a.Await(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, 3, findings.Updates.Applied)
}

// away is a chain that does not answer the first time.
type away struct {
	index.Chain
	asked int
}

var errAway = errors.New("no endpoint answers")

func (a *away) FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error) {
	if a.asked++; a.asked == 1 {
		return evidence.Block{}, errAway
	}
	return a.Chain.FinalBlock(ctx, confirmations)
}

// TestAuditThatFailsIsRepeated while there is patience.
func TestAuditThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auditor()
	chain := a.Chain
	a.Chain = &away{Chain: chain}
	_, err := a.Await(t.Context(), 0)
	require.ErrorIs(t, err, errAway)
	a.Chain = &away{Chain: chain}
	findings, err := a.Await(t.Context(), time.Minute)
	require.NoError(t, err)
	require.True(t, findings.OK())
}

// TestAuditAwaitsNothingThatComesMeanwhile: updates, one of them again, a creation and an edit.
func TestAuditAwaitsNothingThatComesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	u := w.fresh(p, 3)
	w.create(p)
	w.accept(u...)
	w.relay(u...)
	w.depth.Store(1)
	until := w.lastSeq()
	a := w.auditor()
	a.Journals = &meanwhile{Journals: w, then: func() common.Hash {
		w.accept(append(w.fresh(p, 4), u[0])...)
		w.publish(project(2), 0)
		w.acceptEdit(p.ID, 0)
		return w.node.Commit()
	}}
	findings, err := a.Await(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, index.Counts{Accepted: 8, Applied: 3, Pending: 5}, findings.Updates)
	require.Equal(t, 7, findings.Pending())
	require.Zero(t, findings.Awaited)
	require.Equal(t, until, findings.Until)
	require.True(t, findings.OK() && findings.Whole)
	require.Contains(t, findings.String(), fmt.Sprintf("; of the pending ones 0 were there when the audit began, up to sequence %d", until))

	a.Journals = w
	findings, err = a.Await(t.Context(), time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, 7, findings.Awaited, "they were there when this one began")
}

// TestAuditOfAReplacedBlock finds nothing, also where the scores cannot be read completely: the events of one branch and the scores of
// another are not equal.
func TestAuditOfAReplacedBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range byte(2) {
		p := project(1 + n)
		w.create(p)
		u := w.fresh(p, 2)
		w.accept(u...)
		w.relay(u...)
	}
	a := w.auditor()
	for _, calls := range []int{math.MaxInt, 1, 0} {
		a.Chain = &liar{Chain: w, view: true, replaced: true, calls: &calls}
		findings, err := a.Audit(t.Context())
		require.ErrorContains(t, err, "audit again")
		require.Nil(t, findings)
	}
}

// meanwhile makes something happen after the first audit.
type meanwhile struct {
	index.Journals

	asked int
	then  func() common.Hash
}

func (m *meanwhile) State(ctx context.Context, id score.Lane) (*lane.State, uint64, error) {
	if m.asked++; m.asked == lanes+1 {
		m.then()
	}
	return m.Journals.State(ctx, id)
}

func (w *world) lastSeq() uint64 {
	state, err := w.stream.State(w.t.Context())
	require.NoError(w.t, err)
	return state.LastSeq
}

// TestAuditOfUpdatesBeforeTheirProject: they are sent again.
func TestAuditOfUpdatesBeforeTheirProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.publish(p, 0)
	u := w.fresh(p, 2)
	w.accept(u...)
	w.relay(u...)
	require.Equal(t, index.Counts{Accepted: 2, Pending: 2}, w.audit().Updates)
	w.call(relayerKey, registry.EncodeCreateProject(p))
	w.relay(u[0])
	w.settleAll()
	require.Equal(t, index.Counts{Accepted: 2, Applied: 1, Lost: 1}, w.audit().Updates)
	w.relay(u[1])
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 2, Applied: 2}, findings.Updates)
	require.True(t, findings.OK() && findings.Whole && findings.Repeated == 0)
}

func TestAuditOfAPurgedStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	old := w.fresh(p, 5)
	w.accept(old...)
	w.relay(old...)
	w.settleAll()
	require.NoError(t, w.stream.Purge(t.Context(), w.lastSeq()+1))
	findings := w.audit()
	require.True(t, findings.OK())
	require.Equal(t, 5, findings.Older)

	w.accept(append(w.fresh(p, 1), old[0], old[0])...)
	w.relay(old[0])
	findings = w.audit()
	// old[0] has two outcomes, and the stream holds two acceptances of it: that the first is older cannot be told.
	require.Equal(t, index.Counts{Accepted: 3, Applied: 1, Duplicate: 1, Pending: 1}, findings.Updates)
	w.relay(old[0])
	findings = w.audit()
	require.Equal(t, index.Counts{Accepted: 3, Duplicate: 2, Pending: 1}, findings.Updates)
	require.Equal(t, 1, findings.Repeated)
	require.True(t, findings.OK() && !findings.Whole)
}

// TestAuditAfterAnAcceptedLoss: NATS lost acceptances that were relayed, an operator accepts that, and all are sent again. No outcome
// is left over that the stream knows nothing of; only the sequences that are missing tell.
func TestAuditAfterAnAcceptedLoss(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	lost := w.fresh(p, 2)
	w.relay(lost...)
	require.NoError(t, w.stream.Extend(t.Context(), w.lastSeq()+1, nil))
	w.accept(lost...)
	w.relay(lost...)
	w.settleAll()
	findings := w.audit()
	require.Equal(t, index.Counts{Accepted: 2, Duplicate: 2}, findings.Updates)
	require.Equal(t, 2, findings.Repeated)
	require.Zero(t, findings.Older+findings.Doubled)
	require.True(t, findings.OK() && !findings.Whole, findings.Problem())
}

func TestAuditFindsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 3)
	w.accept(u...)
	w.relay(u...)
	w.relay(u[1])
	findings := w.audit()
	require.Equal(t, 1, findings.Repeated)
	require.Equal(t, 1, findings.Updates.Duplicate)
	require.False(t, findings.OK())
	require.Contains(t, findings.String(), "repeated outcomes 1")

	// A lane that was cut and declared dead executed it all the same, before or after the one that bound it again.
	w.dead = 1
	findings = w.audit()
	require.Equal(t, 1, findings.Repeated)
	require.True(t, findings.Whole && findings.OK(), findings.Problem())
	require.Contains(t, findings.String(), "repeated outcomes 1; lanes that were declared dead, whose work may have been done twice, 1")
	w.dead = 0

	w.relay(w.fresh(p, 1)...) // another relayer relays to this contract, too
	findings = w.audit()
	require.Equal(t, 1, findings.Older)
	require.True(t, findings.OK())
}

func TestAuditFindsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.js.Publish(t.Context(), "scorelay.updates", []byte{0xff})
	require.NoError(t, err)
	findings := w.audit()
	require.Equal(t, 1, findings.Unreadable)
	require.False(t, findings.OK())
}

// liar is the chain with a contract that does what the real one never does.
type liar struct {
	index.Chain

	twice bool // each event counts twice
	view  bool // scores are off

	replaced bool // blocks are others by now
	calls    *int // how many more are answered; nil: all
	young    bool // nothing is final yet
}

func (l *liar) FinalBlock(ctx context.Context, confirmations uint64) (evidence.Block, error) {
	if l.young {
		return evidence.Block{}, ethereum.NotFound
	}
	return l.Chain.FinalBlock(ctx, confirmations)
}

func (l *liar) BlockByNumber(ctx context.Context, number uint64) (evidence.Block, error) {
	block, err := l.Chain.BlockByNumber(ctx, number)
	if l.replaced {
		block.Hash[0]++
	}
	return block, err
}

func (l *liar) Logs(ctx context.Context, contract common.Address, topics []common.Hash, from, to uint64, fn func(evidence.Block, []types.Log) error) error {
	return l.Chain.Logs(ctx, contract, topics, from, to, func(b evidence.Block, logs []types.Log) error {
		if l.twice {
			logs = append(logs, logs...)
		}
		return fn(b, logs)
	})
}

func (l *liar) Call(ctx context.Context, msg evidence.Call, at common.Hash) ([]byte, error) {
	if l.calls != nil {
		if *l.calls--; *l.calls < 0 {
			return nil, errors.New("no state of that block")
		}
	}
	out, err := l.Chain.Call(ctx, msg, at)
	if l.view && len(out) > 0 {
		out[len(out)-1]++ // the last score of the answer
	}
	return out, err
}

func TestAuditFindsDoubledAndMismatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := project(1)
	w.create(p)
	u := w.fresh(p, 4)
	w.accept(u[:3]...)
	w.relay(u[:3]...)
	w.direct(u[3])
	a := w.auditor()
	a.Chain = &liar{Chain: w, view: true}
	findings, err := a.Audit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, findings.Mismatched)
	require.Zero(t, findings.Doubled)
	require.False(t, findings.OK())

	a.Chain = &liar{Chain: w, twice: true}
	findings, err = a.Audit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, findings.Doubled)
	require.Equal(t, findings.Scores, findings.Mismatched)
	require.Len(t, findings.Examples, 4+findings.Mismatched)
	require.Contains(t, findings.Problem(), "4 updates applied twice")
}
