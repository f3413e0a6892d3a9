package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/store/kv"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Deployment holds the connections of the deployment to examine.
type Deployment struct {
	JS        jetstream.JetStream
	Stream    *stream.Stream
	Chain     *chain.Client
	Redis     *redisdb.Client
	Standings Standings
	Observer  string // name of this process, for Endpoint.SeenBy
	// Elsewhere switches JS to another NATS server; nil if the owner of the connection does that itself.
	Elsewhere func()
	Log       *slog.Logger
}

type Standings interface {
	Checkpoint(ctx context.Context) (score.Checkpoint, error)
}

// patience is the timeout of the chain, of Redis, and of one of several NATS servers.
const patience = 5 * time.Second

// First timeout before another server of a NATS cluster is tried: for short replies, and for possibly large reads.
// Each further try adds a second, up to patience.
const (
	answers = time.Second
	reads   = 2 * readFor
)

const relayer = "relayer"

type stored struct {
	roster  roster.Roster
	drivers map[score.Lane]string
	states  map[score.Lane]*lane.State // readable journals
	broken  map[score.Lane]error       // unreadable journals
	reports []kv.Report
	marker  halt.Marker
	paused  kv.Pauses
	backlog *backlog
	told    map[score.ProjectID]score.Backlog // large backlogs of projects, as last reported by lanes
	open    map[score.Lane]time.Time          // acceptance of the oldest update assigned but not final
	nats    NATS
	ledger  Ledger
}

// Look returns the state of the deployment. It returns an error if NATS fails; errors of the chain and Redis are in
// the document.
func (d *Deployment) Look(ctx context.Context) (*Document, error) {
	doc := &Document{At: time.Now().UTC(), Chain: Chain{ID: d.Stream.Deployment().ChainID}, Lanes: []Lane{}, Replicas: []Replica{}, Endpoints: []Endpoint{}, Backlog: []Project{}}
	redis := make(chan Redis, 1)
	go func() { redis <- d.redis(ctx) }()
	var found funds
	var head sync.WaitGroup
	var known roster.Roster
	err := d.ask(ctx, answers, func(ctx context.Context) (err error) { known, err = d.roster(ctx); return err })
	if err == nil {
		head.Go(func() { found = d.chain(ctx, &doc.Chain, known) })
	}
	s, failed := d.read(ctx, known, err)
	head.Wait()
	doc.Redis = <-redis
	if failed != nil {
		return nil, failed
	}
	doc.NATS = s.nats
	doc.ledger(s.ledger)
	if s.marker.Halts() {
		doc.Halted = s.marker.Reason
	}
	doc.Paused, doc.PausedProjects = s.paused.All, s.paused.Projects
	for _, of := range s.roster.Lanes {
		doc.Lanes = append(doc.Lanes, s.lane(of, found, doc.At))
	}
	doc.TopUp = topUp(s.reports)
	doc.Replicas, doc.Endpoints = s.replicas(), d.endpoints(s.reports)
	doc.Rates = RatesOf(s.reports)
	for _, r := range s.reports {
		if r.Redis != "" {
			doc.Redis.Refused = append(doc.Redis.Refused, r.Role+" "+r.Name+": "+r.Redis)
		}
	}
	doc.Backlog, doc.BacklogWhole = s.projects(doc.At), s.backlog.whole
	doc.judge()
	return doc, nil
}

func (d *Deployment) roster(ctx context.Context) (roster.Roster, error) {
	lanes, err := kv.OpenRoster(ctx, d.JS)
	if err != nil {
		return roster.Roster{}, err
	}
	return lanes.Get(ctx)
}

func (d *Deployment) read(ctx context.Context, known roster.Roster, err error) (*stored, error) {
	s := &stored{roster: known, states: map[score.Lane]*lane.State{}, broken: map[score.Lane]error{}, open: map[score.Lane]time.Time{}}
	step := func(wait time.Duration, what func(ctx context.Context) error) {
		if err == nil {
			err = d.ask(ctx, wait, what)
		}
	}
	step(answers, func(ctx context.Context) (err error) { s.drivers, err = kv.Drivers(ctx, d.JS); return err })
	step(answers, func(ctx context.Context) (err error) { s.reports, err = kv.Reports(ctx, d.JS); return err })
	step(answers, func(ctx context.Context) error {
		marks, err := halt.Open(ctx, d.JS)
		if err == nil {
			s.marker, _, err = marks.Get(ctx)
		}
		return err
	})
	step(answers, func(ctx context.Context) error {
		pauses, err := kv.OpenPauses(ctx, d.JS)
		if err == nil {
			s.paused, err = pauses.Get(ctx)
		}
		return err
	})
	step(answers, func(ctx context.Context) error {
		told, err := kv.OpenBacklogs(ctx, d.JS, d.Log)
		if err == nil {
			s.told, err = told.Told(ctx)
		}
		return err
	})
	step(reads, func(ctx context.Context) error { return s.journals(ctx, d.JS) })
	step(reads, func(ctx context.Context) (err error) {
		s.backlog, err = read(ctx, d.Stream, holders(known, s.states), s.paused.Projects)
		return err
	})
	step(answers, func(ctx context.Context) error { return s.stream(ctx, d.JS) })
	step(answers, func(ctx context.Context) (err error) { s.ledger, err = d.ledger(ctx); return err })
	return s, err
}

