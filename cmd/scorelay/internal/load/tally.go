package load

import (
	"maps"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/scorelay/scorelay/pkg/score"
)

// Key names an update over all projects.
type Key struct {
	Project score.ProjectID
	ID      score.UpdateID
}

// Tally counts results, and what became of the updates that got a 200. It is safe for concurrent use.
type Tally struct {
	mu       sync.Mutex
	counts   Counts
	verdict  Verdict
	promised map[Key]time.Time                               // when each got its first 200
	waiting  map[score.ProjectID]map[score.UpdateID]struct{} // promised and not final yet
	accept   *hdrhistogram.Histogram
	finality *hdrhistogram.Histogram
}

// Counts of updates, by how they were answered.
type Counts struct {
	Sent      int            `json:"sent"`
	Accepted  int            `json:"accepted"`  // 200 accepted, or duplicate of a try of our own whose answer was lost
	Duplicate int            `json:"duplicate"` // 200 duplicate otherwise
	Rejected  int            `json:"rejected"`  // refused for good: 4xx
	Failed    int            `json:"failed"`    // no definite answer before the client gave up: stored or not, nothing is promised
	Retries   int            `json:"retries"`   // requests that were sent again
	Wrong     int            `json:"wrong"`     // valid but refused, or invalid but accepted
	Refusals  map[string]int `json:"refusals"`  // by code
}

// Verdict is what the API reported of promised updates, those that got a 200.
type Verdict struct {
	Promised int // distinct
	Applied  int // of those, final and applied
	Rejected int // of those, final with another outcome
	Unknown  int // of those, not final when last asked
}

// NewTally makes an empty tally.
func NewTally() *Tally {
	return &Tally{
		counts: Counts{Refusals: map[string]int{}}, promised: map[Key]time.Time{},
		waiting: map[score.ProjectID]map[score.UpdateID]struct{}{}, accept: newHistogram(), finality: newHistogram(),
	}
}

// Add counts one result: each of its post's updates.
func (t *Tally) Add(r Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Retries += r.Retries
	refusal := r.refusal()
	for i := range r.Post.Updates {
		u := &r.Post.Updates[i]
		t.counts.Sent++
		record(t.accept, r.Latency)
		switch {
		case r.Duplicate != nil:
			t.answered(&r, u, r.Duplicate[i])
		case refusal != "":
			t.counts.Rejected++
			t.counts.Refusals[refusal]++
			if !u.Invalid {
				t.counts.Wrong++
			}
		default:
			t.counts.Failed++
		}
	}
}

// answered counts one update that got a 200.
func (t *Tally) answered(r *Result, u *Update, duplicate bool) {
	if key := (Key{u.Project, u.ID}); t.promised[key].IsZero() {
		t.promised[key] = r.At
		if t.waiting[u.Project] == nil {
			t.waiting[u.Project] = map[score.UpdateID]struct{}{}
		}
		t.waiting[u.Project][u.ID] = struct{}{}
		t.verdict.Promised++
	}
	// Our own earlier try may have been stored although its answer was lost.
	if !duplicate || r.Retries > 0 && !u.Again {
		t.counts.Accepted++
	} else {
		t.counts.Duplicate++
	}
	if u.Invalid {
		t.counts.Wrong++
	}
}

// open returns what was promised and is not final yet.
func (t *Tally) open() map[score.ProjectID][]score.UpdateID {
	t.mu.Lock()
	defer t.mu.Unlock()
	open := make(map[score.ProjectID][]score.UpdateID, len(t.waiting))
	for project, ids := range t.waiting {
		for id := range ids {
			open[project] = append(open[project], id)
		}
	}
	return open
}

// settle notes the outcome of a promise that was seen as final at a time. Only the first counts.
func (t *Tally) settle(key Key, outcome string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, waiting := t.waiting[key.Project][key.ID]; !waiting {
		return
	}
	delete(t.waiting[key.Project], key.ID)
	record(t.finality, at.Sub(t.promised[key]))
	if outcome == score.Applied.String() {
		t.verdict.Applied++
	} else {
		t.verdict.Rejected++
	}
}

// Counts returns the counts so far.
func (t *Tally) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := t.counts
	counts.Refusals = maps.Clone(counts.Refusals)
	return counts
}

// Verdict returns what is known so far of what was promised.
func (t *Tally) Verdict() Verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.verdict
	v.Unknown = v.Promised - v.Applied - v.Rejected
	return v
}

// Promised returns every update that got a 200, and when it first did.
func (t *Tally) Promised() map[Key]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.promised)
}

// Latency summarises how long answers took so far.
func (t *Tally) Latency() Percentiles {
	t.mu.Lock()
	defer t.mu.Unlock()
	return percentiles(t.accept)
}

// Finality summarises how long promises took so far from their 200 until they were seen as final.
func (t *Tally) Finality() Percentiles {
	t.mu.Lock()
	defer t.mu.Unlock()
	return percentiles(t.finality)
}

// Percentiles of durations, in milliseconds, exact to a thousandth.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// longest that a histogram tells apart.
const longest = time.Hour

// newHistogram counts microseconds.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest.Microseconds(), 3) }

func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(max(0, min(d, longest)).Microseconds()) // in range
}

func percentiles(h *hdrhistogram.Histogram) Percentiles {
	at := func(quantile float64) float64 { return float64(h.ValueAtQuantile(quantile)) / 1000 }
	return Percentiles{P50: at(50), P90: at(90), P99: at(99), Max: at(100)}
}
