package app

import (
	"context"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/scorelay/scorelay/pkg/admin"
	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/event"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/lifecycle"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/relay"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/signer"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
	"github.com/scorelay/scorelay/pkg/topup"
	"github.com/scorelay/scorelay/pkg/webhook"
)

const (
	maxOpenSlots = 2048             // per lane; many, since finality may be minutes behind the head
	rebroadcast  = 10 * time.Second // of transactions outside a block
)

// relayer is one relayer replica:
//
//	stream ──► lanes it holds leases for ──► journal ──► chain
//	             │                                        │ events, final
//	             ▼                                        ▼
//	         webhooks' endpoints ◄── deliverer ◄── ledger ──► folds: statuses, standings (Redis), project directory
type relayer struct {
	*process
	settings *RelayerSettings

	roster   *kv.RosterView
	notices  *kv.Notices
	pauses   *kv.PauseView
	keys     *keyring
	heads    *heads.Tracker
	guard    *halt.Guard
	relay    *relay.Relayer
	payer    *signer.Key  // of top-ups; nil: off
	topUp    *topup.TopUp // nil if payer is nil
	statuses *index.Statuses
	leases   *kv.Leases
	webhooks *webhook.Deliverer
	stalled  *event.Stalled

	directory *index.DirectoryFold
	standings *index.StandingsFold
}

// RunRelayer runs a relayer replica until drain ends. Work in flight stays in the journals for later sessions.
func RunRelayer(drain, kill context.Context, s *RelayerSettings, log *slog.Logger) error {
	r := &relayer{process: newProcess("scorelay-relayer", log), settings: s}
	r.keep = &stream.Retention{Age: s.LedgerAge, Bytes: s.LedgerBytes}
	s.FinalTag, s.MaxTip = s.Finality, uint64(math.Round(s.MaxTipGwei*1e9))
	var err error
	if r.keys, err = newKeyring(s, log); err != nil {
		return err
	}
	if r.payer, err = s.topUpKey(); err != nil {
		return err
	}
	return lifecycle.Run(drain, kill, log, s.DrainTimeout,
		r.adminPart(s.AdminListen, s.AdminHosts, nil),
		r.tracesPart(&s.Traces, sdktrace.AlwaysSample()), // all that the API sampled
		r.connectPart(s.StartTimeout, &s.NATS, &s.Redis, &s.Chain),
		lifecycle.Part{Name: "engines", Start: r.open},
		loop("the view of the lanes", func(ctx context.Context) error { return r.roster.Run(ctx) }),
		loop("the view of what is paused", func(ctx context.Context) error { return r.pauses.Run(ctx) }),
		loop("the notices between lanes", func(ctx context.Context) error { return r.notices.Run(ctx) }),
		loop("the keys", func(ctx context.Context) error { return r.keys.run(ctx) }),
		loop("the tracker of the chain's heads", func(ctx context.Context) error { r.heads.Run(ctx); return nil }),
		loop("the look for accepts", r.stir),
		loop("the ledger's reader", func(ctx context.Context) error { return r.ledger.Run(ctx) }),
		loop("the ledger", r.runLedger),
		loop("the guard", func(ctx context.Context) error { return r.guard.Run(ctx) }),
		loop("lanes", func(ctx context.Context) error { return r.relay.Run(ctx) }),
		loop("top-ups", func(ctx context.Context) error {
			if r.topUp == nil {
				<-ctx.Done()
				return ctx.Err()
			}
			return r.topUp.Run(ctx)
		}),
		loop("webhooks", r.deliverWebhooks),
		r.tellPart("relayer", r.settings.replica(), r.counts, func(report *kv.Report) { report.Lanes, report.TopUp = r.driven(), r.toppedUp() }),
		lifecycle.Part{
			Name:  "readiness",
			Start: func(context.Context) error { r.health.Started(); return nil },
			Stop:  func(context.Context) error { r.health.Drain(); return nil },
		},
	)
}

