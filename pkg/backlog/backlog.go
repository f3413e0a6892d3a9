// Package backlog keeps how many updates of projects wait, where it is many: each lane says so of its own, every second or so, and
// APIs bound by it what they accept. It is kept in a KV bucket of NATS, with one key for each lane.
//
// What a lane said last outlives its session: the next one counts on from there. APIs believe it for a while only, so that what
// a lane said that is gone does not hold a project back forever.
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

// Bucket is the KV bucket's name; the deployment's setup creates it.
const Bucket = "BACKLOG"

// believed is how long a View counts on what a lane said.
const believed = time.Minute

// Store reads and writes the bucket. It is safe for concurrent use.
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

// Tell says what waits in a lane now, in place of what was said of it before.
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

// Told is what was said last of each project, by any lane and however long ago; where two spoke of one, what the one said
// that had read further. What cannot be read is left out.
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

// decode is what an entry says; nil of one that cannot be read.
func (s *Store) decode(entry jetstream.KeyValueEntry) (projects backlogs) {
	if err := json.Unmarshal(entry.Value(), &projects); err != nil {
		s.log.Warn("this process cannot read what a lane said of what waits; it does not count it", "lane", entry.Key(), "err", err)
		return nil
	}
	return projects
}

// View keeps what lanes say in memory. It is safe for concurrent use.
type View struct {
	store *Store
	now   func() time.Time

	mu    sync.RWMutex
	lanes map[string]said
}

// said is what a lane said, and when it was stored.
type said struct {
	projects backlogs
	at       time.Time
}

// NewView returns a view that Run keeps current.
func (s *Store) NewView() *View {
	return &View{store: s, now: time.Now, lanes: map[string]said{}}
}

// Run keeps the view current until ctx ends, and returns ctx's error.
func (v *View) Run(ctx context.Context) error {
	return watched.Watch(ctx, v.store.nc, v.store.kv, v.store.log, nil, v.hear)
}

func (v *View) hear(e watched.Event) {
	if e.Entry == nil {
		return // what is not told is no longer believed after a while
	}
	var projects backlogs
	if e.Entry.Operation() == jetstream.KeyValuePut {
		projects = v.store.decode(e.Entry)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lanes[e.Entry.Key()] = said{projects, e.Entry.Created()} // it may be told long after
}

// Of is what waits of a project, as far as its lane said so in the last minute; zero where little does.
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
