package event

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

type Type string

const (
	UpdateApplied   Type = "update.applied"   // UpdateData: its score changed
	UpdateDuplicate Type = "update.duplicate" // UpdateData: its updateId was used before
	UpdateRejected  Type = "update.rejected"  // UpdateData: see outcome; its updateId stays unused
	UpdateReplayed  Type = "update.replayed"  // UpdateData: rejected without a contract event, replayed by an operator

	ProjectCreated  Type = "project.created"  // ProjectData
	ProjectChanged  Type = "project.changed"  // ChangeData
	ProjectRejected Type = "project.rejected" // ProjectData: its creation failed
	ProjectReplayed Type = "project.replayed" // ProjectData: an operator replayed it

	EditRejected Type = "edit.rejected" // EditData: an owner's edit failed

	// ChainRewound (RewindData): a reorg deeper than finality. Events of later blocks are void; valid ones come again
	// under their ids.
	ChainRewound Type = "chain.rewound"
)

func Types() []Type {
	return []Type{
		UpdateApplied, UpdateDuplicate, UpdateRejected, UpdateReplayed, ProjectCreated, ProjectChanged, ProjectRejected, ProjectReplayed, EditRejected,
		ChainRewound,
	}
}

// MaxID bounds an event's id, in bytes.
const MaxID = 255

// Event is one final fact, sent to readers as JSON.
type Event struct {
	ID   string `json:"id"` // 1 to MaxID characters of A-Z a-z 0-9 and -
	Type Type   `json:"type"`
	// Time is in UTC: the block's; for a dead letter, when it was stored or replayed; for ChainRewound, the final
	// block's at the rollback.
	Time    time.Time       `json:"timestamp"`
	Project score.ProjectID `json:"projectId"`
	Data    any             `json:"data"` // by Type

	// After is the cursor right after the event.
	After Cursor `json:"-"`
}

// TxRef is the transaction behind an event, if any. Block is null unless the contract emitted the event.
type TxRef struct {
	Tx    *common.Hash `json:"transactionHash"`
	Block *uint64      `json:"blockNumber"`
}

type UpdateData struct {
	ID        score.UpdateID `json:"updateId"`
	Target    common.Address `json:"targetWallet"`
	Signer    common.Address `json:"signer"`
	Action    *string        `json:"action"`    // null if the contract lacked it at first delivery
	Points    *int64         `json:"points"`    // signed, of the action, applied or not; null as action
	ScoreType *string        `json:"scoreType"` // as action
	Outcome   string         `json:"outcome"`   // a score.Outcome's text
	TxRef
}

// ProjectData describes a project as created. In project.rejected and project.replayed, it describes the project of
// the dead-lettered creation.
type ProjectData struct {
	Name       string           `json:"name"`
	Actions    []score.Action   `json:"inputActions"` // by index
	ScoreTypes []string         `json:"scoreTypes"`   // by index
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	SignedOnly bool             `json:"signedOnly"`
	Outcome    string           `json:"outcome"`
	TxRef
}

// ChangeData has one of Member, Action, ScoreType and SignedOnly.
type ChangeData struct {
	Member *common.Address `json:"member,omitempty"`
	// Roles are the member's roles from then on, owner and updater; empty, not null, if removed.
	Roles      []string      `json:"roles,omitzero"`
	Action     *score.Action `json:"action,omitempty"`
	ScoreType  *string       `json:"scoreType,omitempty"`
	SignedOnly *bool         `json:"signedOnly,omitempty"`
	TxRef
}

type EditData struct {
	Nonce   uint64         `json:"nonce"`
	Owner   common.Address `json:"owner"`
	Edits   []score.Edit   `json:"edits"`
	Outcome string         `json:"outcome"`
	TxRef
}

// RewindData holds the newest block that is still canonical.
type RewindData struct {
	Block uint64       `json:"blockNumber"`
	Hash  *common.Hash `json:"blockHash"` // null if only the number is known
}