// open verifies the chain and the keys against the deployment and creates the engines.
func (r *relayer) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.settings.StartTimeout)
	defer cancel()
	d := r.stream.Deployment()
	var err error
	if r.roster, err = r.connector.Roster(ctx, r.js); err != nil {
		return err
	}
	if r.notices, err = kv.OpenNotices(ctx, r.js, r.log); err != nil {
		return err
	}
	if r.pauses, err = r.pausesView(ctx); err != nil {
		return err
	}
	if err := r.keys.begin(d.ChainID, r.roster); err != nil {
		return err
	}
	if err := r.connector.VerifyChain(ctx, r.chain, d); err != nil {
		return err
	}
	r.chain.Own(d.Contract)
	r.heads = heads.New(heads.Config{
		Confirmations: r.settings.Confirmations, PollInterval: r.settings.PollInterval,
		Peek: func(ctx context.Context, from, to uint64) (bool, error) {
			return r.chain.ShowsLogs(ctx, d.Contract, registry.Topics(), from, to)
		},
	}, r.chain, r.log, r.metrics)
	projects, err := kv.OpenProjects(ctx, r.js)
	if err != nil {
		return err
	}
	r.directory = &index.DirectoryFold{Deployment: d, Chain: r.chain, Source: r.ledger, Directory: projects, Log: r.log, Metrics: r.metrics}
	if err := r.directory.Verify(ctx); err != nil {
		return err
	}
	journals, err := stream.OpenJournal(ctx, r.js)
	if err != nil {
		return err
	}
	r.statuses = &index.Statuses{
		Deployment: d, Ledger: r.ledger, Chain: r.chain, Source: r.stream, Journals: journals, Lanes: r.lanes, Store: r.status,
		Retention: r.settings.StatusRetention, Log: r.log,
	}
	r.standings = &index.StandingsFold{
		Deployment: d, Chain: r.chain, Source: r.ledger, Projects: projects, Standings: NewStandings(r.redis, r.stream), Log: r.log, Metrics: r.metrics,
	}
	r.health.Add(r.natsCheck(&r.settings.NATS))
	r.health.Add(admin.Check{Name: "chain", Ready: func(context.Context) error { return r.heads.Fresh() }})
	if err := r.openRelay(ctx, journals); err != nil {
		return err
	}
	if err := r.openWebhooks(ctx); err != nil {
		return err
	}
	return r.openTopUp(ctx)
}

const stirEvery = time.Second

// stir makes the tracker follow the chain when something is accepted, even if another relayer submits it, since this
// one may write the ledger.
func (r *relayer) stir(ctx context.Context) error {
	var last uint64
	for retry.Sleep(ctx, stirEvery) == nil {
		if state, err := r.stream.State(ctx); err == nil && state.LastSeq != last {
			last = state.LastSeq
			r.heads.Stir()
		}
	}
	return nil
}

// runLedger writes the ledger and its projections while this relayer holds the lease.
func (r *relayer) runLedger(ctx context.Context) error {
	writer := &ledger.Writer{
		Deployment: r.stream.Deployment(), Heads: r.heads, Chain: r.chain, Letters: r.stream, Ledger: r.ledger.Ledger, Log: r.log, Metrics: r.metrics,
	}
	return r.leases.Lead(ctx, ledger.Lease, func(ctx context.Context) {
		var parts sync.WaitGroup
		defer parts.Wait()
		parts.Go(func() { _ = writer.Run(ctx) })
		parts.Go(func() { _ = r.statuses.Run(ctx) })
		parts.Go(func() { _ = ledger.RunFold(ctx, r.ledger, r.directory, "project directory", r.log) })
		parts.Go(func() {
			_ = ledger.RunFold(ctx, r.ledger, r.standings, "standings", r.log)
			r.standings.Rest()
		})
	})
}

// maxLasts limits the forecast of how long a balance lasts, in seconds: a hundred years.
const maxLasts = 100 * 365 * 24 * 60 * 60

func (r *relayer) driven() map[score.Lane]kv.LaneReport {
	lanes := map[score.Lane]kv.LaneReport{}
	for id, l := range r.relay.Driven() {
		one := kv.LaneReport{Wait: string(l.Wait), Since: l.Since.UTC(), Waiting: l.Waiting}
		if lasts, known := r.relay.Lasts(id); known {
			lasts = min(lasts, maxLasts)
			one.Lasts = &lasts
		}
		if lacks := r.relay.Lacks(id); lacks.Sign() > 0 {
			one.Lacks = lacks
		}
		lanes[id] = one
	}
	return lanes
}

