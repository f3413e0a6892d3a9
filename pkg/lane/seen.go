package lane

import "github.com/scorelay/scorelay/pkg/score"

// Seen returns the highest stream sequence in the entry; 0 for none. A snapshot counts 0, as in Size.
func (e Entry) Seen() (seq uint64) {
	var moves []Move
	switch {
	case e.Bind != nil:
		moves = e.Bind.Moves
	case e.Pass != nil:
		moves = e.Pass.Moves
	case e.Take != nil:
		return seen(e.Take.Buckets)
	}
	for i := range moves {
		seq = max(seq, Extent{Floor: moves[i].Floor, Bound: moves[i].Bound}.seen())
	}
	return seq
}

// Seen returns the highest stream sequence in the state, which the stream must have contained.
func (s *State) Seen() uint64 {
	seq := seen(s.Buckets)
	for _, given := range s.Given {
		for i := range given.Open {
			seq = max(seq, seen(given.Open[i].Buckets))
		}
	}
	return seq
}

func seen(buckets map[score.Bucket]Holding) (seq uint64) {
	for _, held := range buckets {
		seq = max(seq, held.seen())
		for _, x := range held.Parked {
			seq = max(seq, x.seen())
		}
	}
	return seq
}

func (x Extent) seen() (seq uint64) {
	switch {
	case x.Floor.Index > 0:
		seq = x.Floor.Seq
	case x.Floor.Seq > 0:
		seq = x.Floor.Seq - 1
	}
	if n := len(x.Bound); n > 0 {
		seq = max(seq, x.Bound[n-1].Seq)
	}
	return seq
}
