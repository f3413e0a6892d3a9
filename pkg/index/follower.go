package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/score"
)

// ErrOtherDeployment says that the directory was written for another contract or chain.
var ErrOtherDeployment = errors.New("the project directory belongs to another deployment")

// Defaults of a Follower, and DefaultPoll of a Restorer, too: how often it looks at the store.
const (
	DefaultPoll     = time.Second
	DefaultWindow   = 1024
	DefaultIdle     = 30 * time.Second
	DefaultRecheck  = 10 * time.Minute
	DefaultPatience = 2 * time.Minute
)

// followTries bounds how often a round begins again because another writer was faster.
const followTries = 8

// Follower writes the project directory from the contract's final events. Several may run over one directory.
type Follower struct {
	Deployment Deployment
	Chain      Chain // for what is older than the window
	Heads      Heads
	Blocks     Blocks
	Directory  Directory
	// Moved tells whether an error of the Directory says that the checkpoint has another revision.
	Moved func(error) bool
	// Skip tells whether an error of Directory.Put concerns only that one project, such as a document too large to store.
	// It is logged, the document stays as it was, and the others continue. nil means that none does.
	Skip func(error) bool

	Window   uint64        // blocks below the final one that are read with proof; 0 means DefaultWindow
	Poll     time.Duration // after what a round that failed is tried again, when no head comes; 0 means DefaultPoll
	Idle     time.Duration // how old the checkpoint gets while nothing happens; 0 means DefaultIdle
	Recheck  time.Duration // how often the records are held against the window; 0 means DefaultRecheck
	Patience time.Duration // see Follower.branch; 0 means DefaultPatience

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: none

	metrics  *followerMetrics
	window   *window
	followed evidence.Followed // the checkpoint, as last read or written
	revision uint64            // of it
	loaded   bool              // followed and revision are what the directory said
	written  time.Time         // when the checkpoint was last seen to move
	at       evidence.Ref      // as followed.At, and maybe farther: there was no event since
	first    evidence.Ref      // the first block followed, while there is no checkpoint
	doubt    doubt
	checked  time.Time                // when the records were last held against the window
	suspects map[score.ProjectID]bool // projects whose records lack something
}

// Run follows until ctx ends. What fails is tried again, also after a reorg deeper than finality; only ErrOtherDeployment,
// which no repetition cures, ends it. The context's end is no error.
func (f *Follower) Run(ctx context.Context) error {
	f.init()
	failing := ""
	for ctx.Err() == nil {
		changed := f.Heads.Changed()
		err := f.CatchUp(ctx)
		switch {
		case errors.Is(err, ErrOtherDeployment):
			return err
		case err == nil || ctx.Err() != nil:
			if failing != "" {
				f.Log.Info("following the contract's events again")
			}
			failing = ""
		case err.Error() != failing:
			f.Log.Warn("couldn't follow the contract's events; trying again", "err", err)
			failing = err.Error()
		}
		timer := time.NewTimer(f.pause(err))
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
	return nil
}

// pause is how long Run waits when no head comes.
func (f *Follower) pause(err error) time.Duration {
	if err != nil {
		return f.Poll
	}
	return f.Idle
}

func (f *Follower) init() {
	if f.window != nil {
		return
	}
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&f.Poll, DefaultPoll)
	set(&f.Idle, DefaultIdle)
	set(&f.Recheck, DefaultRecheck)
	set(&f.Patience, DefaultPatience)
	if f.Window == 0 {
		f.Window = DefaultWindow
	}
	f.window = newWindow(f.Heads, f.Blocks, f.Deployment.Contract)
	f.suspects = map[score.ProjectID]bool{}
	f.metrics = newFollowerMetrics(f.Metrics)
}

// CatchUp brings the directory up to the newest final block. It may end anywhere: the next call continues.
func (f *Follower) CatchUp(ctx context.Context) error {
	f.init()
	final, ok := f.Heads.Final()
	if !ok || final.Number < f.Deployment.Block {
		return nil
	}
	for range followTries {
		err := f.catchUp(ctx, final)
		if err == nil {
			return nil
		}
		f.loaded = false // the checkpoint may be stored, or another
		if !f.Moved(err) {
			return err
		}
	}
	return nil // other replicas keep moving it: they follow
}

func (f *Follower) catchUp(ctx context.Context, final evidence.Block) error {
	if ready, err := f.branch(ctx, final); err != nil || !ready {
		return err
	}
	if err := f.history(ctx, final); err != nil {
		return err
	}
	blocks, err := f.window.chain(ctx, f.next(f.at), final)
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
		logs, err := f.window.events(ctx, blocks)
		if err != nil {
			return err
		}
		if err := f.fold(ctx, final.Ref(), logs); err != nil {
			return err
		}
	}
	f.window.trim(final.Number - min(final.Number, f.Window))
	f.metrics.block.Set(float64(f.at.Number))
	return f.check(ctx, final)
}

