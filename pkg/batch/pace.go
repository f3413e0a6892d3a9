package batch

import "time"

// pace is how fast ids of a word came.
type pace struct {
	first, last time.Time
	atFirst     int // how many came at the first moment: they say nothing about the pace
	count       int
}

// note counts another id.
func (p *pace) note(now time.Time) {
	if p.count == 0 {
		p.first = now
	}
	if now.Equal(p.first) {
		p.atFirst++
	}
	p.last = now
	p.count++
}

// complete is when the last id of the word will come, if ids go on to come at their pace: those from the lowest in the
// batch on, since lower ones went with batches before. ok is false if all are there, or nothing is known of the pace.
func (w *wordSheet) complete() (at time.Time, ok bool) {
	missing := 256 - int(w.first) - len(w.updates)
	since := w.pace.count - w.pace.atFirst
	took := w.pace.last.Sub(w.pace.first)
	if missing <= 0 || since == 0 || took <= 0 {
		return time.Time{}, false
	}
	return w.pace.last.Add(took * time.Duration(missing) / time.Duration(since)), true
}
