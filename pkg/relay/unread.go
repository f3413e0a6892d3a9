package relay

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// unread counts the lane's unread updates in the stream, most of its backlog if the horizon is full or a creation is
// due. A reading of its own goes through the whole stream and keeps no messages. Near the stream's end it is cheap,
// since the process has those messages in memory.
//
// Each session begins the count again, slowed down in favour of assigning. So it counts a large backlog completely
// only after minutes.
type unread struct {
	floors map[score.Bucket]score.Position // of the lane's buckets when the reading began
	// by parked project: sequence before which an earlier session counted
	told map[score.ProjectID]uint64

	counted atomic.Uint64 // by this reading
	taken   uint64        // by the lane's main reading
}

// The pace of this reading: 50,000 updates of any lane a second.
const (
	countedAtOnce = 5_000
	pauseCounting = 100 * time.Millisecond
)

func newUnread(in *intake) *unread {
	u := &unread{floors: map[score.Bucket]score.Position{}, told: map[score.ProjectID]uint64{}}
	for bucket, held := range in.state.Buckets {
		u.floors[bucket] = held.Lowest()
	}
	for id, p := range in.parked {
		u.told[id] = p.seen
	}
	return u
}

func (u *unread) run(ctx context.Context, source Source, from uint64) {
	for ctx.Err() == nil {
		from = u.count(ctx, source, from)
		_ = retry.Sleep(ctx, pauseAfterFailure)
	}
}

// count counts until the stream cannot be read, and returns the next sequence.
func (u *unread) count(ctx context.Context, source Source, from uint64) uint64 {
	reader, err := source.Read(ctx, from)
	if err != nil {
		return from
	}
	defer reader.Close()
	for some := 0; ; {
		if some >= countedAtOnce {
			some = 0
			_ = retry.Sleep(ctx, pauseCounting)
		}
		m, err := reader.Next(ctx)
		if err != nil {
			return from
		}
		u.counted.Add(u.of(m))
		from = m.Seq + 1
		some += max(len(m.Updates), 1)
	}
}

func (u *unread) take(m score.Message) { u.taken += u.of(m) }

// left returns the number of unread updates counted so far; 0 if the lane's own reading is ahead.
func (u *unread) left() uint64 {
	counted := u.counted.Load()
	return counted - min(counted, u.taken)
}

// of counts a message's updates of the lane, without those assigned, or counted by an earlier session.
func (u *unread) of(m score.Message) (n uint64) {
	var project score.ProjectID
	var counts bool
	var floor score.Position
	for i := range m.Updates {
		if id := m.Updates[i].Project; i == 0 || id != project {
			project = id
			floor, counts = u.floors[score.BucketOf(id)]
			counts = counts && m.Seq >= u.told[id]
		}
		if counts && !(score.Position{Seq: m.Seq, Index: uint32(i)}).Before(floor) {
			n++
		}
	}
	return n
}
