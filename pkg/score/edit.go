package score

import "github.com/ethereum/go-ethereum/common"

// Operation is what an edit does, in the words that its owner signs.
type Operation string

// The operations, as the contract knows them.
const (
	AddOwner            Operation = "add owner"
	RemoveOwner         Operation = "remove owner"
	AddUpdater          Operation = "add updater"
	RemoveUpdater       Operation = "remove updater"
	AddAction           Operation = "add action"
	AddScoreType        Operation = "add score type"
	RequireSignedGroups Operation = "require signed groups"
	AllowUnsignedGroups Operation = "allow unsigned groups"
)

// Edit is one change of a project by its owner. What its operation does not use is zero.
type Edit struct {
	Operation Operation      `json:"operation"`
	Member    common.Address `json:"member"`    // of the four operations on members
	Name      string         `json:"name"`      // of AddAction and AddScoreType
	Points    uint32         `json:"points"`    // of AddAction
	Direction Direction      `json:"direction"` // of AddAction
}

// ProjectEdit is what an owner signs: edits of one project, which are made in order, all or none. As JSON it is the message
// of the EIP-712 data.
type ProjectEdit struct {
	Project  ProjectID `json:"projectId"`
	Edits    []Edit    `json:"edits"`    // none: the nonce is used up, which takes back what else was signed with it
	Nonce    uint64    `json:"nonce"`    // the contract's next of the project
	Deadline uint64    `json:"deadline"` // the last second, since 1970, in which a block may have it
}
