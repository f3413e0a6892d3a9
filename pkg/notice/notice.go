// Package notice carries handoff hints between lanes: the newest handoff that one lane has offered another, and the
// newest that it accepted. The KV bucket NOTICES has a key "from.to" for each pair of lanes with a handoff, written
// only by the session of lane from.
//
// A lost, late or outdated notice delays a handoff until the lane's session finds that the board differs from its
// journal, and posts it again.
package notice

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/watched"
)

// Bucket is the KV bucket; package stream creates it.
const Bucket = "NOTICES"

const callTimeout = 5 * time.Second

// Board keeps the notices in memory. It is safe for concurrent use.
type Board struct {
	kv   jetstream.KeyValue
	view *watched.View[lane.Notice]
}

// Open binds to the bucket, which must exist.
func Open(ctx context.Context, js jetstream.JetStream, log *slog.Logger) (*Board, error) {
	kv, err := watched.Open(ctx, js, Bucket)
	if err != nil {
		return nil, err
	}
	return &Board{kv: kv, view: watched.NewView(js.Conn(), kv, log, func(e jetstream.KeyValueEntry) (n lane.Notice, ok bool) {
		if err := json.Unmarshal(e.Value(), &n); err != nil {
			log.Warn("a notice between lanes cannot be read; its lane posts it again", "key", e.Key(), "err", err)
			return lane.Notice{}, true // counts as empty, in place of the earlier notice
		}
		return n, true
	})}, nil
}

func keyOf(from, to score.Lane) string {
	return strconv.Itoa(int(from)) + "." + strconv.Itoa(int(to))
}

// Post replaces a notice. After an error it may have been replaced.
func (b *Board) Post(ctx context.Context, from, to score.Lane, n lane.Notice) error {
	data, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("couldn't encode a notice of lane %d to lane %d: %w", from, to, err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := b.kv.Put(ctx, keyOf(from, to), data); err != nil {
		return fmt.Errorf("couldn't store a notice of lane %d to lane %d: %w", from, to, err)
	}
	return nil
}

// Posted returns a notice as known here; zero if unknown.
func (b *Board) Posted(from, to score.Lane) lane.Notice {
	n, _ := b.view.Get(keyOf(from, to))
	return n
}

// Changed returns a channel that is closed at the next change.
func (b *Board) Changed() <-chan struct{} { return b.view.Changed() }

// Run keeps the notices current until ctx ends, and returns ctx's error. While NATS is away they stay unchanged.
func (b *Board) Run(ctx context.Context) error { return b.view.Run(ctx) }
