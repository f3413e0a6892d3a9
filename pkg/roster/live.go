package roster

import "sync"

// Live is the newest roster that a process knows. It is safe for concurrent use; the zero value knows none.
type Live struct {
	mu      sync.Mutex
	roster  Roster
	changed chan struct{}
}

// NewLive knows a roster.
func NewLive(r Roster) *Live { return &Live{roster: r} }

// Current is the newest roster, and a channel that is closed when there is a newer one. Callers must not change it.
func (l *Live) Current() (Roster, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.roster, l.changed
}

// Set replaces the roster.
func (l *Live) Set(r Roster) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roster = r
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}
