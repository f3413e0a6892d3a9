package relay

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// unread counts the lane's updates that the stream holds beyond what the lane has read: a lane whose horizon is full, or that waits for
// a creation, reads no further, and those are most of its backlog then. A reading of its own goes through the whole stream and keeps
// nothing; near the stream's end it costs no more than a look at what the process has in memory. Each session begins it again, also
// where millions wait: it is slowed down, to take little from what binds them, so that the whole of a large backlog is told only after
// minutes.
type unread struct {
	floors map[score.Bucket]score.Position // of the lane's buckets as the reading began
	told   map[score.ProjectID]uint64      // of parked projects: before that sequence an earlier session counted

	counted atomic.Uint64 // by the reading of its own
	taken   uint64        // by the lane's
}

// The pace of the reading of its own, in updates of any lane: 50,000 a second.
const (
	countedAtOnce = 5_000
	pauseCounting = 100 * time.Millisecond
)

// newUnread is of what the lane owns now.
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

// run counts from a sequence on until the context ends. What cannot be read is read again in a while.
func (u *unread) run(ctx context.Context, source Source, from uint64) {
	for ctx.Err() == nil {
		from = u.count(ctx, source, from)
		_ = retry.Sleep(ctx, pauseAfterFailure)
	}
}

// count counts until the stream cannot be read, and returns the sequence from which on it did not.
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

// take says that the lane has read a message.
func (u *unread) take(m score.Message) { u.taken += u.of(m) }

// left is how many there are, as far as they are counted: the lane's own reading may be ahead.
func (u *unread) left() uint64 {
	counted := u.counted.Load()
	return counted - min(counted, u.taken)
}

// of is how many of a message's updates are the lane's and were not bound, or counted, before the reading began.
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
