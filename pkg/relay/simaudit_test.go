package relay

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/relay/internal/model"
	"github.com/scorelay/scorelay/pkg/score"
)

// simAudit is what the chain says, at the end, of everything that was accepted.
type simAudit struct {
	r        *simRun
	outcomes map[score.Ref][]score.Outcome // told by events, but for updates that went again
	unknown  map[score.Ref]int             // how often the project was unknown
	applied  map[score.Ref]simPlace
	created  map[score.ProjectID]simPlace
	sums     map[model.ScoreKey]int64
	wasted   int // transactions that did nothing
}

// simPlace is a transaction and its block.
type simPlace struct {
	tx    common.Hash
	block uint64
}

// audit holds the chain's events against what was accepted, and the statuses against both.
func (r *simRun) audit() {
	a := &simAudit{
		r: r, outcomes: map[score.Ref][]score.Outcome{}, unknown: map[score.Ref]int{}, applied: map[score.Ref]simPlace{},
		created: map[score.ProjectID]simPlace{}, sums: map[model.ScoreKey]int64{},
	}
	for n := uint64(0); n <= r.chain.Head().Number; n++ {
		a.block(r.chain.At(n))
	}
	for _, key := range r.users.keys {
		a.update(key)
	}
	for _, p := range r.users.projects {
		a.project(p)
	}
	maps.DeleteFunc(a.sums, func(_ model.ScoreKey, sum int64) bool { return sum == 0 })
	scores := r.chain.Head().Scores()
	maps.DeleteFunc(scores, func(_ model.ScoreKey, sum int64) bool { return sum == 0 })
	if !maps.Equal(a.sums, scores) {
		r.fail("the scores are not the sums of what was applied: %v, %v", scores, a.sums)
	}
	if r.plan.onlyLies && a.wasted > 0 {
		r.fail("endpoints only lied about receipts, nonces and lists, and %d transactions were wasted", a.wasted)
	}
}

func (a *simAudit) block(b *model.Block) {
	for i, receipt := range b.Receipts {
		if a.r.watch.written[receipt.TxHash] && (len(b.Txs[i].Data()) == 0 || receipt.Status != types.ReceiptStatusSuccessful) {
			a.wasted++
		}
	}
	for _, e := range a.r.events(b) {
		if e.project != nil {
			a.created[*e.project] = simPlace{e.tx, b.Number}
		}
		for i, u := range e.updates {
			a.event(&u, e.outcomes[i], simPlace{e.tx, b.Number})
		}
	}
}

func (a *simAudit) event(u *score.Update, outcome score.Outcome, at simPlace) {
	key := u.Ref()
	acceptances := a.r.users.updates[key]
	if !slices.ContainsFunc(acceptances, func(x accepted) bool { return x.update == *u }) {
		a.r.fail("update %s was carried and never accepted", u.ID)
	}
	if outcome == score.UnknownProject {
		a.unknown[key]++
		return
	}
	a.outcomes[key] = append(a.outcomes[key], outcome)
	if outcome != score.Applied {
		return
	}
	if before, twice := a.applied[key]; twice {
		a.r.fail("update %s was applied twice: %v and %v", u.ID, before, at)
	}
	a.applied[key] = at
	for _, p := range a.r.users.projects {
		if p.ID == u.Project {
			a.sums[model.ScoreKey{Project: u.Project, Target: u.Target, ScoreType: u.ScoreType}] += p.Actions[u.Action].Delta()
		}
	}
}

// update checks that each acceptance of an update has one outcome, the right one, and that it is what callers are told.
func (a *simAudit) update(key score.Ref) {
	r, acceptances, outcomes := a.r, a.r.users.updates[key], a.outcomes[key]
	for range r.watch.dropped[key] {
		outcomes = append(outcomes, score.Unprocessable)
	}
	for len(outcomes) < len(acceptances) && a.unknown[key] > 0 {
		outcomes = append(outcomes, score.UnknownProject)
		a.unknown[key]--
	}
	if len(outcomes) < len(acceptances) || len(outcomes) > len(acceptances) && !r.watch.mayRepeat() {
		r.fail("update %s was accepted %d times and has the outcomes %v", key.Update, len(acceptances), outcomes)
	}
	wanted := []score.Outcome{score.Duplicate}
	for _, x := range acceptances {
		wanted = append(wanted, x.want)
	}
	_, applied := a.applied[key]
	if applied != slices.Contains(wanted, score.Applied) {
		r.fail("update %s: applied: %t, outcomes %v, acceptances %+v", key.Update, applied, outcomes, acceptances)
	}
	for _, o := range outcomes {
		if !slices.Contains(wanted, o) || o == score.Duplicate && !applied {
			r.fail("update %s has the outcomes %v, and should have %v", key.Update, outcomes, wanted)
		}
	}
	a.status(key, outcomes)
}

// status checks what callers are told of an update.
func (a *simAudit) status(key score.Ref, outcomes []score.Outcome) {
	at, applied := a.applied[key]
	is := a.r.statuses.of(key)
	want := score.Status{Stage: score.Final, Outcome: score.Applied, Tx: at.tx, Block: at.block}
	switch {
	case applied && is != want:
		a.r.fail("update %s was applied by %s in block %d, and its status is %+v", key.Update, at.tx, at.block, is)
	case !applied && (is.Stage != score.Final || !slices.Contains(outcomes, is.Outcome)):
		a.r.fail("update %s has the outcomes %v, and its status is %+v", key.Update, outcomes, is)
	}
}

// soleLiar tells whether the only endpoint may lie about calls: work that failed twice on the chain, as without the role, can be
// ended by such lies.
func (r *simRun) soleLiar() bool {
	return r.plan.nodes == 1 && slices.Contains(r.plan.endpoints, "calls")
}

// project checks a creation.
func (a *simAudit) project(p *score.Project) {
	at, created := a.created[p.ID]
	is := a.r.statuses.of(score.CreationRef(p.ID))
	switch {
	case !created:
		a.r.fail("project %s was accepted and never created", p.ID)
	case is.Stage != score.Final || is.Outcome != score.Applied || is.Tx != at.tx && is.Tx != common.Hash{}:
		a.r.fail("project %s was created by %s in block %d, and its status is %+v", p.ID, at.tx, at.block, is)
	}
	for _, id := range a.r.source.order {
		if d := a.r.source.letters[id]; d.Project != nil && d.Project.ID == p.ID && !a.r.soleLiar() {
			a.r.fail("project %s was created and is a dead letter: %s", p.ID, d.Reason)
		}
	}
}
