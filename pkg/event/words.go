package event

import (
	"context"
	"fmt"
	"time"

	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

// lists are how many actions and score types the contract had of a project at the end of a block. They only grow.
type lists struct {
	at                  evidence.Ref
	actions, scoreTypes int
}

// recordFor is the record in whose words an update is told. An event never changes, so what the record lacks is told as null only where the contract
// does not have it either, by a final block that is newer than a time; until that is known, or the record has it, ok is false, and the turn behind.
func (t *turn) recordFor(ctx context.Context, u *score.Update, outcome score.Outcome, since time.Time) (rec *score.Record, ok bool, err error) {
	rec, ok = t.Projects.Project(t.project)
	var known lists
	if ok {
		known.actions, known.scoreTypes = len(rec.Actions), len(rec.ScoreTypes)
	}
	lacks := func(l lists) (action, scoreType bool) { // what the outcome says is unknown is null at any time
		return outcome != score.UnknownAction && int(u.Action) >= l.actions, outcome != score.UnknownScoreType && int(u.ScoreType) >= l.scoreTypes
	}
	action, scoreType := lacks(known)
	if ok && !action && !scoreType {
		return rec, true, nil
	}
	final, ok, err := t.contractLists(ctx, since)
	if err != nil {
		return nil, false, err
	}
	if !ok { // a newer block comes by itself
		t.behind = true
		return nil, false, nil
	}
	noAction, noScoreType := lacks(final)
	if action && !noAction || scoreType && !noScoreType {
		t.waitForDirectory(u)
		return nil, false, nil
	}
	return rec, true, nil
}

// contractLists asks the contract at the tail's end, one reader for all; ok is false where that block is not newer than a time.
func (t *turn) contractLists(ctx context.Context, since time.Time) (l lists, ok bool, err error) {
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return l, false, ctx.Err()
	}
	t.mu.Lock()
	end, ok := t.tail.end()
	t.mu.Unlock()
	if !ok {
		return l, false, nil
	}
	if !since.IsZero() {
		if err := t.readTimes(ctx, []evidence.Ref{end}); err != nil {
			return l, false, err
		}
		if at, known := t.times.Get(end.Hash); !known || !at.After(since) {
			return l, false, nil
		}
	}
	if l, ok = t.lists.Get(t.project); ok && l.at == end {
		return l, true, nil
	}
	info, err := t.readProject(ctx, end)
	if err != nil {
		return l, false, fmt.Errorf("couldn't read what the contract has of project %s: %w", t.project, err)
	}
	l = lists{end, int(info.Actions), int(info.ScoreTypes)}
	t.lists.Add(t.project, l)
	return l, true, nil
}

// readProject asks the contract for the project at the end of a block.
func (t *turn) readProject(ctx context.Context, at evidence.Ref) (registry.ProjectInfo, error) {
	return registry.ReadProject(t.project).Do(ctx, func(ctx context.Context, data []byte) ([]byte, error) {
		return t.Chain.Call(ctx, evidence.Call{To: t.Deployment.Contract, Data: data}, at.Hash)
	})
}

// waitForDirectory notes that the project's record is older than an update, as it may be for a moment. If that lasts, for whichever reader, it is a stall.
func (t *turn) waitForDirectory(u *score.Update) {
	t.behind = true
	now, long := time.Now(), longPolls*t.Poll
	t.mu.Lock()
	if now.Sub(t.awaited) > long {
		t.awaits = now
	}
	t.awaited = now
	lasts := now.Sub(t.awaits) > long
	t.mu.Unlock()
	if lasts {
		t.stall(fmt.Errorf("the directory of projects is behind the chain: it does not have what update %s is of; the follower of the relayers brings it up to date", u.ID))
	}
}

// updateData tells of an update in its project's words, but for what was unknown when it was executed, and may be known since.
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
