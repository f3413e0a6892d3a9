package load

import (
	"maps"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/scorelay/scorelay/pkg/score"
)

type Key struct {
	Project score.ProjectID
	ID      score.UpdateID
}

// Tally is safe for concurrent use.
type Tally struct {
	mu       sync.Mutex
	counts   Counts
	verdict  Verdict
	promised map[Key]time.Time // time of an update's first 200
	waiting  map[score.ProjectID]map[score.UpdateID]struct{}
	accept   *hdrhistogram.Histogram
}

type Counts struct {
	Sent      int            `json:"sent"`
	Accepted  int            `json:"accepted"`  // 200 accepted, or duplicate of an own try with a lost response
	Duplicate int            `json:"duplicate"` // any other 200 duplicate
	Rejected  int            `json:"rejected"`  // permanent: 4xx
	Failed    int            `json:"failed"`    // no definite response; perhaps stored
	Retries   int            `json:"retries"`
	Wrong     int            `json:"wrong"`    // valid but rejected, or invalid but accepted
	Refusals  map[string]int `json:"refusals"` // by code
}

// Verdict counts promised updates, those with a 200, by the API's reported outcome.
type Verdict struct {
	Promised int // distinct
	Applied  int // final and applied
	Rejected int // final with another outcome
	Unknown  int // pending at the last poll
}

func NewTally() *Tally {
	return &Tally{
		counts: Counts{Refusals: map[string]int{}}, promised: map[Key]time.Time{},
		waiting: map[score.ProjectID]map[score.UpdateID]struct{}{}, accept: newHistogram(),
	}
}

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

func (t *Tally) answered(r *Result, u *Update, duplicate bool) {
	if key := (Key{u.Project, u.ID}); t.promised[key].IsZero() {
		t.promised[key] = r.At
		if t.waiting[u.Project] == nil {
			t.waiting[u.Project] = map[score.UpdateID]struct{}{}
		}
		t.waiting[u.Project][u.ID] = struct{}{}
		t.verdict.Promised++
	}
	if !duplicate || r.Retries > 0 && !u.Again {
		t.counts.Accepted++
	} else {
		t.counts.Duplicate++
	}
	if u.Invalid {
		t.counts.Wrong++
	}
}

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

// settle records an update as final; only the first call for an update counts.
func (t *Tally) settle(key Key, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, waiting := t.waiting[key.Project][key.ID]; !waiting {
		return
	}
	delete(t.waiting[key.Project], key.ID)
	if outcome == score.Applied.String() {
		t.verdict.Applied++
	} else {
		t.verdict.Rejected++
	}
}

func (t *Tally) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := t.counts
	counts.Refusals = maps.Clone(counts.Refusals)
	return counts
}

func (t *Tally) Verdict() Verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.verdict
	v.Unknown = v.Promised - v.Applied - v.Rejected
	return v
}

func (t *Tally) Promised() map[Key]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.promised)
}

func (t *Tally) Latency() Percentiles {
	t.mu.Lock()
	defer t.mu.Unlock()
	return percentiles(t.accept)
}

// Percentiles are durations in milliseconds, exact to 0.1 %.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// longest is a histogram's upper bound.
const longest = time.Hour

// newHistogram returns a histogram of durations in microseconds.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, longest.Microseconds(), 3) }

func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(max(0, min(d, longest)).Microseconds()) // in range
}

func percentiles(h *hdrhistogram.Histogram) Percentiles {
	at := func(quantile float64) float64 { return float64(h.ValueAtQuantile(quantile)) / 1000 }
	return Percentiles{P50: at(50), P90: at(90), P99: at(99), Max: at(100)}
}
