package stream

import (
	"context"
	"sync"

	"github.com/scorelay/scorelay/pkg/score"
)

// updateMemory is an update's approximate bytes in memory.
const updateMemory = 112

// Tail keeps the newest messages of the stream in memory, read once for all readers of the process. It is safe for
// concurrent use.
type Tail struct {
	s      *Stream
	budget int // bytes, approximate

	mu      sync.Mutex
	reading *reading // nil without readers
}

func NewTail(s *Stream, budget int) *Tail { return &Tail{s: s, budget: budget} }

// Read returns a reader that starts at the first sequence ≥ from, and must be closed. Errors: as of Stream.Read.
func (t *Tail) Read(ctx context.Context, from uint64) (*TailReader, error) {
	r := &TailReader{tail: t, next: max(from, 1)}
	state, err := (&Reader{s: t.s, next: r.next}).check(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading == nil || t.reading.failed != nil {
		running, stop := context.WithCancel(context.Background())
		t.reading = &reading{tail: t, stop: stop, first: state.LastSeq + 1, changed: make(chan struct{})}
		go t.reading.run(running)
	}
	r.reading = t.reading
	r.reading.readers++
	return r, nil
}

// reading is one consumer of the stream and its newest messages, guarded by the tail's lock. After a failure its
// readers end, and new readers begin another reading, since the stream's content may have changed.
type reading struct {
	tail    *Tail
	stop    context.CancelFunc
	readers int
	first   uint64          // sequence of kept[0]; of the next message if kept is empty
	kept    []score.Message // without gaps
	size    int             // bytes of kept
	failed  error
	changed chan struct{} // closed on a new message or failure
}

func (g *reading) run(ctx context.Context) {
	from := &Reader{s: g.tail.s, next: g.first}
	defer from.Close()
	for {
		m, err := from.Next(ctx)
		g.tail.mu.Lock()
		if err != nil {
			g.failed = err
		} else {
			g.keep(m)
		}
		close(g.changed)
		g.changed = make(chan struct{})
		g.tail.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (g *reading) keep(m score.Message) {
	if next := g.first + uint64(len(g.kept)); m.Seq != next { // those between were purged before they were read
		g.kept, g.size, g.first = nil, 0, m.Seq
	}
	g.kept, g.size = append(g.kept, m), g.size+memoryOf(m)
	for g.size > g.tail.budget && len(g.kept) > 1 {
		g.size -= memoryOf(g.kept[0])
		g.kept[0] = score.Message{}
		g.kept, g.first = g.kept[1:], g.first+1
	}
}

func memoryOf(m score.Message) int { return updateMemory*(len(m.Updates)+1) + len(m.Raw) }

// TailReader reads the stream in order: from memory or, while further behind, through its own Reader. It is not safe
// for concurrent use.
type TailReader struct {
	tail    *Tail
	reading *reading // nil once closed
	next    uint64
	own     *Reader // only while behind
}

// Next waits for the next message, which is shared and read-only. Errors: as of Reader.Next.
func (r *TailReader) Next(ctx context.Context) (m score.Message, err error) {
	for {
		m, place, changed := r.find()
		switch place {
		case there:
			r.readBy(nil)
			r.next = m.Seq + 1
			return m, nil
		case behind:
			if r.own == nil {
				r.readBy(&Reader{s: r.tail.s, next: r.next})
			}
			if m, err = r.own.Next(ctx); err == nil {
				r.next = m.Seq + 1
			}
			return m, err
		case over:
			return m, r.reading.failed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
}

const (
	ahead  = iota // not stored yet
	there         // in memory
	behind        // only in the stream
	over          // the reading failed
)

// find returns the next message, if in memory. changed is closed when another call may find it.
func (r *TailReader) find() (m score.Message, place int, changed <-chan struct{}) {
	r.tail.mu.Lock()
	defer r.tail.mu.Unlock()
	g := r.reading
	switch end := g.first + uint64(len(g.kept)); {
	case g.failed != nil:
		return m, over, nil
	case r.next < g.first:
		return m, behind, nil
	case r.next < end:
		return g.kept[r.next-g.first], there, nil
	}
	return m, ahead, g.changed
}

func (r *TailReader) readBy(own *Reader) {
	if r.own != nil {
		r.own.Close()
	}
	r.own = own
}

func (r *TailReader) Close() {
	r.readBy(nil)
	r.tail.mu.Lock()
	defer r.tail.mu.Unlock()
	g := r.reading
	r.reading = nil
	if g == nil {
		return
	}
	if g.readers--; g.readers == 0 {
		g.stop()
		if r.tail.reading == g {
			r.tail.reading = nil
		}
	}
}
