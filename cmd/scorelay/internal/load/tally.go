package load

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/scorelay/scorelay/pkg/score"
)

// Key names an update over all projects.
type Key struct {
	Project score.ProjectID
	ID      score.UpdateID
}

// Tally counts results. It is safe for concurrent use.
type Tally struct {
	mu        sync.Mutex
	counts    Counts
	latencies []time.Duration
	promised  map[Key]time.Time
}

// Counts of updates, by how they were answered.
type Counts struct {
	Sent      int            `json:"sent"`
	Accepted  int            `json:"accepted"`  // 200 accepted, or duplicate of a try of our own whose answer was lost
	Duplicate int            `json:"duplicate"` // 200 duplicate otherwise
	Rejected  int            `json:"rejected"`  // refused for good: 4xx
	Failed    int            `json:"failed"`    // no definite answer before we gave up
	Retries   int            `json:"retries"`   // requests that were sent again
	Wrong     int            `json:"wrong"`     // valid but refused, or invalid but accepted
	Refusals  map[string]int `json:"refusals"`  // by code
}

// NewTally makes an empty tally.
func NewTally() *Tally {
	return &Tally{promised: map[Key]time.Time{}, counts: Counts{Refusals: map[string]int{}}}
}

// Add counts one result: each of its post's updates.
func (t *Tally) Add(r Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Retries += r.Retries
	for i := range r.Post.Updates {
		u := &r.Post.Updates[i]
		t.counts.Sent++
		t.latencies = append(t.latencies, r.Latency)
		switch {
		case r.Status != nil:
			t.answered(&r, u, r.Status[i])
		case r.Code != "" && !r.temporary():
			t.counts.Rejected++
			t.counts.Refusals[r.Code]++
			if !u.Invalid {
				t.counts.Wrong++
			}
		default:
			t.counts.Failed++
		}
	}
}

// answered counts one update that got a 200.
func (t *Tally) answered(r *Result, u *Update, status string) {
	if key := (Key{u.Project, u.ID}); t.promised[key].IsZero() {
		t.promised[key] = r.At
	}
	if status == "accepted" || r.Retries > 0 && !u.Again {
		t.counts.Accepted++
	} else {
		t.counts.Duplicate++
	}
	if u.Invalid {
		t.counts.Wrong++
	}
}

func (r *Result) temporary() bool {
	var e *APIError
	return errors.As(r.Err, &e) && e.Temporary()
}

// Counts returns the counts so far.
func (t *Tally) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := t.counts
	counts.Refusals = make(map[string]int, len(t.counts.Refusals))
	for code, n := range t.counts.Refusals {
		counts.Refusals[code] = n
	}
	return counts
}

// Promised returns every update that got a 200, and when it first did.
func (t *Tally) Promised() map[Key]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	promised := make(map[Key]time.Time, len(t.promised))
	for key, at := range t.promised {
		promised[key] = at
	}
	return promised
}

// Latency summarises the latencies so far.
func (t *Tally) Latency() Percentiles {
	t.mu.Lock()
	defer t.mu.Unlock()
	return PercentilesOf(t.latencies)
}

// Percentiles of durations, in milliseconds.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// PercentilesOf summarises durations; all zero when there are none.
func PercentilesOf(durations []time.Duration) Percentiles {
	if len(durations) == 0 {
		return Percentiles{}
	}
	sorted := slices.Sorted(slices.Values(durations))
	at := func(share float64) float64 {
		return float64(sorted[int(share*float64(len(sorted)-1))]) / float64(time.Millisecond)
	}
	return Percentiles{P50: at(0.5), P90: at(0.9), P99: at(0.99), Max: at(1)}
}
