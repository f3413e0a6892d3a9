package relay

import (
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// simAudit is what the chain says, at the end, of everything that was accepted.
type simAudit struct {
	r        *simRun
	outcomes map[score.Ref][]score.Outcome // told by events, but for updates that went again
	unknown  map[score.Ref]int             // how often the project was unknown
	applied  map[score.Ref]simPlace
	created  map[score.ProjectID]simPlace
	edited   map[score.Ref]simEdited
	sums     map[model.ScoreKey]int64
	wasted   int // transactions that did nothing
}

// simEdited is an edit that was made, and where.
type simEdited struct {
	edit *score.SignedEdit
	at   simPlace
}

// edit checks that an accepted edit was made, or is a dead letter with the contract's reason.
func (a *simAudit) edit(e simEdit) {
	r, letter := a.r, a.r.users.letter(e.seq)
	made, is := a.edited[e.Ref()]
	is = is && made.edit.Same(e.SignedEdit) && made.edit.Signature == e.Signature
	want := e.want
	if letter != nil && is && letter.Outcome == score.WrongEditNonce && r.watch.mayRepeat() {
		return // it was carried out twice, the second time for nothing
	}
	if is != (letter == nil) {
		r.fail("edit %d of project %s at %d: made: %t, dead letter %+v", e.Nonce, e.Project, e.seq, is, letter)
	}
	if letter != nil && letter.Outcome == score.Unprocessable && slices.Contains(r.plan.endpoints, "calls") {
		want = score.Unprocessable // the reason is an endpoint's word
	}
	if letter != nil && letter.Outcome != want {
		r.fail("edit %d of project %s at %d is a dead letter: %s, %s, and should be %s", e.Nonce, e.Project, e.seq, letter.Outcome, letter.Reason, want)
	}
	status, outcome := r.statuses.of(e.Ref()), score.Applied
	if !is {
		outcome = letter.Outcome
	}
	if is && status.Stage == score.Accepted && slices.Contains(r.plan.endpoints, "calls") {
		return // an endpoint denied that the contract used its nonce, while statuses were brought back
	}
	newest := !slices.ContainsFunc(r.users.edits, func(x simEdit) bool { return x.Ref() == e.Ref() && x.seq > e.seq })
	if newest && (status.Stage != score.Final || status.Outcome != outcome || is && status.Tx != made.at.tx && status.Tx != common.Hash{}) {
		r.fail("edit %d of project %s at %d has the outcome %s, and its status is %+v", e.Nonce, e.Project, e.seq, outcome, status)
	}
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
		created: map[score.ProjectID]simPlace{}, edited: map[score.Ref]simEdited{}, sums: map[model.ScoreKey]int64{},
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
	for _, e := range r.users.edits {
		a.edit(e)
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
	for i, receipt := range b.Receipts {
		if e, err := registry.DecodeEdit(b.Txs[i].Data()); err == nil && receipt.Status == types.ReceiptStatusSuccessful {
			if before, twice := a.edited[e.Ref()]; twice {
				a.r.fail("edit %d of project %s was made twice: %v, %v", e.Nonce, e.Project, before, receipt.TxHash)
			}
			a.edited[e.Ref()] = simEdited{e, simPlace{receipt.TxHash, b.Number}}
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
