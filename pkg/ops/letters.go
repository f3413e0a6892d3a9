package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	lettersPerScreen = 50
	mostSkipped      = 10_000 // letters on earlier screens; `scorelay dlq list` is unbounded
	mostReplayed     = 500    // per replay
)

type letter struct {
	score.DeadLetter
	Name    string // short id
	Subject string
	JSON    string // the whole letter; only on its own screen
	Refusal string // why a replay is refused, or empty
}

func shown(d score.DeadLetter) letter {
	return letter{DeadLetter: d, Name: deadletter.ID(&d), Subject: deadletter.Subject(&d)}
}

type lettersView struct {
	frame
	deadletter.Listing
	Rows     []letter
	All      int // number of unreplayed letters
	Outcome  string
	Replayed bool
	Newer    string // URLs of other parts, or empty
	Older    string
}

func (o *Ops) letters(r *request) error {
	skip, _ := strconv.Atoi(r.FormValue("skip"))
	w := deadletter.Wanted{Outcome: r.FormValue("outcome"), Replayed: r.FormValue("replayed") != "", Skip: min(max(skip, 0), mostSkipped), Most: lettersPerScreen}
	listing, err := deadletter.List(r.Context(), o.Stream, w)
	if err != nil {
		return err
	}
	view := lettersView{frame: o.frame(r.Request, "Dead letters", "letters"), Listing: listing, Outcome: w.Outcome, Replayed: w.Replayed}
	for _, d := range listing.Letters {
		view.Rows = append(view.Rows, shown(d))
	}
	for _, c := range listing.Counts {
		view.All += c.Letters
	}
	at := func(skip int) string {
		query := r.URL.Query()
		query.Set("skip", strconv.Itoa(skip))
		return "/ops/dead-letters?" + query.Encode()
	}
	if w.Skip > 0 {
		view.Newer = at(max(0, w.Skip-w.Most))
	}
	if next := w.Skip + w.Most; next < listing.Found && next <= mostSkipped {
		view.Older = at(next)
	}
	o.show(r.w, http.StatusOK, "letters", view)
	return nil
}

func (o *Ops) letter(r *request) error {
	found, err := o.find(r, []string{r.PathValue("id")})
	if err != nil {
		return err
	}
	one := found[0]
	text, err := json.MarshalIndent(deadletter.DocumentOf(&one.DeadLetter), "", "  ")
	if err != nil {
		return err
	}
	one.JSON = string(text)
	o.show(r.w, http.StatusOK, "letter", struct {
		frame
		Letter letter
	}{o.frame(r.Request, "Dead letter "+one.Name, "letters"), one})
	return nil
}

// find returns dead letters by short id, updateId or projectId, with reasons against a replay.
func (o *Ops) find(r *request, names []string) ([]letter, error) {
	found, err := deadletter.Find(r.Context(), o.Stream, names)
	if errors.Is(err, deadletter.ErrNone) {
		return nil, &problem{http.StatusNotFound, "There is no such dead letter", err.Error()}
	}
	all := make([]letter, len(found))
	for i, d := range found {
		all[i] = shown(d)
		if why := o.Replays.Replayable(r.Context(), d); why != nil {
			all[i].Refusal = why.Error()
		}
	}
	return all, err
}

type replayView struct {
	frame
	Letters []letter
	Left    []letter // refused
	More    int      // left for another replay
	Back    string
}

// preview shows the letters that a replay would accept: the given letters, or all unreplayed ones of an outcome.
func (o *Ops) preview(r *request) error {
	view := replayView{frame: o.frame(r.Request, "Replay", "letters"), Back: "/ops/dead-letters"}
	names := r.URL.Query()["id"]
	if outcome := r.FormValue("outcome"); outcome != "" {
		listing, err := deadletter.List(r.Context(), o.Stream, deadletter.Wanted{Outcome: outcome, Most: mostReplayed})
		if err != nil {
			return err
		}
		for i := range listing.Letters {
			names = append(names, deadletter.ID(&listing.Letters[i]))
		}
		view.More, view.Back = listing.Found-len(listing.Letters), view.Back+"?"+url.Values{"outcome": {outcome}}.Encode()
	}
	if len(names) == 0 {
		return &problem{http.StatusBadRequest, "No dead letter was chosen", "Choose some on the list before this screen."}
	}
	all, err := o.find(r, names[:min(mostReplayed, len(names))])
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.Refusal == "" {
			view.Letters = append(view.Letters, l)
		} else {
			view.Left = append(view.Left, l)
		}
	}
	o.show(r.w, http.StatusOK, "replay", view)
	return nil
}

// replay replays exactly the letters that the preview showed.
func (o *Ops) replay(r *request) error {
	if err := r.ParseForm(); err != nil || len(r.PostForm["id"]) == 0 || len(r.PostForm["id"]) > mostReplayed {
		return &problem{http.StatusBadRequest, "No dead letter was chosen, or too many", fmt.Sprintf("Choose 1 to %d on the list.", mostReplayed)}
	}
	all, err := o.find(r, r.PostForm["id"])
	if err != nil {
		return err
	}
	letters := make([]score.DeadLetter, len(all))
	for i, l := range all {
		letters[i] = l.DeadLetter
	}
	replayed, err := o.Replays.Replay(r.Context(), letters)
	o.did(r, "replayed dead letters", "letters", r.PostForm["id"], "replayed", replayed, "err", err)
	view := struct {
		frame
		Replayed, Of int
		Problem      string
		At           time.Time
	}{frame: o.frame(r.Request, "Replayed", "letters"), Replayed: replayed, Of: len(all), At: time.Now()}
	if err != nil {
		view.Problem = err.Error()
	}
	o.show(r.w, http.StatusOK, "replayed", view)
	return nil
}
