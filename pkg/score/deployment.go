package score

import "github.com/ethereum/go-ethereum/common"

// Deployment is what all processes of one installation must agree on.
type Deployment struct {
	Lanes       int            // with which it began, 1 … MaxLanes; package roster says which there are now
	ChainID     uint64         // EIP-155
	Contract    common.Address // the ScoreRegistry
	DeployBlock uint64         // the block the contract was deployed in: where reading its events begins
}
