package page

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// editTime is the validity of an edit on a screen: time to read it, sign it, and get it into a block.
const editTime = time.Hour

type editView struct {
	head
	Edit     score.Edit
	Says     string
	Problems []string // why the contract would reject it
	Back     string   // path of its form
	Next     score.NextEdit
	Before   uint64 // nonce of the preceding edit
	Domain   wallet.Domain
	Deadline time.Time
	Owners   []string
	May      bool   // whether the session's key may send it
	Command  string // CLI command; empty if it has invisible characters
}

func (v *editView) HasMember() bool { return v.Edit.Member != (common.Address{}) }

func (v *editView) Points() string { return signed(worth(v.Edit)) }

// DomainJSON returns the domain in the JSON that wallets expect.
func (v *editView) DomainJSON() (string, error) {
	domain, err := json.Marshal(v.Domain)
	return string(domain), err
}

// edit shows an edit to sign; the owner's browser posts it.
func (p *Page) edit(r *request) error {
	head, err := p.head(r, "edit")
	if err != nil {
		return err
	}
	if err := r.count(len(head.Project.Members)); err != nil {
		return err
	}
	view := editView{head: head, Back: head.Path + "/members", Domain: p.domain, May: r.by.Rights&score.MayCreate != 0, Deadline: time.Now().Add(editTime).Truncate(time.Second)}
	view.Title = "Edit " + head.Project.Name
	var wrong string
	view.Edit, wrong = readEdit(r)
	if !view.HasMember() {
		view.Back = head.Path + "/actions"
	}
	if wrong != "" {
		view.Problems = []string{wrong}
		p.show(r.w, http.StatusBadRequest, "edit", &view)
		return nil
	}
	_, problems := (&score.ProjectEdit{Edits: []score.Edit{view.Edit}}).Apply(head.Project, p.maxMembers, 0)
	for _, problem := range problems {
		view.Problems = append(view.Problems, "The "+problem.Pointer[strings.LastIndexByte(problem.Pointer, '/')+1:]+" "+problem.Detail+".")
	}
	if len(problems) > 0 {
		p.show(r.w, http.StatusBadRequest, "edit", &view)
		return nil
	}
	if view.Next, err = p.source.NextEdit(head.Project.ID); err != nil {
		return err
	}
	view.Before, _ = view.Next.Before()
	view.Says = saysEdit(view.Edit, head.Project)
	for _, owner := range head.Project.MembersAfter(score.Owner, nil, p.maxMembers) {
		view.Owners = append(view.Owners, owner.Hex())
	}
	if flag := flagOf(view.Edit); visible(flag) == flag {
		view.Command = "scorelay projects edit " + head.Project.ID.String() + " " + flag + " --wait=1h"
	}
	p.show(r.w, http.StatusOK, "edit", &view)
	return nil
}

// readEdit reads the form; wrong is a sentence about its first error, or empty.
func readEdit(r *request) (e score.Edit, wrong string) {
	e.Operation, e.Name = score.Operation(r.FormValue("operation")), r.FormValue("name")
	if !slices.Contains(score.Operations(), e.Operation) {
		return e, "There is no such change of a project."
	}
	if text := strings.TrimSpace(r.FormValue("member")); text != "" {
		var err error
		if e.Member, err = wallet.ParseAddress(text); err != nil {
			return e, "The wallet " + err.Error() + "."
		}
	}
	if text := r.FormValue("points"); text != "" {
		points, err := strconv.ParseInt(text, 10, 64)
		if err != nil || points < -math.MaxUint32 || points > math.MaxUint32 {
			return e, "The points must be an integer."
		}
		if points < 0 {
			points, e.Direction = -points, score.Subtract
		}
		e.Points = uint32(points)
	}
	return e, ""
}

// formOf returns the path of the screen that offers an edit.
func formOf(path string, e score.Edit) string {
	query := url.Values{"operation": {string(e.Operation)}}
	if e.Member != (common.Address{}) {
		query.Set("member", e.Member.Hex())
	}
	if e.Name != "" {
		query.Set("name", e.Name)
	}
	if e.Points != 0 {
		query.Set("points", strconv.FormatInt(worth(e), 10))
	}
	return path + "/edit?" + query.Encode()
}

// worth returns an action's points; negative if it subtracts.
func worth(e score.Edit) int64 { return score.Action{Points: e.Points, Direction: e.Direction}.Delta() }

