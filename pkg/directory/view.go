package directory

import (
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// View is the whole directory in memory, kept current by Run, and unchanged while NATS is away. It is safe for
// concurrent use.
type View struct {
	*watched.View[*score.Record]
}

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

// After returns up to most records by id, from the first above id (nil: from the start). They are read-only.
func (v *View) After(id *score.ProjectID, most int) []*score.Record {
	if id == nil {
		return v.View.After("", most)
	}
	return v.View.After(keyOf(*id), most)
}

// Project returns a final project's record, read-only.
func (v *View) Project(id score.ProjectID) (*score.Record, bool) { return v.Get(keyOf(id)) }
