package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	remakePause    = time.Minute      // between two remakes because of gaps, at least
)

// Directory keeps project records, and the checkpoint that tells up to where events are in them. Every write is made
// under a revision of the checkpoint and stored only while that is its newest one: else it is score.ErrFoldMoved.
type Directory interface {
	// Followed is the checkpoint; revision 0 when there is none.
	Followed(ctx context.Context) (f score.Followed, revision uint64, err error)
	// SetFollowed replaces the checkpoint of that revision, 0 for none, and returns the new one's.
	SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error)
	// Dated returns a record; the zero value when it is unknown.
	Dated(ctx context.Context, id score.ProjectID) (score.DatedRecord, error)
	// Each calls fn with every record. An error of fn ends it.
	Each(ctx context.Context, fn func(score.ProjectID, score.DatedRecord) error) error
	// Beyond lists the projects whose records are as of a block at or after from.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
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
	followed score.Followed    // the checkpoint, as last read or written; Position and Block may be newer, if no record changed since
	revision uint64            // of it; of a write of this fold, so that no other one can store anything
	written  time.Time         // when it was last written
	seq      uint64            // of the newest message
	parts    []*ledger.Message // of a block that is not whole yet
	exact    bool              // no record is newer than the checkpoint
	due      time.Time         // when records are made again because of gaps

	made    records      // all, while they are made from the chain
	through evidence.Ref // up to which block
}

// Verify reads the checkpoint. ErrOtherDeployment: the directory is of another contract or chain, and stays as it is.
func (f *DirectoryFold) Verify(ctx context.Context) (err error) {
	if f.followed, f.revision, err = f.Directory.Followed(ctx); err != nil {
		return err
	}
	d, c := f.Deployment, f.followed
	if f.revision == 0 {
		f.followed.ChainID, f.followed.Contract = d.ChainID, d.Contract
	} else if c.ChainID != d.ChainID || c.Contract != d.Contract {
		return fmt.Errorf("%w: contract %s on chain %d, not %s on chain %d; empty the KV bucket PROJECTS, or use another NATS account",
			ErrOtherDeployment, c.Contract, c.ChainID, d.Contract, d.ChainID)
	}
	return nil
}

// Begin returns up to where the records are. Where none are, or they may be of blocks that were replaced, it makes all of
// them from the chain.
func (f *DirectoryFold) Begin(ctx context.Context, lost bool) (at ledger.Position, err error) {
	if f.metrics == nil {
		f.metrics = newDirectoryMetrics(f.Metrics)
	}
	if err := f.Verify(ctx); err != nil {
		return at, err
	}
	f.parts, f.seq, f.exact = nil, 0, false
	if lost {
		f.forget(evidence.Ref{})
	}
	if err := f.set(ctx, f.followed); err != nil { // stops other writers
		return at, err
	}
	if f.followed.Position == "" || f.followed.Gaps && time.Now().After(f.due) {
		return f.makeAll(ctx)
	}
	if at, err = ledger.ParsePosition(f.followed.Position); err != nil {
		return at, fmt.Errorf("couldn't read the directory's checkpoint %q: %w", f.followed.Position, err)
	}
	f.seq = at.Seq
	return at, nil
}

// Apply folds project events of whole blocks.
func (f *DirectoryFold) Apply(ctx context.Context, messages []*ledger.Message) error {
	if f.seq == 0 || messages[0].Seq != f.seq+1 { // of the chain: the ledger does not hold what comes next, which may be a Rewind
		f.parts = nil
		if !f.exact { // what a writer that died stored may be of blocks that were replaced
			if err := f.rewind(ctx, evidence.Ref{Number: f.followed.Block, Hash: f.followed.Hash}); err != nil {
				return err
			}
			f.exact = true
		}
	}
	var through *ledger.Message // the newest that ends a block
	whole := 0                  // messages up to there
	for _, m := range messages {
		switch m.Kind {
		case ledger.Rewind:
			if err := f.rewind(ctx, m.Block); err != nil {
				return err
			}
			f.parts = slices.DeleteFunc(f.parts, func(p *ledger.Message) bool { return p.Block.Number > m.Block.Number })
			whole, through = len(f.parts), m
		case ledger.Block:
			if f.parts = append(f.parts, m); m.Whole && m.Block.Hash != (common.Hash{}) {
				whole, through = len(f.parts), m
			}
		}
	}
	if err := f.fold(ctx, f.parts[:whole], through); err != nil {
		return err
	}
	f.parts, f.seq = slices.Clone(f.parts[whole:]), messages[len(messages)-1].Seq
	f.metrics.block.Set(float64(f.followed.Block))
	return nil
}

// Check has records made again that have gaps, and writes the checkpoint now and then, which shows whether the bucket
// still holds it.
func (f *DirectoryFold) Check(ctx context.Context) error {
	if f.followed.Gaps && time.Now().After(f.due) {
		return ledger.ErrFoldMoved // Begin makes them
	}
	return f.fold(ctx, nil, nil)
}

// rewind is nil if no record is as of a block above one. Else Begin makes all again.
func (f *DirectoryFold) rewind(ctx context.Context, to evidence.Ref) error {
	beyond, err := f.Directory.Beyond(ctx, to.Number+1)
	if err != nil || len(beyond) == 0 {
		return err
	}
	f.forget(to)
	if err := f.set(ctx, f.followed); err != nil {
		return err
	}
	return ledger.ErrFoldMoved
}

// forget makes a checkpoint by which all records have to be made again, since blocks above one were replaced, or may be.
func (f *DirectoryFold) forget(to evidence.Ref) {
	f.metrics.reorgs.Inc()
	f.Log.Error("the project directory may be of final blocks that are not in the chain any more: a reorg deeper than finality; all records are made again",
		"was_block", f.followed.Block, "was_hash", f.followed.Hash, "to_block", to.Number, "to_hash", to.Hash)
	f.followed.Position, f.followed.Block, f.followed.Hash = "", to.Number, to.Hash
}

// fold stores the records that messages change, and then up to where they are. Where an event does not follow from its
// project's record, that one stays as it is, and all are made again soon.
func (f *DirectoryFold) fold(ctx context.Context, messages []*ledger.Message, through *ledger.Message) error {
	to, changed := f.followed, records{}
	if through != nil {
		to.Position, to.Block, to.Hash = through.Position.String(), through.Block.Number, through.Block.Hash
	}
	err := changed.fold(messages, func(id score.ProjectID) (score.DatedRecord, error) { return f.Directory.Dated(ctx, id) })
	if err != nil {
		return err
	}
	if len(changed) == 0 && time.Since(f.written) < idleCheckpoint {
		f.followed = to
		return nil
	}
	for id, p := range changed {
		if p.gap > 0 {
			to.Gaps = true
			f.metrics.holes.Inc()
			f.Log.Error("an event does not follow from the directory's record of its project; all records are made again from the chain",
				"project", id, "block", p.gap)
		} else if p.changed {
			if err := f.put(ctx, p.DatedRecord); err != nil {
				return err
			}
		}
	}
	return f.set(ctx, to)
}

// set replaces the checkpoint.
func (f *DirectoryFold) set(ctx context.Context, to score.Followed) error {
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
