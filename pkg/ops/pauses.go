package ops

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type paused struct {
	What string // all, lane or project
	ID   string // of a lane or project
	kv.Pause
}

type pausesView struct {
	frame
	Paused []paused
	Lanes  []overview.Lane
}

func (o *Ops) pauses(r *request) error {
	is, err := o.Pauses.Get(r.Context())
	if err != nil {
		return err
	}
	lanes, err := o.lanes(r.Context())
	if err != nil {
		return err
	}
	view := pausesView{frame: o.frame(r.Request, "What is paused?", "pauses"), Lanes: lanes}
	if is.All != nil {
		view.Paused = append(view.Paused, paused{"all", "", *is.All})
	}
	for _, id := range slices.Sorted(maps.Keys(is.Lanes)) {
		view.Paused = append(view.Paused, paused{"lane", strconv.Itoa(int(id)), is.Lanes[id]})
	}
	for _, id := range slices.SortedFunc(maps.Keys(is.Projects), func(a, b score.ProjectID) int { return slices.Compare(a[:], b[:]) }) {
		view.Paused = append(view.Paused, paused{"project", id.String(), is.Projects[id]})
	}
	o.show(r.w, http.StatusOK, "pauses", view)
	return nil
}

// lanes returns the lanes that can be paused.
func (o *Ops) lanes(ctx context.Context) ([]overview.Lane, error) {
	doc, err := o.Overview.Look(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(doc.Lanes), func(l overview.Lane) bool { return l.State == roster.Gone }), nil
}

// what parses the scope of a pause in a form.
func (o *Ops) what(r *request) (what kv.Scope, err error) {
	id := strings.TrimSpace(r.PostFormValue("id"))
	switch kind := r.PostFormValue("what"); kind {
	case "all":
		return what, nil
	case "lane":
		lanes, err := o.lanes(r.Context())
		if err != nil {
			return what, err
		}
		for _, l := range lanes {
			if strconv.Itoa(int(l.Lane)) == id {
				return kv.Scope{Lane: &l.Lane}, nil
			}
		}
		return what, &problem{http.StatusBadRequest, "There is no such lane", fmt.Sprintf("%q is none of the deployment's.", id)}
	case "project":
		project, err := score.ParseProjectID(id)
		if err != nil {
			return what, &problem{http.StatusBadRequest, "This is no projectId", err.Error()}
		}
		return kv.Scope{Project: &project}, nil
	default:
		return what, &problem{http.StatusBadRequest, "Say what it is about", "Choose everything, a lane or a project."}
	}
}

func (o *Ops) pause(r *request) error {
	what, err := o.what(r)
	if err != nil {
		return err
	}
	one := kv.Pause{At: time.Now().UTC().Truncate(time.Second), Reason: strings.TrimSpace(r.PostFormValue("reason")), Refuses: r.PostFormValue("refuses") != ""}
	if one.Refuses && what.Lane != nil {
		return &problem{http.StatusBadRequest, "A lane alone cannot refuse", "An update is accepted before it is known which lane will carry it. Pause everything, or a project."}
	}
	if err := one.Check(); err != nil {
		return &problem{http.StatusBadRequest, "This reason cannot be told", err.Error()}
	}
	if _, err := o.Pauses.Update(r.Context(), func(p kv.Pauses) kv.Pauses { return p.With(what, one) }); err != nil {
		return err
	}
	o.did(r, "paused", "kind", r.PostFormValue("what"), "id", r.PostFormValue("id"), "reason", one.Reason, "refuses", one.Refuses)
	o.redirect(r.w, "/ops/pauses")
	return nil
}

// resume ends a pause; with the scope "all" every pause.
func (o *Ops) resume(r *request) error {
	what, err := o.what(r)
	if err != nil {
		return err
	}
	if what == (kv.Scope{}) {
		err = o.Pauses.Clear(r.Context())
	} else {
		_, err = o.Pauses.Update(r.Context(), func(p kv.Pauses) kv.Pauses { return p.Without(what) })
	}
	if err != nil {
		return err
	}
	o.did(r, "resumed", "kind", r.PostFormValue("what"), "id", r.PostFormValue("id"))
	o.redirect(r.w, "/ops/pauses")
	return nil
}
