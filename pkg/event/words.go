package event

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// lists are the lengths of a project's lists on the contract, as of block at.
type lists struct {
	at                  common.Hash
	actions, scoreTypes int
}

// recordFor returns the record that names an update's action and score type. ok is false if the contract has a name,
// as of the ledger's newest block, that the directory lacks. If both lack it, the name is null.
func (t *turn) recordFor(ctx context.Context, u *score.Update, outcome score.Outcome) (rec *score.Record, ok bool, err error) {
	rec, ok = t.Projects.Project(t.project)
	var known lists
	if ok {
		known.actions, known.scoreTypes = len(rec.Actions), len(rec.ScoreTypes)
	}
	lacks := func(l lists) (action, scoreType bool) { // a name that the outcome calls unknown is null anyway
		return outcome != score.UnknownAction && int(u.Action) >= l.actions, outcome != score.UnknownScoreType && int(u.ScoreType) >= l.scoreTypes
	}
	action, scoreType := lacks(known)
	if ok && !action && !scoreType {
		return rec, true, nil
	}
	final, err := t.contractLists(ctx)
	if err != nil {
		return nil, false, err
	}
	noAction, noScoreType := lacks(final)
	if action && !noAction || scoreType && !noScoreType {
		t.waitForDirectory(fmt.Sprintf("what update %s is of", u.ID))
		return nil, false, nil
	}
	return rec, true, nil
}

// contractLists reads the contract at the ledger's newest block, one reader at a time.
func (t *turn) contractLists(ctx context.Context) (l lists, err error) {
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return l, ctx.Err()
	}
	end, err := t.Source.End(ctx)
	if err != nil || end.Block.Number < t.Deployment.DeployBlock {
		return l, err
	}
	if l, ok := t.lists.Get(t.project); ok && l.at == end.Block.Hash {
		return l, nil
	}
	info, err := t.readProject(ctx, end.Block)
	if err != nil {
		return l, fmt.Errorf("couldn't read what the contract has of project %s: %w", t.project, err)
	}
	l = lists{end.Block.Hash, int(info.Actions), int(info.ScoreTypes)}
	t.lists.Add(t.project, l)
	return l, nil
}

// waitForDirectory notes that the directory lacks a fact. It reports whether readers have waited for too long, and
// logs that as a stall.
func (t *turn) waitForDirectory(lacks string) (lasts bool) {
	now, long := time.Now(), longPolls*t.Poll
	t.mu.Lock()
	if now.Sub(t.awaited) > long {
		t.awaits = now
	}
	t.awaited = now
	lasts = now.Sub(t.awaits) > long
	t.mu.Unlock()
	if lasts {
		t.stall(t.project, fmt.Errorf("the directory of projects is behind the ledger: it does not have %s; the relayer that folds the ledger brings it up to date", lacks))
	}
	return lasts
}

// updateData omits names that were unknown at execution and may be known since.
func updateData(rec *score.Record, u *score.Update, outcome score.Outcome) UpdateData {
	d := UpdateData{ID: u.ID, Target: u.Target, Signer: u.Signer, Outcome: outcome.String()}
	if rec != nil {
		d.Action, d.Points, d.ScoreType = rec.Words(u.Action, u.ScoreType)
	}
	switch outcome {
	case score.UnknownAction:
		d.Action, d.Points = nil, nil
	case score.UnknownScoreType:
		d.ScoreType = nil
	}
	return d
}
