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

	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

const DefaultReread = 10 * time.Minute

const progressEvery = 30 * time.Second // between a rebuild's log lines

// Standings is the store of the projection of final executions. It may lose anything at any time.
type Standings interface {
	// Checkpoint returns the zero value if there is none.
	Checkpoint(ctx context.Context) (score.Checkpoint, error)
	// Begin starts a rebuild, complete at block target, as the generation that follows after, unless another writer
	// did. It returns the valid checkpoint.
	Begin(ctx context.Context, after, target uint64) (score.Checkpoint, error)
	// Advance moves the checkpoint, and may lower its target. It returns score.ErrFoldMoved if the stored checkpoint
	// is not from.
	Advance(ctx context.Context, from, to score.Checkpoint) error
	// Reach moves Checkpoint.Ahead, before parts are appended. It returns score.ErrFoldMoved if Ahead is not at from.
	Reach(ctx context.Context, generation uint64, from, to string) error
	// Create adds a project at a mark, unless it exists.
	Create(ctx context.Context, generation uint64, project score.ProjectID, at score.Mark) error
	// Marks returns how far each project's executions are stored; nil for an unknown project.
	Marks(ctx context.Context, generation uint64, projects []score.ProjectID) ([]*score.Mark, error)
	// Append adds the executions after the project's mark. It returns a score.GapError if the mark is before
	// part.From, or score.ErrNotProjected if the project is unknown.
	Append(ctx context.Context, generation uint64, part score.Part) error
	// Sweep removes older generations.
	Sweep(ctx context.Context, generation uint64) error
	// Process identifies the store's process, or returns "". If it changed, the newest writes may be lost.
	Process(ctx context.Context) (string, error)
	// Scores returns each wallet's scores of the first types score types, or a score.RebuildingError during a
	// rebuild.
	Scores(ctx context.Context, project score.ProjectID, types int, wallets []common.Address) ([][]int64, score.AsOf, error)
}

// Projects reads project records as of final blocks.
type Projects interface {
	// Project returns nil if the project is unknown.
	Project(ctx context.Context, id score.ProjectID) (*score.Record, error)
	// Beyond is as in Directory.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
}

// StandingsFold is the ledger.Fold of the standings.
//
// The store skips a part's executions up to the project's mark, and rejects a part that begins after it. So the fold
// may repeat any write. A mark counts a block's executions from its start, so all positions are at ends of blocks.
//
// The checkpoint is written last, so a single Redis that loses its newest writes loses it first. A Cluster may lose
// executions that its checkpoint covers. So the checkpoint contains its Redis process and an earlier position (Back).
// If the process changed or a part was rejected, the fold reads again from Back.
//
// A run that ends between its appends and the checkpoint leaves executions of later blocks. A reorg may replace these
// blocks. The fold then gets no Rewind if the ledger has lost it, or if a rebuild reads these blocks from the chain.
// So Ahead, the highest block appended, is stored before the appends, and each run first checks that it is canonical.
//
// All standings are rebuilt if the checkpoint or a project is missing, final blocks were replaced, or scores differ
// from the contract's. Every key contains the rebuild's generation number, so late writes of older ones stay unread.
type StandingsFold struct {
	Deployment score.Deployment
	Chain      Caller
	Source     *ledger.Source
	Projects   Projects
	Standings  Standings
	// Reread is the least age of the checkpoint's Back; the most is twice that. 0 means DefaultReread.
	Reread time.Duration

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: none

	metrics *standingsMetrics
	saw     score.Checkpoint
	current *stint
	gap     uint64 // first block with missing executions, or 0
	broken  uint64 // generation to rebuild
	why     string
	swept   uint64    // generations before this one were deleted
	differs time.Time // last rebuild because of a difference
	rebuild rebuild
}

type rebuild struct {
	generation uint64
	began      time.Time
	told       time.Time
}

