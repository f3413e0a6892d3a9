// Package deadletter finds, lists and replays dead letters, for `scorelay dlq` and /ops.
package deadletter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
	"github.com/scorelay/scorelay/pkg/stream"
)

// ID returns an id for people, from a hash of the letter's id in the stream. A mark as replayed leaves it unchanged.
func ID(d *score.DeadLetter) string {
	sum := sha256.Sum256([]byte(d.ID))
	return hex.EncodeToString(sum[:6])
}

// Document is a dead letter as JSON, with the field names of the HTTP API.
type Document struct {
	ID   string     `json:"id"`
	Lane score.Lane `json:"lane"`
	// of the creation, edit or corrupt message; for an update the start of its batch
	Sequence        uint64            `json:"sequence"`
	Time            time.Time         `json:"time"`
	Outcome         string            `json:"outcome"`
	Reason          string            `json:"reason"`
	Update          *Update           `json:"update,omitempty"`
	Project         *score.Project    `json:"project,omitempty"`
	Edit            *score.SignedEdit `json:"edit,omitempty"`
	Raw             []byte            `json:"raw,omitempty"` // base64 of an unreadable message
	TransactionHash *common.Hash      `json:"transactionHash,omitempty"`
	Replayed        *time.Time        `json:"replayed,omitempty"`
}

type Update struct {
	ProjectID    score.ProjectID `json:"projectId"`
	UpdateID     score.UpdateID  `json:"updateId"`
	Signer       common.Address  `json:"signer"`
	TargetWallet common.Address  `json:"targetWallet"`
	Action       uint8           `json:"actionIndex"`
	ScoreType    uint8           `json:"scoreTypeIndex"`
	Signed       bool            `json:"signed"` // in a signed group
}

func DocumentOf(d *score.DeadLetter) Document {
	doc := Document{
		ID: ID(d), Lane: d.Lane, Sequence: d.Seq, Time: d.Time, Outcome: d.Outcome.String(), Reason: d.Reason,
		Project: d.Project, Edit: d.Edit, Raw: d.Raw,
	}
	if u := d.Update; u != nil {
		doc.Update = &Update{
			ProjectID: u.Project, UpdateID: u.ID, Signer: u.Signer, TargetWallet: u.Target, Action: u.Action,
			ScoreType: u.ScoreType, Signed: d.Signed,
		}
	}
	if d.Tx != (common.Hash{}) {
		doc.TransactionHash = &d.Tx
	}
	if !d.Replayed.IsZero() {
		doc.Replayed = &d.Replayed
	}
	return doc
}

func Subject(d *score.DeadLetter) string {
	switch {
	case d.Update != nil:
		return "update " + d.Update.ID.String()
	case d.Project != nil:
		return "project " + d.Project.ID.String()
	case d.Edit != nil:
		return fmt.Sprintf("edit %d of project %s", d.Edit.Nonce, d.Edit.Project)
	default:
		return fmt.Sprintf("message %d", d.Seq)
	}
}

var ErrNone = errors.New("no dead letter has this id")

// Find returns the newest dead letter for each name: a dead letter's id, or a rejected updateId or projectId. It
// reads all dead letters once. ErrNone: a name is unknown. The error of an ambiguous name contains ids to choose
// from. Any other error may be temporary.
func Find(ctx context.Context, opened *stream.Stream, names []string) ([]score.DeadLetter, error) {
	candidates := make([][]score.DeadLetter, len(names))
	err := opened.DeadLetters(ctx, func(d score.DeadLetter) error {
		for i, name := range names {
			if isNamed(&d, strings.ToLower(name)) {
				candidates[i] = append(candidates[i], d)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make([]score.DeadLetter, len(names))
	for i, name := range names {
		if found[i], err = newest(candidates[i], name); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// isNamed matches an edit only by its id, since its projectId means the creation.
func isNamed(d *score.DeadLetter, name string) bool {
	return name == ID(d) || d.Update != nil && name == d.Update.ID.String() || d.Project != nil && name == d.Project.ID.String()
}

// newest returns the newest of one name's dead letters. Two projects may use the same updateId, and an updateId may
// equal a projectId, since clients choose both.
func newest(candidates []score.DeadLetter, name string) (score.DeadLetter, error) {
	if len(candidates) == 0 {
		return score.DeadLetter{}, fmt.Errorf("%w: %q; `scorelay dlq list --replayed` lists all", ErrNone, name)
	}
	found := candidates[0]
	for _, d := range candidates[1:] {
		const choose = "; name a dead letter by its id, such as %s or %s"
		if (d.Update == nil) != (found.Update == nil) {
			return score.DeadLetter{}, fmt.Errorf("%q is the projectId of a creation and the updateId of an update"+choose,
				name, ID(&found), ID(&d))
		}
		if projectOf(&d) != projectOf(&found) {
			return score.DeadLetter{}, fmt.Errorf("%q is of several projects"+choose, name, ID(&found), ID(&d))
		}
		if !d.Time.Before(found.Time) {
			found = d
		}
	}
	return found, nil
}

func projectOf(d *score.DeadLetter) score.ProjectID {
	ref, _ := d.Ref()
	return ref.Project
}
