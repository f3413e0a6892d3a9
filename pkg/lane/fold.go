package lane

import "fmt"

// Folder folds a journal entry by entry, as it is read: what a whole snapshot replaces is forgotten when it is complete, so
// a journal's length does not count, only what it leads to. The zero Folder is ready.
//
// Entries before a snapshot may have been purged in part, so they may contradict each other: that counts only if no whole
// snapshot comes after it.
type Folder struct {
	state State
	n     int
	err   error // the first contradiction since the last whole snapshot
}

// Add folds the next entry.
func (f *Folder) Add(e Entry) {
	f.n++
	if f.err != nil && e.Snapshot == nil {
		f.state.partial = nil // an interrupted snapshot counts for nothing
		return
	}
	err := f.state.Apply(e)
	switch {
	case err == nil && e.Snapshot != nil && f.state.partial == nil:
		f.err = nil // the snapshot is whole
	case err != nil && f.err == nil:
		f.err = fmt.Errorf("entry %d: %w", f.n, err)
	}
}

// State is what the entries lead to. ErrCorrupt: they contradict each other.
func (f *Folder) State() (*State, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &f.state, nil
}
