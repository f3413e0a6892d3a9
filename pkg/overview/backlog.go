package overview

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

const (
	mostRead = 500_000 // updates, after which read ends
	readFor  = 2 * time.Second
)

// holder is the lane of a bucket, and the bucket's assigned updates.
type holder struct {
	lane.Holding
	lane score.Lane
}

// holders returns the holder of each bucket from the journals, or else from the roster.
func holders(known roster.Roster, states map[score.Lane]*lane.State) (all [score.Buckets]holder) {
	for b := range all {
		all[b].lane = known.Owners[b]
	}
	for from, state := range states {
		for to, given := range state.Given {
			for _, h := range given.Open {
				if taker := states[to]; taker != nil && taker.Took[from] >= h.N {
					continue // the taker has them; the giver has yet to see the acceptance
				}
				for b, held := range h.Buckets {
					all[b] = holder{held, to}
				}
			}
		}
	}
	for id, state := range states {
		for b, held := range state.Buckets {
			all[b] = holder{held, id}
		}
	}
	return all
}

// waiting counts unassigned updates and creations. oldest is when the oldest was accepted.
type waiting struct {
	updates uint64
	oldest  time.Time
}

func (w *waiting) add(at time.Time) {
	if w.updates++; w.oldest.IsZero() || at.Before(w.oldest) {
		w.oldest = at
	}
}

type backlog struct {
	lanes    map[score.Lane]*waiting
	projects map[score.ProjectID]*waiting
	whole    bool // read to its end
}

var errEnough = errors.New("enough was read")

// read counts the stream's updates, creations and edits that journals have yet to assign, until mostRead or readFor. It
// starts where the first of a project that is not paused may be: the backlog of paused projects before it is left out,
// since it may be large and does not shrink.
func read(ctx context.Context, s *stream.Stream, held [score.Buckets]holder, paused map[score.ProjectID]kv.Pause) (*backlog, error) {
	b := &backlog{lanes: map[score.Lane]*waiting{}, projects: map[score.ProjectID]*waiting{}}
	from := held[0].Floor
	for i := range held {
		active := lane.Holding{Extent: held[i].Extent, Parked: maps.Clone(held[i].Parked)}
		maps.DeleteFunc(active.Parked, func(id score.ProjectID, _ lane.Extent) bool { _, is := paused[id]; return is })
		if lowest := active.Lowest(); lowest.Before(from) {
			from = lowest
		}
	}
	meet := func(project score.ProjectID, at score.Position, accepted time.Time) {
		if h := &held[score.BucketOf(project)]; !h.Of(project).Has(at) {
			of(b.projects, project).add(accepted)
			if _, is := paused[project]; !is {
				of(b.lanes, h.lane).add(accepted)
			}
		}
	}
	took, until := 0, time.Now().Add(readFor)
	err := s.ReadFrom(ctx, from.Seq, func(m score.Message) error {
		if ref, alone := m.Alone(); alone {
			meet(ref.Project, score.Position{Seq: m.Seq}, m.Time)
		}
		for i := range m.Updates {
			meet(m.Updates[i].Project, score.Position{Seq: m.Seq, Index: uint32(i)}, m.Time)
		}
		if took += max(1, len(m.Updates)); took >= mostRead || time.Now().After(until) {
			return errEnough
		}
		return nil
	})
	b.whole = err == nil
	if errors.Is(err, errEnough) {
		err = nil
	}
	return b, err
}

func of[K comparable](all map[K]*waiting, key K) *waiting {
	if all[key] == nil {
		all[key] = &waiting{}
	}
	return all[key]
}
