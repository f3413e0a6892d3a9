package score

import "github.com/ethereum/go-ethereum/common"

// Deployment is the configuration that all processes of one installation share.
type Deployment struct {
	Lanes       int            // when it was set up, 1 … MaxLanes; package roster has the present ones
	ChainID     uint64         // EIP-155
	Contract    common.Address // the ScoreRegistry
	DeployBlock uint64         // block of the contract's deployment, where its events start
}
