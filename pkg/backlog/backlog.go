// Package backlog publishes large backlogs of projects. Each lane publishes those of its projects about every second,
// and APIs use them to limit how much they accept. The KV bucket BACKLOG has one key per lane.
//
// A lane's next session continues counting from the published backlog. APIs use a record for a limited time, so that
// a removed lane stops throttling a project.
package backlog

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket; `scorelay setup` creates it.
const Bucket = "BACKLOG"

// believed is how long a View uses a record.
const believed = time.Minute

// Store is safe for concurrent use.
type Store struct {
	kv  jetstream.KeyValue
	nc  *nats.Conn
	log *slog.Logger
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream, log *slog.Logger) (*Store, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Store{kv: kv, nc: js.Conn(), log: log}, nil
}

type backlogs = map[score.ProjectID]score.Backlog

func (s *Store) Tell(ctx context.Context, id score.Lane, projects map[score.ProjectID]score.Backlog) error {
	data, err := json.Marshal(projects)
	if err != nil {
		return fmt.Errorf("couldn't encode what waits in lane %d: %w", id, err)
	}
	if _, err := s.kv.Put(ctx, strconv.Itoa(int(id)), data); err != nil {
		return fmt.Errorf("couldn't tell what waits in lane %d: %w", id, err)
	}
	return nil
}

// Told returns the last backlog of each project, of any lane and age. If two lanes published one for a project, it
// returns the one with the higher Read. Invalid entries are left out.
func (s *Store) Told(ctx context.Context) (map[score.ProjectID]score.Backlog, error) {
	told := backlogs{}
	err := watched.All(ctx, s.nc, s.kv, func(entry jetstream.KeyValueEntry) error {
		for id, b := range s.decode(entry) {
			if last, some := told[id]; !some || last.Read < b.Read {
				told[id] = b
			}
		}
		return nil
	})
	return told, err
}

// decode returns an entry's backlogs; nil if it is invalid.
func (s *Store) decode(entry jetstream.KeyValueEntry) (projects backlogs) {
	if err := json.Unmarshal(entry.Value(), &projects); err != nil {
		s.log.Warn("this process cannot read what a lane said of what waits; it does not count it", "lane", entry.Key(), "err", err)
		return nil
	}
	return projects
}

// View keeps the lanes' backlogs in memory. It is safe for concurrent use.
type View struct {
	store *Store
	now   func() time.Time

	mu    sync.RWMutex
	lanes map[string]said
}

type said struct {
	projects backlogs
	at       time.Time
}

func (s *Store) NewView() *View {
	return &View{store: s, now: time.Now, lanes: map[string]said{}}
}

// Run keeps the view current until ctx ends, and returns ctx's error.
func (v *View) Run(ctx context.Context) error {
	return watched.Watch(ctx, v.store.nc, v.store.kv, v.store.log, nil, v.hear)
}

func (v *View) hear(e watched.Event) {
	if e.Entry == nil {
		return // entries absent from a replay age out
	}
	var projects backlogs
	if e.Entry.Operation() == jetstream.KeyValuePut {
		projects = v.store.decode(e.Entry)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lanes[e.Entry.Key()] = said{projects, e.Entry.Created()} // may be delivered long after
}

// Of returns the project's backlog, if a lane published it in the last minute; zero if it is small.
func (v *View) Of(project score.ProjectID) (most score.Backlog) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, lane := range v.lanes {
		if b, some := lane.projects[project]; some && b.Waiting > most.Waiting && v.now().Sub(lane.at) < believed {
			most = b
		}
	}
	return most
}
