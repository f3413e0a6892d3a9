package relay

import (
	"context"
	"sync/atomic"

	"github.com/scorelay/scorelay/pkg/score"
)

// unread counts the lane's updates that the stream holds beyond what the lane has read: a lane whose horizon is full, or that waits for
// a creation, reads no further, and those are most of its backlog then. A reading of its own goes through the whole stream and keeps
// nothing; near the stream's end it costs no more than a look at what the process has in memory.
type unread struct {
	floors map[score.Bucket]score.Position // of the lane's buckets as the reading began
	told   map[score.ProjectID]uint64      // of parked projects: before that sequence an earlier session counted

	counted atomic.Uint64 // by the reading of its own
	taken   uint64        // by the lane's
}

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

// run counts until the context ends or the stream cannot be read: then the lane's own reading ends, too, and the session with it.
func (u *unread) run(ctx context.Context, source Source, from uint64) {
	reader, err := source.Read(ctx, from)
	if err != nil {
		return
	}
	defer reader.Close()
	for {
		m, err := reader.Next(ctx)
		if err != nil {
			return
		}
		u.counted.Add(u.of(m))
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
