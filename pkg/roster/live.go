package roster

import "sync"

// Live is the newest roster of a process. It is safe for concurrent use; the zero value is empty.
type Live struct {
	mu      sync.Mutex
	roster  Roster
	changed chan struct{}
}

func NewLive(r Roster) *Live { return &Live{roster: r} }

// Current returns the newest roster, which callers must not change, and a channel that is closed by the next Set.
func (l *Live) Current() (Roster, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.roster, l.changed
}

func (l *Live) Set(r Roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roster = r
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}
