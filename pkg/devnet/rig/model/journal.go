package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type JournalFault uint8

const (
	JournalRight   JournalFault = iota
	JournalRefused              // not done; response lost
	JournalLost                 // done; response lost
)

// Journal stores the lanes' entries. Like package journal's stream, it numbers all lanes' entries together.
type Journal struct {
	// Fault, if set, decides for each call of "load", "last", "append" and "purge".
	Fault    func(what string, id score.Lane) JournalFault
	OnStored func(id score.Lane, e lane.Entry)

	last   uint64
	stored map[score.Lane][]stored
}

type stored struct {
	seq  uint64
	data []byte
}

func NewJournal() *Journal {
	return &Journal{stored: map[score.Lane][]stored{}}
}

var errJournalAway = errors.New("the journal does not answer")

func (j *Journal) fault(what string, id score.Lane) JournalFault {
	if j.Fault == nil {
		return JournalRight
	}
	return j.Fault(what, id)
}

// Load passes the lane's entries to fold, oldest first, and returns the last one's sequence; 0 if empty.
func (j *Journal) Load(_ context.Context, id score.Lane, fold func(lane.Entry)) (last uint64, err error) {
	if j.fault("load", id) != JournalRight {
		return 0, errJournalAway
	}
	for _, s := range j.stored[id] {
		e, err := lane.DecodeEntry(s.data)
		if err != nil {
			return 0, err
		}
		fold(e)
		last = s.seq
	}
	return last, nil
}

func (j *Journal) State(ctx context.Context, id score.Lane) (state *lane.State, last uint64, err error) {
	var folder lane.Folder
	if last, err = j.Load(ctx, id, folder.Add); err != nil {
		return nil, 0, err
	}
	state, err = folder.State()
	return state, last, err
}

// Last returns the sequence of the lane's last entry; 0 if empty.
func (j *Journal) Last(_ context.Context, id score.Lane) (uint64, error) {
	if j.fault("last", id) != JournalRight {
		return 0, errJournalAway
	}
	return j.end(id), nil
}

func (j *Journal) end(id score.Lane) uint64 {
	if entries := j.stored[id]; len(entries) > 0 {
		return entries[len(entries)-1].seq
	}
	return 0
}

// Append stores the entry if last is still the sequence of the lane's last entry; otherwise ErrFenced.
func (j *Journal) Append(_ context.Context, id score.Lane, last uint64, e lane.Entry) (uint64, error) {
	fault := j.fault("append", id)
	if fault == JournalRefused {
		return 0, fmt.Errorf("%w: %w", lane.ErrAmbiguous, errJournalAway)
	}
	if have := j.end(id); have != last {
		return 0, fmt.Errorf("%w: wrong last sequence: %d", lane.ErrFenced, have)
	}
	seq, err := j.Force(id, e)
	if err == nil && fault == JournalLost {
		return 0, fmt.Errorf("%w: %w", lane.ErrAmbiguous, errJournalAway)
	}
	return seq, err
}

// Force appends the entry and skips the compare-and-set, unlike any real journal.
func (j *Journal) Force(id score.Lane, e lane.Entry) (uint64, error) {
	data, err := e.Encode()
	if err != nil {
		return 0, err
	}
	if j.OnStored != nil {
		j.OnStored(id, e)
	}
	j.last++
	j.stored[id] = append(j.stored[id], stored{j.last, data})
	return j.last, nil
}

func (j *Journal) Purge(_ context.Context, id score.Lane, below uint64) error {
	fault := j.fault("purge", id)
	if fault == JournalRefused {
		return errJournalAway
	}
	j.stored[id] = slices.DeleteFunc(j.stored[id], func(s stored) bool { return s.seq < below })
	if fault == JournalLost {
		return errJournalAway
	}
	return nil
}
