package apikey

import (
	"encoding/json"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/watched"
)

// View is all keys in memory, kept current by Run. It is safe for concurrent use. It refuses keys that it has not seen,
// and so every key until Run has caught up.
type View struct {
	*watched.View[Key]
}

// NewView returns an empty view; Run fills it.
func (s *Store) NewView(log *slog.Logger) *View {
	return &View{watched.NewView(s.js.Conn(), s.kv, log, func(entry jetstream.KeyValueEntry) (Key, bool) {
		var key Key
		if err := json.Unmarshal(entry.Value(), &key); err != nil || key.ID != entry.Key() {
			log.Error("an API key's entry cannot be read; the API refuses the key", "key", entry.Key(), "err", err)
			return Key{}, true // which no secret opens
		}
		return key, true
	})}
}

// Authenticate tells whose secret it is: the id of a key that exists and is not revoked, and the key's rate in requests
// per second (0: the default).
func (v *View) Authenticate(secret string) (id string, rate int, ok bool) {
	id, wellFormed := Secret(secret).id()
	if !wellFormed {
		return "", 0, false
	}
	key, _ := v.Get(id)
	if !key.opens(Secret(secret).hash()) {
		return "", 0, false
	}
	return id, key.Rate, true
}
