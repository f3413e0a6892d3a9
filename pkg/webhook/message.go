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

// Types of messages that are no event's.
const (
	typeBatch = "batch"
	typeTest  = "webhook.test"
)

// message is one POST, the same however often it is tried.
type message struct {
	id     string
	body   []byte
	events int
	after  event.Cursor // before its first event
	end    event.Cursor // after its last
	oldest time.Time    // of its events
	test   uint64       // which test it is; 0: none
	resend uint64       // which Resend it is; 0: none
}

// payload is the body of a message that is no single event.
type payload struct {
	Type string    `json:"type"`
	Time time.Time `json:"timestamp"`
	Data any       `json:"data"`
}

// newMessage makes a message of events, at least one. Of an endpoint without batches it is one event, and has its id; else its id is made of theirs.
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

// newTest makes the message of a test.
func newTest(e *Endpoint, n uint64, now time.Time) (*message, error) {
	body, err := json.Marshal(payload{Type: typeTest, Time: now.UTC(), Data: map[string]any{"endpoint": e.ID, "projectId": e.Project}})
	return &message{id: fmt.Sprintf("test-%s-%d", e.ID, n), body: body, test: n}, err
}

// sign writes the headers of an attempt: one signature by each key.
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
