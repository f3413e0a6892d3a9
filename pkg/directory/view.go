package directory

import (
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// View is the whole directory in memory, kept current by Run. It is safe for concurrent use. While NATS is away it
// keeps its content.
type View struct {
	*watched.View[*score.Record]
}

// NewView returns an empty view; Run fills it.
func (d *Directory) NewView(log *slog.Logger) *View {
	return &View{watched.NewView(d.js.Conn(), d.kv, log, func(entry jetstream.KeyValueEntry) (*score.Record, bool) {
		if entry.Key() == checkpointKey {
			return nil, false
		}
		dated := decode(entry.Value())
		if _, err := score.ParseProjectID("0x" + entry.Key()); err != nil {
			dated.Record = nil
		}
		if dated.Record == nil {
			log.Error("an entry of the project directory cannot be read; the API keeps what it knew of that project", "key", entry.Key())
			return nil, false
		}
		dated.Record.Created = dated.Created
		return dated.Record, true
	})}
}

// After returns up to most records in the order of ids, from the first above id; nil: from the start. They are
// read-only.
func (v *View) After(id *score.ProjectID, most int) []*score.Record {
	if id == nil {
		return v.View.After("", most)
	}
	return v.View.After(keyOf(*id), most)
}

// Project returns the record of a project that exists on the final chain; it is read-only.
func (v *View) Project(id score.ProjectID) (*score.Record, bool) { return v.Get(keyOf(id)) }