func (r *relayer) counts() kv.Counts {
	updates, gas, fees := r.relay.Done()
	used, limit := r.heads.Filled()
	return kv.Counts{Final: updates, Gas: gas, Fees: fees, BlockGas: used, BlockLimit: limit}
}

func (r *relayer) lanes(context.Context) (int, error) {
	known, _ := r.roster.Current()
	return len(known.Lanes), nil
}

func (r *relayer) openRelay(ctx context.Context, journals *stream.Journal) error {
	s, d := r.settings, r.stream.Deployment()
	replica := s.replica()
	var err error
	if r.leases, err = kv.OpenLeases(ctx, r.js, kv.LeaseConfig{Replica: replica, TTL: s.LeaseTTL}, r.log); err != nil {
		return err
	}
	backlogs, err := kv.OpenBacklogs(ctx, r.js, r.log)
	if err != nil {
		return err
	}
	if r.guard, err = r.newGuard(ctx, journals, r.name+" "+replica, nil); err != nil {
		return err
	}
	r.statuses.Lost = r.guard.Forgotten
	r.relay, err = relay.New(relay.Config{
		FirstLanes: d.Lanes, ChainID: d.ChainID, Contract: d.Contract, DeployBlock: d.DeployBlock, Replica: replica,
		AuditHorizon: s.AuditHorizon, BalanceAlarm: s.BalanceAlarm,
		Limits: batch.Limits{
			MaxUpdates: s.MaxBatch, MaxGas: s.MaxGas, MaxBytes: s.MaxBytes, Linger: s.Linger,
		},
		Horizon: batch.HorizonLimits{Updates: s.Horizon, Lateness: s.Lateness},
		Rules:   s.rules(),
	}, relay.Deps{
		Heads: r.heads, Chain: r.chain, Source: source{r.stream, stream.NewTail(r.stream, tailMemory)}, Journal: journals, Leases: r.leases, Statuses: r.status,
		Backlogs: backlogs, Halt: r.guard, Paused: func(id score.Lane) bool { return r.pauses.Current().Of(id) != nil }, PausedProjects: r.pausedProjects,
		Roster: r.roster, Board: r.notices, Signer: r.keys.signer, Tracer: r.tracer, Log: r.log, Metrics: r.metrics,
	})
	return err
}

func (r *relayer) pausedProjects() map[score.ProjectID]bool {
	paused := map[score.ProjectID]bool{}
	for id := range r.pauses.Current().Projects {
		paused[id] = true
	}
	return paused
}

type source struct {
	*stream.Stream
	tail *stream.Tail
}

// tailMemory is the size of the cached end of the stream, in bytes: some 150,000 updates.
const tailMemory = 16 << 20

func (s source) Read(ctx context.Context, from uint64) (relay.Reader, error) {
	return s.tail.Read(ctx, from)
}

func (s *RelayerSettings) rules() lane.Rules {
	return lane.Rules{
		Fees: lane.FeeRule{
			MaxCap:   uint64(math.Round(s.MaxFeeGwei * 1e9)),
			MaxTxFee: uint64(math.Round(s.MaxTxFeeEther * 1e18)),
			MinTip:   max(uint64(math.Round(s.MinTipGwei*1e9)), 1),
			MaxTip:   uint64(math.Round(s.MaxTipGwei * 1e9)),

			MaxUpdate: uint64(math.Round(s.MaxUpdateGwei * 1e9)),
		},
		Window: s.Window, MaxOpen: maxOpenSlots, BumpBlocks: s.BumpBlocks, Rebroadcast: rebroadcast, MaxGas: s.MaxGas,
	}
}

func (s *RelayerSettings) replica() string {
	name := s.Replica
	if name == "" {
		name = hostName()
	}
	return plain(name)
}

// plain replaces characters other than ASCII letters, digits, dashes and underscores by dashes.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}
