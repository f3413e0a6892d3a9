package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
)

// rewatchAfter is how long a View waits before it watches again after the watch failed.
const rewatchAfter = time.Second

var (
	errWatchEnded = errors.New("the watch of the directory ended")
	// errReconnected ends a watch early: the client notices that its consumer died with the server's restart only after
	// some twenty seconds of missing heartbeats, and a removed member should not stay one for that long.
	errReconnected = errors.New("NATS was away")
)

// View is the whole directory in memory, kept current by Run. It is safe for concurrent use. While NATS is away it
// keeps what it knew.
type View struct {
	directory *Directory
	log       *slog.Logger

	mu       sync.RWMutex
	records  map[score.ProjectID]*score.Record
	followed uint64

	caughtUp chan struct{} // closed when everything that was stored when Run began is in records
	once     sync.Once
}

// NewView returns an empty view; Run fills it.
func (d *Directory) NewView(log *slog.Logger) *View {
	return &View{
		directory: d, log: log,
		records: map[score.ProjectID]*score.Record{}, caughtUp: make(chan struct{}),
	}
}

// Project returns the record of a project that exists on the chain, final; callers must not change it.
func (v *View) Project(id score.ProjectID) (*score.Record, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	rec, ok := v.records[id]
	return rec, ok
}

// Len is the number of projects.
func (v *View) Len() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return len(v.records)
}

// Followed is the number of the last block whose events are all in the view; 0 before the first.
func (v *View) Followed() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.followed
}

// CaughtUp is closed once everything that was stored when Run began is in the view.
func (v *View) CaughtUp() <-chan struct{} { return v.caughtUp }

// Run keeps the view current until ctx ends, and returns ctx's error. A watch that fails is begun again.
func (v *View) Run(ctx context.Context) error {
	for {
		err := v.watch(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errReconnected) {
			v.log.Info("NATS is back; watching the project directory again")
			continue
		}
		v.log.Warn("the watch of the project directory failed; keeping what is known and watching again",
			"err", err, "again_in", rewatchAfter)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rewatchAfter):
		}
	}
}

func (v *View) watch(ctx context.Context) error {
	reconnected := v.directory.conn.StatusChanged(nats.CONNECTED)
	defer v.directory.conn.RemoveStatusListener(reconnected)
	watcher, err := v.directory.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("couldn't watch the directory: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	seen := map[score.ProjectID]bool{} // during the replay of what is stored; nil after it
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-reconnected:
			return errReconnected
		case entry, ok := <-watcher.Updates():
			if !ok {
				return errWatchEnded
			}
			if entry == nil { // everything stored has been replayed
				v.forgetAllBut(seen)
				seen = nil
				v.once.Do(func() { close(v.caughtUp) })
				continue
			}
			id, stored := v.apply(entry)
			if seen != nil && stored {
				seen[id] = true
			}
		}
	}
}

// apply takes one entry in; stored tells whether it is the document of a project.
func (v *View) apply(entry jetstream.KeyValueEntry) (id score.ProjectID, stored bool) {
	if entry.Key() == checkpointKey {
		var c checkpoint
		if entry.Operation() == jetstream.KeyValuePut {
			if err := json.Unmarshal(entry.Value(), &c); err != nil {
				v.log.Error("the directory's checkpoint cannot be decoded; ignoring it", "err", err)
				return id, false
			}
		}
		v.mu.Lock()
		v.followed = c.Block
		v.mu.Unlock()
		return id, false
	}
	id, err := score.ParseProjectID("0x" + entry.Key())
	if err != nil {
		v.log.Error("the directory holds a key that is no project; ignoring it", "key", entry.Key())
		return id, false
	}
	if entry.Operation() != jetstream.KeyValuePut {
		v.mu.Lock()
		delete(v.records, id)
		v.mu.Unlock()
		return id, false
	}
	var doc document
	if err := json.Unmarshal(entry.Value(), &doc); err != nil || doc.Record == nil {
		v.log.Error("a project's document in the directory cannot be decoded; keeping the one before", "project", id, "err", err)
		return id, true
	}
	v.mu.Lock()
	v.records[id] = doc.Record
	v.mu.Unlock()
	return id, true
}

func (v *View) forgetAllBut(seen map[score.ProjectID]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.records {
		if !seen[id] {
			delete(v.records, id)
		}
	}
}
