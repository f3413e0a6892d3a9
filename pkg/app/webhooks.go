package app

import (
	"context"
	"sync"

	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/webhook"
)

func (p *process) eventReader(projects event.Projects, stalled *event.Stalled) *event.Reader {
	return &event.Reader{Source: p.ledger, Letters: p.stream, Chain: p.chain, Deployment: p.stream.Deployment(), Projects: projects, Stalled: stalled, Log: p.log}
}

func (r *relayer) openWebhooks(ctx context.Context) error {
	if err := r.stream.Complete(ctx); err != nil { // deployments of earlier versions lack the webhooks' buckets
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

// deliverWebhooks watches the endpoints, and delivers events while this relayer holds the lease. Only then does it
// view the projects, for the names in events.
func (r *relayer) deliverWebhooks(ctx context.Context) error {
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() { _ = r.webhooks.Watch(ctx) })
	return r.leases.Lead(ctx, webhook.Lease, func(ctx context.Context) {
		projects, err := kv.OpenProjects(ctx, r.js)
		if err != nil {
			r.log.Warn("webhooks are not delivered, since the directory of projects cannot be read; trying again", "err", err)
			return
		}
		view := projects.View(r.log)
		var beside sync.WaitGroup
		defer beside.Wait()
		beside.Go(func() { _ = view.Run(ctx) })
		select { // a dead letter that is read before would lack its project's names
		case <-view.CaughtUp():
			r.webhooks.Run(ctx, r.eventReader(view, r.stalled))
		case <-ctx.Done():
		}
	})
}
