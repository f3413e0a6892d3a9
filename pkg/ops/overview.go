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

// functions are template functions besides the page's.
var functions = template.FuncMap{
	"age": age, "wei": wei, "bytes": overview.Bytes,
	"perSecond": func(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) },
	"whole":     func(n float64) uint64 { return uint64(n) },
	"percent":   func(part float64) string { return strconv.FormatFloat(100*part, 'f', 0, 64) + " %" },
	"low":       func(seconds *int64) bool { return seconds != nil && *seconds < lowFunds },
	"may":       func(rights []string, right string) bool { return len(rights) == 0 || slices.Contains(rights, right) },
	"terms":     func(t apikey.Terms, rights []string) any { return termsView{t, rights} },
	"lines":     func(text string) []string { return strings.Split(text, "\n") },
	"list":      func(all []string) string { return strings.Join(all, ", ") },
}

type termsView struct {
	Terms  apikey.Terms
	Rights []string
}

// lowFunds is how many seconds a balance should last, as in `scorelay status`.
const lowFunds = 24 * 60 * 60

// age formats the seconds that a *float64 or *int64 points to; a dash for nil.
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

// wei parses an amount of a document; 0 if invalid.
func wei(text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}

const mostBacklog = 10

type titled struct {
	Title string
	Now   string // newest and highest value, since narrow screens lack a scale
	Plot  *page.Plot
}

// flow counts waiting updates, and transactions in flight and included.
type flow struct {
	Waiting, Flight, Included uint64
	OldestWaiting, OldestOpen *float64
}

type overviewView struct {
	frame
	Verdict string
	Doc     *overview.Document // nil if NATS is unavailable
	Flow    flow
	Lanes   []overview.Lane // except gone ones
	Backlog []overview.Project
	Plots   []titled
	Since   time.Time // start of the plots
}

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
			plot("Accepted", "updates a second", samples, 1, func(s overview.Sample) *float64 { return &s.AcceptedPerSecond }),
			plot("Final", "updates a second", samples, 1, func(s overview.Sample) *float64 { return &s.FinalPerSecond }),
			plot("Gas price paid", "gwei", samples, 0, func(s overview.Sample) *float64 { return s.GasPriceGwei }),
			plot("Block fill, of all transactions", "%", samples, 100, blockFill),
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

func blockFill(s overview.Sample) *float64 {
	if s.BlockFill == nil {
		return nil
	}
	percent := 100 * *s.BlockFill
	return &percent
}

// plot charts the values that of returns, with gaps for missing ones. The scale ends at least or above. The plot ends
// at the newest sample and covers HistoryFor. If all values are missing, it is empty.
func plot(title, unit string, samples []overview.Sample, least float64, of func(overview.Sample) *float64) titled {
	var values []float64
	for _, s := range samples {
		if v := of(s); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return titled{}
	}
	most := slices.Max(values)
	top := cmp.Or(max(most, least), 1)
	last := samples[len(samples)-1].At
	var path strings.Builder
	begin := "M"
	for _, s := range samples {
		v := of(s)
		if v == nil {
			begin = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", begin, (1-last.Sub(s.At).Seconds()/overview.HistoryFor.Seconds())*page.PlotWidth, page.PlotHeight*(1-*v/top))
		begin = "L"
	}
	stamp := func(t time.Time) string { return t.UTC().Format("15:04") }
	now := fmt.Sprintf("%s %s, %s at most", figure(values[len(values)-1]), unit, figure(most))
	return titled{title, now, &page.Plot{
		Path: path.String(), Zero: page.PlotHeight, From: stamp(last.Add(-overview.HistoryFor)), To: stamp(last) + " UTC", Low: "0", Top: figure(top),
		Label: fmt.Sprintf("%s, the last 15 minutes: %s", title, now),
	}}
}

// figure formats a number with three significant digits, or all integer digits.
func figure(n float64) string {
	if n >= 100 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}
