package registry

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// The names of reverts that only tests tell apart.
const (
	RevertNotMember        = "NotMember" // of owners' edits and updateScore, as the following
	RevertDuplicateUpdate  = "DuplicateUpdate"
	RevertUnknownAction    = "UnknownAction"    // also of ReadActionIndex
	RevertUnknownScoreType = "UnknownScoreType" // also of ReadScore and ReadScoreTypeIndex
)

// ReadRoles asks each account's roles in a project.
func ReadRoles(project score.ProjectID, accounts []common.Address) Read[[]score.Role] {
	return Read[[]score.Role]{contract.PackGetRoles(project, accounts), func(returned []byte) ([]score.Role, error) {
		bits, err := contract.UnpackGetRoles(returned)
		roles := make([]score.Role, len(bits))
		for i, b := range bits {
			roles[i] = score.Role(b)
		}
		return roles, err
	}}
}

// ReadActionIndex asks the index of the newest action of that name; reverts with UnknownAction.
func ReadActionIndex(project score.ProjectID, name string) Read[uint8] {
	return Read[uint8]{contract.PackGetActionIndex(project, name), contract.UnpackGetActionIndex}
}

// ReadScoreTypeIndex asks the index of the score type of that name; reverts with UnknownScoreType.
func ReadScoreTypeIndex(project score.ProjectID, name string) Read[uint8] {
	return Read[uint8]{contract.PackGetScoreTypeIndex(project, name), contract.UnpackGetScoreTypeIndex}
}

// ReadScore asks a wallet's score of a named score type; reverts with UnknownScoreType.
func ReadScore(project score.ProjectID, wallet common.Address, scoreType string) Read[int64] {
	return Read[int64]{contract.PackGetScore(project, wallet, scoreType), contract.UnpackGetScore}
}
