package relay

import (
	"context"
	"log/slog"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

type laneJournal struct {
	id       score.Lane
	store    Journal
	config   *Config
	lane     *lane.Lane
	appended func(lane.Entry)
	log      *slog.Logger

	last   uint64        // sequence of the newest entry
	since  int           // entries since the last snapshot
	bytes  int           // of the transactions in those entries
	outbox []lane.Effect // effects to be carried out
}

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

// append folds an entry and stores it by compare-and-set. The entry's effects go to the outbox. Only append changes
// the lane's state, and each call is a commit point.
//
// A transaction's bytes are appended before any node receives them, in one entry with the positions that they carry.
// A session that lost its lane cannot append, so it creates no attempts, and its successor knows the bytes that the
// old session still broadcasts.
//
// An error ends the session and its state, since the entry may be stored. The next session reads the journal.
func (j *laneJournal) append(ctx context.Context, e lane.Entry) error {
	e.Version, e.Time = lane.Version, j.config.Now().UTC()
	if e.Epoch == 0 {
		e.Epoch = j.lane.State.Epoch
	}
	ctx, cancel := context.WithTimeout(ctx, j.config.CallTimeout)
	defer cancel()
	effects, err := j.lane.Step(lane.Appended{Entry: e})
	if err != nil {
		return err // not stored: it would make the journal unreadable
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

func (j *laneJournal) due() []lane.Effect {
	effects := j.outbox
	j.outbox = nil
	return effects
}

// fenced returns lane.ErrFenced if another session or an operator wrote to the lane's journal, other errors if
// unknown.
func (j *laneJournal) fenced(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, j.config.CallTimeout)
	defer cancel()
	last, err := j.store.Last(ctx, j.id)
	if err == nil && last != j.last {
		err = lane.ErrFenced
	}
	return err
}

// smallState bytes of state are cheap to write at any time.
const smallState = 256 << 10

// compact writes a snapshot every SnapshotEvery entries, and purges the entries before it.
func (j *laneJournal) compact(ctx context.Context) error {
	if j.since < j.config.SnapshotEvery {
		return nil
	}
	if size := j.lane.State.Size(); size > smallState && j.bytes < 2*size {
		return nil // keeps snapshots at a fraction of the journal's volume
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
