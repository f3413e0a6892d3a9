package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// Defaults of a Projector, and how often it tells how far a rebuild is.
const (
	DefaultPause  = 5 * time.Second
	DefaultReread = 10 * time.Minute

	progressEvery = 30 * time.Second
)

// errDoubtStandings is errDoubt of the standings.
var errDoubtStandings = errors.New("an endpoint has another block than the one up to which the standings were written; if that stays so, they are rebuilt")

// Projector keeps the standings: what is read of projects' executions in final blocks. Several may run; one of them works at a time.
type Projector struct {
	Deployment score.Deployment
	Chain      Chain // for what the process does not remember
	Payments   Payments
	Heads      Heads
	Blocks     Blocks
	Projects   Projects
	Standings  Standings
	Replica    string // its name among all that run

	Pause  time.Duration // after a round that failed; 0 means DefaultPause
	Idle   time.Duration // how long without a look while nothing happens; 0 means DefaultIdle
	Reread time.Duration // how much of the chain, by blocks' times, is read again where the store may have lost its newest writes; 0 means DefaultReread

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: none

	metrics *projectorMetrics
	saw     score.Checkpoint
	points  points // as of the generation of the newest stint
	current *stint
	process string    // the store's, as of the last round that ended well; "" before
	gap     uint64    // executions are missing from this block on, if it is not 0
	broken  uint64    // a generation in which something is missing or wrong
	why     string    // of broken
	swept   uint64    // the generation before which all was removed
	differs time.Time // when a difference last began a rebuild
	doubt   doubt
	rebuild rebuild
}

// rebuild is the rebuild under way, as far as this process knows.
type rebuild struct {
	generation uint64
	process    string // the store's, when it began or this process came to it
	began      time.Time
	told       time.Time
}

// Run projects until ctx ends, whose end is no error. What fails is tried again.
func (p *Projector) Run(ctx context.Context) error {
	p.init()
	trouble := retry.Trouble{
		Log: p.Log, Works: "the projector brings the standings up to date again",
		Fails: "the projector couldn't bring the standings (leaderboards, histories) up to date; it tries again, or another relayer does",
	}
	for ctx.Err() == nil {
		changed, pause := p.Heads.Changed(), p.Idle
		err := p.CatchUp(ctx)
		if trouble.Say(ctx, err); err != nil {
			changed, pause = nil, trouble.Pause(p.Pause)
		}
		rest(ctx, pause, changed)
	}
	return nil
}

func (p *Projector) init() {
	if p.metrics != nil {
		return
	}
	p.Pause = cmp.Or(p.Pause, DefaultPause)
	p.Idle = cmp.Or(p.Idle, DefaultIdle)
	p.Reread = cmp.Or(p.Reread, DefaultReread)
	p.points = points{}
	p.metrics = newProjectorMetrics(p.Metrics)
}

// CatchUp brings the standings up to the newest final block, unless another projector does. It may end anywhere: the next
// call continues.
func (p *Projector) CatchUp(ctx context.Context) (err error) {
	p.init()
	for range followTries {
		err = retry.Contained(func() error { return p.round(ctx) })
		if err == nil {
			return nil
		}
		gap, panicked := (*score.GapError)(nil), (*retry.PanicError)(nil)
		was := p.current
		p.current = nil // what was written is not known
		switch {
		case errors.Is(err, score.ErrProjectionMoved):
		case errors.Is(err, score.ErrNotProjected) && was != nil:
			p.broken, p.why = was.at.Generation, "a project is missing in them"
		case errors.As(err, &gap):
			p.Log.Warn("the standings have lost executions of a project, since Redis lost its newest writes; reading them again from the chain", "from_block", gap.Mark.Block)
			p.gap = max(gap.Mark.Block, 1)
		case errors.As(err, &panicked):
			p.swept = 0 // the next stint begins without the points that are known
			return err
		default:
			return err
		}
	}
	return err
}

