package ops

import (
	"cmp"
	"fmt"
	"html/template"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/page"
	"github.com/scorelay/scorelay/pkg/roster"
)

// functions are what templates of this package write things with, beside the page's.
var functions = template.FuncMap{
	"age": age, "wei": wei, "bytes": overview.Bytes,
	"perSecond": func(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) },
	"whole":     func(n float64) uint64 { return uint64(n) },
	"percent":   func(part float64) string { return strconv.FormatFloat(100*part, 'f', 0, 64) + " %" },
	"low":       func(seconds *int64) bool { return seconds != nil && *seconds < lowFunds },
	"may":       func(rights []string, right string) bool { return len(rights) == 0 || slices.Contains(rights, right) },
	"terms":     func(t apikey.Terms, rights []string) any { return termsView{t, rights} },
	"list":      func(all []string) string { return strings.Join(all, ", ") },
}

// termsView is what the template "terms" shows.
type termsView struct {
	Terms  apikey.Terms
	Rights []string // that there are
}

// lowFunds is for how many seconds a balance should last at least: a day, as `scorelay status` has it.
const lowFunds = 24 * 60 * 60

// age writes seconds, or a pointer to them.
func age(seconds any) string {
	switch n := seconds.(type) {
	case *float64:
		if n != nil {
			return overview.Age(*n)
		}
	case *int64:
		if n != nil {
			return overview.Age(float64(*n))
		}
	}
	return "–"
}

// wei is an amount as a document has it.
func wei(text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}

// mostBacklog is how many projects of which something waits are shown.
const mostBacklog = 10

type titled struct {
	Title string
	Plot  *page.Plot
}

// flow is what moves, from the left to the right.
type flow struct {
	Waiting, Flight, Included uint64
	OldestWaiting, OldestOpen *float64
}

type overviewView struct {
	frame
	Verdict string
	Doc     *overview.Document // nil: NATS does not tell
	Flow    flow
	Lanes   []overview.Lane // but those that are gone
	Backlog []overview.Project
	Plots   []titled
	Since   time.Time // of the plots
}

// overview answers: is everything moving?
func (o *Ops) overview(r *request) error {
	view := overviewView{frame: o.frame(r.Request, "Is everything moving?", "overview")}
	doc, err := o.Overview.Look(r.Context())
	if err != nil {
		view.Verdict = "NATS does not tell: " + err.Error()
		o.show(r.w, http.StatusServiceUnavailable, "overview", view)
		return nil //nolint:nilerr // the screen says it, and follows until NATS tells again
	}
	view.Doc, view.Verdict = doc, doc.Verdict
	for _, l := range doc.Lanes {
		if l.State != roster.Gone {
			view.Lanes = append(view.Lanes, l)
			view.Flow.add(&l)
		}
	}
	view.Backlog = doc.Backlog[:min(mostBacklog, len(doc.Backlog))]
	if samples := o.History.Samples(); len(samples) > 1 {
		view.Since = samples[0].At
		view.Plots = []titled{
			{"Accepted a second", throughput("accepted", samples, func(s overview.Sample) float64 { return s.AcceptedPerSecond })},
			{"Final a second", throughput("final", samples, func(s overview.Sample) float64 { return s.FinalPerSecond })},
		}
	}
	o.show(r.w, http.StatusOK, "overview", view)
	return nil
}

func (f *flow) add(l *overview.Lane) {
	f.Waiting += l.Waiting
	f.Flight += uint64(l.InFlight)
	f.Included += uint64(max(0, l.OpenSlots-l.InFlight))
	f.OldestWaiting, f.OldestOpen = older(f.OldestWaiting, l.WaitingSeconds), older(f.OldestOpen, l.OpenSeconds)
}

func older(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// throughput plots updates a second. The right end is the newest sample, the left end HistoryFor before it.
func throughput(what string, samples []overview.Sample, of func(overview.Sample) float64) *page.Plot {
	last := samples[len(samples)-1].At
	top := of(slices.MaxFunc(samples, func(a, b overview.Sample) int { return cmp.Compare(of(a), of(b)) }))
	var path strings.Builder
	for i, s := range samples {
		x := (1 - last.Sub(s.At).Seconds()/overview.HistoryFor.Seconds()) * page.PlotWidth
		y := page.PlotHeight * (1 - of(s)/max(top, 1))
		fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	stamp := func(t time.Time) string { return t.UTC().Format("15:04") }
	end := of(samples[len(samples)-1])
	return &page.Plot{
		Path: path.String(), Zero: page.PlotHeight, From: stamp(last.Add(-overview.HistoryFor)), To: stamp(last) + " UTC", Low: "0", Top: fmt.Sprintf("%.1f", max(top, 1)),
		Label: fmt.Sprintf("Updates %s a second in the last 15 minutes: %.1f at the end, %.1f at most", what, end, top),
	}
}
