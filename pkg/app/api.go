package app

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/apikey"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/httpapi"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/limit"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/sdk"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/wallet"
)

// minClaim is the minimum lifetime of a claim: after a crash between claim and ack, an updateId is blocked this long.
const minClaim = 15 * time.Second

// api is one API replica:
//
//	                 keys ─┐  (watched)
//	HTTP ──► server ◄──────┼─ projects: final ones and accepted ones (watched)
//	           │           └─ chain (scores), Redis (claims, statuses, rates)
//	           ▼
//	        stream ──► 200
type api struct {
	*process
	settings *APISettings

	keys     *apikey.View
	final    *kv.ProjectView
	projects *httpapi.Projects
	backlogs *kv.BacklogView
	guard    *halt.Guard
	pauses   *kv.PauseView
	roster   *kv.RosterView
	clock    *clock
	stores   *stores
	events   *event.Reader
	ops      *opsGate
	// A channel sent here restarts the watch of accepted creations, and is closed when that has caught up.
	rewatch  chan chan struct{}
	server   *httpapi.Server
	price    *gasPrice
	listener net.Listener
}

// RunAPI runs an API replica until drain ends.
func RunAPI(drain, kill context.Context, s *APISettings, log *slog.Logger) error {
	a := &api{process: newProcess("scorelay-api", log), settings: s, rewatch: make(chan chan struct{})}
	a.claim, a.ops = s.claim(), &opsGate{on: s.OpsToken != "", health: a.health}
	sampler, err := s.sampler()
	if err != nil && s.OTLPEndpoint != "" {
		log.Warn("the sampler of traces is not known here; requests are traced as if none was set", "err", err)
	}
	return lifecycle.Run(drain, kill, log, s.DrainTimeout,
		a.adminPart(s.AdminListen, s.AdminHosts, a.ops),
		a.tracesPart(&s.Traces, sampler),
		a.connectPart(s.StartTimeout, &s.NATS, &s.Redis, &s.Chain),
		lifecycle.Part{Name: "views", Start: a.open},
		loop("the view of API keys", func(ctx context.Context) error { return a.keys.Run(ctx) }),
		loop("the view of final projects", func(ctx context.Context) error { return a.final.Run(ctx) }),
		loop("the view of accepted projects", a.watchProjects),
		loop("the view of what is paused", func(ctx context.Context) error { return a.pauses.Run(ctx) }),
		loop("the view of the lanes", func(ctx context.Context) error { return a.roster.Run(ctx) }),
		loop("the view of what waits", func(ctx context.Context) error { return a.backlogs.Run(ctx) }),
		looks("the comparison of clocks", clockLook, func(ctx context.Context) { a.clock.look(ctx) }),
		looks("the look at the stores", storesLook, func(ctx context.Context) { a.stores.look(ctx) }),
		loop("the ledger's reader", func(ctx context.Context) error { return a.ledger.Run(ctx) }),
		loop("the history of throughput", a.runHistory),
		loop("the price of gas", func(ctx context.Context) error { return a.price.run(ctx) }),
		loop("the guard", func(ctx context.Context) error { return a.guard.Run(ctx) }),
		a.tellPart("api", plain(hostName()), func() kv.Counts {
			return kv.Counts{Accepted: a.server.Accepted(), NotDurable: a.server.NotDurable()}
		}, nil),
		lifecycle.Part{
			Name: "HTTP", Start: a.listen,
			Run: func(drain, kill context.Context) error { return a.serve(drain, kill) },
		},
	)
}

