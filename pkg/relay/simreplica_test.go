package relay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/batch"
	"github.com/scorelay/scorelay/pkg/devnet/rig/model"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/heads"
	"github.com/scorelay/scorelay/pkg/lane"
	"github.com/scorelay/scorelay/pkg/roster"
	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/txpool"
)

// simReplica is a process: a tracker and the sessions of the lanes it drives.
type simReplica struct {
	name     string
	client   *model.Client
	journal  *simJournal
	tracker  *heads.Tracker
	fold     *simFold
	relayer  *Relayer
	view     *simView // of the lanes
	sessions map[score.Lane]*simSession
	again    map[score.Lane]time.Time // when a lane's next session may open
	starts   time.Time                // when it is there again
	timedOut []uint64                 // nonces of sends whose answer was lost, for the plant freesNonce
}

// simSession is a session, driven step by step.
type simSession struct {
	*session
	replica *simReplica
	reader  Reader
	again   Reader // of what parked projects left out
}

// noRegistry takes metrics and forgets them.
type noRegistry struct{}

func (noRegistry) Register(prometheus.Collector) error  { return nil }
func (noRegistry) MustRegister(...prometheus.Collector) {}
func (noRegistry) Unregister(prometheus.Collector) bool { return true }

// simSigner signs with a development key, if it does.
type simSigner struct {
	r       *simRun
	account int
}

func (s simSigner) Address() common.Address { return simAddress(s.account) }

func (s simSigner) Sign(_ context.Context, tx *types.Transaction) (*types.Transaction, error) {
	if !s.r.calm && s.r.chance(s.r.plan.signerFaults) {
		return nil, errSimAway
	}
	return types.SignTx(tx, types.LatestSignerForChainID(tx.ChainId()), simKeys()[s.account])
}

// signer is the signer with an address.
func (r *simRun) signer(address common.Address) (Signer, bool) {
	for id := range score.Lane(simMaxLanes) {
		if address == r.laneAddress(id) {
			return simSigner{r, laneAccount(id)}, true
		}
	}
	return nil, false
}

func (r *simRun) config() Config {
	limits := batch.DefaultLimits()
	limits.MaxUpdates, limits.Linger = 12, 150*time.Millisecond
	return Config{
		FirstLanes: r.plan.lanes, ChainID: r.chain.ID, Contract: r.chain.Contract, Limits: limits,
		Rules: lane.Rules{
			Fees:   lane.FeeRule{MaxCap: simCeiling, MaxTxFee: 1e20 / 10, MinTip: simGwei / 10},
			Window: r.plan.window, MaxOpen: max(4*r.plan.window, 16), BumpBlocks: 3, Rebroadcast: 2 * time.Second, MaxGas: 1 << 24,
		},
		Horizon:       batch.HorizonLimits{Updates: r.plan.ahead, Lateness: 5 * time.Second},
		SnapshotEvery: 16, GoneAfter: r.plan.goneAfter, AuditHorizon: 5 * time.Second, Now: r.clock.Now,
	}
}