func (d *Deployment) ledger(ctx context.Context) (l Ledger, err error) {
	if l.Writer, err = kv.Holder(ctx, d.JS, ledger.Lease); err != nil {
		return l, err
	}
	facts, err := d.Stream.FindLedger(ctx)
	if errors.Is(err, stream.ErrNoLedger) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	is, err := ledger.StateOf(ctx, facts)
	l.Block, l.Oldest, l.Bytes, l.Bound = is.Newest, is.Oldest, is.Bytes, is.Bound
	if is.Newest > 0 {
		l.At = &is.At
	}
	return l, err
}

// ask runs a query to NATS. In a cluster it retries at another server, since a server may be dead, and with it a
// consumer.
func (d *Deployment) ask(ctx context.Context, wait time.Duration, what func(ctx context.Context) error) error {
	if len(d.JS.Conn().Servers()) < 2 {
		return what(ctx)
	}
	for ; ; wait += time.Second { // slowly, since queries are lost during a leader election
		limited, cancel := context.WithTimeout(ctx, wait)
		err := what(limited)
		if !unanswered(err) || wait > patience || ctx.Err() != nil {
			cancel()
			return err
		}
		<-limited.Done() // waits the whole time even if a server refused at once
		cancel()
		if d.Elsewhere != nil {
			d.Elsewhere()
		}
	}
}

// unanswered reports whether a server timed out or is outside its cluster now.
func unanswered(err error) bool {
	var refused *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, stream.ErrNotLeading) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
		errors.As(err, &refused) && refused.Code == http.StatusServiceUnavailable
}

func (s *stored) journals(ctx context.Context, js jetstream.JetStream) error {
	journals, err := stream.OpenJournal(ctx, js)
	if err != nil {
		return err
	}
	for _, of := range s.roster.Lanes {
		state, _, err := journals.State(ctx, of.ID)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.broken[of.ID] = err
		default:
			s.states[of.ID] = state
		}
	}
	return nil
}

// stream reads the stream's state, and when each lane's oldest unsettled work was accepted.
func (s *stored) stream(ctx context.Context, js jetstream.JetStream) error {
	updates, err := js.Stream(ctx, stream.Name)
	if err != nil {
		return fmt.Errorf("couldn't find the stream %s: %w", stream.Name, err)
	}
	info := updates.CachedInfo()
	s.nats = NATS{Copies: info.Config.Replicas, Behind: stream.Behind(info), Bytes: info.State.Bytes, Bound: uint64(max(0, info.Config.MaxBytes))}
	for id, state := range s.states {
		var first score.Position
		for _, w := range unsettled(state) {
			if first == (score.Position{}) || w.From.Before(first) {
				first = w.From
			}
		}
		if first.Seq == 0 {
			continue
		}
		if msg, err := updates.GetMsg(ctx, first.Seq); err == nil { // otherwise it became final and was purged
			s.open[id] = msg.Time
		}
	}
	return nil
}

// unsettled returns a lane's work that is assigned but not final, or lost its slot.
func unsettled(state *lane.State) (all []lane.Work) {
	for i := range state.Slots {
		if w := state.Slots[i].Work; w.Kind != lane.NonceOnly {
			all = append(all, w)
		}
	}
	return append(all, state.Queue...)
}