// round makes sure that the standings are of this chain and brings them up to its final block. The commit point of each range
// of blocks is the store's Advance.
func (p *Projector) round(ctx context.Context) error {
	final, ok := p.Heads.Final()
	if !ok || final.Number < p.Deployment.DeployBlock {
		return nil
	}
	at, err := p.Standings.Checkpoint(ctx)
	if err != nil {
		p.metrics.lags(p.saw, final)
		return err
	}
	p.see(at, final)
	process, err := p.Standings.Process(ctx)
	if err != nil {
		return err
	}
	why, err := p.unusable(ctx, at, process, final)
	if err != nil {
		return err
	}
	if why == "" && (at.Block > final.Number || at.Block == final.Number && p.process == process && p.gap == 0) {
		return nil
	}
	if leads, err := p.leads(ctx); err != nil || !leads {
		return err
	}
	if why != "" {
		if at, err = p.begin(ctx, at, why, process, final); err != nil {
			return err
		}
	}
	if s := p.current; s == nil || s.at.Generation != at.Generation || s.at.Hash != at.Hash || s.process != process {
		if p.current, err = p.open(ctx, at, process, final); err != nil {
			return err
		}
	}
	if err := p.project(ctx, p.current, final); err != nil {
		return err
	}
	if p.process != process {
		if err := p.whole(ctx, p.current); err != nil {
			return err
		}
	}
	p.process, p.gap = process, 0
	return p.check(ctx, p.current, final)
}

// leads tells whether this projector is the one that works now. One leads for four pauses without a sign: longer than between two blocks of most
// chains, or each final block could have another leader, which begins by reading what the last one knew.
func (p *Projector) leads(ctx context.Context) (bool, error) {
	return p.Standings.Lead(ctx, p.Replica, 4*p.Pause)
}

// see shows how far the standings are.
func (p *Projector) see(at score.Checkpoint, final evidence.Block) {
	p.saw = at
	rebuilding := 0.0
	if at.Rebuilding() {
		rebuilding = 1
	}
	p.metrics.rebuilding.Set(rebuilding)
	p.metrics.block.Set(float64(at.Block))
	p.metrics.lags(at, final)
}

// lags sets how far the checkpoint is behind the final block.
func (m *projectorMetrics) lags(at score.Checkpoint, final evidence.Block) {
	if at.Hash != (common.Hash{}) {
		m.behind.Set(max(0, float64(int64(final.Time)-at.Time.Unix())))
	}
}

// unusable tells why the standings have to be rebuilt; "" if they can be continued.
func (p *Projector) unusable(ctx context.Context, at score.Checkpoint, process string, final evidence.Block) (why string, err error) {
	switch {
	case at.Generation == 0:
		return "there are none: Redis is new or was flushed", nil
	case at.Generation == p.broken:
		return p.why, nil
	case at.Rebuilding() && p.rebuild.generation == at.Generation && p.rebuild.process != process:
		// Blocks pass too fast for a part of them to be read again.
		return "Redis is another process than when the rebuild began, and may have lost some of it", nil
	case at.Hash == (common.Hash{}) || at.Block > final.Number:
		return "", nil
	}
	same, err := p.has(ctx, final, evidence.Ref{Number: at.Block, Hash: at.Hash})
	if err != nil || same {
		return "", err
	}
	return fmt.Sprintf("final block %d, %s, is not in the chain any more: a reorg deeper than finality, or another relayer's endpoints follow another branch",
		at.Block, at.Hash), nil
}

