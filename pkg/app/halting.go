package app

import (
	"context"
	"errors"

	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/status"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// newGuard returns the process's guard. forget drops state that NATS may have lost; nil if the process keeps none.
func (p *process) newGuard(ctx context.Context, journals *stream.Journal, process string, forget func(context.Context) error) (*halt.Guard, error) {
	marks, err := halt.Open(ctx, p.js)
	if err != nil {
		return nil, err
	}
	elsewhere := func() {
		if servers := p.nats.Servers(); len(servers) > 1 {
			p.log.Warn("the NATS server does not answer for the stream; connecting to another one", "server", p.nats.ConnectedUrlRedacted())
			_ = p.nats.ForceReconnect() // fails only if the process closed the connection
		}
	}
	return halt.New(halt.Config{
		Process: process, Stream: p.stream, Marks: marks, Journaled: journals.Seen, Note: p.status.NoteSequence,
		Connection: func() uint64 { return p.nats.Stats().Reconnects }, Elsewhere: elsewhere, Forget: forget, Log: p.log, Metrics: p.metrics,
	}), nil
}

func (p *process) pausesView(ctx context.Context) (*kv.PauseView, error) {
	pauses, err := kv.OpenPauses(ctx, p.js)
	if err != nil {
		return nil, err
	}
	return pauses.View(ctx, p.log)
}

// publisher is a httpapi.Publisher that refuses everything while accepting halts.
type publisher struct {
	stream *stream.Stream
	guard  *halt.Guard
}

func (p publisher) PublishEnvelope(ctx context.Context, msgID string, updates []score.Update, signed []score.Signed, traces ...score.Traced) error {
	return p.publish(func() error { return p.stream.PublishEnvelope(ctx, msgID, updates, signed, traces...) })
}

func (p publisher) PublishProject(ctx context.Context, msgID string, project *score.Project, replaces uint64, traces ...score.Traced) error {
	return p.publish(func() error { return p.stream.PublishProject(ctx, msgID, project, replaces, traces...) })
}

func (p publisher) PublishEdit(ctx context.Context, msgID string, e *score.SignedEdit, traces ...score.Traced) error {
	return p.publish(func() error { return p.stream.PublishEdit(ctx, msgID, e, traces...) })
}

func (p publisher) Edit(ctx context.Context, ref score.Ref) (*score.SignedEdit, *score.DeadLetter, error) {
	return p.stream.Edit(ctx, ref)
}

func (p publisher) publish(publish func() error) error {
	err := p.guard.Publish(publish)
	if back := (*stream.BackError)(nil); errors.As(err, &back) {
		return p.guard.FoundShorter(back.Known, back.Ends)
	}
	return err
}

// OpenStatuses opens a deployment's status store, for commands. The caller closes it.
func OpenStatuses(s *stream.Stream, url Secret) (statuses *status.Store, closeRedis func() error, err error) {
	client, err := redisdb.Open(url.Reveal())
	if err != nil {
		return nil, nil, err
	}
	client.Timeout = awaitCall // an operator prefers waiting to a retry
	return status.New(client, status.Config{Prefix: redisPrefix(s), Salt: s.Salt()}), client.Close, nil
}
