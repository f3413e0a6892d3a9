package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Size of a plot, in units that the stylesheet scales.
const (
	plotWidth  = 600
	plotHeight = 100
)

type plot struct {
	Path     string // a line, or the bars of a sparkline
	Bars     []bar
	Zero     int // y of the zero line, from the top
	Label    string
	From, To string // labels of the left and right end
	Low, Top string // labels of the lower and upper end
}

type bar struct {
	X, Y, Width, Height int
	Label               string
}

func bars(numbers []uint64, from time.Time, name, unit string) *plot {
	top := max(1, slices.Max(numbers))
	date := func(i int) string { return from.AddDate(0, 0, i).Format("2006-01-02") }
	p := &plot{From: date(0), To: date(len(numbers) - 1), Low: "0", Top: grouped(top) + " " + unit}
	p.Label = fmt.Sprintf("%s by day, %s to %s, %s at most", name, p.From, p.To, p.Top)
	width := plotWidth / len(numbers)
	for i, n := range numbers {
		if n == 0 {
			continue
		}
		height := max(1, int(float64(n)/float64(top)*plotHeight))
		p.Bars = append(p.Bars, bar{i*width + 1, plotHeight - height, width - 2, height, date(i) + ": " + grouped(n) + " " + unit})
	}
	return p
}

// sparkline charts applied updates by day, or returns nil.
func sparkline(applied []uint64, from time.Time) *plot {
	p := bars(applied, from, "Updates applied", "updates")
	for _, b := range p.Bars {
		p.Path += fmt.Sprintf("M%d %dh%dV%dh-%dz", b.X, b.Y, b.Width, plotHeight, b.Width)
	}
	if p.Path == "" {
		return nil
	}
	return p
}

// cumulative charts a score's history, backwards from its value is, from its updates, newest first; nil if the line
// is a point or flat.
func cumulative(updates []score.Execution, is int64) *plot {
	if len(updates) < 2 {
		return nil
	}
	scores := make([]float64, len(updates)+1) // after each update; last, before the oldest
	scores[0] = float64(is)
	low, top := min(0, scores[0]), max(0, scores[0])
	for i, u := range updates {
		scores[i+1] = scores[i]
		if u.Outcome == score.Applied {
			scores[i+1] -= float64(u.Points)
		}
		low, top = min(low, scores[i+1]), max(top, scores[i+1])
	}
	if top == low {
		return nil
	}
	first, last := updates[len(updates)-1].Time, updates[0].Time
	y := func(s float64) float64 { return (top - s) / (top - low) * plotHeight }
	x := func(i int) float64 { // by time, or evenly if all are in one block
		if span := last.Sub(first); span > 0 {
			return float64(updates[i].Time.Sub(first)) / float64(span) * plotWidth
		}
		return float64(len(updates)-1-i) / float64(len(updates)-1) * plotWidth
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M0 %.1f", y(scores[len(updates)]))
	for i := len(updates) - 1; i >= 0; i-- {
		fmt.Fprintf(&path, "H%.1fV%.1f", x(i), y(scores[i]))
	}
	layout := "2006-01-02 15:04"
	if last.Sub(first) < time.Hour {
		layout += ":05"
	}
	stamp := func(t time.Time) string { return t.UTC().Format(layout) }
	p := &plot{Path: path.String(), Zero: int(y(0)), From: stamp(first), To: stamp(last) + " UTC", Low: grouped(int64(low)), Top: grouped(int64(top))}
	p.Label = fmt.Sprintf("The score from %s to %s, between %s and %s, now %s", p.From, p.To, p.Low, p.Top, grouped(is))
	return p
}
