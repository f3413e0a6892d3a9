package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

const (
	repairViews = 16          // up to so many projects are looked up to read their history from their creation on
	repairTries = 5           // of storing records that were made again, while other writers move the checkpoint
	repairPause = time.Minute // before records that could not be made again are tried again
)

// errIncomplete says that the logs that an endpoint gave of a project do not make a record.
var errIncomplete = errors.New("the endpoints' logs of the project are incomplete")

// check holds the records against the events of the recent blocks, which are read with proof, and makes those again that lack one
// or have one that is not there: history before these comes without proof, and other versions of this program and
// operators write to the directory, too. It does so at first, then every Recheck.
func (f *Follower) check(ctx context.Context, final evidence.Block) error {
	if f.at != final.Ref() || f.followed.Ahead != nil || time.Since(f.checked) < f.Recheck {
		return nil
	}
	events, err := f.recent.between(ctx, f.bottom(final), final.Number, final)
	if err != nil {
		return err
	}
	newest := map[score.ProjectID][]projectEvent{}
	for _, e := range events {
		newest[e.project] = append(newest[e.project], e)
	}
	for id, events := range newest {
		p, err := f.read(ctx, id)
		if err != nil {
			return err
		}
		if p.block <= final.Number && !p.agrees(events) { // else another writer is farther
			f.suspect(id)
		}
	}
	f.checked = time.Now()
	if len(f.suspects) == 0 {
		return nil
	}
	defer func() { // also where it panics
		if len(f.suspects) > 0 {
			f.checked = f.checked.Add(min(repairPause, f.Recheck) - f.Recheck)
		}
	}()
	return f.repair(ctx, final)
}

// suspect notes that a project's record lacks something; the next check, which is now due, makes it again.
func (f *Follower) suspect(id score.ProjectID) {
	if !f.suspects[id] {
		f.suspects[id], f.checked = true, time.Time{}
		f.metrics.holes.Inc()
	}
}

// keepSuspect notes projects whose records could not be made again.
func (f *Follower) keepSuspect(failed map[score.ProjectID]error) {
	for id, err := range failed {
		f.Log.Error("couldn't make a project's record again; it stays as it was until the endpoints give all its logs", "project", id, "err", err)
		f.suspect(id)
	}
}

// repair makes the suspects' records again and stores them, as of the checkpoint that holds then.
func (f *Follower) repair(ctx context.Context, final evidence.Block) error {
	ids, through := slices.Collect(maps.Keys(f.suspects)), f.at
	f.Log.Warn("records of projects do not hold what the chain's events say; making them again", "projects", ids, "block", through.Number)
	made, failed, err := f.make(ctx, final, ids, through)
	if err != nil {
		return err
	}
	f.keepSuspect(failed)
	for range repairTries {
		if err = f.replace(ctx, made); !errors.Is(err, evidence.ErrMoved) {
			return err
		}
		f.loaded = false
		if err := f.load(ctx); err != nil {
			return err
		}
		f.loaded = false // the next round looks at its branch first
		to, ok := f.Heads.Block(f.at.Number)
		if f.followed.Ahead != nil || f.followed.Suspect || !ok || to.Hash != f.at.Hash {
			return nil // the next check does it
		}
		events, err := f.recent.between(ctx, through.Number+1, to.Number, to)
		if err != nil {
			return err
		}
		f.keepSuspect(made.foldOrDrop(events))
		if to.Number > through.Number {
			through = to.Ref()
		}
	}
	return err
}

// replace stores records, and forgets projects that have none.
func (f *Follower) replace(ctx context.Context, made projects) error {
	for id, p := range made {
		stored := true
		var err error
		if p.record == nil {
			err = f.Directory.Remove(ctx, f.revision, id)
		} else {
			stored, err = f.put(ctx, id, p)
		}
		if err != nil {
			return err
		}
		if stored {
			delete(f.suspects, id)
		}
	}
	return nil
}

