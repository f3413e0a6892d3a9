package lane

import "fmt"

// Folder folds a journal entry by entry as it is read. A complete snapshot replaces everything before it, so memory
// depends on the state, independent of the journal's length. The zero Folder is ready.
//
// Entries before a snapshot may be partly purged and may then contradict each other. That is an error unless a
// complete snapshot follows.
type Folder struct {
	state State
	n     int
	err   error // the first contradiction since the last complete snapshot
}

func (f *Folder) Add(e Entry) {
	f.n++
	if f.err != nil && e.Snapshot == nil {
		f.state.partial = nil // discard an interrupted snapshot
		return
	}
	err := f.state.Apply(e)
	switch {
	case err == nil && e.Snapshot != nil && f.state.partial == nil:
		f.err = nil // the snapshot is complete
	case err != nil && f.err == nil:
		f.err = fmt.Errorf("entry %d: %w", f.n, err)
	}
}

// State returns the result of the fold, or ErrCorrupt if entries contradict each other.
func (f *Folder) State() (*State, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &f.state, nil
}
