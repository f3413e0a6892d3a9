package halt

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

type Code string

const (
	Shorter     Code = "stream_shorter"
	Replaced    Code = "stream_replaced"
	Unjournaled Code = "unjournaled"
)

// Marker contains a halt and its reason and, once Resumed is set, the operator's decision. The zero Marker means that
// the deployment never halted.
type Marker struct {
	Code   Code      `json:"code"`
	Reason string    `json:"reason"` // for people, callers included
	By     string    `json:"by"`     // process
	At     time.Time `json:"at"`
	Stream time.Time `json:"stream"`          // creation time of the known stream
	Known  uint64    `json:"known,omitempty"` // highest known sequence; 0: unknown
	Ends   uint64    `json:"ends,omitempty"`  // last sequence of the stream
	Lane   *uint16   `json:"lane,omitempty"`  // of Unjournaled
	Choice string    `json:"choice,omitempty"`
	Loss   *Loss     `json:"loss,omitempty"` // accepted by the operator; nil: none

	// Forgotten names the newest accepted loss, also of an earlier halt.
	Forgotten string    `json:"forgotten,omitempty"`
	Resumed   time.Time `json:"resumed,omitzero"`
}

// Loss is the stream's end when an operator accepted a loss. Updates accepted above it are lost.
type Loss struct {
	Ends   uint64    `json:"ends"` // last sequence that is kept
	Stored time.Time `json:"stored"`
}

func (m Marker) Halts() bool { return m.Code != "" && m.Resumed.IsZero() }

// Open returns the marker's document. It has the errors of kv.OpenMap.
func Open(ctx context.Context, js jetstream.JetStream) (kv.Doc[Marker], error) {
	return kv.OpenDoc[Marker](ctx, js, "HALT", "halt", "the marker of a halt")
}

const (
	mostPerSecond = 1_000_000                    // messages; some 50 times the measured rate of a server
	sure          = 24 * 60 * 60 * mostPerSecond // messages; margin for any difference of clocks
)

// Believable reports whether a stream with this state may ever have held the sequence.
func Believable(seq uint64, state score.StreamState) bool {
	age := max(0, time.Since(state.Created))
	return seq <= state.LastSeq+sure+uint64(age/time.Second)*mostPerSecond
}
