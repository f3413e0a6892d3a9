package page

import (
	"net/http"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

type updateView struct {
	head
	ID       score.UpdateID
	Now      score.Status
	What     *execution // nil if unknown
	Executed bool       // found in recent executions, with time, gas and fee
	Verdict  string
	State    string // good, waiting or bad
	Steps    []step
}

type step struct {
	Name   string
	Says   string
	Mark   string // for screen readers
	State  string // done, now or ahead
	Signer *common.Address
	Tx     *common.Hash
	Block  uint64
	Time   *time.Time // of the block
}

func (p *Page) update(r *request) error {
	head, err := p.head(r, "updates")
	if err != nil {
		return err
	}
	id, err := score.ParseUpdateID(r.PathValue("update"))
	if err != nil {
		return invalid("The updateId " + err.Error())
	}
	now, err := p.source.Update(head.Project.ID, id)
	if err != nil {
		return err
	}
	if now.Stage == 0 {
		return &Problem{
			Status: http.StatusNotFound, Title: "No update with this id was accepted", Code: "update_not_found",
			Detail: "Check the updateId, or send the update: nothing keeps this id from being used.",
		}
	}
	view := updateView{head: head, ID: id, Now: now}
	view.Title = "Update " + short(id.String()) + " of " + head.Project.Name
	// If this fails, the screen lacks only details of final updates.
	newest, _, err := p.newest(r.Context(), &view.head)
	if err != nil {
		view.Note = "The details of final updates are not at hand now."
	}
	// the outcome, too, since the update may have been repeated as a duplicate
	is := func(e score.Execution) bool { return e.ID == id && e.Outcome == now.Outcome }
	if i := slices.IndexFunc(newest, is); i >= 0 && now.Stage == score.Final {
		e := executionOf(head.Project, newest[i])
		view.What, view.Executed = &e, true
		view.Now.Tx, view.Now.Block = e.Tx, e.Block
	}
	var carrier *score.Carrier
	read := false
	if view.Now.Tx != (common.Hash{}) {
		carrier, read = p.source.Carrier(r.Context(), view.Now.Tx, head.Project.ID, id)
	}
	if carrier != nil && view.What == nil && int(carrier.Update.Action) < len(head.Project.Actions) {
		e := executionOf(head.Project, score.Execution{Update: carrier.Update, Points: head.Project.Actions[carrier.Update.Action].Delta()})
		view.What = &e
	}
	view.Verdict, view.State = view.verdict()
	view.Steps = view.way(carrier, read)
	p.show(r.w, http.StatusOK, "update", &view)
	return nil
}

// way returns the steps, with details of the transaction if that was read.
func (v *updateView) way(carrier *score.Carrier, read bool) []step {
	all := steps(v.Now, v.Paused)
	if v.Executed {
		all[3].Time = &v.What.Time
	}
	switch {
	case carrier != nil:
		all[1].Says, all[1].Signer = withWhom(carrier), &carrier.Signer
		all[2].Says += " This one has the signer's nonce " + grouped(carrier.Nonce) + " and pays at most " + gwei(carrier.MaxPrice) + " gwei for each gas."
	case read && v.Now.Stage >= score.Included:
		all = all[3:]
		all[0].Says, all[0].Tx = "It is in a transaction that is no lane's, such as a member's own.", &v.Now.Tx
	}
	return all
}

func withWhom(c *score.Carrier) string {
	many := func(n int, one string) string {
		if n != 1 {
			one += "s"
		}
		return grouped(int64(n)) + " " + one
	}
	ours, others := c.OfProject-1, c.Updates-c.OfProject
	switch {
	case ours+others == 0:
		return "A lane bound it to a transaction of its own."
	case others == 0:
		return "A lane bound it to a transaction, with " + many(ours, "other update") + " of the project."
	case ours == 0:
		return "A lane bound it to a transaction, with " + many(others, "update") + " of other projects."
	default:
		return "A lane bound it to a transaction, with " + many(ours, "other update") + " of the project and " + grouped(int64(others)) + " of other projects."
	}
}

func (v *updateView) verdict() (sentence, state string) {
	if v.Now.Stage != score.Final {
		return onTheWay(v.Now.Stage, v.Paused), "waiting"
	}
	switch e := v.What; {
	case v.Now.Outcome == score.Applied && e != nil:
		return "It is applied: " + signed(e.Points) + " points of " + visible(e.Where) + " for " + short(e.Target.Hex()) + ", for good.", "good"
	case v.Now.Outcome == score.Applied:
		return "It is applied, for good.", "good"
	default:
		return outcomes[v.Now.Outcome], "bad"
	}
}

func (v *updateView) Live() bool { return v.Now.Stage != score.Final }

func onTheWay(stage score.Stage, paused string) string {
	switch {
	case stage == score.Accepted && paused != "":
		return "It is accepted and waits: an operator paused it (" + visible(paused) + ")."
	case stage == score.Accepted:
		return "It is accepted and waits for its turn."
	case stage == score.Batched:
		return "It has its place in a transaction, which is sent next."
	case stage == score.Submitted:
		return "Its transaction is sent and waits for a block."
	default:
		return "Its transaction is in a block, which is not final yet."
	}
}

var outcomes = map[score.Outcome]string{
	score.Duplicate:         "It is a duplicate: an update with this updateId was applied before, and this one changed nothing.",
	score.UnknownProject:    "It was rejected: the project is not on the chain.",
	score.NotMember:         "It was rejected: its signer was neither owner nor updater of the project when it was executed.",
	score.UnknownAction:     "It was rejected: the project has no such action.",
	score.UnknownScoreType:  "It was rejected: the project has no such score type.",
	score.Unprocessable:     "It was rejected: the contract refuses it even alone.",
	score.SignatureRequired: "It was rejected: the project takes signed groups only.",
	score.BadSignature:      "It was rejected: its group's signature is not its signer's.",
}

// steps returns an update's known past and future stages.
func steps(now score.Status, paused string) []step {
	all := []step{
		{Name: "Accepted", Says: "It is stored, synced to disk: from here on no crash loses it."},
		{Name: "Batched", Says: "A lane bound it to a transaction, with others."},
		{Name: "Submitted", Says: "The transaction went to the chain's endpoints. It is sent again, at a higher price if need be, until it is in a block."},
		{Name: "Included", Says: "The transaction is in a block. The chain may still replace the block; then it is sent again."},
		{Name: "Final", Says: "The block cannot be replaced any more, so the outcome stays."},
	}
	if now.Stage == score.Accepted && paused != "" {
		all[0].Says += " An operator paused what comes next: " + visible(paused) + "."
	}
	if now.Stage == score.Final && now.Outcome.Rejected() {
		all[4].Says = "The outcome stays, and the updateId is unused: the update may be sent again when the reason is gone."
	}
	for i := range all {
		s := &all[i]
		switch stage := score.Stage(i + 1); {
		case stage < now.Stage || stage == score.Final && now.Stage == score.Final:
			s.State, s.Mark = "done", "done"
		case stage == now.Stage:
			s.State, s.Mark = "now", "here now"
		default:
			s.State, s.Mark = "ahead", "not yet"
		}
	}
	if now.Tx != (common.Hash{}) && now.Stage >= score.Submitted {
		all[2].Tx = &now.Tx
	}
	if now.Stage >= score.Included {
		all[2].Says = "The transaction went to the chain's endpoints."
		all[3].Block = now.Block
	}
	if now.Stage == score.Final {
		all[3].Says = "The transaction is in a block."
	}
	switch {
	case now.Stage != score.Final || now.Tx != (common.Hash{}):
		return all
	case now.Outcome.Rejected(): // perhaps as a dead letter without a transaction
		return append(all[:1], all[4])
	default: // applied, by any sender: only the last step is certain
		return all[4:]
	}
}
