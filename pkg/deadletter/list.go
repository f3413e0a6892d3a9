package deadletter

import (
	"cmp"
	"context"
	"slices"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

type Count struct {
	Outcome score.Outcome
	Letters int
}

type Listing struct {
	Counts  []Count            // unreplayed letters, most frequent first
	Letters []score.DeadLetter // newest first
	Found   int                // matching letters on all pages
}

type Wanted struct {
	Outcome  string // by name; empty for all
	Replayed bool   // includes replayed ones
	Skip     int    // newest letters to skip
	Most     int    // page size
}

// List reads all dead letters once and holds at most 2 × (Skip + Most) of them in memory.
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
