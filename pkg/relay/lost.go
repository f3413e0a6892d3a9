package relay

import "github.com/scorelay/scorelay/pkg/score"

// lost adds places for assigned positions that the stream has lost, from a reading's position up to sequence next, so
// that floors can pass them. They are missing if NATS went back in time and an operator accepted the loss. Unassigned
// messages there are lost.
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

// lostBefore returns the sequence below which all undelivered messages are lost: m's, or the next one if m is empty.
// An empty message replaces a lost one.
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