// open creates the views and the server. It fails if the chain is not the deployment's. If the chain does not
// respond, the start continues, since updates of known wallets are accepted all the same.
func (a *api) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.settings.StartTimeout)
	defer cancel()
	if err := checkChain(ctx, a.chain, a.stream.Deployment()); err != nil {
		if permanent := (permanentError{}); errors.As(err, &permanent) {
			return permanent.error
		}
		a.log.Warn("the chain does not answer; starting without scores until it does", "err", err)
	}
	a.price = newGasPrice(a.readPrice, a.log)
	keys, err := apikey.Open(ctx, a.js)
	if err != nil {
		return err
	}
	final, err := kv.OpenProjects(ctx, a.js)
	if err != nil {
		return err
	}
	backlogs, err := kv.OpenBacklogs(ctx, a.js, a.log)
	if err != nil {
		return err
	}
	a.backlogs = backlogs.View()
	if a.pauses, err = a.pausesView(ctx); err != nil {
		return err
	}
	if a.roster, err = a.connector.Roster(ctx, a.js); err != nil {
		return err
	}
	journals, err := stream.OpenJournal(ctx, a.js)
	if err != nil {
		return err
	}
	if a.guard, err = a.newGuard(ctx, journals, a.name+"-"+hostName(), a.watchAgain); err != nil {
		return err
	}
	a.clock = newClock(a.config().Freshness, a.log, a.metrics)
	a.clock.stream, a.clock.head = a.stream.Now, a.chain.Head
	a.stores = newStores(a.metrics)
	a.stores.js, a.stores.monitors, a.stores.redis, a.stores.lanes = a.js, a.settings.monitors(), a.redis, a.roster.Live
	a.keys, a.final = keys.NewView(a.log), final.View(a.log)
	a.projects = httpapi.NewProjects(a.final)
	a.events = a.eventReader(a.final, event.NewStalled(a.metrics))
	a.health.Add(admin.Check{Name: "views", Ready: func(context.Context) error { return a.viewsRead() }})
	a.health.Add(a.natsCheck(&a.settings.NATS))
	if a.server, err = httpapi.New(a.config(), a.deps()); err != nil {
		return err
	}
	return a.openOps(ctx, keys)
}

// claim returns the lifetime of a claim. A claim must outlast the accept that it is for: at most 2 × AcceptTimeout
// and, for a group, a short read of the chain. Otherwise a retry would be accepted, too, and cost gas as a duplicate.
func (s *APISettings) claim() time.Duration { return max(minClaim, 3*s.AcceptTimeout) }

func (a *api) config() httpapi.Config {
	s, d, salt := a.settings, a.stream.Deployment(), a.stream.Salt()
	whole, _ := s.whole()
	proxies, _ := networks(s.TrustedProxies)
	return httpapi.Config{
		ChainID: d.ChainID, Contract: d.Contract, Secret: salt[:], Explorer: s.Explorer, ScoreTypes: s.ScoreTypes,
		Freshness:     wallet.Freshness{Past: s.FreshFor, Ahead: s.FreshAhead},
		RatePerSecond: s.Rate, LookUpsPerSecond: s.LookUpRate, GasPerDay: s.GasPerDay, Whole: whole,
		MaxMembers: s.MaxMembers, MaxWaiting: s.MaxWaiting, MaxBody: s.BodyLimit, MaxBodies: s.BodiesLimit, MaxWrites: s.MaxConcurrent, MaxEnvelope: stream.MaxEnvelope,
		AcceptTimeout:  s.AcceptTimeout,
		MaxConnections: s.MaxConnections, MaxPerAddress: s.MaxPerAddress, MaxPerKey: s.MaxPerKey, Idle: s.IdleTimeout, KeylessIdle: s.KeylessTimeout, Proxies: proxies, Origins: s.Origins, MaxStreams: s.MaxStreams,
		// the rest is for the parts that stop after HTTP
		DrainTimeout: s.DrainTimeout * 4 / 5,
	}
}

func (a *api) deps() httpapi.Deps {
	contract := reader{index.Histories{Deployment: a.stream.Deployment(), Final: a.finalBlock, Chain: a.chain, Payments: a.chain}, a.chain}
	deps := httpapi.Deps{
		Publisher: publisher{a.stream, a.guard}, Halted: a.guard.Reason, Paused: a.paused, Statuses: a.status, Projects: a.projects, Keys: a.keys, Backlogs: a.backlogs, Chain: contract, Standings: NewStandings(a.redis, a.stream), Events: a.events,
		NewMinter: func() httpapi.Minter { return sdk.NewMinter() },
		Limiter:   limit.New(a.redis, redisPrefix(a.stream)+"rate:", a.log, a.metrics),
		// Osaka's gas costs even after a later fork, since the fork's would cut all budgets by four fifths overnight
		Gas:       registry.Osaka(),
		Surcharge: registry.Osaka().Surcharged(1), Gwei: a.price.gwei,
		Ready: a.ready, Tracer: a.tracer, Log: a.log, Registerer: a.metrics,
	}
	if a.settings.ContractSignatures {
		deps.Contracts = contract
	}
	if a.settings.PublicMetrics {
		deps.Metrics = admin.Metrics(a.metrics)
	}
	return deps
}

