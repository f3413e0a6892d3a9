package score

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// DeadLetter is one rejected update, creation or edit, or a corrupt message. One of Update, Project, Edit and Raw is
// set. A rejected updateId is unused.
//
// A dead letter belongs to one acceptance, so it stays, with Replayed set, when its update is accepted again. A
// second rejection has a dead letter of its own.
type DeadLetter struct {
	// ID contains Work for an update, Seq for anything else. The stream sets it.
	ID   string `json:"id,omitzero"`
	Lane Lane   `json:"lane"` // that found it, or that assigned the update first
	// Seq is the message's sequence; for an update, the lowest one in its batch. 0: unknown.
	Seq uint64 `json:"seq"`
	// Work identifies the lane's work that held the update.
	Work uint64 `json:"work,omitzero"`
	// Until is the stream's last sequence at Time; the rejected message is at or before it. The stream sets both.
	Until   uint64      `json:"until"`
	Time    time.Time   `json:"time"`
	Outcome Outcome     `json:"outcome"`
	Reason  string      `json:"reason"` // a sentence for an operator
	Update  *Update     `json:"update,omitzero"`
	Signed  bool        `json:"signed,omitzero"` // in a signed group
	Project *Project    `json:"project,omitzero"`
	Edit    *SignedEdit `json:"edit,omitzero"`
	Raw     []byte      `json:"raw,omitzero"` // a corrupt message

	Tx common.Hash `json:"tx,omitzero"` // that showed the outcome, if any
	// Block is that of Tx, else the newest final block that the lane knew. A higher Block is newer knowledge.
	Block    uint64    `json:"block,omitzero"`
	Replayed time.Time `json:"replayed,omitzero"` // when it was accepted again; zero: never
}

// Ref returns the rejected work's reference. ok is false for a corrupt message.
func (d *DeadLetter) Ref() (ref Ref, ok bool) {
	if d.Update != nil {
		return d.Update.Ref(), true
	}
	return (&Message{Project: d.Project, Edit: d.Edit}).Alone()
}

// Eventless reports whether the contract emitted no event of the outcome.
func (d *DeadLetter) Eventless() bool {
	return d.Update == nil || d.Tx == (common.Hash{}) || d.Outcome == Unprocessable
}

// Sole reports whether only the dead letter proves that this outcome is final. An event with UnknownProject is no
// proof: an update that preceded its project causes one, too, and is then assigned again.
func (d *DeadLetter) Sole() bool { return d.Eventless() || d.Outcome == UnknownProject }