// next is the first block after a position.
func (f *Follower) next(at evidence.Ref) uint64 {
	if at == (evidence.Ref{}) {
		return f.Deployment.Block
	}
	return at.Number + 1
}

// bottom is the window's lowest block.
func (f *Follower) bottom(final evidence.Block) uint64 {
	return max(f.Deployment.Block, final.Number+1-min(final.Number+1, f.Window))
}

// history folds what is older than the window: it has no proof but what endpoints say, and is read in ranges.
func (f *Follower) history(ctx context.Context, final evidence.Block) error {
	from, bottom := f.next(f.at), f.bottom(final)
	if from >= bottom {
		return nil
	}
	if f.at == (evidence.Ref{}) && from < bottom-1 {
		first, err := f.Chain.BlockByNumber(ctx, from)
		if err != nil {
			return fmt.Errorf("couldn't read the deployment's block: %w", err)
		}
		f.first = evidence.Ref{Number: first.Number, Hash: first.Hash}
	}
	return f.Chain.Logs(ctx, f.window.topics, from, bottom-1, func(through Block, logs []types.Log) error {
		return f.fold(ctx, evidence.Ref{Number: through.Number, Hash: through.Hash}, logs)
	})
}

// fold brings the events of the blocks after f.at up to through into the records they concern, in three steps: announce,
// write the records, move the checkpoint. Each is refused if another writer moved the checkpoint since.
func (f *Follower) fold(ctx context.Context, through evidence.Ref, logs []types.Log) error {
	if len(logs) > 0 {
		if f.followed.Ahead == nil || f.followed.Ahead.Number < through.Number {
			announced := f.followed
			announced.Ahead = &through
			if err := f.store(ctx, announced); err != nil {
				return err
			}
		}
		if err := f.records(ctx, logs); err != nil {
			return err
		}
	}
	f.at = through
	if len(logs) == 0 && f.revision != 0 && f.followed.Ahead == nil && time.Since(f.written) < f.Idle {
		return nil
	}
	return f.move(ctx)
}

// move writes the checkpoint at f.at.
func (f *Follower) move(ctx context.Context) error {
	moved := f.followed
	switch {
	case moved.At != evidence.Ref{}:
		moved.Trail = moved.Trail.With(moved.At)
	case f.first != evidence.Ref{}:
		moved.Trail = evidence.Trail{f.first}
	}
	moved.At = f.at
	if moved.Ahead != nil && moved.Ahead.Number <= f.at.Number {
		moved.Ahead = nil
	}
	return f.store(ctx, moved)
}

// records folds events into the records they concern, and stores those.
func (f *Follower) records(ctx context.Context, logs []types.Log) error {
	changed := projects{}
	for i := range logs {
		id, event, err := projectEvent(&logs[i])
		if err != nil {
			return err
		}
		if changed[id] == nil {
			p := &projectAt{}
			if p.record, p.block, p.logIndex, err = f.Directory.Project(ctx, id); err != nil {
				return err
			}
			changed[id] = p
		}
		if err := changed[id].apply(event, logs[i].BlockNumber, logs[i].Index); err != nil {
			f.Log.Error("an event does not follow from the directory's record of its project; making the record again from the chain",
				"project", id, "block", logs[i].BlockNumber, "err", err)
			f.suspect(id)
		}
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

// put stores a record, and passes over one that cannot be stored at all.
func (f *Follower) put(ctx context.Context, id score.ProjectID, p *projectAt) (stored bool, err error) {
	err = f.Directory.Put(ctx, f.revision, p.record, p.block, p.logIndex)
	if err != nil && f.Skip != nil && f.Skip(err) {
		f.Log.Error("couldn't store a project's record; it stays as it was, so newer members and actions are not known to the API",
			"project", id, "block", p.block, "err", err)
		return false, nil
	}
	return err == nil, err
}

// store writes the checkpoint.
func (f *Follower) store(ctx context.Context, next evidence.Followed) error {
	revision, err := f.Directory.SetFollowed(ctx, f.revision, next)
	if err != nil {
		return err
	}
	f.followed, f.revision, f.written = next, revision, time.Now()
	return nil
}

// load reads the checkpoint, if it may be another than the one known.
func (f *Follower) load(ctx context.Context) error {
	if f.loaded {
		return nil
	}
	followed, revision, err := f.Directory.Followed(ctx)
	if err != nil {
		return err
	}
	d := f.Deployment
	if revision == 0 {
		followed = evidence.Followed{ChainID: d.ChainID, Contract: d.Contract}
	}
	if followed.ChainID != d.ChainID || followed.Contract != d.Contract {
		return fmt.Errorf("%w: contract %s on chain %d, not %s on chain %d; empty the bucket, or use another NATS account",
			ErrOtherDeployment, followed.Contract, followed.ChainID, d.Contract, d.ChainID)
	}
	if revision != f.revision {
		f.written = time.Now()
	}
	f.followed, f.revision, f.at, f.loaded = followed, revision, followed.At, true
	return nil
}
