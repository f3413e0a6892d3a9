package score

import "github.com/ethereum/go-ethereum/common"

// Deployment is the configuration that all processes share.
type Deployment struct {
	Lanes       int // their number at setup, 1 … MaxLanes; package roster has later lanes
	ChainID     uint64
	Contract    common.Address
	DeployBlock uint64 // where the contract's events start
}
