package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

var (
	errIncomplete = errors.New("the endpoints' logs of the project are incomplete")
	errRead       = errors.New("the chain was replaced while records were made from it")
)

// remake is records made from the contract's events, as the endpoints give them.
type remake struct {
	all     bool // also of projects that are not in made yet
	made    map[score.ProjectID]*projectAt
	failed  map[score.ProjectID]error // whose events have gaps
	through evidence.Ref              // read up to this block; zero before the first range
}

func newRemake(all bool) *remake {
	return &remake{all: all, made: map[score.ProjectID]*projectAt{}, failed: map[score.ProjectID]error{}}
}

// read folds the events of the blocks from … to.
func (r *remake) read(ctx context.Context, f *DirectoryFold, from, to uint64) error {
	chain := ledger.Backfill{Chain: f.Chain, Deployment: f.Deployment, Topics: registry.ProjectTopics()}
	return chain.Read(ctx, max(from, f.Deployment.DeployBlock), to, func(messages []*ledger.Message) error {
		for _, m := range messages {
			for _, e := range projectEvents(m) {
				r.take(e)
			}
			r.through = m.Block
		}
		return nil
	})
}

func (r *remake) take(e projectEvent) {
	p := r.made[e.project]
	if p == nil && r.all {
		p = &projectAt{}
		r.made[e.project] = p
	}
	if p != nil && r.failed[e.project] == nil {
		if err := p.apply(e); err != nil {
			r.failed[e.project] = fmt.Errorf("%w: %w", errIncomplete, err)
		}
	}
}

// makeAll makes all records from the chain up to the ledger's end, replaces those that differ, and removes the others. What was read before an error is not
// read again. Position has no sequence: the ledger continues behind its block.
func (f *DirectoryFold) makeAll(ctx context.Context) (at ledger.Position, err error) {
	end, err := f.Source.End(ctx)
	if err != nil {
		return at, err
	}
	at = end.Position
	at.Seq = 0
	if f.all != nil && f.all.through != (evidence.Ref{}) {
		read, err := f.Chain.BlockByNumber(ctx, f.all.through.Number)
		if err != nil {
			return at, fmt.Errorf("couldn't read block %d: %w", f.all.through.Number, err)
		}
		if read.Ref() != f.all.through || read.Number > at.Block {
			f.all = nil
		}
	}
	if f.all == nil {
		f.all = newRemake(true)
	}
	r, began := f.all, time.Now()
	f.Log.Info("making the records of all projects from the contract's events", "from_block", max(f.Deployment.DeployBlock, r.through.Number+1), "to_block", at.Block)
	if err := r.read(ctx, f, r.through.Number+1, at.Block); err != nil {
		return at, err
	}
	to := r.through
	if to == (evidence.Ref{}) { // nothing had to be read
		to = end.Block
	}
	if to.Number != at.Block || [8]byte(to.Hash[:8]) != at.Hash {
		f.all = nil
		return at, fmt.Errorf("%w: block %d", errRead, at.Block)
	}
	f.followed.Position, f.lacking = "", map[score.ProjectID]bool{}
	for id, err := range r.failed {
		f.lack(id, err)
	}
	next := f.followed
	next.Position, next.Block, next.Hash = at.String(), to.Number, to.Hash
	if err := f.change(ctx, next, func() error { return f.replace(ctx, r) }); err != nil {
		return at, err
	}
	f.Log.Info("the records of all projects are made", "projects", len(r.made), "block", at.Block, "took", time.Since(began).Round(time.Millisecond))
	f.all = nil
	return at, nil
}

