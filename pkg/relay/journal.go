package relay

import (
	"context"
	"log/slog"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// laneJournal is the lane's journal as a session has it open. append is the only way the lane's state changes.
type laneJournal struct {
	id       score.Lane
	store    Journal
	config   *Config
	lane     *lane.Lane
	appended func(lane.Entry) // is told of each entry after it was folded
	log      *slog.Logger

	last   uint64        // sequence of the newest entry
	since  int           // entries since the last snapshot
	bytes  int           // of transactions in them
	outbox []lane.Effect // of what was appended, not carried out yet
}

// load folds the journal, however long it is.
func (j *laneJournal) load(ctx context.Context) (*lane.State, error) {
	var folder lane.Folder
	last, err := j.store.Load(ctx, j.id, func(e lane.Entry) {
		folder.Add(e)
		j.since++
		j.bytes += e.Size()
	})
	if err != nil {
		return nil, err
	}
	j.last = last
	return folder.State()
}

// append folds an entry and journals it; what follows from it goes to the outbox. An error ends the session, and its state with it:
// whether the entry is stored is not known.
func (j *laneJournal) append(ctx context.Context, e lane.Entry) error {
	e.Version, e.Time = lane.Version, j.config.Now().UTC()
	if e.Epoch == 0 {
		e.Epoch = j.lane.State.Epoch
	}
	ctx, cancel := context.WithTimeout(ctx, j.config.CallTimeout)
	defer cancel()
	effects, err := j.lane.Step(lane.Appended{Entry: e})
	if err != nil {
		return err // what does not fold is not stored: nothing could read the journal then
	}
	seq, err := j.store.Append(ctx, j.id, j.last, e)
	if err != nil {
		return err
	}
	j.last = seq
	j.since++
	j.bytes += e.Size()
	j.outbox = append(j.outbox, effects...)
	j.appended(e)
	return nil
}

// due empties the outbox.
func (j *laneJournal) due() []lane.Effect {
	effects := j.outbox
	j.outbox = nil
	return effects
}

// fenced is lane.ErrFenced when another session or an operator wrote to the lane's journal, other errors when that is not known.
func (j *laneJournal) fenced(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, j.config.CallTimeout)
	defer cancel()
	last, err := j.store.Last(ctx, j.id)
	if err == nil && last != j.last {
		err = lane.ErrFenced
	}
	return err
}

// smallState is the size of a state, in bytes, that is cheap to write at any time.
const smallState = 256 << 10

// compact writes a snapshot now and then and removes what it covers.
func (j *laneJournal) compact(ctx context.Context) error {
	if j.since < j.config.SnapshotEvery {
		return nil
	}
	if size := j.lane.State.Size(); size > smallState && j.bytes < 2*size {
		return nil // so that snapshots stay a fraction of what is journaled anyway
	}
	parts, err := j.lane.State.Snapshots()
	if err != nil {
		return err
	}
	var first uint64
	for _, part := range parts {
		if err := j.append(ctx, part); err != nil {
			return err
		}
		if first == 0 {
			first = j.last
		}
	}
	j.since, j.bytes = 0, 0
	ctx, cancel := context.WithTimeout(ctx, j.config.CallTimeout)
	defer cancel()
	if err := j.store.Purge(ctx, j.id, first); err != nil {
		j.log.Warn("the lane couldn't purge its journal; the next snapshot tries again", "err", err)
	}
	return nil
}
