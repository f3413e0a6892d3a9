package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/retry"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrOtherDeployment says that the directory was written for another contract or chain.
var ErrOtherDeployment = errors.New("the project directory belongs to another deployment")

// Defaults of a Follower.
const (
	DefaultPoll     = time.Second
	DefaultRecent   = 1024
	DefaultIdle     = 30 * time.Second
	DefaultRecheck  = 10 * time.Minute
	DefaultPatience = 2 * time.Minute
)

// followTries bounds how often a round begins again because another writer was faster.
const followTries = 8

// Follower writes the project directory from the contract's final events. Several may run over one directory.
type Follower struct {
	Deployment score.Deployment
	Chain      Chain // for what is older than the recent blocks
	Heads      Heads
	Blocks     Blocks
	Directory  Directory

	Recent   uint64        // blocks below the final one that are read with proof; 0 means DefaultRecent
	Poll     time.Duration // after what a round that failed is tried again, when no head comes; 0 means DefaultPoll
	Idle     time.Duration // how old the checkpoint gets while nothing happens; 0 means DefaultIdle
	Recheck  time.Duration // how often the records are held against the recent blocks; 0 means DefaultRecheck
	Patience time.Duration // see Follower.branch; 0 means DefaultPatience

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: none

	metrics  *followerMetrics
	recent   *recent
	followed evidence.Followed // the checkpoint, as last read or written
	revision uint64            // of it
	loaded   bool              // followed and revision are what the directory said
	written  time.Time         // when the checkpoint was last seen to move
	at       evidence.Ref      // as followed.At, and maybe farther: there was no event since
	first    evidence.Ref      // the first block followed, while there is no checkpoint
	doubt    doubt
	checked  time.Time                // when the records were last held against the recent blocks
	suspects map[score.ProjectID]bool // projects whose records lack something
}

// Run follows until ctx ends. What fails is tried again, also after a reorg deeper than finality; only ErrOtherDeployment,
// which no repetition cures, ends it. The context's end is no error.
func (f *Follower) Run(ctx context.Context) error {
	f.init()
	trouble := retry.Trouble{
		Log: f.Log, Works: "the follower follows the contract's events again", Fails: "the follower couldn't follow the contract's events; it tries again",
	}
	for ctx.Err() == nil {
		changed, pause := f.Heads.Changed(), f.Idle
		err := f.CatchUp(ctx)
		if errors.Is(err, ErrOtherDeployment) {
			return err
		}
		trouble.Say(ctx, err)
		if panicked := (*retry.PanicError)(nil); errors.As(err, &panicked) {
			changed = nil // the pause is longer than from block to block
		}
		if err != nil {
			pause = trouble.Pause(f.Poll)
		}
		rest(ctx, pause, changed)
	}
	return nil
}

// rest waits for d, or until there is something new.
func rest(ctx context.Context, d time.Duration, changed <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-timer.C:
	}
}

func (f *Follower) init() {
	if f.recent != nil {
		return
	}
	f.Recent = cmp.Or(f.Recent, DefaultRecent)
	f.Poll = cmp.Or(f.Poll, DefaultPoll)
	f.Idle = cmp.Or(f.Idle, DefaultIdle)
	f.Recheck = cmp.Or(f.Recheck, DefaultRecheck)
	f.Patience = cmp.Or(f.Patience, DefaultPatience)
	f.recent = newRecent(f.Heads, f.Blocks, f.Deployment.Contract)
	f.suspects = map[score.ProjectID]bool{}
	f.metrics = newFollowerMetrics(f.Metrics)
}

// CatchUp brings the directory up to the newest final block. It may end anywhere: the next call continues.
func (f *Follower) CatchUp(ctx context.Context) error {
	f.init()
	final, ok := f.Heads.Final()
	if !ok || final.Number < f.Deployment.DeployBlock {
		return nil
	}
	for range followTries {
		err := retry.Contained(func() error { return f.catchUp(ctx, final) })
		if err == nil {
			return nil
		}
		f.loaded = false // the checkpoint may be stored, or another
		if !errors.Is(err, evidence.ErrMoved) {
			return err
		}
	}
	return nil // other replicas keep moving it: they follow
}

