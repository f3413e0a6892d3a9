package directory

import (
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// View is the whole directory in memory, kept current by Run. It is safe for concurrent use. While NATS is away it
// keeps what it knew.
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

// After are the first records after an id, in the order of ids, at most so many; nil: from the first on. Callers must not change them.
func (v *View) After(id *score.ProjectID, most int) []*score.Record {
	if id == nil {
		return v.View.After("", most)
	}
	return v.View.After(keyOf(*id), most)
}

// Project returns the record of a project that exists on the chain, final; callers must not change it.
func (v *View) Project(id score.ProjectID) (*score.Record, bool) { return v.Get(keyOf(id)) }
