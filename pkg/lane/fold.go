package lane

import "fmt"

// Folder folds a journal entry by entry. A complete snapshot replaces everything before it, so memory is independent
// of the journal's length. The zero Folder is ready.
//
// Entries before a snapshot may be partly purged and contradict each other. A contradiction is an error unless a
// complete snapshot follows.
type Folder struct {
	state State
	n     int
	err   error // the first contradiction since the last complete snapshot
}

func (f *Folder) Add(e Entry) {
	f.n++
	if f.err != nil && e.Snapshot == nil {
		f.state.partial = nil
		return
	}
	err := f.state.Apply(e)
	switch {
	case err == nil && e.Snapshot != nil && f.state.partial == nil:
		f.err = nil
	case err != nil && f.err == nil:
		f.err = fmt.Errorf("entry %d: %w", f.n, err)
	}
}

// State returns ErrCorrupt if entries contradict each other.
func (f *Folder) State() (*State, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &f.state, nil
}