// catchUp makes sure of the branch, folds what is older than the recent blocks and then these, and checks the records.
func (f *Follower) catchUp(ctx context.Context, final evidence.Block) error {
	if ready, err := f.branch(ctx, final); err != nil || !ready {
		return err
	}
	if err := f.foldHistory(ctx, final); err != nil {
		return err
	}
	blocks, err := f.recent.chain(ctx, f.next(f.at), final)
	if err != nil {
		return err
	}
	if len(blocks) > 0 {
		if f.at != (evidence.Ref{}) && blocks[0].Parent != f.at.Hash {
			return fmt.Errorf("%w: block %d", errUnlinked, blocks[0].Number) // it was replaced just now
		}
		if f.at == (evidence.Ref{}) && len(blocks) > 1 {
			f.first = blocks[0].Ref()
		}
		events, err := f.recent.events(ctx, blocks)
		if err != nil {
			return err
		}
		if err := f.fold(ctx, final.Ref(), events); err != nil {
			return err
		}
	}
	f.recent.trim(final.Number - min(final.Number, f.Recent))
	f.metrics.block.Set(float64(f.at.Number))
	return f.check(ctx, final)
}

// next is the first block after a position.
func (f *Follower) next(at evidence.Ref) uint64 {
	if at == (evidence.Ref{}) {
		return f.Deployment.DeployBlock
	}
	return at.Number + 1
}

// bottom is the lowest of the recent blocks.
func (f *Follower) bottom(final evidence.Block) uint64 {
	return max(f.Deployment.DeployBlock, final.Number+1-min(final.Number+1, f.Recent))
}

// foldHistory folds what is older than the recent blocks.
func (f *Follower) foldHistory(ctx context.Context, final evidence.Block) error {
	from, bottom := f.next(f.at), f.bottom(final)
	if from >= bottom {
		return nil
	}
	if f.at == (evidence.Ref{}) && from < bottom-1 {
		first, err := f.Chain.BlockByNumber(ctx, from)
		if err != nil {
			return fmt.Errorf("couldn't read the deployment's block: %w", err)
		}
		f.first = first.Ref()
	}
	return f.history(ctx, from, bottom-1, func(through evidence.Ref, events []projectEvent) error { return f.fold(ctx, through, events) })
}

// history hands the project events of the blocks from … to, which are older than the recent blocks, to fn. They have no proof but
// what endpoints say, and come in ranges of blocks; through is the last block of a range.
func (f *Follower) history(ctx context.Context, from, to uint64, fn func(through evidence.Ref, events []projectEvent) error) error {
	return f.Chain.Logs(ctx, f.Deployment.Contract, f.recent.topics, from, to, func(through evidence.Block, logs []types.Log) error {
		events, err := projectEvents(logs)
		if err != nil {
			return err
		}
		return fn(through.Ref(), events)
	})
}

// fold brings the events of the blocks after f.at up to through into the records they concern, in three steps: announce,
// write the records, move the checkpoint. Each is refused if another writer moved the checkpoint since.
func (f *Follower) fold(ctx context.Context, through evidence.Ref, events []projectEvent) error {
	if len(events) > 0 {
		if f.followed.Ahead == nil || f.followed.Ahead.Number < through.Number {
			announced := f.followed
			announced.Ahead = &through
			if err := f.store(ctx, announced); err != nil {
				return err
			}
		}
		if err := f.records(ctx, events); err != nil {
			return err
		}
	}
	f.at = through
	if len(events) == 0 && f.revision != 0 && f.followed.Ahead == nil && time.Since(f.written) < f.Idle {
		return nil
	}
	return f.move(ctx)
}

// records folds events into the records they concern, and stores those.
func (f *Follower) records(ctx context.Context, events []projectEvent) (err error) {
	changed := projects{}
	for _, e := range events {
		if changed[e.project] != nil {
			continue
		}
		if changed[e.project], err = f.read(ctx, e.project); err != nil {
			return err
		}
	}
	for id, err := range changed.fold(events) {
		f.Log.Error("an event does not follow from the directory's record of its project; making the record again from the chain",
			"project", id, "err", err)
		f.suspect(id)
	}
	for id, p := range changed {
		if p.dirty {
			if _, err := f.put(ctx, id, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads a record and its position.
func (f *Follower) read(ctx context.Context, id score.ProjectID) (*projectAt, error) {
	record, block, logIndex, err := f.Directory.Project(ctx, id)
	return &projectAt{record: record, block: block, logIndex: logIndex}, err
}

// put stores a record, and passes over one that cannot be stored at all.
func (f *Follower) put(ctx context.Context, id score.ProjectID, p *projectAt) (stored bool, err error) {
	err = f.Directory.Put(ctx, f.revision, p.record, p.block, p.logIndex)
	if errors.Is(err, score.ErrTooBig) {
		f.Log.Error("couldn't store a project's record; it stays as it was, so newer members and actions are not known to the API",
			"project", id, "block", p.block, "err", err)
		return false, nil
	}
	return err == nil, err
}