func (d *Deployment) redis(ctx context.Context) (r Redis) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := d.Redis.Ping(ctx).Err()
	if err == nil {
		r.Bytes, r.Full, err = d.Redis.Memory(ctx)
	}
	var at score.Checkpoint
	if err == nil {
		at, err = d.Standings.Checkpoint(ctx)
	}
	if err == nil && at.Rebuilding() {
		r.Rebuilding = (&score.RebuildingError{Block: at.Block, Target: at.Target}).Progress()
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func (s *stored) lane(of roster.Lane, found funds, now time.Time) Lane {
	l := Lane{Lane: of.ID, Signer: of.Signer, State: of.State, Replica: s.drivers[of.ID]}
	oldest := s.open[of.ID]
	l.OpenSeconds = since(oldest, now)
	if w := s.backlog.lanes[of.ID]; w != nil {
		l.Waiting, l.WaitingSeconds = w.updates, since(w.oldest, now)
		if oldest.IsZero() || w.oldest.Before(oldest) {
			oldest = w.oldest
		}
	}
	if state := s.states[of.ID]; state != nil {
		l.Epoch, l.OpenSlots, l.Queue, l.InFlight = state.Epoch, len(state.Slots), len(state.Queue), len(state.Slots)
		l.Nonces = Nonces{Journaled: state.Next, Settled: state.FirstOpen()}
	}
	found.tell(&l)
	report, reported := s.report(of.ID)
	if reported && !s.backlog.whole {
		l.Waiting = max(l.Waiting, report.Waiting)
	}
	if report.Lasts != nil {
		seconds := int64(*report.Lasts)
		l.LastsSeconds = &seconds
	}
	if report.Lacks != nil {
		l.LacksWei = report.Lacks.String()
	}
	l.OldestSeconds = since(oldest, now)
	if l.Moves = of.State == roster.Gone; !l.Moves {
		s.moves(&l, report, reported)
		l.pause(s.paused.Of(of.ID))
	}
	return l
}

// moves sets Moves and Why; an operator's pause comes later.
func (s *stored) moves(l *Lane, report kv.LaneReport, reported bool) {
	switch err := s.broken[l.Lane]; {
	case err != nil:
		l.Why = "its journal cannot be read: " + err.Error()
	case l.Replica == "" && l.Epoch == 0:
		l.Why = "no relayer has its key, or none runs"
	case l.Replica == "":
		l.Why = "no relayer drives it; one that runs and has its key takes it by itself"
	case reported:
		l.wait(lane.Wait(report.Wait), report.Since)
	default:
		l.Why = "its relayer says nothing of it; if it died, another that has its key takes the lane by itself"
	}
}

// pause adds an operator's pause to other reasons: resuming alone would leave those.
func (l *Lane) pause(by *kv.Pause) {
	if l.Paused = by; by == nil {
		return
	}
	if !l.Moves && l.Wait != lane.WaitPaused {
		l.Why += "; and an operator paused it"
		return
	}
	l.wait(lane.WaitPaused, by.At)
	if by.Reason != "" {
		l.Why += " (" + by.Reason + ")"
	}
}

// wait sets why a lane waits. A lane that waits only for its own transactions still moves.
func (l *Lane) wait(reason lane.Wait, from time.Time) {
	l.Moves = reason == lane.WaitNone || reason == lane.WaitWindow || reason == lane.WaitFinality
	if reason == lane.WaitNone {
		return
	}
	l.Wait, l.Since = reason, &from
	if !l.Moves {
		l.Why = cmp.Or(sentences[reason], "its relayer says: "+string(reason))
	}
	if lacks, ok := new(big.Int).SetString(l.LacksWei, 10); ok && lacks.Sign() > 0 && reason == lane.WaitFunds {
		l.Why += fmt.Sprintf(": %s needs %s ETH more at least", l.Signer.Hex(), etherUp(lacks))
	}
}

func (s *stored) report(id score.Lane) (l kv.LaneReport, told bool) {
	for _, r := range s.reports {
		if r.Role == relayer && r.Name == s.drivers[id] {
			l, told = r.Lanes[id]
		}
	}
	return l, told
}

func since(at, now time.Time) *float64 {
	if at.IsZero() {
		return nil
	}
	seconds := max(0, now.Sub(at).Seconds())
	return &seconds
}

// replicas returns the reporting replicas and other lease holders.
func (s *stored) replicas() []Replica {
	all, driven := []Replica{}, map[string]int{}
	for _, name := range s.drivers {
		driven[name]++
	}
	for _, r := range s.reports {
		one := Replica{Role: r.Role, Name: r.Name, Version: r.Version, Began: &r.Began, SeenAt: &r.At}
		if r.Role == relayer {
			one.Lanes = driven[r.Name]
			delete(driven, r.Name)
		}
		all = append(all, one)
	}
	for name, lanes := range driven {
		all = append(all, Replica{Role: relayer, Name: name, Lanes: lanes})
	}
	slices.SortFunc(all, func(a, b Replica) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Name, b.Name))
	})
	return all
}

func (d *Deployment) endpoints(reports []kv.Report) (all []Endpoint) {
	for _, h := range d.Chain.Health() {
		all = append(all, Endpoint{Endpoint: h.Endpoint, SeenBy: d.Observer, Up: h.Up, Why: h.Why, Newest: h.Newest, TookMS: h.Took.Milliseconds()})
	}
	slices.SortFunc(reports, func(a, b kv.Report) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Name, b.Name))
	})
	for _, r := range reports {
		for _, e := range r.Endpoints {
			all = append(all, Endpoint{Endpoint: e.Name, SeenBy: r.Role + " " + r.Name, Up: e.Up, Why: e.Why, Newest: e.Newest, TookMS: e.TookMS})
		}
	}
	return all
}

// projects returns the projects with a backlog, largest first.
func (s *stored) projects(now time.Time) []Project {
	all := []Project{}
	held := holders(s.roster, s.states)
	for id, w := range s.backlog.projects {
		all = append(all, Project{Project: id, Lane: held[score.BucketOf(id)].lane, Updates: w.updates, OldestSeconds: since(w.oldest, now)})
	}
	for id, told := range s.told {
		if _, paused := s.paused.Projects[id]; s.backlog.whole && !paused {
			continue // the value read is newer
		}
		if i := slices.IndexFunc(all, func(p Project) bool { return p.Project == id }); i >= 0 {
			all[i].Updates = max(all[i].Updates, told.Waiting)
		} else {
			all = append(all, Project{Project: id, Lane: held[score.BucketOf(id)].lane, Updates: told.Waiting})
		}
	}
	slices.SortFunc(all, func(a, b Project) int {
		return cmp.Or(cmp.Compare(b.Updates, a.Updates), slices.Compare(a.Project[:], b.Project[:]))
	})
	return all
}
