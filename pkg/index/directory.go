package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrOtherDeployment reports that the directory was written for another contract or chain.
var ErrOtherDeployment = errors.New("the project directory belongs to another deployment")

const (
	idleCheckpoint = 30 * time.Second // how old the checkpoint gets while no project changes
	repairPause    = time.Minute      // before records whose events have gaps are made again
)

// Directory keeps project records, and the checkpoint that tells up to where events are in them. Every write is made under a revision of the
// checkpoint and stored only while that is its newest one: else it is score.ErrFoldMoved.
type Directory interface {
	// Followed is the checkpoint; revision 0 when there is none.
	Followed(ctx context.Context) (f score.Followed, revision uint64, err error)
	// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new one's.
	SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error)
	// Dated returns a record; the zero value when it is unknown.
	Dated(ctx context.Context, id score.ProjectID) (score.DatedRecord, error)
	// History returns what was stored of a project, the newest first, as far back as it is kept; of what was removed the zero value.
	History(ctx context.Context, id score.ProjectID) ([]score.DatedRecord, error)
	// Each calls fn with every record. An error of fn ends it.
	Each(ctx context.Context, fn func(score.ProjectID, score.DatedRecord) error) error
	// Put stores a record. score.ErrTooBig: it cannot be stored, and concerns only that project.
	Put(ctx context.Context, revision uint64, dated score.DatedRecord) error
	// Remove forgets a project.
	Remove(ctx context.Context, revision uint64, id score.ProjectID) error
}

// DirectoryFold is the ledger.Fold that keeps the project directory. Any number may run over one directory.
type DirectoryFold struct {
	Deployment score.Deployment
	Chain      ledger.Chain // for records that have to be made again
	Source     *ledger.Source
	Directory  Directory
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: none

	metrics  *directoryMetrics
	followed score.Followed // the checkpoint, as last read or written; Position and Block may be newer, if no record changed since
	revision uint64         // of it
	written  time.Time      // when it was last read or written
	events   []projectEvent // of a block that is not whole yet
	lacking  map[score.ProjectID]bool
	repaired time.Time // when those were last made again
	all      *remake   // of all records, while that is under way
}

// Verify reads the checkpoint. ErrOtherDeployment: the directory is of another contract or chain, and stays as it is.
func (f *DirectoryFold) Verify(ctx context.Context) (err error) {
	if f.followed, f.revision, err = f.Directory.Followed(ctx); err != nil {
		return err
	}
	d, c := f.Deployment, &f.followed
	if f.revision == 0 {
		c.ChainID, c.Contract = d.ChainID, d.Contract
	}
	if c.ChainID != d.ChainID || c.Contract != d.Contract {
		return fmt.Errorf("%w: contract %s on chain %d, not %s on chain %d; empty the KV bucket PROJECTS, or use another NATS account",
			ErrOtherDeployment, c.Contract, c.ChainID, d.Contract, d.ChainID)
	}
	return nil
}

// Begin returns up to where the records are, once they are just that. Where none are, or lost says that they are of a chain that was replaced, it makes
// all of them from the chain.
func (f *DirectoryFold) Begin(ctx context.Context, lost bool) (at ledger.Position, err error) {
	if f.metrics == nil {
		f.metrics = newDirectoryMetrics(f.Metrics)
	}
	if err := f.Verify(ctx); err != nil {
		return at, err
	}
	c := &f.followed
	f.events, f.written, f.lacking = nil, time.Now(), map[score.ProjectID]bool{}
	for _, id := range c.Lacking {
		f.lacking[id] = true
	}
	if lost {
		f.all = nil
		f.tookBack(c.Block, c.Hash, evidence.Ref{})
	}
	if lost || c.Position == "" {
		return f.makeAll(ctx)
	}
	if at, err = ledger.ParsePosition(c.Position); err != nil {
		return at, fmt.Errorf("couldn't read the directory's checkpoint %q: %w", c.Position, err)
	}
	if c.Writing { // by a writer that died, or that this stops
		err = f.change(ctx, *c, func() error { return f.takeBack(ctx, evidence.Ref{Number: c.Block, Hash: c.Hash}) })
	}
	return at, err
}

