package kv

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// backlogValidFor is how long a BacklogView uses a lane's record.
const backlogValidFor = time.Minute

type backlogs = map[score.ProjectID]score.Backlog

// Backlogs publishes large backlogs of projects. Each lane publishes those of its projects about every second, under
// its number, and APIs use them to limit how much they accept. A lane's next session continues counting from there.
// Backlogs is safe for concurrent use.
type Backlogs struct {
	lanes Map[backlogs]
	log   *slog.Logger
}

// OpenBacklogs has the errors of OpenMap.
func OpenBacklogs(ctx context.Context, js jetstream.JetStream, log *slog.Logger) (*Backlogs, error) {
	lanes, err := OpenMap[backlogs](ctx, js, backlogBucket, "*", "what waits in a lane")
	if err != nil {
		return nil, err
	}
	return &Backlogs{lanes, log}, nil
}

// Tell replaces the backlogs that a lane publishes.
func (b *Backlogs) Tell(ctx context.Context, id score.Lane, projects map[score.ProjectID]score.Backlog) error {
	return b.lanes.Put(ctx, strconv.Itoa(int(id)), projects, 0)
}

// Told returns the last backlog of each project, of any lane and age. If two lanes published one for a project, it
// returns the one with the higher Read. Invalid documents are left out.
func (b *Backlogs) Told(ctx context.Context) (map[score.ProjectID]score.Backlog, error) {
	told := backlogs{}
	err := b.lanes.Each(ctx, func(e Entry[backlogs], err error) error {
		lane, _ := b.read(e, err)
		for id, backlog := range lane.Document {
			if last, some := told[id]; !some || last.Read < backlog.Read {
				told[id] = backlog
			}
		}
		return nil
	})
	return told, err
}

// read logs an invalid document, and counts the lane's backlogs as empty.
func (b *Backlogs) read(lane Entry[backlogs], err error) (Entry[backlogs], bool) {
	if err != nil {
		b.log.Warn("this process cannot read what a lane said of what waits; it does not count it", "lane", lane.Key, "err", err)
	}
	return lane, true
}

// BacklogView keeps the lanes' backlogs in memory. It is safe for concurrent use.
type BacklogView struct {
	lanes *View[Entry[backlogs]]
	now   func() time.Time
}

// View returns a view that Run keeps current.
func (b *Backlogs) View() *BacklogView {
	return &BacklogView{NewView(b.lanes, b.log, b.read), time.Now}
}

// Run keeps the view current until ctx ends, and returns ctx's error.
func (v *BacklogView) Run(ctx context.Context) error { return v.lanes.Run(ctx) }

// Of returns the project's largest backlog of those that lanes published in the last minute, so that a removed lane
// stops throttling it; zero if it is small.
func (v *BacklogView) Of(project score.ProjectID) (most score.Backlog) {
	for lane := range v.lanes.Values() {
		if b, some := lane.Document[project]; some && b.Waiting > most.Waiting && v.now().Sub(lane.Stored) < backlogValidFor {
			most = b
		}
	}
	return most
}
