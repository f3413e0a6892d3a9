package app

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/deadletter"
	"github.com/scorelay/scorelay/pkg/ops"
	"github.com/scorelay/scorelay/pkg/overview"
	"github.com/scorelay/scorelay/pkg/store/kv"
)

// opsGate serves /ops on the admin listener, which starts before the API knows its deployment.
type opsGate struct {
	on      bool
	health  *admin.Health
	is      atomic.Pointer[ops.Ops]
	history overview.History
}

// ServeHTTP serves the screens once they exist, and an explanation before.
func (g *opsGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch is := g.is.Load(); {
	case !g.on:
		http.Error(w, "There are screens for operators here where SCORELAY_OPS_TOKEN is set, the token to sign in with: see docs/ops.md.", http.StatusNotFound)
	case is == nil:
		w.Header().Set("Retry-After", "2")
		http.Error(w, "The API is "+g.health.Ready(r.Context()).Error(), http.StatusServiceUnavailable)
	default:
		is.ServeHTTP(w, r)
	}
}

func (a *api) openOps(ctx context.Context, keys *apikey.Store) error {
	if !a.ops.on {
		return nil
	}
	pauses, err := kv.OpenPauses(ctx, a.js)
	if err != nil {
		return err
	}
	replays, err := deadletter.Open(ctx, a.js, a.stream)
	if err != nil {
		return err
	}
	deployment := &overview.Deployment{
		JS: a.js, Stream: a.stream, Chain: a.chain, Redis: a.redis, Standings: NewStandings(a.redis, a.stream),
		Observer: "this API", Log: a.log,
	}
	is, err := ops.New(ops.Config{
		Token: a.settings.OpsToken.Reveal(), Overview: overview.NewShared(deployment), History: &a.ops.history,
		Stream: a.stream, Replays: replays, Keys: keys, Pauses: pauses, Metrics: a.metrics, Log: a.log,
	})
	if err == nil {
		a.ops.is.Store(is)
	}
	return err
}

// runHistory samples the throughput, so that the screen can show the past.
func (a *api) runHistory(ctx context.Context) error {
	if !a.ops.on {
		<-ctx.Done()
		return ctx.Err()
	}
	return a.ops.history.Run(ctx, a.js)
}
