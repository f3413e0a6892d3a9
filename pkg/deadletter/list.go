package deadletter

import (
	"cmp"
	"context"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Count is how many dead letters have an outcome.
type Count struct {
	Outcome score.Outcome
	Letters int
}

// Listing is a part of the dead letters, and how many there are of all.
type Listing struct {
	Counts  []Count            // of those that were not replayed, the most first
	Letters []score.DeadLetter // that were asked for, the newest first
	Found   int                // that match, in all parts
}

// Wanted says which dead letters are asked for.
type Wanted struct {
	Outcome  string // by name; empty: of every outcome
	Replayed bool   // also those that were accepted again
	Skip     int    // so many of the newest
	Most     int    // at most so many
}

// List reads all dead letters once, and keeps no more of them than it has to.
func List(ctx context.Context, s *stream.Stream, w Wanted) (l Listing, err error) {
	counts := map[score.Outcome]int{}
	keep := w.Skip + w.Most
	err = s.DeadLetters(ctx, func(d score.DeadLetter) error {
		if d.Replayed.IsZero() {
			counts[d.Outcome]++
		} else if !w.Replayed {
			return nil
		}
		if w.Outcome != "" && d.Outcome.String() != w.Outcome {
			return nil
		}
		l.Found++
		if l.Letters = append(l.Letters, d); len(l.Letters) >= 2*keep {
			l.Letters = slices.Clone(l.Letters[len(l.Letters)-keep:])
		}
		return nil
	})
	slices.Reverse(l.Letters)
	l.Letters = l.Letters[min(w.Skip, len(l.Letters)):min(keep, len(l.Letters))]
	for outcome, letters := range counts {
		l.Counts = append(l.Counts, Count{outcome, letters})
	}
	slices.SortFunc(l.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Letters, a.Letters), cmp.Compare(a.Outcome, b.Outcome))
	})
	return l, err
}
