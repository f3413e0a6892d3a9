package registry

import (
	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// The names of reverts that only tests tell apart.
const (
	RevertUnknownProject   = "UnknownProject" // of owners' edits and updateScore, as the following
	RevertNotOwner         = "NotOwner"
	RevertNotMember        = "NotMember"
	RevertDuplicateUpdate  = "DuplicateUpdate"
	RevertUnknownAction    = "UnknownAction"    // also of ReadActionIndex
	RevertUnknownScoreType = "UnknownScoreType" // also of ReadScore and ReadScoreTypeIndex

	RevertEditExpired      = "EditExpired" // of editBySignature, as the following
	RevertWrongEditNonce   = "WrongEditNonce"
	RevertBadEditSignature = "BadEditSignature"
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

// EditGas bounds the gas of an edit by signature.
func EditGas(e *score.ProjectEdit) uint64 {
	data := EncodeEditBySignature(e, common.Address{}, score.GroupSignature{})
	const (
		base      = 40_000         // transaction, project, owner, signature, nonce
		perEdit   = 56_000         // of the dearest: a fresh slot for an action's name and one for its points
		perByte   = 18             // of names and operations, which are hashed, compared and logged
		signature = (20 + 64) * 12 // which is not zero
	)
	return base + calldataGas(data) + signature + perByte*uint64(len(data)) + perEdit*uint64(len(e.Edits))
}
