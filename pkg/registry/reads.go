package registry

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/score"
)

// Read is a read's calldata, and the decoder of its result.
type Read[T any] struct {
	Data   []byte
	Decode func(returned []byte) (T, error)
}

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

// ProjectInfo is the contract's record of a project except members and points; all zero for an unknown one.
type ProjectInfo struct {
	CreatedBlock uint64 // block.number at creation; on Arbitrum an L1 number, so never find a block by it alone
	Owners       uint32
	EditNonce    uint64 // of the next edit by signature
	Actions      uint8
	ScoreTypes   uint8
	SignedOnly   bool
}

func (p ProjectInfo) Exists() bool { return p.Actions > 0 }

func ReadProject(project score.ProjectID) Read[ProjectInfo] {
	return Read[ProjectInfo]{contract.PackGetProject(project), func(returned []byte) (ProjectInfo, error) {
		info, err := contract.UnpackGetProject(returned)
		return ProjectInfo{
			CreatedBlock: info.CreatedBlock, Owners: info.OwnerCount, EditNonce: info.EditNonce,
			Actions: info.ActionCount, ScoreTypes: info.ScoreTypeCount, SignedOnly: info.SignedOnly,
		}, err
	}}
}

func ReadUsed(project score.ProjectID, ids []score.UpdateID) Read[[]bool] {
	raw := make([][32]byte, len(ids))
	for i, id := range ids {
		raw[i] = id
	}
	return Read[[]bool]{contract.PackGetUsed(project, raw), contract.UnpackGetUsed}
}

// ReadActions reads the signed points of a project's actions, by index; empty for an unknown project. Events have the
// names.
func ReadActions(project score.ProjectID) Read[[]int64] {
	return Read[[]int64]{contract.PackGetActions(project), contract.UnpackGetActions}
}

// ReadWalletScores reads a wallet's scores for all score types of a project, by index.
func ReadWalletScores(project score.ProjectID, wallet common.Address) Read[[]int64] {
	return Read[[]int64]{contract.PackGetWalletScores(project, wallet), contract.UnpackGetWalletScores}
}

// ReadScores reads the score of each wallets[i] for the score type scoreTypes[i]. The lists must be equally long.
// Most nodes' gas limit for calls allows a few thousand (about 3,000 gas each).
func ReadScores(project score.ProjectID, wallets []common.Address, scoreTypes []uint8) Read[[]int64] {
	return Read[[]int64]{contract.PackGetScores(project, wallets, scoreTypes), contract.UnpackGetScores}
}

func ReadIsRelayer(account common.Address) Read[bool] {
	return Read[bool]{contract.PackHasRole(relayerRole, account), contract.UnpackHasRole}
}

// ReadAdmin reads the account that grants and revokes the relayer role; the zero address if there is none.
func ReadAdmin() Read[common.Address] {
	return Read[common.Address]{contract.PackDefaultAdmin(), contract.UnpackDefaultAdmin}
}
