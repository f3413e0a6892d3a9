package index

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/ledger"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// undated is the Block of a record that stays although its blocks may be replaced. It is above all blocks, so the
// record ignores events.
const undated = 1 << 62

// makeAll rebuilds all records in memory, from the chain's project events up to the ledger's end. Only then does it
// replace the stored records that differ and remove the others, so APIs never see a project's past. After an error,
// the next call keeps the events already read.
//
// Events older than the ledger have only the proof of Chain.Logs, so endpoints may leave some out (replaceOne).
func (f *DirectoryFold) makeAll(ctx context.Context) (at ledger.Position, err error) {
	began := time.Now()
	f.due = began.Add(remakePause) // even after an error, to follow the ledger meanwhile
	end, err := f.Source.End(ctx)
	if err != nil {
		return at, err
	}
	if at = end.Position; end.Kind != ledger.Rewind && !end.Whole { // perhaps within a block, which is read again from its start
		at.Seq = 0
	}
	read, err := f.standing(ctx, f.through)
	if err != nil {
		return at, err
	}
	if read == 0 || read > at.Block {
		f.made, f.through = records{}, evidence.Ref{}
	}
	from := max(f.Deployment.DeployBlock, f.through.Number+1)
	f.Log.Info("making the records of all projects from the contract's events", "from_block", from, "to_block", at.Block)
	chain := ledger.Backfill{Chain: f.Chain, Deployment: f.Deployment, Topics: registry.ProjectTopics()}
	err = chain.Read(ctx, from, at.Block, func(messages []*ledger.Message) error {
		err := f.made.fold(messages, nil)
		f.through = messages[len(messages)-1].Block
		return err
	})
	if err != nil {
		return at, err
	}
	to := f.through
	if to == (evidence.Ref{}) { // an empty range
		to = end.Block
	}
	if to.Number != at.Block || [8]byte(to.Hash[:8]) != at.Hash {
		f.through = evidence.Ref{}
		return at, fmt.Errorf("block %d was replaced while records were made up to it", at.Block)
	}
	next := f.followed
	next.Position, next.Block, next.Hash = at.String(), to.Number, to.Hash
	if next.Gaps, err = f.replace(ctx); err != nil {
		return at, err
	}
	if err := f.set(ctx, next); err != nil {
		return at, err
	}
	took := time.Since(began)
	f.Log.Info("the records of all projects are made", "projects", len(f.made), "block", at.Block, "took", took.Round(time.Millisecond))
	f.due = time.Now().Add(max(remakePause, 10*took)) // to follow the ledger most of the time
	f.made, f.through, f.seq, f.exact = nil, evidence.Ref{}, at.Seq, true
	return at, nil
}

// standing returns the number of a block if it is canonical, else 0.
func (f *DirectoryFold) standing(ctx context.Context, ref evidence.Ref) (uint64, error) {
	if ref.Hash == (common.Hash{}) {
		return 0, nil
	}
	b, err := f.Chain.BlockByNumber(ctx, ref.Number)
	if err != nil {
		return 0, fmt.Errorf("couldn't read block %d: %w", ref.Number, err)
	}
	if b.Hash != ref.Hash {
		return 0, nil
	}
	return b.Number, nil
}

// replace stores the rebuilt records. gaps reports whether endpoints left out events; then all are rebuilt later.
func (f *DirectoryFold) replace(ctx context.Context) (gaps bool, err error) {
	// If a stored record is as of a block up to upTo, that block is canonical.
	upTo, err := f.standing(ctx, evidence.Ref{Number: f.followed.Block, Hash: f.followed.Hash})
	if err != nil {
		return false, err
	}
	stored := map[score.ProjectID]score.DatedRecord{}
	for id := range f.made {
		stored[id] = score.DatedRecord{}
	}
	err = f.Directory.Each(ctx, func(id score.ProjectID, dated score.DatedRecord) error {
		stored[id] = dated
		return nil
	})
	if err != nil {
		return false, err
	}
	for id, was := range stored {
		gap, err := f.replaceOne(ctx, id, was, upTo)
		if err != nil {
			return false, err
		}
		gaps = gaps || gap
	}
	return gaps, nil
}

// replaceOne stores a project's rebuilt record if it differs from was, or removes the project. The endpoints left out
// events if the rebuild has a gap, or lacks the newest stored event of a block up to upTo. Then gap is true, and the
// stored record stays. It becomes undated if its newest event is above upTo, so perhaps in a replaced block.
func (f *DirectoryFold) replaceOne(ctx context.Context, id score.ProjectID, was score.DatedRecord, upTo uint64) (gap bool, err error) {
	p := projectAt{}
	if made := f.made[id]; made != nil {
		p = *made
	}
	block, log := was.Block, was.LogIndex // of the newest stored event known to be canonical
	if block > upTo {
		block, log = was.Created, 0
	}
	if p.gap == 0 && block > 0 && block <= upTo && !p.holds(block, log) {
		p.gap = block
	}
	if p.gap > 0 {
		f.Log.Error("the endpoints leave out events of a project; its record stays as it was, and is tried again in a while",
			"project", id, "block", p.gap)
	}
	switch {
	case p.gap > 0 && (was.Block <= upTo || was.Record == nil):
	case p.gap > 0:
		if was.Block = undated; was.Created > upTo {
			was.Created = undated
		}
		err = f.put(ctx, was)
	case p.Record == nil:
		err = f.Directory.Remove(ctx, f.revision, id)
	case !reflect.DeepEqual(was, p.DatedRecord):
		err = f.put(ctx, p.DatedRecord)
	}
	return p.gap > 0, err
}