func (r *simRun) newReplica(i int) *simReplica {
	nodes := slices.Clone(r.nodes)
	if !r.plan.oneClient {
		r.rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
	p := &simReplica{
		name: string(rune('A' + i)), client: r.chain.NewClient(nodes...), again: map[score.Lane]time.Time{},
		journal: &simJournal{Journal: r.journal, r: r, early: map[score.Lane][]lane.Move{}},
	}
	p.view = &simView{Live: roster.NewLive(r.lanes.roster), r: r, posted: map[simPair]lane.Notice{}}
	p.client.Before = func(what string) {
		if killed, _ := r.spend(what); killed {
			panic(simCrash{})
		}
	}
	p.client.OnSend = r.watch.sent
	config := r.config()
	config.Replica = p.name
	p.relayer = &Relayer{
		deps: Deps{
			Chain: &simSends{p.client, p, r}, Source: r.source, Journal: p.journal, Statuses: r.statuses, Halt: simHalt{r: r}, PausedProjects: r.pausedProjects, Roster: p.view, Board: p.view, Signer: r.signer,
			Log: r.log.With("replica", p.name), Metrics: noRegistry{},
		},
		config: config.withDefaults(), metrics: newMetrics(noRegistry{}),
	}
	r.start(p)
	return p
}

// start begins a process.
func (r *simRun) start(p *simReplica) {
	p.starts, p.sessions = time.Time{}, map[score.Lane]*simSession{}
	p.tracker = heads.New(heads.Config{Confirmations: r.plan.confirmations, Now: r.clock.Now}, p.client, p.relayer.deps.Log, noRegistry{})
	p.relayer.deps.Heads = p.tracker
	p.fold = r.newFold(p)
}

// killed ends a process; another takes its lanes, or the same once it is there again.
func (r *simRun) killed(p *simReplica) {
	r.stats.crashes++
	r.did("killed")
	p.starts = r.clock.Now().Add(time.Duration(500+r.draw(4000)) * time.Millisecond)
	p.sessions = map[score.Lane]*simSession{}
	r.zombies = slices.DeleteFunc(r.zombies, func(s *simSession) bool { return s.replica == p })
	for id := range r.holders {
		if r.replicas[r.holders[id]] == p && r.chance(60) {
			r.holders[id] = r.draw(len(r.replicas))
		}
	}
}

// alive tells whether the process is there, and starts it if it may.
func (r *simRun) alive(p *simReplica) bool {
	if !p.starts.IsZero() && !r.calm && r.clock.Now().Before(p.starts) {
		return false
	}
	if !p.starts.IsZero() {
		r.start(p)
	}
	return true
}

func (r *simRun) anyReplica() *simReplica { return r.replicas[r.draw(len(r.replicas))] }

// round has a process look for a head.
func (r *simRun) round(p *simReplica) {
	if r.alive(p) {
		r.turn(p, func() {
			if err := p.tracker.Round(background()); err != nil {
				r.log.Info("the round failed", "replica", p.name, "err", err)
			}
		})
	}
}

// turnOf gives a process a turn in all it does: one that is to be killed in it.
func (r *simRun) turnOf(p *simReplica) {
	if !r.alive(p) {
		r.fuse = 0
		return
	}
	r.turn(p, func() {
		_ = p.tracker.Round(background())
		p.fold.step(r)
		for id := range r.ids() {
			if r.replicas[r.holders[id]] == p {
				r.drive(p, id)
				r.drive(p, id)
			}
		}
	})
}

// purge has a process purge the stream.
func (r *simRun) purge(p *simReplica) {
	if r.alive(p) {
		r.turn(p, func() { _ = p.relayer.purger().purge(background(), r.clock.Now()) })
	}
}

// stepLane drives some lane a step.
func (r *simRun) stepLane() {
	id := score.Lane(r.draw(int(r.ids())))
	if p := r.replicas[r.holders[id]]; r.alive(p) {
		r.turn(p, func() { r.drive(p, id) })
	}
}

// stepZombie drives a session a step that lost its lane.
func (r *simRun) stepZombie() {
	if len(r.zombies) == 0 {
		return
	}
	s := r.zombies[r.draw(len(r.zombies))]
	r.did("zombie")
	r.turn(s.replica, func() {
		if err := r.step(s, r.draw(4)); err != nil {
			r.note("zombie of lane %d ends: %v", s.id, err)
			r.zombies = slices.DeleteFunc(r.zombies, func(z *simSession) bool { return z == s })
			s.heads.Close()
		}
	})
}

// moveLease gives a lane to another replica. The session that had it ends, or continues unawares.
func (r *simRun) moveLease() {
	id := score.Lane(r.draw(int(r.ids())))
	p := r.replicas[r.holders[id]]
	r.holders[id] = r.draw(len(r.replicas))
	s := p.sessions[id]
	if s == nil {
		return
	}
	delete(p.sessions, id)
	r.did("lease moved")
	if r.chance(60) {
		r.zombies = append(r.zombies, s)
		return
	}
	s.heads.Close()
}

// drive opens a lane's session, or gives it a step, as Relayer.drive does.
func (r *simRun) drive(p *simReplica, id score.Lane) {
	s, err := p.sessions[id], error(nil)
	drives, keyed := p.drives(id)
	switch {
	case s != nil && (!drives || keyed == s.lane.Keyless()): // as Relayer.untilCut and the leases have it
		delete(p.sessions, id)
		s.heads.Close()
		return
	case !drives:
		return
	case s == nil && !r.calm && r.clock.Now().Before(p.again[id]):
		return
	case s == nil:
		err = r.open(p, id)
	default:
		err = r.step(s, r.draw(4))
	}
	if err == nil {
		return
	}
	r.note("session of lane %d on %s ends: %v", id, p.name, err)
	pause := pauseAfterFailure
	switch {
	case errors.Is(err, lane.ErrCorrupt), errors.Is(err, lane.ErrUnreadable), errors.Is(err, errIdentity), errors.Is(err, errLost):
		r.fail("lane %d halts for good: %v", id, err)
	case errors.Is(err, lane.ErrFenced), errors.Is(err, errAbandoned):
		pause = pauseAfterLoss
	}
	p.again[id] = r.clock.Now().Add(pause)
	if p.sessions[id] != nil {
		p.sessions[id].heads.Close()
		delete(p.sessions, id)
	}
}

// open does what Relayer.session does before it runs.
func (r *simRun) open(p *simReplica, id score.Lane) error {
	opened, err := p.relayer.open(background(), id, p.relayer.deps.Log.With("lane", id))
	if err != nil {
		return err
	}
	s := &simSession{session: opened, replica: p}
	if r.plant == ownOnly {
		s.settler.creations = func(context.Context) (map[score.ProjectID]bool, uint64, error) {
			return lane.Lanes{id: &lane.State{Slots: s.lane.State.Slots, Queue: s.lane.State.Queue}}.Creations()
		}
		ask := s.settler.ask // of the chain as it began, or its word would do
		s.settler.ask = func(ctx context.Context, msg evidence.Call, _ common.Hash) ([]evidence.Called, error) {
			return ask(ctx, msg, r.chain.At(0).Hash)
		}
	}
	p.sessions[id] = s
	for _, m := range p.journal.early[id] {
		if held := s.lane.State.Buckets[m.Bucket]; held.Floor.Before(m.Floor) {
			held.Floor, held.Bound = m.Floor, nil
			s.lane.State.Buckets[m.Bucket] = held
		}
	}
	s.source = r.source
	return r.read(s)
}

// read has a session read from where its state says.
func (r *simRun) read(s *simSession) (err error) {
	s.reader, s.again = nil, nil
	if s.reads() {
		s.reader, err = r.source.Read(background(), s.intake.began)
	}
	return err
}

// step is one turn of session.run's loop: one thing is heard of, then what may be bound is.
func (r *simRun) step(s *simSession, what int) (err error) {
	switch what {
	case 0, 1:
		select {
		case u := <-s.heads.Views():
			err = s.hear(background(), u)
		default:
		}
	case 2:
		if s.reader != nil && s.intake.wantsMessage() {
			err = s.takeNext()
		}
	case 3:
		if s.reads() {
			err = s.takeAgain()
		}
	}
	before := s.lane.State.Buckets
	if err == nil && r.plant == givesEarly {
		err = s.giveEarly()
	}
	if err == nil {
		err = s.work(background())
	}
	if r.plant == givesOn {
		s.goOn(before)
	}
	if errors.Is(err, errReadAgain) {
		if err = s.intake.again(nil); err == nil {
			err = r.read(s)
		}
	}
	r.forgetParked(s)
	if r.plant == freesNonce {
		s.freeNonce()
	}
	return err
}

func (s *simSession) takeNext() error {
	record, err := s.reader.Next(background())
	switch {
	case errors.Is(err, errNoMore):
		return nil
	case err != nil:
		return err
	}
	return s.take(background(), record)
}

// takeAgain is what session.loop does with the second reading.
func (s *simSession) takeAgain() error {
	from, again, err := s.intake.ride()
	if again && err == nil {
		s.again, err = s.source.Read(background(), from)
	}
	if err != nil || !s.intake.wantsSecond() {
		return err
	}
	message, err := s.again.Next(background())
	if err != nil {
		return err // what the main reading took is there
	}
	return s.intake.takeSecond(message)
}

// simSends notes which sends were not answered.
type simSends struct {
	*model.Client
	replica *simReplica
	r       *simRun
}

func (c *simSends) Send(ctx context.Context, raw [][]byte) []txpool.Result {
	results := c.Client.Send(ctx, raw)
	for i := range results {
		c.r.note("send of %x: %v", raw[i][len(raw[i])-4:], results[i].Class)
		tx, err := c.r.chain.Decode(raw[i])
		if err == nil && (results[i].Class == txpool.FeeLow || results[i].Refused == txpool.FeeLow) {
			c.r.watch.cheap[tx.Hash()] = true
		}
		if err == nil && results[i].Class == txpool.Timeout {
			c.replica.timedOut = append(c.replica.timedOut, tx.Nonce())
		}
	}
	return results
}
