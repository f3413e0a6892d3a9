package relay

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/score"
)

const (
	mostShown   = 50    // projects with a series of their own
	mostWeighed = 2_000 // projects with known payments, including those shown
	allOthers   = "other"
)

// largest counts the payments of projects: the largest in series of their own, the rest together. A project replaces
// another once it has paid twice as much, so series seldom change. A project's payments from before its series stay
// with the rest, which therefore never falls. It is safe for concurrent use.
type largest struct {
	paid *prometheus.CounterVec

	mu    sync.Mutex
	shown map[score.ProjectID]float64
	other map[score.ProjectID]float64 // upper bounds of the rest's payments, without forgotten projects
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

// enter reports whether a project has a series, and gives it one if this payment makes it one of the largest. If
// other is full, the project replaces the least one there and inherits its amount. So a project that pays much gets a
// series (the Space-Saving algorithm).
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
