package page

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/wallet"
)

const (
	pageProjects  = 50
	pageStandings = 50
	pageMembers   = 50
	pageRecent    = 30
)

type projectsView struct {
	frame
	Projects []projectRow
	Next     string // path; empty on the last page
	Later    bool   // whether earlier ones exist
	AsOf     *score.AsOf
	Note     string // why counts are missing
}

type projectRow struct {
	*score.Record
	Counts *score.Summary // nil before the first final update, or if unavailable
	Days   *plot          // nil before the first applied update, or if unavailable
}

func (p *Page) projects(r *request) error {
	view := projectsView{frame: p.frame("Projects", r.Request, r.by)}
	var after *score.ProjectID
	if text := r.FormValue("after"); text != "" {
		id, err := score.ParseProjectID(text)
		if err != nil {
			return invalid("The address of this list " + err.Error())
		}
		after, view.Later = &id, true
	}
	records := p.source.Projects(r.by, after, pageProjects+1)
	more := len(records) > pageProjects
	records = records[:min(len(records), pageProjects)]
	ids := make([]score.ProjectID, len(records))
	for i, rec := range records {
		ids[i] = rec.ID
	}
	counts, note, asOf := p.counts(r.Context(), ids)
	view.Note, view.AsOf = note, asOf
	for i, rec := range records {
		view.Projects = append(view.Projects, projectRow{Record: rec, Counts: counts[i]})
	}
	if from, today := lastDays(); asOf != nil {
		// the screen works without plots
		if days, _, err := p.standings.Applied(r.Context(), ids, from, today); err == nil {
			for i := range days {
				view.Projects[i].Days = sparkline(days[i], from)
			}
		}
	}
	if more {
		view.Next = home + "?after=" + ids[len(ids)-1].String()
	}
	p.show(r.w, http.StatusOK, "projects", view)
	return nil
}

// counts returns the summaries of projects; nil for an unknown one. If they are unavailable, note is the reason, and
// screens are shown anyway.
func (p *Page) counts(ctx context.Context, ids []score.ProjectID) (counts []*score.Summary, note string, asOf *score.AsOf) {
	counts = make([]*score.Summary, len(ids))
	if len(ids) == 0 {
		return counts, "", nil
	}
	found, at, err := p.standings.Summaries(ctx, ids)
	var rebuilding *score.RebuildingError
	switch {
	case errors.As(err, &rebuilding):
		return counts, "Scores and history are being read from the chain again. " + progress(rebuilding), nil
	case err != nil:
		return counts, "Redis, which holds scores and history for this page, does not answer now.", nil
	}
	return found, "", &at
}

func (p *Page) findProject(r *request) error {
	id, err := score.ParseProjectID(strings.TrimSpace(r.FormValue("q")))
	if err != nil {
		return invalid("The projectId " + err.Error())
	}
	p.redirect(r.w, projectPath(id))
	return nil
}

func (p *Page) find(r *request) error {
	head, err := p.head(r, "")
	if err != nil {
		return err
	}
	q := strings.TrimSpace(r.FormValue("q"))
	if update, err := score.ParseUpdateID(q); err == nil {
		p.redirect(r.w, projectPath(head.Project.ID)+"/updates/"+update.String())
		return nil
	}
	address, err := wallet.ParseAddress(q)
	if err != nil {
		return invalid("What you look for must be a wallet (0x and 40 hex digits) or an updateId (0x and 64); a wallet " + err.Error())
	}
	p.redirect(r.w, projectPath(head.Project.ID)+"/wallets/"+address.Hex())
	return nil
}

func invalid(detail string) *Problem {
	return &Problem{Status: http.StatusBadRequest, Title: "Malformed id or address", Detail: detail + ".", Code: "invalid_path"}
}

func projectPath(id score.ProjectID) string { return "/app/projects/" + id.String() }

// head is the common part of a project's screens.
type head struct {
	frame
	Project *score.Record
	Path    string
	Tab     string // last part of the path; empty: leaderboard
	Status  score.Status
	Counts  *score.Summary
	Note    string
	AsOf    *score.AsOf
	Waiting uint64
	Paused  string
}

// head handles a project outside the key's scope like a missing one.
func (p *Page) head(r *request, tab string) (head, error) {
	missing := notFound("There is no such project", "It does not exist, or this API key may not read it.")
	id, err := score.ParseProjectID(r.PathValue("project"))
	if err != nil || !r.by.Covers(id) {
		return head{}, missing
	}
	rec, status := p.source.Project(id)
	if rec == nil {
		return head{}, missing
	}
	h := head{frame: p.frame(rec.Name, r.Request, r.by), Project: rec, Path: projectPath(id), Tab: tab, Status: status}
	counts, note, asOf := p.counts(r.Context(), []score.ProjectID{id})
	h.Counts, h.Note, h.AsOf = counts[0], note, asOf
	h.Waiting, h.Paused = p.source.Waits(id)
	return h, nil
}