// has tells whether a block at or below the final one is in the chain. Where the process does not remember it an endpoint's word must do, of
// which a no must last.
func (p *Projector) has(ctx context.Context, final evidence.Block, ref evidence.Ref) (bool, error) {
	if ref.Number == final.Number {
		return ref == final.Ref(), nil
	}
	if b, ok := p.Heads.Block(ref.Number); ok {
		return b.Hash == ref.Hash, nil
	}
	b, err := p.Chain.BlockByNumber(ctx, ref.Number)
	if err != nil {
		return false, fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
	}
	if b.Hash != ref.Hash && !p.doubt.lasts(ref, 2*p.Pause) {
		return false, fmt.Errorf("%w: block %d was %s and is %s", errDoubtStandings, ref.Number, ref.Hash, b.Hash)
	}
	return b.Hash == ref.Hash, nil
}

// begin begins a rebuild, or joins the one that another projector began.
func (p *Projector) begin(ctx context.Context, was score.Checkpoint, why, process string, final evidence.Block) (score.Checkpoint, error) {
	at, err := p.Standings.Begin(ctx, was.Generation, final.Number)
	if err != nil {
		return at, err
	}
	p.gap = 0
	p.rebuild = rebuild{generation: at.Generation, process: process, began: time.Now(), told: time.Now()}
	p.metrics.rebuilds.Inc()
	p.see(at, final)
	level := slog.LevelWarn
	if was.Generation == 0 { // as at the first start
		level = slog.LevelInfo
	}
	p.Log.Log(ctx, level, "rebuilding the standings from the contract's events; until that is done leaderboards, histories and statistics cannot be read, "+
		"and all else works", "why", why, "from_block", p.Deployment.DeployBlock, "to_block", final.Number)
	return at, nil
}

// open begins a stint that continues from the checkpoint. Where the store may have lost what it was told last, some blocks are read
// again: the marks make what is there a repetition.
func (p *Projector) open(ctx context.Context, at score.Checkpoint, process string, final evidence.Block) (*stint, error) {
	if p.swept != at.Generation {
		if err := p.Standings.Sweep(ctx, at.Generation); err != nil {
			return nil, err
		}
		p.swept, p.points = at.Generation, points{} // those that are known may be of blocks that are gone
	}
	s := &stint{at: at, process: process, next: p.Deployment.DeployBlock, marks: map[score.ProjectID]score.Mark{}}
	if at.Rebuilding() && p.rebuild.generation != at.Generation {
		p.rebuild = rebuild{generation: at.Generation, process: process, began: time.Now(), told: time.Now()}
	}
	if at.Hash == (common.Hash{}) {
		return s, nil
	}
	s.next = max(s.next, at.Block+1)
	if rebuilt := p.rebuild.generation == at.Generation && p.rebuild.process == process; process != p.process && !rebuilt || p.gap != 0 {
		since, err := firstSince(ctx, p.Chain, p.Deployment.DeployBlock, min(s.next, final.Number), at.Time.Add(-p.Reread))
		if err != nil {
			return nil, err
		}
		s.next = min(s.next, since)
	}
	if p.gap != 0 {
		s.next = max(p.Deployment.DeployBlock, min(s.next, p.gap))
	}
	s.trusted = score.Mark{Block: s.next}
	return s, nil
}

// tellProgress tells how far a rebuild is, now and then, and its end.
func (p *Projector) tellProgress(at score.Checkpoint) {
	if p.rebuild.generation != at.Generation || p.rebuild.generation == 0 {
		return
	}
	took := time.Since(p.rebuild.began).Round(time.Second)
	if !at.Rebuilding() {
		if !p.rebuild.told.IsZero() {
			p.Log.Info("the standings are complete again", "block", at.Block, "took", took)
		}
		p.rebuild.told = time.Time{}
	} else if time.Since(p.rebuild.told) >= progressEvery {
		p.rebuild.told = time.Now()
		p.Log.Info("rebuilding the standings", "block", at.Block, "of", at.Target, "took", took)
	}
}

// firstSince is evidence.FirstSince of a chain.
func firstSince(ctx context.Context, chain Chain, from, to uint64, since time.Time) (uint64, error) {
	return evidence.FirstSince(from, to, since, func(number uint64) (evidence.Block, error) { return chain.BlockByNumber(ctx, number) })
}
