package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/scorelay/scorelay/pkg/event"
)

const (
	typeBatch = "batch"
	typeTest  = "webhook.test"
)

// message is one POST. Retries have the same id and body.
type message struct {
	id     string
	body   []byte
	events int
	after  event.Cursor // before its first event
	end    event.Cursor // after its last
	oldest time.Time    // timestamp of its first event
	test   uint64
	resend uint64
}

type payload struct {
	Type string    `json:"type"`
	Time time.Time `json:"timestamp"`
	Data any       `json:"data"`
}

// newMessage requires at least one event. A single event's message has its ID; a batch's ID is a hash of its events'
// IDs.
func newMessage(events []event.Event, after event.Cursor, batch bool) (*message, error) {
	m := &message{id: events[0].ID, events: len(events), after: after, end: events[len(events)-1].After, oldest: events[0].Time}
	var body any = events[0]
	if batch {
		ids := sha256.New()
		for i := range events {
			fmt.Fprintln(ids, events[i].ID)
		}
		m.id = typeBatch + "-" + hex.EncodeToString(ids.Sum(nil)[:16])
		body = payload{Type: typeBatch, Time: events[len(events)-1].Time, Data: map[string]any{"events": events}}
	}
	var err error
	if m.body, err = json.Marshal(body); err != nil {
		return nil, fmt.Errorf("couldn't encode event %s: %w", events[0].ID, err)
	}
	return m, nil
}

func newTest(e *Endpoint, n uint64, now time.Time) (*message, error) {
	body, err := json.Marshal(payload{Type: typeTest, Time: now.UTC(), Data: map[string]any{"endpoint": e.ID, "projectId": e.Project}})
	return &message{id: fmt.Sprintf("test-%s-%d", e.ID, n), body: body, test: n}, err
}

func (m *message) sign(h http.Header, keys [][]byte, at time.Time) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", m.id, stamp, m.body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	h.Set("webhook-id", m.id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
}
