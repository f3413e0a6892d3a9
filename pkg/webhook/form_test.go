package webhook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/score"
)

// TestStoredForms: what other versions read and write.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, document := range map[string]any{
		`{"id":"abcdefghijkl","projectId":"0x0100000000000000000000000000000000000000000000000000000000000000","url":"https://example.com/hook","types":["score.updated"],"batch":2,"created":"2027-01-02T03:04:05Z","disabled":{"since":"2027-01-02T03:04:05Z","why":"it failed","fails":true},"secret":"whsec_x","older":[{"secret":"whsec_y","until":"2027-01-02T03:04:05Z"}],"move":{"n":1,"time":"2027-01-02T03:04:05Z"},"enabled":"2027-01-02T03:04:05Z","test":3,"resend":{"n":4,"event":"e"}}`: record{
			Endpoint: Endpoint{ID: "abcdefghijkl", Project: score.ProjectID{1}, URL: "https://example.com/hook", Types: []event.Type{"score.updated"}, Batch: 2, Created: at, Disabled: &Disabled{Why: "it failed", Since: at, Fails: true}},
			Secret:   "whsec_x", Older: []older{{"whsec_y", at}}, Move: Move{N: 1, Time: at}, Enabled: at, Test: 3, Resend: Resend{4, "e"},
		},
		`{"cursor":"start","moved":1,"tested":2,"resent":3,"failing":"2027-01-02T03:04:05Z","waiting":{"since":"2027-01-02T03:04:05Z","why":"the ledger cannot be read"},"attempts":[{"time":"2027-01-02T03:04:05Z","message":"m","events":5,"after":"start","status":500,"ms":6,"answer":"no","test":7,"resend":8}]}`: State{Moved: 1, Tested: 2, Resent: 3, Failing: &at, Waiting: &Waiting{at, "the ledger cannot be read"}, Attempts: []Attempt{{Time: at, Message: "m", Events: 5, Status: 500, Millis: 6, Answer: "no", Test: 7, Resend: 8}}},
	} {
		data, err := json.Marshal(document)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
}