func saysEdit(e score.Edit, rec *score.Record) string {
	switch e.Operation {
	case score.AddOwner:
		return "This wallet becomes an owner: it can send updates and edit the project, also take the others' roles."
	case score.RemoveOwner:
		return "This wallet is no owner of the project any more. It cannot edit it, and sends no updates unless it is an updater, too."
	case score.AddUpdater:
		return "This wallet becomes an updater: it can send updates of the project."
	case score.RemoveUpdater:
		return "This wallet is no updater of the project any more. What was accepted of it before this edit still counts."
	case score.AddAction:
		says := "The project gets an action: an update by it adds " + signed(worth(e)) + " points. It stays for good."
		if _, taken := rec.ActionIndex(e.Name); taken {
			says += " It replaces the action of this name for updates that are sent from then on."
		}
		return says
	case score.AddScoreType:
		return "The project gets a score type, in which every wallet begins at 0. It stays for good."
	case score.RequireSignedGroups:
		return "From then on the project takes updates in signed groups only, and its members' own transactions. What was accepted before this edit still counts."
	default:
		return "From then on the project takes updates that are not in signed groups, too: the relayers are trusted to carry only what members signed."
	}
}

// flagOf returns an edit as a shell-quoted flag of 'scorelay projects edit'.
func flagOf(e score.Edit) string {
	value := e.Member.Hex()
	switch e.Operation {
	case score.AddAction:
		value = e.Name + "=" + strconv.FormatInt(worth(e), 10)
	case score.AddScoreType:
		value = e.Name
	case score.RequireSignedGroups, score.AllowUnsignedGroups:
		return "--signed-only=" + strconv.FormatBool(e.Operation == score.RequireSignedGroups)
	}
	return "--" + strings.ReplaceAll(string(e.Operation), " ", "-") + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

func (p *Page) edits(r *request) error {
	head, err := p.head(r, "edit")
	if err != nil {
		return err
	}
	next, err := p.source.NextEdit(head.Project.ID)
	if err != nil {
		return err
	}
	nonce, ok := next.Before()
	if !ok {
		return notFound("No owner has signed an edit of this project yet", "Members, actions and score types are those of its creation, and of its owners' own transactions.")
	}
	p.redirect(r.w, head.Path+"/edits/"+strconv.FormatUint(nonce, 10))
	return nil
}

type editedView struct {
	head
	Is      score.EditState
	Nonce   uint64
	Lines   []string // one per edit
	Verdict string
	State   string // good, waiting or bad
	Steps   []step
	// paths of the previous edit, and to sign a rejected one again; or empty.
	Before string
	Again  string
}

func (p *Page) edited(r *request) error {
	head, err := p.head(r, "edit")
	if err != nil {
		return err
	}
	nonce, err := strconv.ParseUint(r.PathValue("nonce"), 10, 64)
	if err != nil {
		return invalid("The nonce must be a decimal integer")
	}
	view := editedView{head: head, Nonce: nonce}
	view.Title = "Edit " + strconv.FormatUint(nonce, 10) + " of " + head.Project.Name
	if view.Is, err = p.source.Edit(head.Project.ID, nonce); err != nil {
		return err
	}
	if nonce > 0 {
		view.Before = head.Path + "/edits/" + strconv.FormatUint(nonce-1, 10)
	}
	if view.Is.Edit != nil {
		for _, e := range view.Is.Edit.Edits {
			view.Lines = append(view.Lines, lineOf(e))
		}
		if len(view.Is.Edit.Edits) == 1 && view.Is.Status.Outcome.Rejected() {
			view.Again = formOf(head.Path, view.Is.Edit.Edits[0])
		}
	}
	view.Verdict, view.State = view.verdict()
	view.Steps = editSteps(view.Is.Status, view.Paused)
	p.show(r.w, http.StatusOK, "edited", &view)
	return nil
}

func (v *editedView) Live() bool { return v.Is.Status.Stage != score.Final }

func (v *editedView) verdict() (sentence, state string) {
	switch {
	case v.Is.Status.Stage != score.Final:
		return onTheWay(v.Is.Status.Stage, v.Paused), "waiting"
	case v.Is.Status.Outcome == score.Applied:
		return "It is made, for good.", "good"
	}
	if v.Is.Reason != "" {
		return "It was rejected, and changed nothing: " + visible(v.Is.Reason) + ".", "bad"
	}
	return "It was rejected (" + v.Is.Status.Outcome.String() + "), and changed nothing.", "bad"
}

func lineOf(e score.Edit) string {
	switch {
	case e.Operation == score.AddAction:
		return string(e.Operation) + " “" + visible(e.Name) + "”, " + signed(worth(e))
	case e.Name != "":
		return string(e.Operation) + " “" + visible(e.Name) + "”"
	case e.Member != (common.Address{}):
		return string(e.Operation) + " " + e.Member.Hex()
	}
	return string(e.Operation)
}

func editSteps(now score.Status, paused string) []step {
	all := steps(now, paused)
	for i := range all {
		switch {
		case all[i].Name == "Batched":
			all[i].Says = "A lane bound it to a transaction of its own, behind the updates of the project that came before it."
		case all[i].Name == "Final" && now.Stage == score.Final && now.Outcome.Rejected():
			all[i].Says = "The outcome stays. An owner may sign the edit again, with the project's next nonce."
		}
	}
	return all
}
