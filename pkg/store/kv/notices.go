package kv

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/score"
)

// Notices carries handoff hints between lanes: the newest handoff that one lane has offered another, and the newest
// that it accepted. There is a key "from.to" for each pair of lanes with a handoff, written only by the session of
// lane from.
//
// A lost, late or outdated notice delays a handoff until the lane's session finds that the notices differ from its
// journal, and posts it again. Notices is safe for concurrent use.
type Notices struct {
	stored Map[lane.Notice]
	view   *View[lane.Notice]
}

// OpenNotices has the errors of OpenMap.
func OpenNotices(ctx context.Context, js jetstream.JetStream, log *slog.Logger) (*Notices, error) {
	stored, err := OpenMap[lane.Notice](ctx, js, noticesBucket, "*.*", "a notice between lanes")
	if err != nil {
		return nil, err
	}
	return &Notices{stored, NewView(stored, log, func(e Entry[lane.Notice], err error) (lane.Notice, bool) {
		if err != nil {
			log.Warn("a notice between lanes cannot be read; its lane posts it again", "key", e.Key, "err", err)
		}
		return e.Document, true // if unreadable, an empty one in place of the earlier notice
	})}, nil
}

func pairKey(from, to score.Lane) string {
	return strconv.Itoa(int(from)) + "." + strconv.Itoa(int(to))
}

// Post replaces a notice. After an error it may have been replaced.
func (n *Notices) Post(ctx context.Context, from, to score.Lane, notice lane.Notice) error {
	return n.stored.Put(ctx, pairKey(from, to), notice, 0)
}

// Posted returns a notice as known here; zero if unknown.
func (n *Notices) Posted(from, to score.Lane) lane.Notice {
	notice, _ := n.view.Get(pairKey(from, to))
	return notice
}

// Changed returns a channel that is closed at the next change.
func (n *Notices) Changed() <-chan struct{} { return n.view.Changed() }

// Run keeps the notices current until ctx ends, and returns ctx's error. While NATS is away they stay unchanged.
func (n *Notices) Run(ctx context.Context) error { return n.view.Run(ctx) }
