package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/scorelay/scorelay/pkg/chain"
	"github.com/scorelay/scorelay/pkg/evidence"
	"github.com/scorelay/scorelay/pkg/index"
	"github.com/scorelay/scorelay/pkg/registry"
	"github.com/scorelay/scorelay/pkg/score"
)

type reader struct {
	index.Histories
	chain *chain.Client
}

func (r reader) view(ctx context.Context, data []byte) ([]byte, error) {
	return r.chain.View(ctx, r.Deployment.Contract, data)
}

func (r reader) at(hash common.Hash) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, data []byte) ([]byte, error) {
		return r.chain.Call(ctx, evidence.Call{To: r.Deployment.Contract, Data: data}, hash)
	}
}

// ProjectExists reads the newest block.
func (r reader) ProjectExists(ctx context.Context, project score.ProjectID) (bool, error) {
	info, err := registry.ReadProject(project).Do(ctx, r.view)
	return info.Exists(), err
}

// NextEdit returns the nonce of the project's next edit, as of the newest block and as of the newest final one.
func (r reader) NextEdit(ctx context.Context, project score.ProjectID) (newest, final uint64, err error) {
	block, some, err := r.final(ctx) // read first, so that the newest block is at least as new
	if err != nil {
		return 0, 0, err
	}
	read := registry.ReadProject(project)
	var info registry.ProjectInfo
	if some {
		if info, err = read.Do(ctx, r.at(block.Hash)); err != nil {
			return 0, 0, err
		}
	}
	head, err := read.Do(ctx, r.view)
	return max(head.EditNonce, info.EditNonce), info.EditNonce, err
}

// final returns the newest final block; some is false if it is missing or older than the contract.
func (r reader) final(ctx context.Context) (block evidence.Ref, some bool, err error) {
	block, some, err = r.Final(ctx)
	return block, some && block.Number >= r.Deployment.DeployBlock, err
}

// Used reports for each updateId, in order, whether it was used as of the newest final block; all false if there is
// none.
func (r reader) Used(ctx context.Context, project score.ProjectID, updates []score.UpdateID) ([]bool, error) {
	final, some, err := r.final(ctx)
	if err != nil {
		return nil, err
	}
	if !some {
		return make([]bool, len(updates)), nil
	}
	used, err := registry.ReadUsed(project, updates).Do(ctx, r.at(final.Hash))
	if err == nil && len(used) != len(updates) {
		err = fmt.Errorf("the contract told of %d updateIds, asked for %d", len(used), len(updates))
	}
	return used, err
}

// Scores returns the wallet's scores, by index of score type, and the number of the newest block, which it read.
func (r reader) Scores(ctx context.Context, project score.ProjectID, wallet common.Address) ([]int64, uint64, error) {
	head, err := r.chain.Head(ctx)
	if err != nil {
		return nil, 0, err
	}
	scores, err := registry.ReadWalletScores(project, wallet).Do(ctx, r.at(head.Hash))
	return scores, head.Number, err
}

// Carrier returns the lane's transaction tx if it contains the update, else nil.
func (r reader) Carrier(ctx context.Context, tx common.Hash, project score.ProjectID, update score.UpdateID) (*score.Carrier, error) {
	told, err := r.chain.Transaction(ctx, tx)
	if told == nil {
		return nil, err
	}
	return registry.CarrierOf(told, r.Deployment.Contract, project, update), nil
}

func (r reader) HasCode(ctx context.Context, address common.Address) (bool, error) {
	code, err := r.chain.Code(ctx, address)
	return len(code) > 0, err
}

// Call is an eth_call at the newest block; a revert returns nil.
func (r reader) Call(ctx context.Context, to common.Address, data []byte) ([]byte, error) {
	answer, err := r.chain.View(ctx, to, data)
	var revert *evidence.RevertError
	if errors.As(err, &revert) {
		return nil, nil
	}
	return answer, err
}
