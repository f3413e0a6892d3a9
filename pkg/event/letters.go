package event

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// lookAtLetters finds the events of dead letters after the cursor.
func (t *turn) lookAtLetters(ctx context.Context) error {
	t.mu.Lock()
	now := t.letters
	t.mu.Unlock()
	if !now.read {
		return nil
	}
	if t.at.dead > now.through { // another process is ahead of this one, unless NATS lost some: then all come again
		last, err := t.DeadLetters.LastDeadLetter(ctx)
		if err != nil || t.at.dead <= last {
			return err
		}
		t.Logger.Info("the stream of dead letters ends before what a reader was told of, so NATS lost some, or the reader made its cursor up; the event log tells that reader of all that there are again",
			"project", t.project, "told", t.at.dead, "last", last)
		t.at.dead = 0
	}
	if t.at.dead < now.after {
		return t.olderLetters(ctx, now.after)
	}
	first := sort.Search(len(now.kept), func(i int) bool { return now.kept[i].seq > t.at.dead })
	for i := first; i < len(now.kept); i++ {
		if len(t.found) >= t.limit {
			return nil
		}
		if ref, ok := now.kept[i].Ref(); ok && ref.Project == t.project {
			if ok, err := t.letter(ctx, now.kept[i].seq, &now.kept[i].DeadLetter); err != nil || !ok {
				return err
			}
		}
	}
	t.at.dead = now.through
	return nil
}

// olderLetters reads the project's dead letters from the stream, at least up to a sequence.
func (t *turn) olderLetters(ctx context.Context, through uint64) error {
	leave, err := t.enterOlder(ctx)
	if err != nil {
		return err
	}
	defer leave()
	err = t.DeadLetters.DeadLettersAfter(ctx, t.at.dead, &t.project, func(seq uint64, d score.DeadLetter) error {
		if len(t.found) >= t.limit {
			return errRead
		}
		ok, err := t.letter(ctx, seq, &d)
		if err == nil && !ok {
			err = errRead
		}
		return err
	})
	switch {
	case errors.Is(err, errRead):
		return nil
	case err != nil:
		return fmt.Errorf("couldn't read dead letters: %w", err)
	}
	t.at.dead = max(t.at.dead, through)
	return nil
}

// letter adds what a dead letter tells: that something was rejected and, where it was accepted again, that too, which is one more event however often it is
// marked. ok is false where the directory is behind it.
func (t *turn) letter(ctx context.Context, seq uint64, d *score.DeadLetter) (ok bool, err error) {
	var rec *score.Record
	if d.Update != nil { // what it is of was in final blocks before it was accepted, and so before this was stored
		if rec, ok, err = t.recordFor(ctx, d.Update, d.Outcome, d.Time); err != nil || !ok {
			return false, err
		}
	}
	rejected, replayed, data := describe(rec, d)
	id := deadPrefix + strings.ReplaceAll(d.ID, ".", "-")
	e := Event{ID: id, Type: rejected, Time: d.Time.UTC(), Project: t.project, Data: data, After: t.at}
	if !d.Replayed.IsZero() {
		t.found = append(t.found, e) // the mark replaced the dead letter, which may have told nothing yet
		e.ID, e.Type, e.Time = id+"-replayed", replayed, d.Replayed.UTC()
	}
	t.at.dead = seq
	e.After = t.at
	t.found = append(t.found, e)
	return true, nil
}

// describe tells the types and the data of a dead letter's events; rec is the record of an update's project.
func describe(rec *score.Record, d *score.DeadLetter) (rejected, replayed Type, data any) {
	var on TxRef
	if d.Tx != (common.Hash{}) {
		on.Tx = &d.Tx
	}
	outcome := d.Outcome.String()
	switch {
	case d.Update != nil:
		update := updateData(rec, d.Update, d.Outcome)
		update.TxRef = on
		return UpdateRejected, UpdateReplayed, update
	case d.Edit != nil:
		return EditRejected, "", EditData{Nonce: d.Edit.Nonce, Owner: d.Edit.Owner, Edits: d.Edit.Edits, Outcome: outcome, TxRef: on}
	default:
		created := projectData(d.Project)
		created.Outcome, created.TxRef = outcome, on
		return ProjectRejected, ProjectReplayed, created
	}
}
