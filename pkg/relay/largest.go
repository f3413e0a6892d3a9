package relay

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/score"
)

// Bounds of what is told by project.
const (
	mostShown   = 50    // projects with a series of their own
	mostWeighed = 2_000 // projects of which it is known how much they paid, those included
	allOthers   = "other"
)

// largest counts what projects pay, the largest of them each by itself and the rest together. Which are largest shows as they pay: one
// takes the place of another when it has paid twice as much, so that series seldom come and go. All are counters: what a project paid
// before it had a series stays with the rest, which therefore never falls. It is safe for concurrent use.
type largest struct {
	paid *prometheus.CounterVec // by project

	mu    sync.Mutex
	shown map[score.ProjectID]float64 // what they paid
	other map[score.ProjectID]float64 // likewise, of the rest, at most; of those that are forgotten nothing is known
}

func newLargest(paid *prometheus.CounterVec) *largest {
	return &largest{paid: paid, shown: map[score.ProjectID]float64{}, other: map[score.ProjectID]float64{}}
}

func (l *largest) add(project score.ProjectID, amount float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, is := l.shown[project]; !is && !l.enter(project, amount) {
		l.paid.WithLabelValues(allOthers).Add(amount)
		return
	}
	l.shown[project] += amount
	l.paid.WithLabelValues(project.String()).Add(amount)
}

// enter gives a project a series, if it is one of the largest with what it pays now. Where there is no room to weigh another project,
// it counts as the least of those weighed, which is forgotten: so none that pays much stays small (the algorithm is Space-Saving).
func (l *largest) enter(project score.ProjectID, amount float64) bool {
	before, known := l.other[project]
	if len(l.shown) < mostShown {
		l.shown[project] = 0
		return true
	}
	if !known && len(l.other) >= mostWeighed-mostShown {
		var out score.ProjectID
		out, before = least(l.other)
		delete(l.other, out)
	}
	smallest, paid := least(l.shown)
	if before+amount <= 2*paid {
		l.other[project] = before + amount
		return false
	}
	delete(l.other, project)
	delete(l.shown, smallest)
	l.paid.DeleteLabelValues(smallest.String())
	l.other[smallest], l.shown[project] = paid, before
	return true
}

func least(of map[score.ProjectID]float64) (id score.ProjectID, paid float64) {
	first := true
	for p, n := range of {
		if first || n < paid {
			id, paid, first = p, n, false
		}
	}
	return id, paid
}
