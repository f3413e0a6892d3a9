package score

import "github.com/ethereum/go-ethereum/common"

// Deployment is the configuration that all processes share.
type Deployment struct {
	Lanes       int // at setup, 1 … MaxLanes; later ones are in package roster
	ChainID     uint64
	Contract    common.Address
	DeployBlock uint64 // where the contract's events start
}
