package event

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Type says what an event tells, and which type its data has.
type Type string

// The types.
const (
	UpdateApplied   Type = "update.applied"   // UpdateData: its score changed
	UpdateDuplicate Type = "update.duplicate" // UpdateData: its updateId was used before, so it changed nothing
	UpdateRejected  Type = "update.rejected"  // UpdateData: it changed nothing, for the reason in the outcome, and its updateId stays unused
	UpdateReplayed  Type = "update.replayed"  // UpdateData: an operator had one that was rejected without an event of the contract accepted again

	ProjectCreated  Type = "project.created"  // ProjectData
	ProjectChanged  Type = "project.changed"  // ChangeData
	ProjectRejected Type = "project.rejected" // ProjectData: its creation could not be carried out
	ProjectReplayed Type = "project.replayed" // ProjectData: an operator had such a creation accepted again

	EditRejected Type = "edit.rejected" // EditData: none of an owner's edit was made; what is made of others is told by ProjectChanged

	// ChainRewound is told of a reorg deeper than finality, with RewindData: events of later blocks are void, and what holds comes again under its ids.
	ChainRewound Type = "chain.rewound"
)

// Types lists all types.
func Types() []Type {
	return []Type{
		UpdateApplied, UpdateDuplicate, UpdateRejected, UpdateReplayed, ProjectCreated, ProjectChanged, ProjectRejected, ProjectReplayed, EditRejected,
		ChainRewound,
	}
}

// MaxID bounds the id of an event, in bytes.
const MaxID = 255

// Event tells one thing that became final. As JSON it is what readers are sent.
type Event struct {
	ID      string          `json:"id"` // 1 to MaxID of A-Z a-z 0-9 and -; the same forever, however often the event comes
	Type    Type            `json:"type"`
	Time    time.Time       `json:"timestamp"` // UTC: of the block; of a dead letter, when it was stored or replayed; of ChainRewound, of the final block then
	Project score.ProjectID `json:"projectId"`
	Data    any             `json:"data"` // UpdateData, ProjectData, ChangeData, EditData or RewindData, as Type says

	// After is the cursor right after the event: who has done all of it continues there.
	After Cursor `json:"-"`
}

// TxRef is the transaction that did something, and its block, which is null of what no event of the contract tells. All is null of what no transaction did.
type TxRef struct {
	Tx    *common.Hash `json:"transactionHash"`
	Block *uint64      `json:"blockNumber"` // null also where only the transaction is known
}

// UpdateData tells of an update, in the words of a wallet's history.
type UpdateData struct {
	ID        score.UpdateID `json:"updateId"`
	Target    common.Address `json:"targetWallet"`
	Signer    common.Address `json:"signer"`
	Action    *string        `json:"action"`    // null where the contract did not have it when the event was first told
	Points    *int64         `json:"points"`    // signed, of the action, whether or not they were applied; as action
	ScoreType *string        `json:"scoreType"` // as action
	Outcome   string         `json:"outcome"`   // a score.Outcome's text
	TxRef
}

// ProjectData tells of a project as it was created, or should have been.
type ProjectData struct {
	Name       string           `json:"name"`
	Actions    []score.Action   `json:"inputActions"` // by index
	ScoreTypes []string         `json:"scoreTypes"`   // by index
	Owners     []common.Address `json:"owners"`
	Updaters   []common.Address `json:"updaters"`
	SignedOnly bool             `json:"signedOnly"`
	Outcome    string           `json:"outcome"` // a score.Outcome's text
	TxRef
}

// ChangeData tells one change of a project. Of Member, Action, ScoreType and SignedOnly one is set.
type ChangeData struct {
	Member     *common.Address `json:"member,omitempty"`
	Roles      []string        `json:"roles,omitzero"` // that the member has now: owner, updater; empty, not null, if it is none any more
	Action     *score.Action   `json:"action,omitempty"`
	ScoreType  *string         `json:"scoreType,omitempty"`
	SignedOnly *bool           `json:"signedOnly,omitempty"`
	TxRef
}

// EditData tells of an owner's edit that was posted.
type EditData struct {
	Nonce   uint64         `json:"nonce"`
	Owner   common.Address `json:"owner"`
	Edits   []score.Edit   `json:"edits"`
	Outcome string         `json:"outcome"` // a score.Outcome's text
	TxRef
}

// RewindData tells of the newest block that stands.
type RewindData struct {
	Block uint64       `json:"blockNumber"`
	Hash  *common.Hash `json:"blockHash"` // null where only the number is known
}