// paused implements httpapi.Deps.Paused. A project's lane is its bucket's desired owner.
func (a *api) paused(project *score.ProjectID) *httpapi.Pause {
	pauses := a.pauses.Current()
	by := pauses.All
	if project != nil && len(pauses.Lanes)+len(pauses.Projects) > 0 {
		lanes, _ := a.roster.Current()
		by = pauses.OfProject(*project, lanes.Owners[score.BucketOf(*project)])
	}
	if by == nil {
		return nil
	}
	return &httpapi.Pause{Reason: by.Why(), Refuses: by.Refuses}
}

var (
	errKeysUnknown     = errors.New("the API has not read all API keys yet")
	errProjectsUnknown = errors.New("the API has not read all projects yet")
	errHaltUnknown     = errors.New("the API has not read yet whether accepting halts")
	errNATSAway        = errors.New("NATS is away; the API reconnects by itself")
)

// ready returns nil when the views have caught up and NATS is connected. Every caller of the API may read its error,
// which therefore contains no address.
func (a *api) ready() error {
	if err := a.viewsRead(); err != nil {
		return err
	}
	if !a.nats.IsConnected() {
		return errNATSAway
	}
	return nil
}

func (a *api) viewsRead() error {
	for _, view := range []struct {
		caughtUp <-chan struct{}
		err      error
	}{{a.keys.CaughtUp(), errKeysUnknown}, {a.final.CaughtUp(), errProjectsUnknown}, {a.projects.CaughtUp(), errProjectsUnknown}, {a.guard.Looked(), errHaltUnknown}} {
		select {
		case <-view.caughtUp:
		default:
			return view.err
		}
	}
	return nil
}

// watchAgain restarts the watch of accepted creations, to forget those that NATS lost, and waits until it has caught
// up.
func (a *api) watchAgain(ctx context.Context) error {
	caughtUp := make(chan struct{})
	select {
	case a.rewatch <- caughtUp:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-caughtUp:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watchProjects restarts a failed watch from the start.
func (a *api) watchProjects(ctx context.Context) error {
	var caughtUp chan struct{} // from watchAgain, closed by the next watch; else nil
	for {
		asked, err := a.watchOnce(ctx, caughtUp)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if caughtUp = asked; asked != nil {
			continue
		}
		a.log.Warn("the API's watch of accepted creations ended; beginning it again", "err", err)
		if err := retry.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

func (a *api) watchOnce(ctx context.Context, caughtUp chan struct{}) (asked chan struct{}, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.projects.Begin()
	ended := make(chan error, 1)
	go func() {
		ended <- a.stream.WatchProjects(ctx, func(e stream.ProjectEvent) {
			switch {
			case e.CaughtUp:
				a.projects.SetCaughtUp()
				if caughtUp != nil {
					close(caughtUp)
				}
			case e.Project == nil: // unreadable; the lane's session makes it a dead letter
			case e.Dead:
				a.projects.Dead(e.Seq, e.Project.ID)
			default:
				a.projects.Accepted(e.Seq, e.Project)
			}
		})
	}()
	select {
	case err = <-ended:
	case asked = <-a.rewatch:
		cancel()
		err = <-ended
	}
	return asked, err
}

func (a *api) listen(ctx context.Context) (err error) {
	var config net.ListenConfig
	if a.listener, err = config.Listen(ctx, "tcp", a.settings.Listen); err != nil {
		return err
	}
	if a.settings.TLSCertificate != "" {
		files, err := newCertificate(a.settings.TLSCertificate, a.settings.TLSKey, a.log, a.metrics)
		if err != nil {
			return errors.Join(err, a.listener.Close())
		}
		a.listener = tls.NewListener(a.listener, files.config())
	}
	a.log.Info("listening", "addr", a.listener.Addr().String(), "tls", a.settings.TLSCertificate != "")
	a.health.Started()
	return nil
}

// serve accepts requests until drain ends, then finishes those in flight, until kill ends.
func (a *api) serve(drain, kill context.Context) error {
	served := make(chan error, 1)
	go func() { served <- a.server.Run(drain, a.listener) }()
	select {
	case <-drain.Done():
		a.health.Drain()
	case err := <-served:
		return err
	}
	select {
	case err := <-served:
		return err
	case <-kill.Done():
		return kill.Err()
	}
}
