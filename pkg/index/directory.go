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

var ErrOtherDeployment = errors.New("the project directory belongs to another deployment")

const (
	idleCheckpoint = 30 * time.Second // most age of the checkpoint
	remakePause    = time.Minute      // minimum pause between rebuilds for gaps
)

// Directory stores project records, and a checkpoint with the position up to which they contain events. Each write
// names a revision of the checkpoint. If the checkpoint has a newer one, the write returns score.ErrFoldMoved, which
// stops late writers.
type Directory interface {
	// Followed returns revision 0 before the first checkpoint.
	Followed(ctx context.Context) (f score.Followed, revision uint64, err error)
	// SetFollowed replaces the checkpoint of that revision (0: none yet), and returns the new revision.
	SetFollowed(ctx context.Context, revision uint64, f score.Followed) (uint64, error)
	// Dated returns the zero value if the project is unknown.
	Dated(ctx context.Context, id score.ProjectID) (score.DatedRecord, error)
	// Each calls fn with every stored record; fn's first error ends it.
	Each(ctx context.Context, fn func(score.ProjectID, score.DatedRecord) error) error
	// Beyond lists the projects with records as of block from or later.
	Beyond(ctx context.Context, from uint64) ([]score.ProjectID, error)
	// Put returns score.ErrTooBig if this record is too big; others can still be put.
	Put(ctx context.Context, revision uint64, dated score.DatedRecord) error
	Remove(ctx context.Context, revision uint64, id score.ProjectID) error
}

// DirectoryFold is the ledger.Fold of the project directory.
//
// Begin writes the checkpoint first, so this fold has the newest revision, and all other writers fail. Apply stores
// the changed records, then the checkpoint with their position. The checkpoint is the commit point, always at the end
// of a block. If a writer dies before it, records are newer than the checkpoint. A record's newest event
// (DatedRecord.Block, LogIndex) shows which events the record contains.
type DirectoryFold struct {
	Deployment score.Deployment
	Chain      ledger.Chain // to rebuild records
	Source     *ledger.Source
	Directory  Directory
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: none

	metrics  *directoryMetrics
	followed score.Followed    // last read or written; Position and Block may be newer than stored
	revision uint64            // of this fold's last write
	written  time.Time         // time of that write
	seq      uint64            // of the newest message applied; 0 if from the chain
	parts    []*ledger.Message // of an incomplete block
	exact    bool              // all records are as of the checkpoint or earlier
	due      time.Time         // earliest next rebuild for gaps

	made    records      // during a rebuild
	through evidence.Ref // last block in made
}

// Verify only reads the checkpoint. It returns ErrOtherDeployment if that is of another contract or chain.
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

// Begin returns the position of the records. If the position is missing or lost, or a rebuild for gaps is due, it
// rebuilds all records from the chain.
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
	if err := f.set(ctx, f.followed); err != nil { // fences other writers
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

// Apply folds the project events of complete blocks. If a rollback removed a record's newest event, it returns
// ErrFoldMoved.
func (f *DirectoryFold) Apply(ctx context.Context, messages []*ledger.Message) error {
	if f.seq == 0 || messages[0].Seq != f.seq+1 { // from the chain: the ledger lacks the next message, perhaps a Rewind
		f.parts = nil
		if !f.exact { // a writer that died may have stored records of replaced blocks
			if err := f.rewind(ctx, evidence.Ref{Number: f.followed.Block, Hash: f.followed.Hash}); err != nil {
				return err
			}
			f.exact = true
		}
	}
	var through *ledger.Message // newest message that ends a block
	whole := 0                  // messages up to through
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

// Check returns ErrFoldMoved if a rebuild for gaps is due. It also writes the checkpoint every idleCheckpoint, since
// that write fails if the bucket lost the checkpoint.
func (f *DirectoryFold) Check(ctx context.Context) error {
	if f.followed.Gaps && time.Now().After(f.due) {
		return ledger.ErrFoldMoved
	}
	return f.fold(ctx, nil, nil)
}

// rewind returns nil if all records are as of block to or earlier. Otherwise it drops the checkpoint's position and
// returns ErrFoldMoved, so that Begin rebuilds all.
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

// forget drops the checkpoint's position, since blocks above to were replaced, or may be.
func (f *DirectoryFold) forget(to evidence.Ref) {
	f.metrics.reorgs.Inc()
	f.Log.Error("the project directory may be of final blocks that are not in the chain any more: a reorg deeper than finality; all records are made again",
		"was_block", f.followed.Block, "was_hash", f.followed.Hash, "to_block", to.Number, "to_hash", to.Hash)
	f.followed.Position, f.followed.Block, f.followed.Hash = "", to.Number, to.Hash
}

// fold stores the records that messages change, then the checkpoint. If an event does not follow from its project's
// record, the record stays, and Gaps causes a rebuild of all soon. Other projects are followed meanwhile.
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

func (f *DirectoryFold) set(ctx context.Context, to score.Followed) error {
	revision, err := f.Directory.SetFollowed(ctx, f.revision, to)
	if err != nil {
		return err
	}
	f.followed, f.revision, f.written = to, revision, time.Now()
	return nil
}

func (f *DirectoryFold) put(ctx context.Context, dated score.DatedRecord) error {
	err := f.Directory.Put(ctx, f.revision, dated)
	if errors.Is(err, score.ErrTooBig) {
		f.Log.Error("couldn't store a project's record; it stays as it was, so newer members and actions are not known to the API",
			"project", dated.ID, "block", dated.Block, "err", err)
		return nil
	}
	return err
}