// Begin returns the position to read from, and begins a rebuild if necessary.
func (f *StandingsFold) Begin(ctx context.Context, lost bool) (from ledger.Position, err error) {
	if f.metrics == nil {
		f.metrics = newStandingsMetrics(f.Metrics)
	}
	f.current = nil
	end, err := f.Source.End(ctx)
	if err != nil {
		return from, err
	}
	defer func() { f.lags(end) }()
	at, err := f.Standings.Checkpoint(ctx)
	if err != nil {
		return from, err
	}
	process, err := f.Standings.Process(ctx)
	if err != nil {
		return from, err
	}
	why := ""
	switch {
	case at.Generation == 0:
		why = "there are none: Redis is new or was flushed"
	case at.Generation == f.broken:
		why = f.why
	case lost:
		why = fmt.Sprintf("final block %d, %s, is not in the chain any more: a reorg deeper than finality", at.Block, at.Hash)
	}
	if why != "" {
		if at, err = f.begin(ctx, at, why, end.Position.Block); err != nil {
			return from, err
		}
	}
	f.see(at)
	if at.Rebuilding() && f.rebuild.generation != at.Generation {
		f.rebuild = rebuild{at.Generation, time.Now(), time.Now()}
	}
	if f.swept != at.Generation {
		if err := f.Standings.Sweep(ctx, at.Generation); err != nil {
			return from, err
		}
		f.swept = at.Generation
	}
	again := at.Position != "" && at.Process != process
	text := at.Position
	if again || f.gap > 0 {
		text = at.Back
	}
	if text != "" {
		if from, err = ledger.ParsePosition(text); err != nil {
			return from, fmt.Errorf("couldn't read the position of the standings: %w", err)
		}
	}
	if f.gap > 0 && from.Block >= f.gap {
		from = ledger.Position{Block: f.gap - 1, Letters: from.Letters}
	}
	var ahead ledger.Position
	if at.Ahead != "" {
		if ahead, err = ledger.ParsePosition(at.Ahead); err != nil {
			return from, fmt.Errorf("couldn't read how far the standings reach: %w", err)
		}
	}
	begun := ahead
	if at.Block > ahead.Block {
		begun = ledger.Position{Block: at.Block, Hash: [8]byte(at.Hash[:8])}
	}
	f.current = &stint{
		at: at, process: process, again: again, begun: begun, ahead: ahead, trusted: score.Mark{Block: from.Block + 1},
		marks: map[score.ProjectID]score.Mark{}, points: map[score.ProjectID][]int64{}, cut: map[score.ProjectID][]score.Part{},
	}
	return from, nil
}

// begin begins a rebuild, or joins another relayer's.
func (f *StandingsFold) begin(ctx context.Context, was score.Checkpoint, why string, target uint64) (score.Checkpoint, error) {
	at, err := f.Standings.Begin(ctx, was.Generation, target)
	if err != nil {
		return at, err
	}
	f.gap = 0
	f.rebuild = rebuild{at.Generation, time.Now(), time.Now()}
	f.metrics.rebuilds.Inc()
	level := slog.LevelWarn
	if was.Generation == 0 { // as at the first start
		level = slog.LevelInfo
	}
	f.Log.Log(ctx, level, "rebuilding the standings from the contract's events; until that is done leaderboards, histories and statistics cannot be read, "+
		"and all else works", "why", why, "from_block", f.Deployment.DeployBlock, "to_block", target)
	return at, nil
}

// Apply appends the executions of complete blocks, then moves the checkpoint: the commit point.
func (f *StandingsFold) Apply(ctx context.Context, messages []*ledger.Message) error {
	s := f.current
	err := f.Check(ctx)
	if err == nil {
		err = f.reach(ctx, s, messages)
	}
	var through *ledger.Message
	for i := 0; i < len(messages) && err == nil; i++ {
		switch m := messages[i]; {
		case m.Kind == ledger.Rewind:
			f.broken, f.why = s.at.Generation, fmt.Sprintf("final blocks above block %d, %s, are not in the chain any more: a reorg deeper than finality", m.Block.Number, m.Block.Hash)
			return ledger.ErrFoldMoved
		case m.Kind == ledger.Block:
			if n := len(s.parts); n > 0 && (s.parts[n-1].Block != m.Block || len(m.Events) == 0 || m.Events[0].Log <= s.parts[n-1].Events[0].Log) {
				s.parts = nil // the block comes again, from its beginning
			}
			s.parts = append(s.parts, m)
			if !m.Whole {
				continue
			}
			err = f.take(ctx, s)
			if m.Block.Hash != (common.Hash{}) {
				through = m
			}
			if err == nil && s.held >= cutsAtOnce {
				err = f.appendCut(ctx, s)
			}
		}
	}
	if err == nil {
		err = f.appendCut(ctx, s)
	}
	if err == nil && through != nil {
		err = f.advance(ctx, s, through)
	}
	return f.failed(s, err)
}

// reach checks, until reading has passed them, that the blocks of earlier parts are canonical. Then it notes the last
// block with events. The messages were read before the check, so a reorg in between does not escape it.
func (f *StandingsFold) reach(ctx context.Context, s *stint, messages []*ledger.Message) error {
	if s.begun.Block >= messages[0].Block.Number {
		err := f.Source.Stands(ctx, s.begun)
		if errors.Is(err, ledger.ErrReplaced) {
			f.broken, f.why = s.at.Generation, fmt.Sprintf("block %d, of which they may have executions, is not in the chain any more: a reorg deeper than finality", s.begun.Block)
			return ledger.ErrFoldMoved
		}
		if err != nil {
			return err
		}
	}
	to := s.ahead
	for _, m := range messages {
		if m.Kind == ledger.Rewind {
			break
		}
		if m.Kind == ledger.Block && m.Whole && len(m.Events) > 0 {
			to = ledger.Position{Block: m.Position.Block, Hash: m.Position.Hash}
		}
	}
	if to.Block <= s.ahead.Block {
		return nil
	}
	from := s.at.Ahead
	s.ahead, s.at.Ahead = to, to.String()
	return f.Standings.Reach(ctx, s.at.Generation, from, s.at.Ahead)
}

