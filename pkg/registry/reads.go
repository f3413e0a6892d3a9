package registry

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Read is a view call: the calldata to send to the contract by eth_call, and how to read what comes back.
type Read[T any] struct {
	Data   []byte
	Decode func(returned []byte) (T, error)
}

// Do sends the call by means of call and decodes its answer.
func (r Read[T]) Do(ctx context.Context, call func(ctx context.Context, data []byte) ([]byte, error)) (T, error) {
	returned, err := call(ctx, r.Data)
	if err != nil {
		var zero T
		return zero, err
	}
	out, err := r.Decode(returned)
	if err != nil {
		return out, fmt.Errorf("couldn't decode the contract's answer: %w", err)
	}
	return out, nil
}

// ProjectInfo is what the contract keeps of a project beside its members and points; all zero if there is none.
type ProjectInfo struct {
	CreatedBlock uint64 // block.number at its creation: on Arbitrum a number of L1, so read nothing by it alone
	Owners       uint32
	EditNonce    uint64 // of the next edit by signature
	Actions      uint8
	ScoreTypes   uint8
	SignedOnly   bool
}

// Exists tells whether there is such a project.
func (p ProjectInfo) Exists() bool { return p.Actions > 0 }

// ReadProject asks what the contract keeps of a project.
func ReadProject(project score.ProjectID) Read[ProjectInfo] {
	return Read[ProjectInfo]{contract.PackGetProject(project), func(returned []byte) (ProjectInfo, error) {
		info, err := contract.UnpackGetProject(returned)
		return ProjectInfo{
			CreatedBlock: info.CreatedBlock, Owners: info.OwnerCount, EditNonce: info.EditNonce,
			Actions: info.ActionCount, ScoreTypes: info.ScoreTypeCount, SignedOnly: info.SignedOnly,
		}, err
	}}
}

// ReadUsed asks for each updateId whether it is used up.
func ReadUsed(project score.ProjectID, ids []score.UpdateID) Read[[]bool] {
	raw := make([][32]byte, len(ids))
	for i, id := range ids {
		raw[i] = id
	}
	return Read[[]bool]{contract.PackGetUsed(project, raw), contract.UnpackGetUsed}
}

// ReadActions asks the signed points of each of a project's actions, by index; none if there is no such project. Names are in the events.
func ReadActions(project score.ProjectID) Read[[]int64] {
	return Read[[]int64]{contract.PackGetActions(project), contract.UnpackGetActions}
}

// ReadWalletScores asks a wallet's scores of all of a project's score types, by index.
func ReadWalletScores(project score.ProjectID, wallet common.Address) Read[[]int64] {
	return Read[[]int64]{contract.PackGetWalletScores(project, wallet), contract.UnpackGetWalletScores}
}

// ReadScores asks many scores: the i-th is that of wallets[i] and the score type with index scoreTypes[i]. The lists must
// be equally long. A few thousand in one call fit the call gas limit of most nodes (about 3,000 gas each).
func ReadScores(project score.ProjectID, wallets []common.Address, scoreTypes []uint8) Read[[]int64] {
	return Read[[]int64]{contract.PackGetScores(project, wallets, scoreTypes), contract.UnpackGetScores}
}

// ReadIsRelayer asks whether an account holds the relayer role.
func ReadIsRelayer(account common.Address) Read[bool] {
	return Read[bool]{contract.PackHasRole(relayerRole, account), contract.UnpackHasRole}
}

// ReadAdmin asks who grants and revokes the relayer role; the zero address if there is no admin any more.
func ReadAdmin() Read[common.Address] {
	return Read[common.Address]{contract.PackDefaultAdmin(), contract.UnpackDefaultAdmin}
}