// Apply folds project events of whole blocks. In every write of a record, the checkpoint says that records may be newer than it.
func (f *DirectoryFold) Apply(ctx context.Context, messages []*ledger.Message) error {
	var through *ledger.Message // the newest that ends a block
	whole := 0                  // events up to there
	for _, m := range messages {
		switch {
		case m.Kind == ledger.Rewind:
			if err := f.fold(ctx, f.events[:whole], through); err != nil {
				return err
			}
			f.events, whole, through = nil, 0, nil
			if err := f.rewind(ctx, m); err != nil {
				return err
			}
		case m.Kind == ledger.Block:
			f.events = append(f.events, projectEvents(m)...)
			if m.Whole && m.Block.Hash != (common.Hash{}) {
				whole, through = len(f.events), m
			}
		}
	}
	if err := f.fold(ctx, f.events[:whole], through); err != nil {
		return err
	}
	f.events = f.events[whole:]
	f.metrics.block.Set(float64(f.followed.Block))
	return nil
}

// Check makes records again that have gaps, and writes the checkpoint now and then, which shows whether the bucket still holds it.
func (f *DirectoryFold) Check(ctx context.Context) error {
	if len(f.lacking) > 0 && time.Since(f.repaired) >= repairPause {
		return f.repair(ctx)
	}
	return f.fold(ctx, nil, nil)
}

// after is the checkpoint after a message that ends a block.
func (f *DirectoryFold) after(m *ledger.Message) score.Followed {
	c := f.followed
	if m != nil {
		c.Position, c.Block, c.Hash = m.Position.String(), m.Block.Number, m.Block.Hash
	}
	return c
}

// fold brings events into the records they concern. Where one does not follow from its record, the record is made again from the chain.
func (f *DirectoryFold) fold(ctx context.Context, events []projectEvent, through *ledger.Message) (err error) {
	to := f.after(through)
	if len(events) == 0 {
		f.followed = to
		if time.Since(f.written) < idleCheckpoint {
			return nil
		}
		return f.set(ctx, to)
	}
	changed, gaps := map[score.ProjectID]*projectAt{}, map[score.ProjectID]uint64{}
	for _, e := range events {
		p := changed[e.project]
		if p == nil {
			p = &projectAt{}
			if p.DatedRecord, err = f.Directory.Dated(ctx, e.project); err != nil {
				return err
			}
			changed[e.project] = p
		}
		if _, had := gaps[e.project]; !had {
			if gap := p.apply(e); gap != nil {
				f.metrics.holes.Inc()
				f.Log.Error("an event does not follow from the directory's record of its project; making the record again from the chain",
					"project", e.project, "err", gap)
				gaps[e.project] = p.Created
			}
		}
	}
	return f.change(ctx, to, func() error {
		for id, p := range changed {
			if _, gap := gaps[id]; gap || !p.dirty {
				continue
			}
			if err := f.put(ctx, p.DatedRecord); err != nil {
				return err
			}
		}
		return f.remake(ctx, gaps, through.Block)
	})
}

// rewind takes records back to before the events of replaced blocks.
func (f *DirectoryFold) rewind(ctx context.Context, m *ledger.Message) error {
	was := f.followed
	if err := f.change(ctx, f.after(m), func() error { return f.takeBack(ctx, m.Block) }); err != nil {
		return err
	}
	f.tookBack(was.Block, was.Hash, m.Block)
	return nil
}

// tookBack tells of a reorg deeper than finality; to no block where all records have to be made again.
func (f *DirectoryFold) tookBack(block uint64, hash common.Hash, to evidence.Ref) {
	f.metrics.reorgs.Inc()
	f.Log.Error("final blocks that the project directory was written from are not in the chain any more: a reorg deeper than finality; records of projects are taken back",
		"was_block", block, "was_hash", hash, "to_block", to.Number, "to_hash", to.Hash)
}

// change has do write records, between two writes of the checkpoint: the first one stops other writers, and says that records may be newer than it tells; the second
// one is the commit point.
func (f *DirectoryFold) change(ctx context.Context, to score.Followed, do func() error) error {
	writing := f.followed
	writing.Writing = true
	if err := f.set(ctx, writing); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	to.Writing = false
	return f.set(ctx, to)
}

func (f *DirectoryFold) set(ctx context.Context, to score.Followed) error {
	to.Lacking = slices.SortedFunc(maps.Keys(f.lacking), func(a, b score.ProjectID) int { return bytes.Compare(a[:], b[:]) })
	revision, err := f.Directory.SetFollowed(ctx, f.revision, to)
	if err != nil {
		return err
	}
	f.followed, f.revision, f.written = to, revision, time.Now()
	return nil
}

// put stores a record, and passes over one that cannot be stored at all.
func (f *DirectoryFold) put(ctx context.Context, dated score.DatedRecord) error {
	err := f.Directory.Put(ctx, f.revision, dated)
	if errors.Is(err, score.ErrTooBig) {
		f.Log.Error("couldn't store a project's record; it stays as it was, so newer members and actions are not known to the API",
			"project", dated.ID, "block", dated.Block, "err", err)
		return nil
	}
	return err
}
