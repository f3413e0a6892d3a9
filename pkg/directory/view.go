package directory

import (
	"encoding/json"
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
		var doc document
		_, err := score.ParseProjectID("0x" + entry.Key())
		if err == nil {
			err = json.Unmarshal(entry.Value(), &doc)
		}
		if err != nil || doc.Record == nil {
			log.Error("an entry of the project directory cannot be read; the API keeps what it knew of that project",
				"key", entry.Key(), "err", err)
		}
		return doc.Record, err == nil && doc.Record != nil
	})}
}

// Project returns the record of a project that exists on the chain, final; callers must not change it.
func (v *View) Project(id score.ProjectID) (*score.Record, bool) { return v.Get(keyOf(id)) }