// failed records a loss that err reveals for the next Begin, and returns ErrFoldMoved.
func (f *StandingsFold) failed(s *stint, err error) error {
	gap := (*score.GapError)(nil)
	switch {
	case errors.As(err, &gap):
		f.Log.Warn("the standings have lost executions of a project, since Redis lost its newest writes; reading them again from the chain", "from_block", gap.Mark.Block)
		f.gap = max(gap.Mark.Block, 1)
		return ledger.ErrFoldMoved
	case errors.Is(err, score.ErrNotProjected):
		f.broken, f.why = s.at.Generation, "a project is missing in them"
		return ledger.ErrFoldMoved
	}
	return err
}

// Check returns score.ErrFoldMoved if the store's checkpoint or process changed.
func (f *StandingsFold) Check(ctx context.Context) error {
	s := f.current
	if end, err := f.Source.End(ctx); err == nil {
		defer func() { f.lags(end) }()
	}
	at, err := f.Standings.Checkpoint(ctx)
	if err == nil && (at.Generation != s.at.Generation || at.Position != s.at.Position || at.Ahead != s.at.Ahead) {
		err = fmt.Errorf("%w: its checkpoint is another one", score.ErrFoldMoved)
	}
	if err != nil {
		return err
	}
	return f.sameProcess(ctx, s)
}

func (f *StandingsFold) sameProcess(ctx context.Context, s *stint) error {
	process, err := f.Standings.Process(ctx)
	if err == nil && process != s.process {
		err = fmt.Errorf("%w: Redis is another process than a moment ago", score.ErrFoldMoved)
	}
	return err
}

// advance moves the checkpoint to the end of a block, unless the checkpoint covers that block already.
func (f *StandingsFold) advance(ctx context.Context, s *stint, through *ledger.Message) error {
	if s.at.Position != "" && through.Block.Number <= s.at.Block {
		return nil
	}
	now, to := time.Now().UTC().Truncate(time.Second), s.at
	to.Block, to.Hash, to.Time = through.Block.Number, through.Block.Hash, through.Time
	to.Position, to.Process = through.Position.String(), s.process
	if to.Anchored.IsZero() {
		to.Anchored = now
	}
	if now.Sub(to.Anchored) >= cmp.Or(f.Reread, DefaultReread) {
		to.Back, to.Anchor, to.Anchored = to.Anchor, to.Position, now
	}
	end, err := f.Source.End(ctx)
	if err != nil {
		return err
	}
	atEnd := end.Position.Block == through.Position.Block && end.Position.Hash == through.Position.Hash
	if atEnd {
		// A reorg deeper than finality may have made the ledger end below the target. The fold may have missed the
		// Rewind, since it reads blocks older than the ledger from the chain.
		to.Target = min(to.Target, to.Block)
	}
	if err := f.Standings.Advance(ctx, s.at, to); err != nil {
		return err
	}
	s.at, f.gap = to, 0
	f.see(to)
	f.tellProgress(to)
	if s.again {
		if err := f.whole(ctx, s); err != nil {
			return err
		}
		s.again = false
	}
	f.lags(end)
	if !atEnd {
		return nil
	}
	return f.check(ctx, s)
}

func (f *StandingsFold) see(at score.Checkpoint) {
	f.saw = at
	rebuilding := 0.0
	if at.Rebuilding() {
		rebuilding = 1
	}
	f.metrics.rebuilding.Set(rebuilding)
	f.metrics.block.Set(float64(at.Block))
}

func (f *StandingsFold) lags(end *ledger.Message) {
	if f.saw.Hash != (common.Hash{}) && end.Kind != ledger.Letter {
		f.metrics.behind.Set(max(0, end.Time.Sub(f.saw.Time).Seconds()))
	}
}

// Rest resets the gauges if another relayer runs the fold.
func (f *StandingsFold) Rest() {
	if f.metrics != nil {
		f.metrics.behind.Set(0)
		f.metrics.rebuilding.Set(0)
	}
}

func (f *StandingsFold) tellProgress(at score.Checkpoint) {
	if f.rebuild.generation != at.Generation || f.rebuild.generation == 0 {
		return
	}
	took := time.Since(f.rebuild.began).Round(time.Second)
	if !at.Rebuilding() {
		if !f.rebuild.told.IsZero() {
			f.Log.Info("the standings are complete again", "block", at.Block, "took", took)
		}
		f.rebuild.told = time.Time{}
	} else if time.Since(f.rebuild.told) >= progressEvery {
		f.rebuild.told = time.Now()
		f.Log.Info("rebuilding the standings", "block", at.Block, "of", at.Target, "took", took)
	}
}
