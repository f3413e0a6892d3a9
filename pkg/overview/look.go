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

	waits "github.com/scorelay/scorelay/pkg/backlog"
	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/halt"
	"github.com/scorelay/scorelay/pkg/journal"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/lease"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/pause"
	"github.com/scorelay/scorelay/pkg/redisdb"
	"github.com/scorelay/scorelay/pkg/replica"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/roster/store"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// Deployment is what is looked at.
type Deployment struct {
	JS        jetstream.JetStream
	Stream    *stream.Stream
	Chain     *chain.Client
	Redis     *redisdb.Client
	Standings Standings
	Observer  string // who looks, as endpoints are seen by it
	// Elsewhere has the connection of JS turn to another server of NATS. Nil where the owner of the connection does that by itself.
	Elsewhere func()
	Log       *slog.Logger
}

// Standings tell how far they are.
type Standings interface {
	Checkpoint(ctx context.Context) (score.Checkpoint, error)
}

// patience is with the chain, with Redis, and with one server of several of NATS.
const patience = 5 * time.Second

// How long a server of a NATS cluster is waited for at first, before another is asked: where it only answers, and where it reads what may
// be much. Each further question waits a second longer, until one waited longer than patience.
const (
	answers = time.Second
	reads   = 2 * readFor
)

// relayer is the role of those that drive lanes.
const relayer = "relayer"

// stored is what NATS holds of a deployment.
type stored struct {
	roster  roster.Roster
	drivers map[score.Lane]string
	states  map[score.Lane]*lane.State // by the journals that can be read
	broken  map[score.Lane]error       // journals that cannot
	reports []replica.Report
	marker  halt.Marker
	paused  pause.Pauses
	backlog *backlog
	told    map[score.ProjectID]score.Backlog // what lanes said last of projects of which much waits
	open    map[score.Lane]time.Time          // when the oldest was accepted that is bound and not final
	nats    NATS
	ledger  Ledger
}

// Look reads everything there is to know. An error says that NATS does not tell; what the chain or Redis does not tell is named
// in the document.
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
	lanes, err := store.Open(ctx, d.JS)
	if err != nil {
		return roster.Roster{}, err
	}
	return lanes.Get(ctx)
}

// read reads what NATS holds.
func (d *Deployment) read(ctx context.Context, known roster.Roster, err error) (*stored, error) {
	s := &stored{roster: known, states: map[score.Lane]*lane.State{}, broken: map[score.Lane]error{}, open: map[score.Lane]time.Time{}}
	step := func(wait time.Duration, what func(ctx context.Context) error) {
		if err == nil {
			err = d.ask(ctx, wait, what)
		}
	}
	step(answers, func(ctx context.Context) (err error) { s.drivers, err = lease.Drivers(ctx, d.JS); return err })
	step(answers, func(ctx context.Context) (err error) { s.reports, err = replica.Reports(ctx, d.JS); return err })
	step(answers, func(ctx context.Context) error {
		marks, err := halt.Open(ctx, d.JS)
		if err == nil {
			s.marker, _, err = marks.Read(ctx)
		}
		return err
	})
	step(answers, func(ctx context.Context) error {
		pauses, err := pause.Open(ctx, d.JS)
		if err == nil {
			s.paused, err = pauses.Get(ctx)
		}
		return err
	})
	step(answers, func(ctx context.Context) error {
		told, err := waits.Open(ctx, d.JS, d.Log)
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

// ledger reads what the ledger of final blocks holds, and which relayer writes it.
func (d *Deployment) ledger(ctx context.Context) (l Ledger, err error) {
	if l.Writer, err = lease.Holder(ctx, d.JS, ledger.Lease); err != nil {
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

// ask asks NATS, and again where a server of a cluster does not answer: it may be dead, and what is to be read by, a consumer, on it.
func (d *Deployment) ask(ctx context.Context, wait time.Duration, what func(ctx context.Context) error) error {
	if len(d.JS.Conn().Servers()) < 2 {
		return what(ctx)
	}
	for ; ; wait += time.Second { // not much more: a question is lost while the servers choose a leader
		limited, cancel := context.WithTimeout(ctx, wait)
		err := what(limited)
		if !unanswered(err) || wait > patience || ctx.Err() != nil {
			cancel()
			return err
		}
		<-limited.Done() // of what is refused at once, too
		cancel()
		if d.Elsewhere != nil {
			d.Elsewhere()
		}
	}
}

// unanswered reports whether an error says that a server did not answer, or that it has no part in its cluster now.
func unanswered(err error) bool {
	var refused *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, stream.ErrNotLeading) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrReconnectBufExceeded) ||
		errors.As(err, &refused) && refused.Code == http.StatusServiceUnavailable
}

func (s *stored) journals(ctx context.Context, js jetstream.JetStream) error {
	journals, err := journal.Open(ctx, js)
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

// stream reads how the stream of accepted updates is kept, and when what is not final was accepted.
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
		if msg, err := updates.GetMsg(ctx, first.Seq); err == nil { // else it became final meanwhile, and was purged
			s.open[id] = msg.Time
		}
	}
	return nil
}

// unsettled is the work of a lane that is bound and not final, or lost its slot.
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

// lane is what there is to tell of one lane.
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

// moves says whether a lane moves, as far as no operator paused it, and if not, why not.
func (s *stored) moves(l *Lane, report replica.Lane, reported bool) {
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

// pause says that an operator paused it, besides what else stops it: resuming would not do.
func (l *Lane) pause(by *pause.Pause) {
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

// wait says why a lane waits, and that it moves where it waits only for what it sent.
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

// report is what the relayer says of a lane that has its lease.
func (s *stored) report(id score.Lane) (l replica.Lane, told bool) {
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

// replicas are those that told something, and those that have leases and told nothing.
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

// endpoints are how they do for who looks, and for each replica.
func (d *Deployment) endpoints(reports []replica.Report) (all []Endpoint) {
	for _, h := range d.Chain.Health() {
		all = append(all, Endpoint{Endpoint: h.Endpoint, SeenBy: d.Observer, Up: h.Up, Why: h.Why, Newest: h.Newest, TookMS: h.Took.Milliseconds()})
	}
	slices.SortFunc(reports, func(a, b replica.Report) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), strings.Compare(a.Name, b.Name))
	})
	for _, r := range reports {
		for _, e := range r.Endpoints {
			all = append(all, Endpoint{Endpoint: e.Name, SeenBy: r.Role + " " + r.Name, Up: e.Up, Why: e.Why, Newest: e.Newest, TookMS: e.TookMS})
		}
	}
	return all
}

// projects are those of which something waits, the most first.
func (s *stored) projects(now time.Time) []Project {
	all := []Project{}
	held := holders(s.roster, s.states)
	for id, w := range s.backlog.projects {
		all = append(all, Project{Project: id, Lane: held[score.BucketOf(id)].lane, Updates: w.updates, OldestSeconds: since(w.oldest, now)})
	}
	for id, told := range s.told {
		if _, paused := s.paused.Projects[id]; s.backlog.whole && !paused {
			continue // what was read is newer
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