// replace stores all records that were made and are not stored as they are, and removes the others.
func (f *DirectoryFold) replace(ctx context.Context, r *remake) error {
	differ, gone := maps.Clone(r.made), []score.ProjectID{}
	maps.DeleteFunc(differ, func(id score.ProjectID, _ *projectAt) bool { return r.failed[id] != nil })
	err := f.Directory.Each(ctx, func(id score.ProjectID, stored score.DatedRecord) error {
		switch p := r.made[id]; {
		case p == nil:
			gone = append(gone, id)
		case same(stored, p.DatedRecord):
			delete(differ, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range gone {
		if err := f.Directory.Remove(ctx, f.revision, id); err != nil {
			return err
		}
	}
	for _, p := range differ {
		if err := f.put(ctx, p.DatedRecord); err != nil {
			return err
		}
	}
	return nil
}

// same reports whether two records are the same, as of the same event.
func same(a, b score.DatedRecord) bool {
	if a.Record == nil || a.Created != b.Created || a.Block != b.Block || a.LogIndex != b.LogIndex {
		return false
	}
	left, errLeft := json.Marshal(a.Record)
	right, errRight := json.Marshal(b.Record)
	return errors.Join(errLeft, errRight) == nil && bytes.Equal(left, right)
}

// takeBack brings every record back to what it was as of a block: as the directory's history has it, or else made again.
func (f *DirectoryFold) takeBack(ctx context.Context, to evidence.Ref) error {
	beyond, unknown := map[score.ProjectID]uint64{}, maps.Clone(f.lacking)
	err := f.Directory.Each(ctx, func(id score.ProjectID, stored score.DatedRecord) error {
		delete(unknown, id)
		if stored.Block > to.Number {
			beyond[id] = stored.Created
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id := range unknown { // it may have been created in what was replaced
		delete(f.lacking, id)
	}
	for id, created := range beyond {
		if created > to.Number || to.Number < f.Deployment.DeployBlock {
			delete(beyond, id)
			delete(f.lacking, id)
			if err := f.Directory.Remove(ctx, f.revision, id); err != nil {
				return err
			}
			continue
		}
		past, err := f.Directory.History(ctx, id)
		if err != nil {
			return err
		}
		if was := asOf(past, to.Number); was != nil {
			delete(beyond, id)
			if err := f.put(ctx, *was); err != nil {
				return err
			}
		}
	}
	return f.remake(ctx, beyond, to)
}

// asOf is what a record was as of a block, as its history tells, whose newest entry is first; nil if it does not tell: it does not reach that far, or holds
// no entry between events of both sides of the block's end.
func asOf(past []score.DatedRecord, block uint64) *score.DatedRecord {
	for i := range past {
		if past[i].Record != nil && past[i].Block <= block {
			return &past[i]
		}
		if past[i].Since <= block {
			return nil
		}
	}
	return nil
}

// remake makes the records of existing projects again as of a block, from their creations on: ids tells the blocks of these, 0 where it is not known.
func (f *DirectoryFold) remake(ctx context.Context, ids map[score.ProjectID]uint64, to evidence.Ref) error {
	if len(ids) == 0 {
		return nil
	}
	r, from := newRemake(false), to.Number
	for id, created := range ids {
		r.made[id], from = &projectAt{}, min(from, created)
	}
	if err := r.read(ctx, f, from, to.Number); err != nil {
		return err
	}
	if r.through != to {
		return fmt.Errorf("%w: block %d", errRead, to.Number)
	}
	for id, p := range r.made {
		err := r.failed[id]
		if err == nil && p.Record == nil {
			err = fmt.Errorf("%w: its creation", errIncomplete)
		}
		if err != nil {
			f.lack(id, err)
			continue
		}
		if err := f.put(ctx, p.DatedRecord); err != nil {
			return err
		}
		delete(f.lacking, id)
	}
	return nil
}

// lack notes a project whose record could not be made.
func (f *DirectoryFold) lack(id score.ProjectID, err error) {
	f.Log.Error("couldn't make a project's record again; it stays as it was until the endpoints give all its logs", "project", id, "err", err)
	f.lacking[id] = true
	f.repaired = time.Now()
}

// repair tries to make again what is lacking.
func (f *DirectoryFold) repair(ctx context.Context) error {
	f.repaired = time.Now()
	ids := map[score.ProjectID]uint64{}
	for id := range f.lacking {
		stored, err := f.Directory.Dated(ctx, id)
		if err != nil {
			return err
		}
		ids[id] = stored.Created
	}
	to := evidence.Ref{Number: f.followed.Block, Hash: f.followed.Hash}
	return f.change(ctx, f.followed, func() error { return f.remake(ctx, ids, to) })
}
