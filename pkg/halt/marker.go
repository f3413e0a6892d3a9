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

// BucketName of the KV bucket; package stream creates it with everything else a deployment keeps.
const BucketName = "HALT"

const (
	markerKey   = "halt"
	callTimeout = 3 * time.Second
)

// Code says what was found.
type Code string

// What can be found.
const (
	Shorter     Code = "stream_shorter"  // the stream ends before what is known of it
	Replaced    Code = "stream_replaced" // the stream was deleted and made again
	Unjournaled Code = "unjournaled"     // a lane's signer sent what its journal does not know
)

// Marker says that accepting halts, and why; or, once Resumed is set, how that ended. The zero Marker is that of a deployment
// that never halted.
type Marker struct {
	Code   Code      `json:"code"`
	Reason string    `json:"reason"` // a sentence for people, callers among them
	By     string    `json:"by"`     // the process that found it
	At     time.Time `json:"at"`
	Stream time.Time `json:"stream"`           // when the stream was made that the process knew
	Known  uint64    `json:"known,omitempty"`  // the highest sequence that was known; 0: nothing is known of sequences
	Ends   uint64    `json:"ends,omitempty"`   // the sequence at which the stream ended
	Lane   *uint16   `json:"lane,omitempty"`   // of Unjournaled
	Choice string    `json:"choice,omitempty"` // what the operator decided
	Loss   *Loss     `json:"loss,omitempty"`   // what the operator accepts the loss of; nil: of nothing

	// Forgotten names the newest loss that was accepted, of this halt or an earlier one: Redis has forgotten what has no outcome under that
	// name, or is of before.
	Forgotten string    `json:"forgotten,omitempty"`
	Resumed   time.Time `json:"resumed,omitzero"` // when
}

// Loss is where the stream ended before an operator had it continue behind what is known: what was accepted later is lost.
type Loss struct {
	Ends   uint64    `json:"ends"`   // the last sequence that is not lost
	Stored time.Time `json:"stored"` // when it was stored
}

// Halts tells whether accepting halts.
func (m Marker) Halts() bool { return m.Code != "" && m.Resumed.IsZero() }

// ErrMoved says that the marker is not the one that the writer knew.
var ErrMoved = errors.New("the marker of a halt was changed meanwhile")

// Bucket keeps the marker. It is safe for concurrent use.
type Bucket struct{ kv jetstream.KeyValue }

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream) (*Bucket, error) {
	kv, err := watched.Open(ctx, js, BucketName)
	if err != nil {
		return nil, err
	}
	return &Bucket{kv}, nil
}

// Read returns the marker and its revision: the zero Marker and 0 where there was none yet.
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

// Write replaces the marker of a revision, 0 for none. ErrMoved: not stored, another was. After any other error it may be stored
// or not: reading tells.
func (b *Bucket) Write(ctx context.Context, m Marker, revision uint64) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("couldn't encode the marker of a halt: %w", err)
	}
	if revision == 0 {
		_, err = b.kv.Create(ctx, markerKey, data) // also where an operator deleted one
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
	mostPerSecond = 1_000_000                    // messages of a stream: some 50 times what a server was measured to store
	sure          = 24 * 60 * 60 * mostPerSecond // however far clocks differ
)

// Believable tells whether a stream that is in a state may have held a sequence, by its age.
func Believable(seq uint64, state score.StreamState) bool {
	age := max(0, time.Since(state.Created))
	return seq <= state.LastSeq+sure+uint64(age/time.Second)*mostPerSecond
}
