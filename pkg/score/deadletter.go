package score

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// DeadLetter is one accepted update, creation or edit that was rejected, or a message that cannot be read, with its reason: it
// did not apply as things stood, and its id is unused. One of Update, Project, Edit and Raw is set.
//
// A dead letter is the outcome of an acceptance, so it stays when its update is accepted again: Replayed marks it then.
// What is rejected again after that was in another batch, or is another creation, so it has a dead letter of its own.
type DeadLetter struct {
	ID      string      `json:"id,omitzero"`   // given by the stream: what was rejected, and Seq
	Lane    Lane        `json:"lane"`          // that found it; of an update, that bound it first
	Seq     uint64      `json:"seq"`           // of the creation, edit or corrupt message; of an update, the lowest of its batch; 0 if not known
	Work    uint64      `json:"work,omitzero"` // of an update, which piece of its lane's work it was in
	Until   uint64      `json:"until"`         // given by the stream: its last message then; what was rejected is not after it
	Time    time.Time   `json:"time"`          // given by the stream: when it was stored
	Outcome Outcome     `json:"outcome"`
	Reason  string      `json:"reason"` // a sentence for an operator
	Update  *Update     `json:"update,omitzero"`
	Signed  bool        `json:"signed,omitzero"` // the update was one of a signed group, whose signature is not kept
	Project *Project    `json:"project,omitzero"`
	Edit    *SignedEdit `json:"edit,omitzero"`
	Raw     []byte      `json:"raw,omitzero"` // a message that could not be read

	Tx       common.Hash `json:"tx,omitzero"`       // the transaction that showed it, if one did
	Block    uint64      `json:"block,omitzero"`    // Tx's, or the newest final one as the lane saw it: what it tells is newer than what an earlier one does
	Replayed time.Time   `json:"replayed,omitzero"` // when it was accepted again; zero if it was not
}

// Ref names what was rejected; ok is false of a message that could not be read.
func (d *DeadLetter) Ref() (ref Ref, ok bool) {
	if d.Update != nil {
		return d.Update.Ref(), true
	}
	return (&Message{Project: d.Project, Edit: d.Edit}).Alone()
}

// Eventless tells whether no event of the contract tells the dead letter's outcome.
func (d *DeadLetter) Eventless() bool {
	return d.Update == nil || d.Tx == (common.Hash{}) || d.Outcome == Unprocessable
}

// Sole tells whether only the dead letter says that this was the end. That is so without an event, and where a project was
// unknown: an event says that also of updates that merely came before their project and were bound again.
func (d *DeadLetter) Sole() bool { return d.Eventless() || d.Outcome == UnknownProject }