// repairReplaced makes those records again that are as of blocks after a suspect checkpoint, of a chain that was replaced.
func (f *Follower) repairReplaced(ctx context.Context, final evidence.Block) error {
	if !f.followed.Suspect {
		return nil
	}
	ids, err := f.Directory.Beyond(ctx, f.next(f.followed.At))
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		made, failed, err := f.make(ctx, final, ids, f.followed.At)
		if err != nil {
			return err
		}
		if len(failed) > 0 && !f.doubt.lasts(f.revision, f.Patience) {
			return fmt.Errorf("couldn't make the records of %d projects again after a reorg: %w", len(failed), errors.Join(slices.Collect(maps.Values(failed))...))
		}
		f.keepSuspect(failed)
		if err := f.replace(ctx, made); err != nil {
			return err
		}
	}
	next := f.followed
	next.Suspect = false
	if err := f.store(ctx, next); err != nil {
		return err
	}
	f.doubt = doubt{}
	f.Log.Info("records of projects were made again after a reorg", "projects", len(ids), "block", next.At.Number)
	return nil
}

// make reads the records of projects as of a block from the contract's events: with proof as far as the recent blocks go. No
// record says that the project does not exist then. failed are those whose events have gaps.
func (f *Follower) make(ctx context.Context, final evidence.Block, ids []score.ProjectID, through evidence.Ref) (
	made projects, failed map[score.ProjectID]error, err error,
) {
	made, failed = projects{}, map[score.ProjectID]error{}
	for _, id := range ids {
		made[id] = &projectAt{}
	}
	if through == (evidence.Ref{}) {
		return made, failed, nil
	}
	from, bottom := f.created(ctx, final, ids), f.bottom(final)
	if from < bottom {
		err := f.history(ctx, from, min(bottom-1, through.Number), func(_ evidence.Ref, events []projectEvent) error {
			maps.Copy(failed, made.foldOrDrop(events))
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	events, err := f.recent.between(ctx, bottom, through.Number, final)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(failed, made.foldOrDrop(events))
	return made, failed, f.absent(ctx, final, through, made, failed)
}

// foldOrDrop folds events, and drops the projects of which some do not follow.
func (ps projects) foldOrDrop(events []projectEvent) (failed map[score.ProjectID]error) {
	failed = ps.fold(events)
	for id, err := range failed {
		failed[id] = fmt.Errorf("%w: %w", errIncomplete, err)
		delete(ps, id)
	}
	return failed
}

// created is the block from which on the projects' events are read.
func (f *Follower) created(ctx context.Context, final evidence.Block, ids []score.ProjectID) uint64 {
	if len(ids) > repairViews {
		return f.Deployment.DeployBlock
	}
	first := final.Number
	for _, id := range ids {
		info, err := f.project(ctx, final, id)
		if err != nil || !info.Exists() {
			return f.Deployment.DeployBlock
		}
		first = min(first, info.CreatedBlock)
	}
	return max(first, f.Deployment.DeployBlock)
}

func (f *Follower) project(ctx context.Context, final evidence.Block, id score.ProjectID) (registry.ProjectInfo, error) {
	return registry.ReadProject(id).Do(ctx, viewAt(f.Chain, f.Deployment.Contract, final.Hash))
}

// absent moves projects without a record to failed, unless the contract, too, says that they did not exist then.
func (f *Follower) absent(ctx context.Context, final evidence.Block, through evidence.Ref, made projects, failed map[score.ProjectID]error) error {
	for id, p := range made {
		if p.record != nil {
			continue
		}
		info, err := f.project(ctx, final, id)
		if err != nil {
			return fmt.Errorf("couldn't ask the contract for project %s: %w", id, err)
		}
		if info.Exists() && info.CreatedBlock <= through.Number {
			failed[id] = fmt.Errorf("%w: the contract says it was created in block %d", errIncomplete, info.CreatedBlock)
			delete(made, id)
		}
	}
	return nil
}
