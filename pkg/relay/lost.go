package relay

import "github.com/scorelay/scorelay/pkg/score"

// lost keeps the places of what is bound and the stream does not hold any more between what a reading has read and the sequence next, as
// after NATS went back in time and an operator accepted the loss: the floors pass them like others that are bound. What was not bound
// there is not in the journal, and lost.
func (in *intake) lost(from score.Position, next uint64, second bool) {
	if next <= from.Seq {
		return
	}
	keep := func(r *row, from score.Position) {
		for _, span := range in.extent(r).Bound {
			if !span.Before(from) && span.Seq < next {
				r.add(&place{Span: span, unreadable: true, bound: true})
			}
		}
	}
	for _, p := range in.parked {
		if second && p.riding || !second && !p.behind {
			keep(p.row, later(from, p.next))
		}
	}
	if second {
		return
	}
	for b := range in.state.Buckets {
		keep(in.row(b), from)
	}
}

// lostBefore is the sequence before which all that a message does not hold is lost: what says nothing holds the place of one that was.
func lostBefore(m score.Message) uint64 {
	if _, alone := m.Alone(); m.Corrupt == nil && !alone && len(m.Updates) == 0 {
		return m.Seq + 1
	}
	return m.Seq
}

func later(a, b score.Position) score.Position {
	if a.Before(b) {
		return b
	}
	return a
}
