package app

import (
	"context"
	"sync"

	"github.com/scorelay/scorelay/pkg/directory"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/webhook"
)

// eventReader makes the process's reader of events, in the words of projects.
func (p *process) eventReader(projects event.Projects, stalled *event.Stalled) *event.Reader {
	return &event.Reader{Source: p.ledger, Letters: p.stream, Chain: p.chain, Deployment: p.stream.Deployment(), Projects: projects, Stalled: stalled, Log: p.log}
}

// openWebhooks makes what delivers events to webhooks' endpoints.
func (r *relayer) openWebhooks(ctx context.Context) error {
	if err := r.stream.Complete(ctx); err != nil { // a deployment of an earlier version has no buckets of webhooks
		return err
	}
	endpoints, err := webhook.Open(ctx, r.js)
	if err != nil {
		return err
	}
	allow, err := networks(r.settings.WebhookAllow)
	r.webhooks = webhook.New(webhook.Config{Store: endpoints, Allow: allow, Log: r.log, Metrics: r.metrics})
	r.stalled = event.NewStalled(r.metrics)
	return err
}

// deliverWebhooks watches which endpoints there are, and delivers while this relayer holds the lease. Only then it keeps the projects' records, which events are told by.
func (r *relayer) deliverWebhooks(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { _ = r.webhooks.Watch(ctx) })
	return r.leases.Lead(ctx, webhook.Lease, func(ctx context.Context) {
		projects, err := directory.Open(ctx, r.js)
		if err != nil {
			r.log.Warn("webhooks are not delivered, since the directory of projects cannot be read; trying again", "err", err)
			return
		}
		view := projects.NewView(r.log)
		var beside sync.WaitGroup
		defer beside.Wait()
		beside.Go(func() { _ = view.Run(ctx) })
		select { // a dead letter that is read before would be told without the names of its project
		case <-view.CaughtUp():
			r.webhooks.Run(ctx, r.eventReader(view, r.stalled))
		case <-ctx.Done():
		}
	})
}
