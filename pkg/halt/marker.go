package halt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// BucketName is the KV bucket; package stream creates it.
const BucketName = "HALT"

const (
	markerKey   = "halt"
	callTimeout = 3 * time.Second
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

var ErrMoved = errors.New("the marker of a halt was changed meanwhile")

// Bucket keeps the marker. It is safe for concurrent use.
type Bucket struct{ kv jetstream.KeyValue }

func Open(ctx context.Context, js jetstream.JetStream) (*Bucket, error) {
	kv, err := watched.Open(ctx, js, BucketName)
	if err != nil {
		return nil, err
	}
	return &Bucket{kv}, nil
}

// Read returns the marker and its revision; zero values if there is none.
func (b *Bucket) Read(ctx context.Context) (m Marker, revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	entry, err := b.kv.Get(ctx, markerKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Marker{}, 0, nil
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &m)
	}
	if err != nil {
		return Marker{}, 0, fmt.Errorf("couldn't read whether accepting halts: %w", err)
	}
	return m, entry.Revision(), nil
}

// Write replaces the marker of a revision; 0: there is none yet. It returns ErrMoved if another marker was written
// meanwhile. After any other error the marker may be stored; read it again.
func (b *Bucket) Write(ctx context.Context, m Marker, revision uint64) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("couldn't encode the marker of a halt: %w", err)
	}
	if revision == 0 {
		_, err = b.kv.Create(ctx, markerKey, data) // also if an operator deleted it
	} else {
		_, err = b.kv.Update(ctx, markerKey, data, revision)
	}
	if watched.Moved(err) || errors.Is(err, jetstream.ErrKeyExists) {
		return ErrMoved
	}
	if err != nil {
		return fmt.Errorf("couldn't write the marker of a halt: %w", err)
	}
	return nil
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
